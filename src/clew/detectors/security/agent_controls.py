"""Agent control detector: settings, hooks, servers, permissions and instructions of agents.

These files decide what an agent does next, and an agent that writes them can lift its own limits.
A new file counts like a changed one: several agents read one as soon as it appears.
Files that control clew itself count as well.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.files.loose_json import read_json
from clew.detectors.security.agent_files import (
    DIRECTORIES,
    FILES,
    INSTRUCTIONS,
    PROGRAMS,
    SETTINGS,
    STATE,
    role_of,
)
from clew.detectors.security.agent_settings import changed_parts, merged_projects
from clew.detectors.security.security_rules import (
    Alarm,
    alarm_findings,
    content,
    examine,
    is_dependency,
    lines_between,
    rules_between,
)
from clew.model.entry import Reason
from clew.model.fact import Severity

_STORES = ("/.local/share/clew", "/var/lib/clew")
_CONFIGURATIONS = ("/.config/clew/", "/etc/clew/")
_MAX_TOML_SIZE = 256 << 10
"""tomllib is slower than linear on unusual input."""
_SEVERE_LINES = (
    b"mcpservers",
    b"command",
    b"-cmd",
    b"api-base",
    b"apibase",
    b"hooks",
    b"yes-always",
)
_UNREAD = Alarm("security.agent", "agent", "", Severity.HIGH)
_SESSIONS = "agents' own sessions and caches"


class AgentControls:
    """Reports changes of files that control an agent."""

    name = "security/agent"
    version = 1
    kinds: tuple[str, ...] = ("security.agent",)
    watch = WatchedPaths(
        names=(*FILES, "mcp.json", "clew"),
        heads=(".aider",),
        directories=(*DIRECTORIES, ".github", "clew"),
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        memories: list[str] = []
        controls: list[PathChange] = []
        for change in changes:
            if change.is_directory:
                yield from alarm_findings(_clew(change))
            elif role_of(change.path) == STATE or _is_state(evidence, change):
                memories.append(change.path)
            else:
                controls.append(change)
        yield from examine(evidence, controls, _judge, _UNREAD)
        mine = [path for path in memories if not is_dependency(path)]
        if mine:
            yield Finding((), mine, _SESSIONS)


def _is_state(evidence: Evidence, change: PathChange) -> bool:
    """Return whether only session state changed in a file that also has settings."""
    if change.name != ".claude.json" or not change.is_content:
        return False
    with evidence.guarded(change.path):
        old, new = (read_json(tree.read(change.path)) for tree in (evidence.old, evidence.new))
        if old is not None and new is not None:
            return not changed_parts(merged_projects(old), merged_projects(new)).marks
    return False


def _judge(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    if change.name == "clew" or "clew" in change.parent.split("/"):
        yield from _clew(change)
    role = role_of(change.path)
    if role is None or not change.is_content:
        return
    if role == SETTINGS:
        yield from _settings(evidence, change)
    elif role == PROGRAMS:
        severity = Severity.NOTE if change.is_deleted else Severity.HIGH
        what = "mcpServers" if "mcpServers" in change.parent else "hooks"
        yield _alarm(change, severity, (what,))
    elif role == INSTRUCTIONS and not change.is_deleted:
        lines = lines_between(
            content(evidence.old, change.path), content(evidence.new, change.path)
        )
        yield _alarm(change, Severity.NOTE, ("instructions", lines.mark))


def _settings(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    path = change.path
    texts = content(evidence.old, path), content(evidence.new, path)
    if path.endswith((".yml", ".yaml")):
        yield from _by_lines(change, *texts)
        return
    old, new = (_parsed(path, text) for text in texts)
    if new is None:
        yield _alarm(change, Severity.HIGH, ("unreadable",))
        return
    if change.name == ".claude.json":
        old, new = merged_projects(old or {}), merged_projects(new)
    parts = changed_parts(old or {}, new)
    if parts.marks:
        yield _alarm(change, parts.severity, parts.marks)
    elif change.is_added:
        yield _alarm(change, Severity.NOTE, ("new",))


def _parsed(path: str, text: bytes | None) -> dict[str, object] | None:
    if not path.endswith(".toml"):
        return read_json(text)
    if text is not None and len(text) > _MAX_TOML_SIZE:
        return None
    try:
        return tomllib.loads((text or b"").decode("utf-8"))
    except (ValueError, RecursionError):  # malformed or hostile
        return None


def _by_lines(change: PathChange, old: bytes | None, new: bytes | None) -> Iterator[Alarm]:
    rules = rules_between(old, new)
    if rules:
        is_severe = any(sign in line.lower() for line in rules.added for sign in _SEVERE_LINES)
        yield _alarm(change, Severity.HIGH if is_severe else Severity.NOTE, (rules.mark,))


def _clew(change: PathChange) -> Iterator[Alarm]:
    rooted = "/" + change.path
    if change.is_deleted and (rooted.endswith(_STORES) or _is_store(change)):
        yield Alarm(
            "security.agent", "clew", change.path, Severity.HIGH, ("clew's history is gone",)
        )
    elif not change.is_directory and any(place in rooted for place in _CONFIGURATIONS):
        yield Alarm("security.agent", "clew", change.path, Severity.HIGH, ("clew's configuration",))


def _is_store(change: PathChange) -> bool:
    return change.old is not None and change.old.reason == Reason.STORE


def _alarm(change: PathChange, severity: str, marks: tuple[str, ...]) -> Alarm:
    return Alarm("security.agent", "agent", change.path, severity, marks)
