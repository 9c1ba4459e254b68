"""Unified diffs in git's format."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.diff import myers
from clew.diff.text import MAX_BYTES, MAX_LINES, unified


def patch(old: bytes | None, new: bytes | None, context: int = 3) -> list[str]:
    return list(unified(b"x", b"x", old, new, context))


def test_a_changed_line_has_three_lines_of_context() -> None:
    old = b"1\n2\n3\n4\n5\n6\n7\n8\n9\n"

    assert patch(old, old.replace(b"5", b"five")) == [
        "--- a/x",
        "+++ b/x",
        "@@ -2,7 +2,7 @@",
        " 2",
        " 3",
        " 4",
        "-5",
        "+five",
        " 6",
        " 7",
        " 8",
    ]


def test_changes_far_apart_are_two_hunks_and_near_ones_share_one() -> None:
    old = b"".join(b"%d\n" % at for at in range(20))
    far = patch(old, old.replace(b"\n3\n", b"\nx\n").replace(b"\n11\n", b"\ny\n"))
    near = patch(old, old.replace(b"\n3\n", b"\nx\n").replace(b"\n10\n", b"\ny\n"))

    assert [line for line in far if line.startswith("@@")] == ["@@ -1,7 +1,7 @@", "@@ -9,7 +9,7 @@"]
    assert [line for line in near if line.startswith("@@")] == ["@@ -1,14 +1,14 @@"]


def test_a_new_file_comes_from_nowhere() -> None:
    assert patch(None, b"a\n") == ["--- /dev/null", "+++ b/x", "@@ -0,0 +1 @@", "+a"]


def test_a_deleted_file_goes_nowhere() -> None:
    assert patch(b"a\nb\n", None) == ["--- a/x", "+++ /dev/null", "@@ -1,2 +0,0 @@", "-a", "-b"]


def test_an_empty_file_that_came_has_a_header_only() -> None:
    assert patch(None, b"") == ["--- /dev/null", "+++ b/x"]


def test_equal_bytes_have_no_patch() -> None:
    assert patch(b"a", b"a") == patch(None, None) == []


def test_a_rename_names_both_paths() -> None:
    assert list(unified(b"old", b"new", b"a\n", b"b\n"))[:2] == ["--- a/old", "+++ b/new"]


def test_a_missing_newline_at_the_end_is_said() -> None:
    assert patch(b"a\nb", b"a\nb\n") == [
        "--- a/x",
        "+++ b/x",
        "@@ -1,2 +1,2 @@",
        " a",
        "-b",
        "\\ No newline at end of file",
        "+b",
    ]
    assert patch(b"a\nb", b"c\nb")[-2:] == [" b", "\\ No newline at end of file"]


def test_only_a_newline_ends_a_line() -> None:
    assert patch(b"", "a\rb\x0bc\u2028d\x85\n".encode())[3:] == ["+a\rb\x0bc\u2028d\x85"]


@pytest.mark.parametrize("content", [b"a\x00b", b"\xff\xfe", b"a" * 7999 + b"\x00"])
def test_binary_files_are_not_shown(content: bytes) -> None:
    assert patch(b"text\n", content) == ["--- a/x", "+++ b/x", "Binary files differ"]
    assert patch(content, None) == ["--- a/x", "+++ /dev/null", "Binary files differ"]


def test_a_nul_far_into_a_text_does_not_make_it_binary() -> None:
    assert "Binary files differ" not in patch(b"", b"a\n" * 4000 + b"\x00\n")


@pytest.mark.parametrize(
    "large", [b"a" * (MAX_BYTES + 1), b"\n" * (MAX_LINES + 1)], ids=["bytes", "lines"]
)
def test_what_is_too_large_to_read_is_not_shown(large: bytes) -> None:
    said = f"Too large for a text patch ({len(large)} bytes)"

    assert patch(large, b"a\n") == patch(b"a\n", large) == ["--- a/x", "+++ b/x", said]


def test_the_largest_text_is_shown() -> None:
    assert len(patch(b"", b"a\n" * MAX_LINES)) == 3 + MAX_LINES


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (b"a b", "--- a/a b"),
        ("é".encode(), "--- a/é"),
        (b"a\nb", '--- "a/a\\nb"'),
        (b"a\tb\r", '--- "a/a\\tb\\r"'),
        (b"\x1b[31m", '--- "a/\\033[31m"'),
        (b'"q"', '--- "a/\\"q\\""'),
        (b"a\\b", '--- "a/a\\\\b"'),
        (b"\xff", '--- "a/\\377"'),
        (b"\x7f", '--- "a/\\177"'),
    ],
)
def test_a_path_that_would_break_the_header_is_quoted(path: bytes, shown: str) -> None:
    assert next(unified(path, path, b"1", b"2")) == shown


TEXTS = st.lists(st.sampled_from(["a", "b", "c", "", "d\r", "é"]), max_size=25).map(
    lambda lines: "\n".join(lines).encode()
)


@given(TEXTS, TEXTS, st.integers(0, 4))
@settings(max_examples=100)
def test_a_patch_applied_to_the_old_text_gives_the_new_one(
    old: bytes, new: bytes, context: int
) -> None:
    assert applied(old, patch(old, new, context)) == new


def applied(old: bytes, lines: list[str]) -> bytes:
    """Apply a patch naively and check everything that its hunks state."""
    source = old.decode().split("\n")
    ended = [f"{line}\n" for line in source[:-1]] + ([source[-1]] if source[-1] else [])
    result: list[str] = []
    at = 0
    for number, line in enumerate(lines[2:], 2):
        without_end = lines[number + 1 : number + 2] == ["\\ No newline at end of file"]
        text = line[1:] + ("" if without_end else "\n")
        if line.startswith("@@"):
            start, _, length = line.split()[1][1:].partition(",")
            begin = int(start) - (length != "0")
            result += ended[at:begin]
            at = begin
            assert len(result) == int(line.split()[2][1:].partition(",")[0]) - (
                not line.split()[2].endswith(",0")
            )
        elif line.startswith((" ", "-")):
            assert ended[at] == text
            at += 1
        if line.startswith((" ", "+")):
            result.append(text)
    return "".join([*result, *ended[at:]]).encode()


def test_git_writes_the_same_patch(tmp_path: Path) -> None:
    old = b"".join(b"line %d\n" % at for at in range(60))
    new = old.replace(b"line 7\n", b"seven\n").replace(b"line 30\n", b"").rstrip() + b"\nend"
    (tmp_path / "old").write_bytes(old)
    (tmp_path / "new").write_bytes(new)
    git = subprocess.run(
        ["git", "-c", "core.quotePath=false", "diff", "--no-index", "--no-color", "old", "new"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    theirs = git.stdout.decode().splitlines()[2:]
    hunks = [
        line if not line.startswith("@@") else line[: line.rindex("@@") + 2] for line in theirs
    ]

    assert list(unified(b"old", b"new", old, new)) == hunks


def long_text() -> bytes:
    return b"".join(b"%d\n" % (at * 7919 % 9_000) for at in range(MAX_LINES - 2_000))


def edited(text: bytes) -> bytes:
    """A text with lines changed, removed, inserted, repeated and moved all over it."""
    lines = text.splitlines(keepends=True)
    for at in reversed(range(0, len(lines) - 200, 211)):
        lines[at] = b"changed %d\n" % at
        lines[at + 50 : at + 53] = []
        lines.insert(at + 90, lines[at + 89])
        lines[at + 120 : at + 130], lines[at + 150 : at + 160] = (
            lines[at + 150 : at + 160],
            lines[at + 120 : at + 130],
        )
    return b"".join(lines)


SOURCE = Path(myers.__file__).read_bytes()
APPLIED = {
    "a source file": (b"myers.py", SOURCE, edited(SOURCE)),
    "a long generated file": (b"generated.csv", long_text(), edited(long_text())),
    "repeated lines": (b"f", b"a\nb\n" * 150, b"a\n" + b"a\nb\n" * 100 + b"b\n"),
    "nothing in common": (b"f", b"a\n" * 400, b"b\n" * 300),
    "no newline at the end of the old": (b"f", b"a\nb", b"a\nb\nc\n"),
    "no newline at the end of the new": (b"f", b"a\nb\n", b"b"),
    "carriage returns": (b"f", b"a\r\nb\r\n", b"a\r\nc\n"),
    "a new file": (b"new", None, b"a\nb\n"),
    "a deleted file": (b"old", b"a\nb\n", None),
    "a name with quotes": ('a "b"\té'.encode(), b"a\n", b"b\n"),
}


@pytest.mark.parametrize("name", APPLIED)
def test_git_applies_the_patch(name: str, tmp_path: Path) -> None:
    path, old, new = APPLIED[name]
    file = tmp_path / os.fsdecode(path)
    if old is not None:
        file.write_bytes(old)
    patch = "".join(f"{line}\n" for line in unified(path, path, old, new))
    done = subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        cwd=tmp_path,
        input=patch.encode(),
        capture_output=True,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)},
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert (file.read_bytes() if file.exists() else None) == new
