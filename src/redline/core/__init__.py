"""Frozen values and pure functions: no disk, no clock, no process."""
