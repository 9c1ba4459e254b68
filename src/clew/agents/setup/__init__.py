"""Agent setup: install and remove clew's entries in an agent's settings.

from clew.agents import setup

setup.enable("claude-code")          # hooks in .claude/settings.local.json, and a first checkpoint
setup.doctor()                       # exercise the hooks, the servers, a save and a restore
setup.disable("claude-code")         # restore the settings byte for byte
"""

from __future__ import annotations

from clew.agents.setup.catalogue import AGENTS
from clew.agents.setup.disable import disable
from clew.agents.setup.doctor import doctor
from clew.agents.setup.enable import enable
from clew.agents.setup.hook_status import hooks

__all__ = ["AGENTS", "disable", "doctor", "enable", "hooks"]
