"""The hooks of agents: before a write tool, the edit becomes a proposal and the tool is denied.

`command` is the flow; `events` is what it is told, `words` what it says; each dialect is a module of its own.
"""
