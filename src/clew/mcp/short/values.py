"""Short forms of what several answers have: checkpoints, verdicts, stories, effects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clew.mcp.short import paths, words
from clew.mcp.short.fit import Section
from clew.model.drill import DrillOutcome
from clew.model.record import Origin
from clew.model.verdict import RunEnd, VerdictStatus
from clew.policy.labels import FAILED

Full = Mapping[str, Any]
"""A value as the command line prints it."""
Short = dict[str, Any]

_LABEL = 160
"""Bytes of an intent, a headline and a command."""
_OUTPUT = 1_500
_OUTPUT_OF_GOOD = 400
_MOST_META = 8
_MOST_NOTES = 5
_GAPS = ("unreadable", "too large")
_SHOWN_ORIGINS = (Origin.MANUAL, Origin.RESCUE)
"""An agent's own checkpoints are the usual case."""


def present(**fields: object) -> Short:
    """Return the fields that are neither empty, null nor false; a number stays."""
    return {
        key: value
        for key, value in fields.items()
        if value or (isinstance(value, int) and value is not False)
    }


def checkpoint(full: Full, label: int = _LABEL) -> Short:
    """Return what names a checkpoint and sets it apart."""
    meta = full["meta"]
    return {
        "id": full["short_id"],
        "time": words.moment(full["time"]),
        **present(
            name=full["has_name"] and words.line(full["name"], label),
            intent=words.line(full["intent"], label),
            headline=words.line(full["headline"] or "", label),
            verdict=full["verdict"] and verdict(full["verdict"]),
            is_current=full["is_current"],
            origin=full["origin"] if full["origin"] in _SHOWN_ORIGINS else None,
            is_pinned=full["is_pinned"],
            meta={FAILED: words.line(meta[FAILED], label)} if FAILED in meta else None,
            incomplete=incomplete(full["coverage"]),
            drill=_failed_drill(full["drill"]),
        ),
    }


def whole_checkpoint(full: Full) -> Short:
    """Return a checkpoint with all that its author said of it."""
    return {
        **checkpoint(full),
        **present(
            description=words.line(full["description"], 600),
            notes=[words.line(text) for text in full["notes"][-_MOST_NOTES:]],
            meta=_meta(full["meta"]),
            drill=full["drill"] and drill(full["drill"]),
            parent=words.digits(full["parent"]),
            author=author(full),
            change_counts=nonzero(full["change_counts"] or {}),
        ),
    }


def _meta(full: Mapping[str, str]) -> Short:
    """Return the first keys and values, a failed call first."""
    pairs = sorted(full.items(), key=lambda pair: pair[0] != FAILED)
    return {words.line(key, 60): words.line(text) for key, text in pairs[:_MOST_META]}


def author(full: Full) -> str:
    """Return the agent and the session of a checkpoint; empty if no agent ever worked there."""
    position = full["position"]
    if position is None:
        return ""
    session = words.digits(position["session"])
    return f"{words.line(position['agent'], 24)} {session}".strip() if session else "no session"


def nonzero(counts: Mapping[str, int]) -> dict[str, int]:
    return {key: number for key, number in counts.items() if number}


def incomplete(coverage: Full | None) -> dict[str, int]:
    """Return how many paths a capture lacks, by reason; without what a user excluded."""
    if coverage is None:
        return {}
    found = {key: coverage["uncovered_counts"].get(key, 0) for key in _GAPS}
    return nonzero({**found, "unstable": len(coverage["unstable"])})


def verdict(full: Full) -> Short:
    """Return a verdict; whether it is good is said where the status does not."""
    is_doubtful = full["status"] == VerdictStatus.PASSING and not full["is_good"]
    return {
        "status": full["status"],
        **({"is_good": False} if is_doubtful else {}),
        **present(
            command=words.line(full["command"], _LABEL),
            exit_code=None if full["is_good"] else full["exit_code"],
            end_reason=full["end_reason"] if full["end_reason"] != RunEnd.EXITED else None,
            changed_count=full["changed_count"] or None,
            reason=words.line(full["reason"] or ""),
        ),
    }


def run_verdict(full: Full | None, output: int = _OUTPUT) -> Short | None:
    """Return the verdict of one run, with the last bytes of its output, fewer if it is good."""
    if full is None:
        return None
    ended = {**verdict(full), "is_good": full["is_good"], "exit_code": full["exit_code"]}
    most = min(output, _OUTPUT_OF_GOOD) if full["is_good"] else output
    return ended | present(output=words.end(full["output"], most))


def drill(full: Full) -> Short:
    return {
        "outcome": full["outcome"],
        "time": words.moment(full["time"]),
        **present(differing_count=full["differing_count"] or None),
    }


def _failed_drill(full: Full | None) -> Short | None:
    return drill(full) if full is not None and full["outcome"] != DrillOutcome.PROVEN else None


def story(full: Full, answer: Short) -> list[Section]:
    """Add the story to an answer; return its lines and what the intent does not mention."""
    answer |= present(
        headline=words.line(full.get("headline", ""), _LABEL),
        custom_story=words.line(full.get("custom_story") or "", 1_000),
        story_lines=[_story_line(line) for line in full.get("story_lines", ())],
        unmentioned=[words.line(text) for text in full.get("unmentioned", ())],
    )
    return [Section(answer, "story_lines", 0.45), Section(answer, "unmentioned", 0.15)]


def _story_line(full: Full) -> Short:
    severity = full["severity"]
    return {
        "heading": full["heading"],
        "text": words.line(full["text"]),
        **present(severity=severity if severity != "none" else None),
    }


def changes(
    full: Iterable[Full], answer: Short, share: float = 0.5, named: Sequence[str] = ()
) -> list[Section]:
    """Add changed paths to an answer: counts, those a person may have written, folded ones."""
    every = list(full)
    found = paths.fold(every, named)
    answer |= present(change_counts=paths.counts(every))
    answer |= {"changes": found.listed, "folded": found.folded}
    ask = "call `diff` with `paths`, or set `detail`"
    sections = [
        Section(answer, "changes", share, ask, is_answer=True),
        Section(answer, "folded", 0.25, ask),
    ]
    if len(found.listed) > _MANY:
        answer["by_directory"] = paths.by_directory(every, named)
        sections.append(Section(answer, "by_directory", 0.1, ask))
    return sections


_MANY = 60
"""From so many paths on there is a count for each top directory."""


def reasons(full: Iterable[Full]) -> list[Short]:
    """Return paths, each with its reason."""
    return [{"path": words.path(one["path"]), "reason": words.line(one["reason"])} for one in full]


def path_list(full: Iterable[Full]) -> list[Short]:
    return [{"path": words.path(one["path"])} for one in full]


def effect(full: Full) -> Short:
    return {
        "number": full["number"],
        "action": words.line(full["action"], 300),
        "status": full["status"],
        "time": words.moment(full["time"]),
        **present(
            outcome=words.line(full["outcome"]),
            undo=words.line(full["undo"]),
            session=words.digits(full["session"]),
        ),
    }


def resumable(full: Full | None) -> Short | None:
    """Return the agent's own session that holds a restored conversation."""
    if full is None:
        return None
    return {
        "name": words.line(full["name"]),
        "path": words.path(full["path"]),
        "command": words.line(full["command"], 400),
    }
