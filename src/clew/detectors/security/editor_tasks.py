"""Editor task detector: tasks, launch configurations, and settings that name a program.

Only what starts automatically when a directory is opened is a warning; everything else needs a
user action, and is a note.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.files.loose_json import as_list, as_object, read_json
from clew.detectors.security.fetched_programs import fetches
from clew.detectors.security.security_rules import Alarm, content, examine, rules_between
from clew.model.fact import Severity

_AUTOMATIC = {
    "task.allowAutomaticTasks": ("on", True),
    "security.workspace.trust.enabled": (False,),
    "security.workspace.trust.startupPrompt": ("never",),
    "chat.tools.autoApprove": (True,),
    "chat.tools.global.autoApprove": (True,),
    "chat.agent.autoApprove": (True,),
}
"""Settings that start programs without a user action, and the values that do."""
_PROGRAMS = (
    "path", "Path", "executablePath", "interpreterPath", "defaultInterpreterPath", "nodePath",
    "command", "commands", "shell", "shellArgs", "args", "runtime", "serverPath", "autoApprove",
)  # fmt: skip
"""The last word of settings that name a program."""
_PROGRAM_PLACES = ("terminal.integrated.profiles", "terminal.integrated.automationProfile",
                   "terminal.integrated.env", "terminal.integrated.defaultProfile")  # fmt: skip
_SCRIPTS = (".exrc", ".nvimrc", ".nvim.lua", ".lvimrc", ".dir-locals.el", ".vimrc.local")
_CONTAINERS = ("devcontainer.json", ".devcontainer.json")
_UNREAD = Alarm("security.editor", "editor", "", Severity.HIGH)


class EditorTasks:
    """Reports new programs that an editor will run."""

    name = "security/editor"
    version = 2
    kinds: tuple[str, ...] = ("security.editor",)
    watch = WatchedPaths(
        names=(*_SCRIPTS, *_CONTAINERS),
        suffixes=(".code-workspace",),
        directories=(".vscode", ".idea", ".run", ".zed"),
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield from examine(evidence, changes, _judge, _UNREAD)


def _judge(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    if change.is_deleted or not change.is_content:
        return
    folder = change.parent.rpartition("/")[2]
    name = change.name
    if folder in (".vscode", ".zed") and name in ("settings.json", "tasks.json", "launch.json"):
        yield from _structured(evidence, change, name.removesuffix(".json"))
    elif name.endswith(".code-workspace"):
        yield from _structured(evidence, change, "workspace")
    elif name in _CONTAINERS or name in _SCRIPTS or _is_run_configuration(change):
        rules = rules_between(
            content(evidence.old, change.path), content(evidence.new, change.path)
        )
        if rules:
            program = fetches(rules.added)
            severity = program.severity if program.mark else Severity.NOTE
            yield _alarm(change, severity, (program.mark or rules.mark,))


def _is_run_configuration(change: PathChange) -> bool:
    folder = change.parent.rpartition("/")[2]
    return (folder == "runConfigurations" or folder == ".run") and change.name.endswith(".xml")


def _structured(evidence: Evidence, change: PathChange, what: str) -> Iterator[Alarm]:
    old = read_json(content(evidence.old, change.path)) or {}
    new = read_json(content(evidence.new, change.path))
    if new is None:
        yield _alarm(change, Severity.NOTE, ("unreadable",))
        return
    severe: set[str] = set()
    others: set[str] = set()
    if what in ("tasks", "workspace"):
        _tasks(_section(old, what, "tasks"), _section(new, what, "tasks"), severe, others)
    if what in ("settings", "workspace"):
        _settings(_section(old, what, "settings"), _section(new, what, "settings"), severe, others)
    if what in ("launch", "workspace"):
        if _section(old, what, "launch") != _section(new, what, "launch"):
            others.add("launch configurations")
    if severe or others:
        severity = Severity.HIGH if severe else Severity.NOTE
        yield _alarm(change, severity, tuple(sorted(severe or others)))


def _section(file: dict[str, object], what: str, name: str) -> dict[str, object]:
    """Return the section of a file that a workspace file nests under its own name."""
    return as_object(file.get(name)) if what == "workspace" else file


def _tasks(
    old: dict[str, object], new: dict[str, object], severe: set[str], others: set[str]
) -> None:
    before = {_text(task) for task in as_list(old.get("tasks"))}
    for task in as_list(new.get("tasks")):
        if _text(task) not in before:
            options = as_object(as_object(task).get("runOptions"))
            if options.get("runOn") == "folderOpen":
                severe.add("a task runs when the folder is opened")
            else:
                others.add("tasks")


def _settings(
    old: dict[str, object], new: dict[str, object], severe: set[str], others: set[str]
) -> None:
    for key, value in new.items():
        if old.get(key) == value:
            continue
        if key in _AUTOMATIC:
            if any(value is lax or value == lax for lax in _AUTOMATIC[key]):
                severe.add(key)
        elif key.startswith(_PROGRAM_PLACES) or key.rpartition(".")[2] in _PROGRAMS:
            others.add("settings that name a program")


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _alarm(change: PathChange, severity: str, marks: tuple[str, ...]) -> Alarm:
    return Alarm("security.editor", "editor", change.path, severity, marks)
