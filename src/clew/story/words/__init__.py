"""Words for facts: one function per family, which returns a phrase in three lengths.

No model is involved: the same facts always give the same words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clew.model.fact import Fact
from clew.story.words.broken import broken
from clew.story.words.checks import checks, tests
from clew.story.words.code import code
from clew.story.words.data import containers, data
from clew.story.words.declarations import links, locks, resources
from clew.story.words.files import directories, generated, logs
from clew.story.words.git import git
from clew.story.words.losses import losses, moves
from clew.story.words.packages import executables, packages, sources, toolchains
from clew.story.words.phrases import Phrase, place, some
from clew.story.words.running import failures, ports, processes, security
from clew.story.words.settings import configs, env
from clew.story.words.system import crons, groups, services, users
from clew.story.words.tables import tables

__all__ = ["Phrase", "phrase", "place", "some"]


def phrase(family: str, facts: Sequence[Fact]) -> Phrase:
    """Return the words for facts of one family that share a line."""
    return _FAMILIES[family](facts)


_FAMILIES: dict[str, Callable[[Sequence[Fact]], Phrase]] = {
    "loss": losses,
    "broken": broken,
    "security": security,
    "test": tests,
    "check": checks,
    "package": packages,
    "lock": locks,
    "source": sources,
    "toolchain": toolchains,
    "executable": executables,
    "service": services,
    "cron": crons,
    "user": users,
    "group": groups,
    "env": env,
    "config": configs,
    "resource": resources,
    "link": links,
    "move": moves,
    "table": tables,
    "data": data,
    "container": containers,
    "git": git,
    "code": code,
    "directory": directories,
    "generated": generated,
    "log": logs,
    "port": ports,
    "process": processes,
    "detector": failures,
}
