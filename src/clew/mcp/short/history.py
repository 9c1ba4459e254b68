"""Short answers of the tools that read history, and of a save."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from clew.mcp.short import paths, values, words
from clew.mcp.short.fit import ASK, MOST_BYTES, Section, fit, note, size
from clew.mcp.short.values import Full, Short, present
from clew.model.change import Change, ChangeKind
from clew.model.path import as_text

MOST_LOG_BYTES = 6_000
"""Of twenty checkpoints; each more that is asked for may have `_ROW_BYTES`."""
_ROWS = 20
_ROW_BYTES = MOST_LOG_BYTES // _ROWS
_LABELS = (160, 120, 100, 85, 70, 55, 40, 25, 12, 6)
"""Bytes of an intent and a headline: the longest with which every checkpoint fits."""
_MOST_PATCHED = 40
"""Files in a patch; no more could be shown."""
_LEAST_PATCH = 400


def timeline(full: Full, older: int, limit: int) -> Short:
    """Return the newest checkpoints, one short row for each; `older` is how many more there are."""
    most = max(MOST_LOG_BYTES, limit * _ROW_BYTES)
    rows: list[Short] = []
    for label in _LABELS:
        rows = _rows(full["checkpoints"], label)
        if size(rows) <= most - _LOG_FRAME:
            break
    answer = present(current=words.digits(full["current"]))
    answer["checkpoints"] = rows
    total = len(rows) + older
    ask = f'call with `before`: "{rows[-1]["id"]}" or a higher `limit`' if rows else ASK
    return fit(answer, [Section(answer, "checkpoints", 1, ask, total=total, is_answer=True)], most)


_LOG_FRAME = 250
"""Bytes around the rows."""


def _rows(checkpoints: Sequence[Full], label: int) -> list[Short]:
    """Return a row for each; author and check are given where they differ from the row above."""
    rows = []
    author = command = ""
    for full in checkpoints:
        row = values.checkpoint(full, label)
        worker = values.author(full)
        if worker and worker != author:
            row["author"] = author = worker
        if "verdict" in row:
            shown = row["verdict"].get("command", "")
            if shown == command:
                row["verdict"].pop("command", None)
            command = shown
        rows.append(row)
    return rows


def saved(full: Full) -> Short:
    answer: Short = {
        "checkpoint": _told_apart(full["checkpoint"]),
        "was_created": full["was_created"],
        **present(
            is_new_workspace=full["is_new_workspace"],
            new_bytes=full["new_bytes"],
            verdict=values.run_verdict(full["verdict"]),
            notices=[words.line(text, 300) for text in full["notices"]],
        ),
    }
    return fit(answer, [Section(answer, "notices", 0.2), *values.story(full, answer)])


def _told_apart(full: Full) -> Short:
    """Return a checkpoint without what the story beside it says."""
    kept = values.checkpoint(full)
    counts = present(change_counts=values.nonzero(full["change_counts"] or {}))
    return {key: item for key, item in kept.items() if key not in ("headline", "verdict")} | counts


def shown(full: Full) -> Short:
    checkpoint = values.whole_checkpoint(full["checkpoint"])
    checkpoint.pop("headline", None)  # the story has it
    answer: Short = {"checkpoint": checkpoint}
    newest = full["verdicts"][:1]
    if newest and checkpoint.get("verdict") == values.verdict(newest[0]):
        del checkpoint["verdict"]
    answer["verdicts"] = [
        *(values.run_verdict(one, 1_000) for one in newest),
        *(values.verdict(one) for one in full["verdicts"][1:]),
    ]
    lines = [line for line in full.get("story_lines", ()) if "paths" in line]
    sections = values.story(full, answer)
    for section, line in zip(
        answer.get("story_lines", ()), full.get("story_lines", ()), strict=True
    ):
        if lines and "paths" in line:
            section["paths"] = [words.path(path) for path in line["paths"][:_MOST_OF_A_LINE]]
            section["path_count"] = line["path_count"]
    if full["databases"] is not None:
        note(answer, "databases: set `detail` to see what their servers said")
    return fit(answer, [*sections, Section(answer, "verdicts", 0.3)])


_MOST_OF_A_LINE = 20
"""Paths behind one line of a story."""


def found(full: Full) -> Short:
    return {"checkpoint": values.whole_checkpoint(full["checkpoint"])}


class Patch(NamedTuple):
    """The patch of each file that is shown, and how many are not."""

    parts: tuple[str, ...]
    file_count: int
    generated_count: int


def chosen(changes: Sequence[Change], named: Sequence[str] = ()) -> tuple[list[Change], int, int]:
    """Return the files to show in a patch, how many there are, and how many more are generated."""
    files = [one for one in changes if _has_patch(one)]
    places = paths.Places(named)
    own = [one for one in files if places.of(as_text(one.path)) is None]
    return own[:_MOST_PATCHED], len(own), len(files) - len(own)


def _has_patch(change: Change) -> bool:
    is_directory = any(entry and entry.is_directory for entry in (change.old, change.new))
    return not is_directory and change.kind != ChangeKind.METADATA


def difference(
    full: Full,
    patch: Patch | None = None,
    most: int = MOST_BYTES,
    named: Sequence[str] = (),
) -> Short:
    """Return what changed: facts and warnings, then paths, then a patch cut file by file.

    `named` are the paths that were asked for, relative to the root.
    """
    answer: Short = {"from": words.digits(full["from"]), "to": words.digits(full["to"])}
    answer |= present(incomplete=values.incomplete(full["coverage"]))
    sections = [*values.story(full, answer), *values.changes(full["changes"], answer, named=named)]
    if patch is None:
        return fit(answer, sections, most)
    return _with_patch(fit(answer, sections, most // 3), patch, most)


def _with_patch(answer: Short, patch: Patch, most: int) -> Short:
    """Add a patch, each file's part cut so that all of them fit, or as many as do."""
    parts = [words.block(part) for part in patch.parts]
    room = most - size(answer) - _PATCH_FRAME
    number = min(len(parts), room // _LEAST_PATCH)
    answer["patch"] = _fitting_patch(parts[:number], room)
    if number < patch.file_count:
        ask = "call with `paths`, or set `detail`"
        note(answer, f"patch: {number:,} of {patch.file_count:,} files; {ask}")
    if patch.generated_count:
        note(answer, f"patch: without {patch.generated_count:,} generated files; set `detail`")
    return answer


_PATCH_FRAME = 300
"""Bytes of the sentences about a patch."""


def _fitting_patch(parts: Sequence[str], room: int) -> str:
    """Return parts in at most `room` bytes of JSON; what a short one does not need, others have."""
    left, shown = room, [""] * len(parts)
    by_size = sorted(range(len(parts)), key=lambda index: size(parts[index]))
    for rank, index in enumerate(by_size):
        shown[index] = _cut_part(parts[index], left // (len(parts) - rank))
        left -= size(shown[index])
    return "".join(shown)


def _cut_part(part: str, most: int) -> str:
    """Return the first lines of a file's patch in at most `most` bytes of JSON."""
    if size(part) <= most:
        return part
    rows = part.splitlines(keepends=True)
    kept: list[str] = []
    left = most - _COUNT_BYTES
    for row in rows:
        left -= size(row)
        if left < 0:
            break
        kept.append(row)
    return "".join(kept) + f"… {len(rows) - len(kept):,} more lines\n"


_COUNT_BYTES = 40


def status(full: Full) -> Short:
    """Return what changed since the last checkpoint, an interrupted restore, a failed drill."""
    answer: Short = {}
    interrupted, drilled = full["interrupted_restore"], full["last_drill"]
    if interrupted is not None:
        answer["interrupted_restore"] = {
            "target": words.digits(interrupted["target"]),
            "rescue": words.digits(interrupted["rescue"]),
            "started_time": words.moment(interrupted["started_time"]),
            "has_changed_files": interrupted["has_changed_files"],
            "is_aborting": interrupted["is_aborting"],
        }
    if drilled is not None and drilled["outcome"] != "proven":
        answer["last_drill"] = {
            "checkpoint": words.digits(drilled["checkpoint"]),
            **values.drill(drilled),
        }
    return {**answer, **difference(full, most=MOST_BYTES - size(answer))}


def blamed(full: Full) -> Short:
    answer: Short = {"subject": words.line(full["subject"])}
    answer["matches"] = [_match(one) for one in full["matches"]]
    return fit(answer, [Section(answer, "matches", 1, is_answer=True)])


def _match(full: Full) -> Short:
    checkpoint = values.checkpoint(full["checkpoint"])
    shown = ("id", "time", "name", "intent", "is_current", "origin")
    facts = full["facts"]
    kept = [_fact(fact) for fact in facts[:_MOST_FACTS]]
    return {
        "checkpoint": {key: checkpoint[key] for key in shown if key in checkpoint},
        **present(
            facts=kept,
            fact_count=len(facts) if len(facts) > len(kept) else None,
            changes=paths.listed(full["changes"]),
        ),
    }


_MOST_FACTS = 5


def _fact(full: Full) -> Short:
    return {
        "kind": full["kind"],
        "subject": words.line(full["subject"]),
        **present(
            before=words.line(full["before"] or ""),
            after=words.line(full["after"] or ""),
            details=[words.line(text, 80) for text in full["details"][:_MOST_FACTS]],
        ),
    }


def content(full: Full) -> Short:
    """Return the beginning of a file."""
    text = words.block(full["content"])
    answer: Short = {
        "path": words.path(full["path"]),
        "size": full["size"],
        **present(is_redacted=full["is_redacted"]),
    }
    exact = full.get("content_b64")
    answer["content"] = text
    if exact is not None:
        note(answer, "content: not text; set `detail` for its bytes, `content_b64`")
    if size(answer) <= MOST_BYTES:
        return answer
    del answer["content"]
    room = MOST_BYTES - size(answer) - 200
    kept = words.cut(text, room)
    while size(kept) > room:  # quotes and line ends take two bytes in JSON
        kept = words.cut(text, len(kept.encode()) * 9 // 10)
    answer["content"] = kept
    note(
        answer,
        f"content: the first {len(kept):,} of {len(text):,} characters; set `detail` to see more",
    )
    return answer
