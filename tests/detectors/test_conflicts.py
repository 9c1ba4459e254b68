"""Conflict markers and rejected hunks, and what only looks like them."""

from __future__ import annotations

import time

import pytest

from clew.detectors.repositories.conflict_markers import count_conflicts
from clew.detectors.repositories.conflicts import Conflicts
from clew.model.fact import Fact
from clew.story.words import phrase
from tests.kit.moments import Moment, facts, file, findings, link
from tests.kit.moments import evidence as evidence_of

GIT: dict[str, bytes] = {
    ".git/HEAD": b"ref: refs/heads/main\n",
    ".git/objects/x": b"",
    ".git/refs/x": b"",
}
PLAIN = b"<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> topic\n"
DIFF3 = b"<<<<<<< HEAD\na = 1\n||||||| 3f2a91c\na = 0\n=======\na = 2\n>>>>>>> topic\n"
JJ = (
    b"<<<<<<< Conflict 1 of 1\n%%%%%%% Changes from base to side #1\n-a = 0\n+a = 1\n"
    b"+++++++ Contents of side #2\na = 2\n>>>>>>> Conflict 1 of 1 ends\n"
)
SVN = b"<<<<<<< .mine\na = 1\n||||||| .r41\na = 0\n=======\na = 2\n>>>>>>> .r42\n"
HG = b"<<<<<<< working copy: 3f2a91c - a: b\na = 1\n=======\na = 2\n>>>>>>> merge rev: 9c1\n"
PATCH = b"<<<<<<<\na = 1\n=======\na = 2\n>>>>>>>\n"
WIDE = PLAIN.replace(b"<" * 7, b"<" * 20).replace(b"=" * 7, b"=" * 20).replace(b">" * 7, b">" * 20)


def _said(old: Moment, new: Moment) -> list[tuple[str, str, str, tuple[str, ...]]]:
    return [
        (one.scope, one.subject, one.severity, one.marks) for one in facts(Conflicts(), old, new)
    ]


@pytest.mark.parametrize(
    "text",
    [PLAIN, DIFF3, JJ, SVN, HG, PATCH, WIDE, PLAIN.replace(b"\n", b"\r\n"), b"x\n" * 99 + PLAIN],
)
def test_the_markers_of_every_tool_are_a_conflict(text: bytes) -> None:
    assert count_conflicts(b"x = 1\n" + text + b"y = 2\n", "src/a.py") == 1
    assert count_conflicts(text * 3, "src/a.py") == 3


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (b"    " + PLAIN.replace(b"\n", b"\n    "), "a.py"),
        (PLAIN.replace(b"=======\n", b""), "a.py"),
        (PLAIN.replace(b">>>>>>> topic\n", b""), "a.py"),
        (PLAIN.replace(b"<<<<<<< HEAD\n", b""), "a.py"),
        (b">>>>>>> topic\n=======\n<<<<<<< HEAD\n", "a.py"),
        (b"Title\n=======\n\n>>>>>>> quoted mail\n", "notes.rst"),
        (b"<<<<<<<<<< banner >>>>>>>>>>\n=======\n", "a.txt"),
        (b"# How to resolve\n\n```\n" + PLAIN + b"```\n", "docs/git.md"),
        (b"~~~diff\n" + PLAIN + b"~~~\n", "docs/git.md"),
        (b"[source]\n----\n" + PLAIN + b"----\n", "docs/git.adoc"),
        (PLAIN, "tests/fixtures/merge.py"),
        (PLAIN, "pkg/testdata/conflict.txt"),
        (b'TEXT = """\n' + PLAIN + b'"""\n', "tests/test_merge_conflicts.py"),
        (b"const text = `\n" + PLAIN + b"`;\n", "src/__tests__/conflict.test.js"),
        (b"\0" + PLAIN, "a.bin"),
        (b"", "a.py"),
    ],
)
def test_what_only_looks_like_a_conflict_is_none(text: bytes, path: str) -> None:
    assert count_conflicts(text, path) == 0


def test_a_conflict_after_an_example_in_a_document_counts() -> None:
    assert count_conflicts(b"```\n" + PLAIN + b"```\n" + PLAIN, "README.md") == 1


def test_a_test_of_merges_that_no_longer_parses_has_a_conflict() -> None:
    assert count_conflicts(b"def test():\n" + PLAIN, "tests/test_merge.py") == 1


def test_new_markers_are_a_warning_with_their_number() -> None:
    new = {**GIT, "src/a.py": b"x\n" + PLAIN * 2, "package.json": DIFF3}

    assert _said({**GIT, "src/a.py": b"x\n"}, new) == [
        ("git:.", "src/a.py", "high", ("2 conflicts",)),
        ("git:.", "package.json", "high", ("1 conflict",)),
    ]
    assert _said({}, {"a.py": PLAIN}) == [("files", "a.py", "high", ("1 conflict",))]


def test_markers_that_were_there_are_not_told_again() -> None:
    assert _said({"a.py": PLAIN}, {"a.py": b"edited = 1\n" + PLAIN}) == []
    assert _said({"a.py": PLAIN * 2}, {"a.py": PLAIN}) == []
    assert _said({"a.py": PLAIN}, {"a.py": b"a = 1\n"}) == []
    assert len(_said({"a.py": PLAIN}, {"a.py": PLAIN * 2})) == 1


def test_dependencies_and_the_files_of_git_are_not_searched() -> None:
    new = {"node_modules/a/b.js": PLAIN, "x/site-packages/a.py": PLAIN, ".git/a": PLAIN}

    assert _said({}, new) == []


def test_a_rejected_hunk_of_a_patch_is_a_warning() -> None:
    unified = b"--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\n"

    assert _said({}, {"x.py.rej": unified}) == [
        ("files", "x.py.rej", "high", ("rejected", "2 hunks"))
    ]
    assert _said({}, {"x.rej": b"requests that were rejected today\n" * 9}) == []


def test_the_edited_file_itself_is_not_claimed() -> None:
    found = evidence_of({}, {"a.py": PLAIN, "b.py.rej": b"--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n"})

    assert [list(one.claims) for one in findings(Conflicts(), found)] == [["b.py.rej"]]


def test_files_that_cannot_be_read_say_nothing() -> None:
    new: Moment = {"a.py": link("/etc/shadow"), "b.py": file(PLAIN, size=1 << 40), "c.png": PLAIN}

    assert _said({}, new) == []


def test_hostile_files_take_little_time() -> None:
    started = time.monotonic()
    for text in (b"<<<<<<<\n" * 200_000, b"<" * 1_900_000, b"=======\n>>>>>>>" * 90_000):
        count_conflicts(text, "a.md")
    many = {f"d/{number}.py": b"x = 1  # a line of code\n" for number in range(5_000)}
    facts(Conflicts(), {}, many)

    assert time.monotonic() - started < 8


def test_the_words_name_one_file_and_count_many() -> None:
    one = Fact(
        "broken.conflict", "git:.", "src/module_9.py", severity="high", marks=("1 conflict",)
    )
    two = one._replace(subject="src/b.py")

    assert phrase("broken", [one]).short == "conflict markers in src/module_9.py"
    assert phrase("broken", [two, one, one]).short == "conflict markers in 3 files (src/b.py, …)"
    assert phrase("broken", [two, one]).shortest == "conflict markers in 2 files"
    assert "src/module_9.py" in phrase("broken", [two, one]).text
