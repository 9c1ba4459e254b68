"""Changes of a pipeline by meaning: triggers, permissions, jobs and steps.

Commands and values of variables are not shown; a step is known by its name, or by the action or
program that it runs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from clew.detectors.files.key_names import HIDDEN, shown_name
from clew.detectors.files.shown_values import shown_text
from clew.detectors.formats.reading import read_values
from clew.detectors.formats.values import Unreadable, Value
from clew.detectors.security.workflow_images import image_marks, without_images
from clew.model.fact import Severity
from clew.model.named_tuple import NamedTuple

_MAX_MARKS = 8
_NAME_LENGTH = 40
_STRANGERS = "pull_request_target"
"""The trigger of requests from anybody, with the rights of the repository."""
_PROGRAM = re.compile(r"[A-Za-z0-9_./-]{1,40}")
_GITLAB_WORDS = frozenset((
    "stages", "variables", "default", "include", "workflow", "image", "services", "cache",
    "before_script", "after_script", "pages",
))  # fmt: skip
_SCRIPTS = ("script", "run", "trigger", "steps", "extends", "commands")


class WorkflowChanges(NamedTuple):
    """What a person should know about a changed pipeline."""

    marks: tuple[str, ...] = ()
    severity: str = Severity.NOTE


class _Workflow(NamedTuple):
    triggers: frozenset[str] = frozenset()
    permissions: dict[str, str] = {}
    jobs: dict[str, Value] = {}
    runs_code: bool = False
    value: Value = None


def workflow_changes(name: str, old: bytes | None, new: bytes | None) -> WorkflowChanges:
    """Return how two versions of a pipeline differ; nothing if there are not two to read."""
    if old is None or new is None:
        return WorkflowChanges()
    try:
        before, after = _read(name, old), _read(name, new)
    except (Unreadable, RecursionError):
        return WorkflowChanges()
    marks = [
        *_trigger_marks(before, after),
        *_permission_marks(before, after),
        *image_marks(before.value, after.value),
        *_job_marks(before.jobs, after.jobs),
    ]
    left = len(marks) - _MAX_MARKS
    marks[_MAX_MARKS:] = [f"and {left} more"] if left > 0 else []
    is_opened = _STRANGERS in after.triggers - before.triggers and after.runs_code
    return WorkflowChanges(tuple(marks), Severity.HIGH if is_opened else Severity.NOTE)


def _read(name: str, content: bytes) -> _Workflow:
    value = read_values(name, content)
    if not isinstance(value, dict):
        raise Unreadable("not a pipeline")
    jobs = value.get("jobs")
    if isinstance(jobs, dict):
        steps = [step for job in jobs.values() for step in _steps(job)]
        return _Workflow(
            frozenset(_triggers(value.get("on"))),
            dict(_permissions(value, jobs)),
            jobs,
            any(_runs_code(step) for step in steps),
            value,
        )
    named: dict[str, Value] = {
        key: one
        for key, one in value.items()
        if isinstance(one, dict)
        and key not in _GITLAB_WORDS
        and not one.keys().isdisjoint(_SCRIPTS)
    }
    return _Workflow(jobs=named, value=value)


def _triggers(value: Value) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        yield from (one for one in value if isinstance(one, str))


def _permissions(value: dict[str, Value], jobs: dict[str, Value]) -> Iterator[tuple[str, str]]:
    """Yield what a workflow may do; those of a job by its name."""
    places = [("", value.get("permissions"))]
    places += [
        (f"{name} ", one.get("permissions")) for name, one in jobs.items() if isinstance(one, dict)
    ]
    for place, given in places:
        if isinstance(given, str):
            yield f"{place}permissions", given
        elif isinstance(given, dict):
            for right, level in given.items():
                yield f"{place}permissions.{right}", level if isinstance(level, str) else ""


def _steps(job: Value) -> list[dict[str, Value]]:
    steps = job.get("steps") if isinstance(job, dict) else None
    return [one for one in steps if isinstance(one, dict)] if isinstance(steps, list) else []


def _runs_code(step: dict[str, Value]) -> bool:
    uses = step.get("uses")
    return "run" in step or (isinstance(uses, str) and uses.startswith("actions/checkout"))


def _trigger_marks(old: _Workflow, new: _Workflow) -> Iterator[str]:
    for sign, names in (("+", new.triggers - old.triggers), ("−", old.triggers - new.triggers)):
        for name in sorted(names):
            rights = " (with the rights of the repository)" if name == _STRANGERS else ""
            yield f"{sign}trigger {_shown(name)}" + (rights if sign == "+" else "")


def _permission_marks(old: _Workflow, new: _Workflow) -> Iterator[str]:
    for name in sorted({**old.permissions, **new.permissions}):
        before, after = old.permissions.get(name), new.permissions.get(name)
        if before == after:
            continue
        if before is None or after is None:
            yield f"{'+' if before is None else '−'}{_shown(name)} {_shown(after or before or '')}"
        else:
            yield f"{_shown(name)} {_shown(before)} → {_shown(after)}"


def _job_marks(old: dict[str, Value], new: dict[str, Value]) -> Iterator[str]:
    yield from (f"−job {_shown(name)}" for name in old if name not in new)
    yield from (f"+job {_shown(name)}" for name in new if name not in old)
    for name, job in new.items():
        if name in old and without_images(old[name]) != without_images(job):
            marks = list(_step_marks(_steps(old[name]), _steps(job)))
            yield from marks or [f"~job {_shown(name)}"]


def _step_marks(old: list[dict[str, Value]], new: list[dict[str, Value]]) -> Iterator[str]:
    before, after = Counter(map(_step_name, old)), Counter(map(_step_name, new))
    yield from (f"−step {name}" for name in (before - after).elements())
    yield from (f"+step {name}" for name in (after - before).elements())
    bodies = {_step_name(step): step for step in old}
    for step in new:
        name = _step_name(step)
        if before[name] == after[name] == 1 and bodies[name] != step:
            yield f"~step {name}"


def _step_name(step: dict[str, Value]) -> str:
    """Return the name of a step, or the action or program that it runs."""
    for key in ("name", "uses", "id"):
        given = step.get(key)
        if isinstance(given, str) and given:
            return _shown(given)
    command = step.get("run")
    found = _PROGRAM.match(command.strip()) if isinstance(command, str) else None
    return (shown_text(found[0]) or HIDDEN) if found else HIDDEN


def _shown(name: str) -> str:
    return shown_name(" ".join(name.split())[:_NAME_LENGTH])
