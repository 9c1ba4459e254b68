"""Short answers of restore, undo and adopt, and the plan that their refusal shows."""

from __future__ import annotations

from itertools import chain

from clew.mcp.short import paths, values, words
from clew.mcp.short.fit import Section, fit
from clew.mcp.short.values import Full, Short, present

_KINDS = ("replaced", "deleted", "created", "metadata")
"""What a restore does to a path; what cannot be seen in the result is last."""
_MOST_PATHS = 10
"""Paths of another session's work."""


def restored(full: Full) -> Short:
    """Return what was done, then what went wrong and what a restore does not undo."""
    answer: Short = {
        "target": words.digits(full["target"]),
        "rescue": words.digits(full["rescue"]),
        "current": words.digits(full["current"]),
        **{key: full[key] for key in (*(f"{kind}_count" for kind in _KINDS), *_FLAGS)},
        **present(was_aborted=full.get("was_aborted")),
    }
    answer["problems"] = values.reasons(full["problems"])
    sections = [Section(answer, "problems", 0.2), *_shared(full, answer)]
    answer["changed_after"] = values.path_list(full["changed_after"])
    answer["no_longer_running"] = [_program(one) for one in full["no_longer_running"]]
    sections += [
        Section(answer, "changed_after", 0.1),
        Section(answer, "no_longer_running", 0.1),
    ]
    return fit(answer, sections)


_FLAGS = ("is_verified", "is_partial")


def planned(full: Full) -> Short:
    """Return a plan that needs confirmation: its counts, and the paths a person may have written."""
    answer: Short = {
        "target": words.digits(full["target"]),
        **{f"{kind}_count": len(full[kind]) for kind in _KINDS},
        "has_unsaved_changes": full["has_unsaved_changes"],
        "needs_confirmation": full["needs_confirmation"],
    }
    sections = _shared(full, answer)
    answer["processes"] = [_process(one) for one in full["processes"]]
    sections.append(Section(answer, "processes", 0.1))
    places = paths.Places()
    for kind in _KINDS:
        answer[kind] = [_planned(one) for one in full[kind] if places.of(one["path"]) is None]
        sections.append(Section(answer, kind, 0.15, _ALL_PATHS))
    every = chain.from_iterable(({**one, "kind": kind} for one in full[kind]) for kind in _KINDS)
    answer["folded"] = paths.fold(every).folded
    return fit(answer, [*sections, Section(answer, "folded", 0.15, _ALL_PATHS)], _MOST_PLAN)


_MOST_PLAN = 6_500
"""Bytes of a plan, which stands beside an error's message and hint."""
_ALL_PATHS = "`diff` lists more"


def conflicting(full: list[Full]) -> Short:
    """Return the conflicts of a merge, as many as fit."""
    answer: Short = {"conflicts": values.reasons(full)}
    return fit(answer, [Section(answer, "conflicts", 1, "`diff` lists more")], _MOST_PLAN)


def _shared(full: Full, answer: Short) -> list[Section]:
    """Add what a restore and its plan have in common; return the lists."""
    answer |= present(
        parts=full["parts"],
        session=words.digits(full["session"]),
        resumable_session=values.resumable(full["resumable_session"]),
        failed_call=full.get("failed_call") and _failed_call(full["failed_call"]),
        warnings=[words.line(text, 300) for text in full["warnings"]],
    )
    answer["effects"] = [values.effect(one) for one in full["effects"]]
    answer["skipped"] = values.reasons(full["skipped"])
    answer["concurrent_work"] = [_work(one) for one in full["concurrent_work"]]
    merge = full.get("merge")
    merged: list[Section] = []
    if merge is not None:
        answer["merge"], merged = _merge(merge)
    return [
        Section(answer, "warnings", 0.1),
        Section(answer, "effects", 0.25, "the tool `effects` lists more"),
        *merged,
        Section(answer, "skipped", 0.1),
        Section(answer, "concurrent_work", 0.1),
    ]


def _failed_call(full: Full) -> Short:
    return {
        "call": words.line(full["call"], 300),
        "reason": words.line(full["reason"], 300),
        "time": words.moment(full["time"]),
        "session": words.digits(full["session"]),
        "checkpoint_count": full["checkpoint_count"],
    }


def _work(full: Full) -> Short:
    listed = values.path_list(full["paths"])
    return {
        "session": words.digits(full["session"]),
        "agent": words.line(full["agent"], 40),
        "paths": listed[:_MOST_PATHS],
        **present(path_count=len(listed) if len(listed) > _MOST_PATHS else None),
    }


def _merge(full: Full) -> tuple[Short, list[Section]]:
    """Return a merge and its lists."""
    merge: Short = {
        "base": words.digits(full["base"]),
        "theirs": words.digits(full["theirs"]),
        **present(fork=words.line(full["fork"] or ""), favour=full["favour"]),
    }
    merge["conflicts"] = values.reasons(full["conflicts"])
    merge["merged"] = values.path_list(full["merged"])
    lists = [
        Section(merge, "conflicts", 0.15, name="merge.conflicts"),
        Section(merge, "merged", 0.15, name="merge.merged"),
    ]
    for section in values.changes(full["changes"], merge, 0.3):
        lists.append(section._replace(name=f"merge.{section.key}"))
    return merge, lists


def _program(full: Full) -> Short:
    return {
        "command": words.line(full["command"]),
        "directory": words.path(full["directory"]),
        **present(ports=[words.line(port, 60) for port in full["ports"][:_MOST_PATHS]]),
    }


def _process(full: Full) -> Short:
    return {
        "pid": full["pid"],
        "command": words.line(full["command"]),
        "path": words.path(full["path"]),
    }


def _planned(full: Full) -> Short:
    return {
        "path": words.path(full["path"]),
        "size": full["size"],
        **present(was_created_since_target=full["was_created_since_target"]),
    }
