"""The agents whose hooks redline answers and whose configurations it writes."""

from __future__ import annotations

from typing import Final

AGENTS: Final = ("claude-code", "codex", "gemini", "cursor", "copilot", "vscode", "opencode", "cline")
