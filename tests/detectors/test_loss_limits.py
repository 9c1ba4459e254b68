"""What holds for any tree, and what lost files cost."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.detectors.detector import READ_LIMIT, Detector, Evidence
from clew.detectors.losses.deletions import Deletions
from clew.detectors.losses.moves import Moves
from clew.detectors.losses.recoverable import deleted_by_directory, fates
from clew.detectors.losses.shrinking import Shrinking
from clew.model.entry import Entry
from tests.kit.losses import files, tell
from tests.kit.moments import MemoryTree, evidence, findings

_NAMES = st.sampled_from(
    ["a.jpg", "b.csv", ".env", "x", "notes.md", "app.py", "dump.sql", "t.log", "m.pt", "data.json"]
)
_DIRECTORIES = st.lists(st.sampled_from(["src", "uploads", "tmp", "data", "dist", "a"]), max_size=3)
_PATHS = st.builds(lambda above, name: "/".join([*above, name]), _DIRECTORIES, _NAMES)
_CONTENTS = st.sampled_from([f"content {n} ".encode() * 400 for n in range(12)] + [b"", b"{}"])
_TREES = st.dictionaries(_PATHS, _CONTENTS, max_size=14)


def _without_clashes(moment: dict[str, bytes]) -> dict[str, bytes]:
    """Return a tree in which no file is also a directory."""
    above = {path.rpartition("/")[0] for path in moment}
    return {path: content for path, content in moment.items() if path not in above}


@settings(max_examples=200, deadline=None)
@given(_TREES, _TREES)
def test_content_that_is_still_somewhere_is_never_lost(
    first: dict[str, bytes], second: dict[str, bytes]
) -> None:
    old, new = _without_clashes(first), _without_clashes(second)
    found = evidence(old, new)

    lost = [
        change.path
        for fate in fates(found, deleted_by_directory(found.changes.values())).values()
        for change, _ in fate.lost
    ]

    assert not {old[path] for path in lost} & {*new.values()}


@settings(max_examples=40, deadline=None)
@given(_TREES, _TREES)
def test_a_fact_about_single_files_names_only_what_is_gone(
    first: dict[str, bytes], second: dict[str, bytes]
) -> None:
    old, new = _without_clashes(first), _without_clashes(second)

    for fact in tell(old, new).facts:
        if fact.kind == "loss.deleted" and fact.scope in ("file", "files"):
            assert not {old[path] for path in fact.evidence} & {*new.values()}


@settings(max_examples=40, deadline=None)
@given(_TREES, _TREES)
def test_every_path_is_in_one_line(first: dict[str, bytes], second: dict[str, bytes]) -> None:
    old, new = _without_clashes(first), _without_clashes(second)

    told = [path for line in tell(old, new).lines for path in line.paths]

    assert sorted(told) == sorted(evidence(old, new).changes)


class _CountingTree(MemoryTree):
    """A tree that counts the questions about it."""

    def __init__(self, moment: Mapping[str, bytes]) -> None:
        super().__init__(moment)
        self.questions: Counter[str] = Counter()

    def entry(self, path: str) -> Entry | None:
        self.questions["entry"] += 1
        return super().entry(path)

    def entries(self, directory: str) -> dict[str, Entry]:
        self.questions["entries"] += 1
        return super().entries(directory)

    def read(self, path: str, limit: int = READ_LIMIT) -> bytes | None:
        self.questions["read"] += 1
        return super().read(path, limit)

    def pieces(self, path: str) -> Iterator[bytes]:
        self.questions["read"] += 1
        return super().pieces(path)


def _cost(
    detector: Detector, old: dict[str, bytes], new: dict[str, bytes]
) -> tuple[Counter[str], int]:
    """Return the questions that a detector asks, and print its processor time."""
    plain = evidence(old, new)
    before, after = _CountingTree(old), _CountingTree(new)
    found = Evidence(before, after, plain.changes)
    started = time.process_time()
    number = len(findings(detector, found))
    print(
        f"{detector.name}: {time.process_time() - started:.2f} s for {len(plain.changes):,} paths"
    )
    return before.questions + after.questions, number


def test_a_hundred_thousand_deleted_files_cost_questions_about_their_directories_only() -> None:
    old = {f"uploads/{n % 200}/{n}.jpg": b"%d" % n for n in range(100_000)}

    questions, number = _cost(Deletions(), {**old, "x": b""}, {"x": b""})

    assert number == 1
    assert questions["read"] == 0
    assert questions.total() < 200 * 20


def test_moved_files_cost_questions_about_their_directories_only() -> None:
    old = {f"uploads/{n % 200}/{n}.jpg": b"%d" % n * 9 for n in range(20_000)}
    new = {path.replace("uploads", "storage"): content for path, content in old.items()}

    questions, number = _cost(Moves(), old, new)

    assert number == 1
    assert questions["read"] == 0
    assert questions.total() < 200 * 20


def test_emptied_files_cost_questions_about_their_directories_only() -> None:
    old = {f"uploads/{n % 20}/{n}.jpg": b"%d" % n * 9 for n in range(20_000)}

    questions, number = _cost(Shrinking(), old, dict.fromkeys(old, b""))

    assert number == 20
    assert questions["read"] == 0
    assert questions.total() < 20 * 20


def test_more_files_than_can_be_judged_are_counted_and_claimed() -> None:
    old = {f"uploads/{n % 200}/{n}.jpg": b"%d" % n for n in range(70_100)}

    (finding,) = findings(Deletions(), evidence({**old, "x": b""}, {"x": b""}))

    assert (finding.facts[0].before or "").startswith("70,100 files, ")
    assert len(finding.claims) == 70_100


def test_a_search_for_copies_ends() -> None:
    many = files("store/{}.bin", 30_000, size=20)

    assert findings(Deletions(), evidence({**many, "a.jpg": b"x" * 99}, many)) != []
