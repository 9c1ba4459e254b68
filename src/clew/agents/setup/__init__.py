"""Setting an agent up: our entries in its settings, put in and taken out without a trace.

from clew.agents import setup

setup.enable("claude-code")          # hooks in .claude/settings.json, and a first checkpoint
setup.doctor()                       # is everything in its place?
setup.disable("claude-code")         # the settings are what they were
"""

from __future__ import annotations

from clew.agents.setup.catalogue import AGENTS
from clew.agents.setup.disable import disable
from clew.agents.setup.doctor import doctor
from clew.agents.setup.enable import enable

__all__ = ["AGENTS", "disable", "doctor", "enable"]
