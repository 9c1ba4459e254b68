r"""Unified diffs in git's format.

Only ``\n`` ends a line, and lines are yielded without it; they are raw, so the surface that shows
them must escape them.  Names that would break a header are quoted as in C, as git does.
A patch is for people: binary or too large content is reported in one line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from clew.diff.edits import Edit
from clew.diff.lines import line_edits

Show = Callable[[str, Sequence[str]], list[str]]
"""Returns the lines to show in place of a file's lines, one for each."""

MAX_BYTES = 2_000_000
MAX_LINES = 50_000

_SNIFFED = 8_000
_NO_NEWLINE = "\\ No newline at end of file"
_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


def unified(
    path_old: bytes,
    path_new: bytes,
    old: bytes | None,
    new: bytes | None,
    context: int = 3,
    show: Show | None = None,
) -> Iterator[str]:
    """Yield the patch from `old` to `new`, line by line; None means no file.

    Equal content yields nothing; an added or deleted empty file has a header only.
    The diff is computed from the original lines, and written with the lines that `show` returns.
    """
    if old == new:
        return
    yield from _header(path_old if old is not None else None, path_new if new is not None else None)
    before, after = old or b"", new or b""
    obstacle = _notice(before, after)
    if obstacle is not None:
        yield obstacle
        return
    old_lines, new_lines = split_lines(before), split_lines(after)
    edits = line_edits(old_lines, new_lines)
    if show is not None:
        old_lines = _replaced_lines(old_lines, path_old, show)
        new_lines = _replaced_lines(new_lines, path_new, show)
    for hunk in _hunks(edits, len(old_lines), context):
        yield from _render_hunk(hunk, old_lines, new_lines)


def too_large(path_old: bytes | None, path_new: bytes | None, size: int) -> Iterator[str]:
    """Yield a header and a notice in place of the patch of a file too large to read."""
    yield from _header(path_old, path_new)
    yield _too_large(size)


def is_text(content: bytes) -> bool:
    """Return whether git would show and merge `content` by lines: no NUL near its start."""
    return b"\x00" not in content[:_SNIFFED]


def split_lines(content: bytes) -> list[bytes]:
    """Return the lines with their line ends; a last line without one differs from one with it."""
    lines = content.split(b"\n")
    last = lines.pop()
    ended = [line + b"\n" for line in lines]
    return [*ended, last] if last else ended


def _header(path_old: bytes | None, path_new: bytes | None) -> Iterator[str]:
    yield "--- " + ("/dev/null" if path_old is None else _quoted(b"a/" + path_old))
    yield "+++ " + ("/dev/null" if path_new is None else _quoted(b"b/" + path_new))


def _too_large(size: int) -> str:
    return f"Too large for a text patch ({size} bytes)"


def _notice(before: bytes, after: bytes) -> str | None:
    """Return the notice that replaces a patch of binary or too large content, or None."""
    if not (is_text(before) and is_text(after)):
        return "Binary files differ"
    larger = max(len(before), len(after))
    if larger > MAX_BYTES or max(before.count(b"\n"), after.count(b"\n")) > MAX_LINES:
        return _too_large(larger)
    try:
        before.decode("utf-8")
        after.decode("utf-8")
    except UnicodeDecodeError:
        return "Binary files differ"
    return None


def _replaced_lines(lines: list[bytes], path: bytes, show: Show) -> list[bytes]:
    """Return the lines of `show` in place of these, each with the same line end."""
    texts = [line.decode("utf-8").removesuffix("\n") for line in lines]
    others = show(path.decode("utf-8", "surrogateescape"), texts)
    return [
        other.encode("utf-8", "surrogateescape") + (b"\n" if line.endswith(b"\n") else b"")
        for other, line in zip(others, lines, strict=True)
    ]


def _hunks(edits: Sequence[Edit], old_count: int, context: int) -> Iterator[list[Edit]]:
    """Yield groups of edits whose context lines overlap."""
    hunk: list[Edit] = []
    for edit in edits:
        if hunk and edit.old - hunk[-1].old_end > 2 * context:
            yield _with_context(hunk, old_count, context)
            hunk = []
        hunk.append(edit)
    if hunk:
        yield _with_context(hunk, old_count, context)


def _with_context(hunk: list[Edit], old_count: int, context: int) -> list[Edit]:
    """Return `hunk` with empty edits at both ends that mark the limits of its context."""
    first, last = hunk[0], hunk[-1]
    above = min(context, first.old)
    below = min(context, old_count - last.old_end)
    start = Edit(first.old - above, first.old - above, first.new - above, first.new - above)
    end = Edit(
        last.old_end + below, last.old_end + below, last.new_end + below, last.new_end + below
    )
    return [start, *hunk, end]


def _render_hunk(
    hunk: list[Edit], old_lines: Sequence[bytes], new_lines: Sequence[bytes]
) -> Iterator[str]:
    first, last = hunk[0], hunk[-1]
    yield f"@@ -{_span(first.old, last.old_end)} +{_span(first.new, last.new_end)} @@"
    at = first.old
    for edit in hunk[1:]:
        yield from _prefixed(" ", old_lines[at : edit.old])
        yield from _prefixed("-", old_lines[edit.old : edit.old_end])
        yield from _prefixed("+", new_lines[edit.new : edit.new_end])
        at = edit.old_end


def _span(start: int, end: int) -> str:
    if end - start == 1:
        return str(end)
    # An empty range has the number of the line before it.
    return f"{start + 1 if end > start else start},{end - start}"


def _prefixed(mark: str, lines: Sequence[bytes]) -> Iterator[str]:
    for line in lines:
        text = line.decode("utf-8")
        yield mark + text.removesuffix("\n")
        if not text.endswith("\n"):
            yield _NO_NEWLINE


def _quoted(path: bytes) -> str:
    try:
        text = path.decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    if text and not any(char < " " or char in '"\\\x7f' for char in text):
        return text
    return '"' + "".join(map(_escaped, path)) + '"'


def _escaped(byte: int) -> str:
    if byte in _ESCAPES:
        return "\\" + _ESCAPES[byte]
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"
