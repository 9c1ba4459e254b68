"""Short answers of the tools that run something in a copy: verify, drill, try, bisect; and of fork."""

from __future__ import annotations

from clew.mcp.short import values, words
from clew.mcp.short.fit import MOST_BYTES, Section, fit, size
from clew.mcp.short.values import Full, Short, present

_OUTPUT = 3_000
"""Bytes of the end of a command's output, where there is one command."""


def judged(full: Full) -> Short:
    verdict = values.run_verdict(full["verdict"], _OUTPUT) or {}
    verdict |= present(
        duration_ms=full["verdict"]["duration_ms"],
        ran_in=full["verdict"]["ran_in"],
        notes=[words.line(text, 300) for text in full["verdict"]["notes"]],
    )
    answer: Short = {"checkpoint": _named(full["checkpoint"]), "verdict": verdict}
    return fit(answer, [Section(verdict, "notes", 1, name="verdict.notes")])


def drilled(full: Full) -> Short:
    drill = values.drill(full["drill"])
    drill["differing_paths"] = values.reasons(full["drill"]["differing_paths"])
    answer: Short = {
        "checkpoint": _named(full["checkpoint"]),
        "drill": drill,
        **present(verdict=values.run_verdict(full["verdict"])),
        "duration_ms": full["duration_ms"],
        "notices": [words.line(text, 300) for text in full["notices"]],
        "not_compared": values.reasons(full["not_compared"]),
    }
    lists = [
        Section(drill, "differing_paths", 0.6, name="drill.differing_paths"),
        Section(answer, "notices", 0.2),
        Section(answer, "not_compared", 0.2),
    ]
    return fit(answer, lists)


def forked(full: Full) -> Short:
    fork, references = full["fork"], full["path_references"]
    groups = {
        "original_path": words.path(references["original_path"]),
        "groups": [_reference(one) for one in references["groups"]],
        "git_links": [
            {"path": words.path(one["path"]), **present(target=words.path(one.get("target", "")))}
            for one in references["git_links"]
        ],
    }
    answer: Short = {
        "fork": {
            "name": words.line(fork["name"]),
            "base": words.digits(fork["base"]),
            "workspace": {"path": words.path(fork["workspace"]["path"])},
        },
        "checkpoint": _named(full["checkpoint"]),
        **present(
            session=words.digits(full["session"]),
            resumable_session=values.resumable(full["resumable_session"]),
        ),
        "problems": values.reasons(full["problems"]),
    }
    if groups["groups"] or groups["git_links"]:
        answer["path_references"] = groups
    lists = [
        Section(answer, "problems", 0.4),
        Section(groups, "groups", 0.4, name="path_references.groups"),
        Section(groups, "git_links", 0.2, name="path_references.git_links"),
    ]
    return fit(answer, lists)


def _reference(full: Full) -> Short:
    return {"path": words.path(full["path"]), "file_count": full["file_count"]}


def board(full: Full) -> Short:
    """Return the attempts, each with an equal part of the room."""
    answer: Short = {
        "base": _named(full["base"]),
        **present(check=words.line(full["check"] or "")),
    }
    attempts = full["attempts"]
    each = (MOST_BYTES - size(answer) - _FRAME) // max(1, min(len(attempts), _MOST_ATTEMPTS))
    answer["attempts"] = [_attempt(one, each) for one in attempts]
    return fit(answer, [Section(answer, "attempts", 1, is_answer=True)])


_FRAME = 200
_MOST_ATTEMPTS = 12
"""From so many attempts on they are not shortened further but left out."""


def _attempt(full: Full, most: int) -> Short:
    failed = full["exit_code"] != 0 or full["end_reason"] != "exited"
    attempt: Short = {
        "name": words.line(full["name"], 60),
        "end_reason": full["end_reason"],
        "exit_code": full["exit_code"],
        "check_status": full["check_status"],
        **present(
            fork=words.line(full["fork"] or "", 60),
            checkpoint=full["checkpoint"]
            and {
                "id": full["checkpoint"]["short_id"],
                "time": words.moment(full["checkpoint"]["time"]),
            },
            duration_ms=full["duration_ms"],
            verdict=values.run_verdict(full["verdict"], most // 4),
        ),
    }
    attempt |= present(output=failed and words.end(full["output"], most // 4))
    found = full["difference"]
    if found is None:
        return attempt
    changed: Short = {"from": words.digits(found["from"]), "to": words.digits(found["to"])}
    attempt["difference"] = changed
    sections = [*values.story(found, changed), *values.changes(found["changes"], changed)]
    room = max(most - size(attempt), 0)
    fit(changed, sections, room)
    return attempt


def ended(full: Full) -> Short:
    """Return what a bisect found."""
    answer: Short = {
        "outcome": full["outcome"],
        "command": words.line(full["command"], 300),
        **present(
            first_bad=full["first_bad"] and _named(full["first_bad"]),
            last_good=full["last_good"] and _named(full["last_good"]),
            reason=words.line(full["reason"] or "", 300),
        ),
        **{key: full[key] for key in ("candidate_count", "known_count", "run_count")},
        **present(deleted_count=full["deleted_count"] or None),
    }
    sections = values.story(full, answer)
    for key in ("suspects", "skipped", "flaky"):
        answer[key] = [identifier[:8] for identifier in full[key]]
        sections.append(Section(answer, key, 0.12))
    return fit(answer, sections)


def _named(full: Full) -> Short:
    """Return what names a checkpoint."""
    kept = values.checkpoint(full)
    shown = ("id", "time", "name", "intent", "headline", "is_current", "incomplete")
    return {key: kept[key] for key in shown if key in kept}
