"""Text of sessions: the list, one session, and the files that it touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.ids import short
from clew.model.session_results import TouchBasis
from clew.model.shorten import shorten_to_width, width_of
from clew.model.task import TaskStatus
from clew.render import checkpoint_title, effects, tasks, timestamps, units
from clew.render.columns import field, pad
from clew.render.safe import safe_line, safe_path
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.model.session import SessionInfo
    from clew.model.session_results import (
        Migrated,
        SessionFiles,
        SessionShown,
        SessionSummary,
        TouchedFile,
    )

_FILES = 200
_CELL = 40
"""Maximum width of a cell in the list."""


def listed(every: Sequence[SessionSummary], look: Style) -> Iterator[str]:
    """Yield one line for each session: id, agent, version, name, when, tasks, checkpoints."""
    rows = [_row(one, look) for one in every]
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    for one, row in zip(every, rows, strict=True):
        mark = "●" if one.info.attached else "○"
        cells = [pad(text, width) for text, width in zip(row, widths, strict=True) if width]
        line = "  ".join([paint(mark, "cyan", look), *cells]).rstrip()
        yield line + _attachment(one.info, look)


def attached(info: SessionInfo) -> Iterator[str]:
    """Yield whether checkpoints record the session from now on."""
    if info.attached:
        yield f"Session {tasks.called(info)} is attached: checkpoints record it"
    else:
        yield f"Session {tasks.called(info)} is detached"


def shown(page: SessionShown, look: Style) -> Iterator[str]:
    """Yield a session in full, with its last messages."""
    info = page.info
    yield f"Session {tasks.called(info)}" + _attachment(info, look)
    yield field("id", info.text_id)
    yield field("started", timestamps.full(info.started_ns, look))
    yield field("last active", timestamps.full(info.seen_ns, look))
    if info.ended_ns:
        yield field("ended", timestamps.full(info.ended_ns, look))
    if info.origin is not None:
        yield field("continues", info.origin.hex()[:8])
    yield field("format", info.format)
    if info.transcript is not None:
        yield field("transcript", safe_path(info.transcript))
    yield field("conversation", _conversation(page))
    if info.state is not None:
        yield field("state", units.size(len(info.state)))
    yield from _sections(page, look)


def files(found: SessionFiles, look: Style) -> Iterator[str]:
    """Yield the files that an agent touched: R read, M changed, `seen` in the snapshots only."""
    if found.files:
        total = len(found.files) + found.omitted_count
        what = units.count(total, "file")
        where = f", up to {checkpoint_title.called(found.checkpoint)}" if found.checkpoint else ""
        yield f"{what} touched in session {tasks.called(found.info)}{where}:"
    for file in found.files[:_FILES]:
        yield f"  {_touch_marks(file)}  {safe_path(file.path)}{_basis(file, look)}"
    more = len(found.files) + found.omitted_count - _FILES
    if more > 0:
        yield f"  and {more:,} more; --json lists them"


def migrated(moved: Migrated) -> Iterator[str]:
    """Yield the new session, the one that it continues, and what was carried over."""
    yield f"Session {tasks.called(moved.new)} continues {tasks.called(moved.old)}"
    taken = [f"{units.size(moved.new.length)} of conversation"]
    if moved.tasks:
        taken.append(tasks.progress(moved.tasks))
    if moved.new.state is not None:
        taken.append("its state converted" if moved.converted else "its state unchanged")
    yield f"  with {', '.join(taken)}"


def _attachment(info: SessionInfo, look: Style) -> str:
    """Return the mark of the attached session; checkpoints do not record one that has ended."""
    if not info.attached:
        return ""
    return "  " + (
        paint("← attached, ended", "dim", look)
        if info.ended_ns
        else paint("← attached", "green", look)
    )


def _row(one: SessionSummary, look: Style) -> tuple[str, ...]:
    info = one.info
    done = sum(task.status == TaskStatus.COMPLETED for task in one.tasks)
    return (
        info.text_id[:8],
        shorten_to_width(safe_line(info.agent), _CELL),
        shorten_to_width(safe_line(info.version), _CELL),
        shorten_to_width(safe_line(info.native), _CELL),
        timestamps.short(info.started_ns, look),
        f"{done}/{len(one.tasks)} tasks" if one.tasks else "",
        units.count(one.checkpoints, "checkpoint"),
    )


def _conversation(page: SessionShown) -> str:
    text = units.size(page.info.length)
    if page.pending:
        text += f", and {units.count(page.pending, 'message')} that no checkpoint holds yet"
    return text


def _sections(page: SessionShown, look: Style) -> Iterator[str]:
    if page.tasks:
        yield ""
        yield f"{tasks.progress(page.tasks)}:"
        yield from tasks.lines(page.tasks, look)
    if page.effects:
        yield ""
        yield "Effects:"
        for effect in page.effects:
            yield f"  {effects.line(effect, look)}"
    if page.checkpoints:
        yield ""
        yield f"{units.count(page.checkpoint_count, 'checkpoint')}:"
        for one in page.checkpoints:
            here = paint("  ← here", "green", look) if one.is_here else ""
            when = timestamps.short(one.record.time_ns, look)
            yield f"  {checkpoint_title.mark(one)}  {when}  {short(one.id)}  {checkpoint_title.title(one)}{here}"
        if page.checkpoint_count > len(page.checkpoints):
            yield f"  `clew log --session {page.info.text_id[:8]}` shows all"
    if page.said:
        yield ""
        yield "Last messages:"
        for one_said in page.said:
            who = f"{safe_line(one_said.role)}: " if one_said.role else ""
            yield shorten_to_width(f"  {who}{safe_line(one_said.text, 400)}", max(look.width, 40))


def _touch_marks(file: TouchedFile) -> str:
    return ("R" if file.read else " ") + ("M" if file.changed else " ")


def _basis(file: TouchedFile, look: Style) -> str:
    if file.basis == (TouchBasis.SNAPSHOTS,):
        return paint("  (seen in the snapshots)", "dim", look)
    return ""
