"""Conflict markers: what a merge leaves in a text file for a person to resolve.

    <<<<<<< HEAD                git, Mercurial, Subversion, `patch --merge`; at the start of a line
    ours
    ||||||| base                only in the diff3 style
    =======
    theirs
    >>>>>>> topic

jj writes `%%%%%%%` and `+++++++` (or `-------`) instead of `=======`.
All parts must be there, in this order, with as many signs as the first.
"""

from __future__ import annotations

import re

_OPENING = re.compile(rb"(<{7,40})(?: [^\n]*)?\r?\Z")
_OTHER_SIDES = (b"%", b"+", b"-")
"""The signs that jj begins each side with."""
_FENCES = (b"```", b"~~~")
_BLOCKS = (b"----", b"....", b"====")
_MAX_LINES = 200_000
_PARSED = 256 << 10

_FIXTURES = frozenset((
    "testdata", "test-data", "test_data", "fixtures", "__fixtures__", "fixture", "snapshots",
    "__snapshots__", "golden", "goldens", "cassettes",
))  # fmt: skip
_TESTS = frozenset(("test", "tests", "__tests__", "spec", "specs", "testing", "e2e"))
_SUBJECTS = ("conflict", "merge", "marker", "diff", "patch")


def count_conflicts(content: bytes, path: str) -> int:
    """Return the number of unresolved conflicts in a text; examples in a document do not count."""
    if b"<<<<<<<" not in content or b">>>>>>>" not in content or b"\0" in content[:8_000]:
        return 0
    if _is_example(path):
        return 0
    number = _count(content.split(b"\n", _MAX_LINES)[:_MAX_LINES], _example_blocks(path))
    if number and path.endswith((".py", ".pyi")) and _is_about_conflicts(path):
        return 0 if _parses(content) else number  # inside the strings of a test
    return number


def rejected_hunks(content: bytes) -> int:
    """Return the number of hunks in a `.rej` file of `patch` or `git apply --reject`."""
    head = content[:2_000].lstrip()
    if not head.startswith((b"--- ", b"*** ", b"diff ", b"@@ ")):
        return 0
    lines = content[: 1 << 20].split(b"\n")
    is_context = head.startswith(b"*** ")
    return sum(line.startswith(b"***************" if is_context else b"@@ ") for line in lines)


def _count(lines: list[bytes], blocks: tuple[bytes, ...]) -> int:
    found = 0
    signs = 0
    """How many signs the open conflict began with; 0 outside one."""
    has_middle = False
    fence = b""
    for line in lines:
        if blocks and not signs and line.startswith(blocks):
            head = line[:3]
            fence = b"" if fence == head else fence or head
        if fence or line[:1] not in b"<=>%+-|":
            continue
        opening = _OPENING.match(line)
        if opening:
            signs, has_middle = len(opening[1]), False
        elif signs and _is_middle(line, signs):
            has_middle = True
        elif signs and _begins(line, b">", signs):
            found += has_middle
            signs = 0
    return found


def _is_middle(line: bytes, signs: int) -> bool:
    if line.rstrip() == b"=" * signs:
        return True
    return any(line.startswith(sign * signs + b" ") for sign in _OTHER_SIDES)


def _begins(line: bytes, sign: bytes, number: int) -> bool:
    """Return whether a line is a marker: the sign so often, then the end or a label."""
    return line.startswith(sign * number) and line[number:].rstrip(b"\r")[:1] in (b"", b" ")


def _example_blocks(path: str) -> tuple[bytes, ...]:
    """Return how a document of this format begins and ends an example."""
    suffix = path.rpartition(".")[2].lower()
    if suffix in ("md", "markdown", "mdx", "qmd", "rmd"):
        return _FENCES
    return _BLOCKS if suffix in ("adoc", "asciidoc") else ()


def _is_example(path: str) -> bool:
    """Return whether a file shows markers on purpose: data of tests, or tests of merges."""
    names = path.lower().split("/")
    if not _FIXTURES.isdisjoint(names[:-1]):
        return True
    return not path.endswith((".py", ".pyi")) and _is_about_conflicts(path)


def _is_about_conflicts(path: str) -> bool:
    names = path.lower().split("/")
    name = names[-1]
    is_test = not _TESTS.isdisjoint(names[:-1]) or "test" in name or ".spec." in name
    return is_test and any(word in name for word in _SUBJECTS)


def _parses(content: bytes) -> bool:
    import ast  # noqa: PLC0415  rarely needed

    if len(content) > _PARSED:
        return False
    try:
        ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
