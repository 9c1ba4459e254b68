"""The crew: several processes walk one tree, and nobody can tell from the result."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew.errors import ScanFailed
from clew.model.ids import ObjectId
from clew.model.small_objects import Rules, decode_links
from clew.store.claims import Claims
from clew.worktree.cache import WorktreeCache
from clew.worktree.scan import ScanResult, walk_alone
from clew.worktree.scan_pool import ScanPool, ScanWorker
from clew.worktree.walk import Walker
from tests.worktree.sink import Sink, scan_into, settle

Become = Callable[[int], object]
"""Something that happens to a helper, given its number."""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty subtrees, with hard links between them, an exclude in each, and wide and odd names."""
    root = tmp_path_factory.mktemp("tree")
    for number in range(60):
        place = root / f"{number:02}" / "sub"
        (place / "build").mkdir(parents=True)
        (place / "file").write_text(f"number {number % 7}")
        (place / "odd \udcff\n").write_text("x")
        if number:
            os.link(root / "00" / "sub" / "file", place / "linked")
    settle()
    return root


def crew_of(
    size: int, sink: Sink, become: Become | None = None, expected: int | None = None
) -> ScanPool:
    """Return a crew whose helpers hand their objects over to `sink`."""
    own: list[Sink] = []

    def become_helper(walker: Walker, number: int) -> Walker:
        if become is not None:
            become(number)
        own.append(Sink(objects=dict(sink.objects)))
        return walker.with_sink(number, own[0].put, own[0].get)

    def finish(_: Walker) -> list[tuple[bytes, bytes]]:
        return list(own[0].objects.items())

    def adopt(objects: Any) -> None:
        sink.objects.update(objects)

    hands = ScanWorker(
        prepare=lambda: None,
        become_helper=become_helper,
        finish=finish,
        abandon=own.clear,
        adopt=adopt,
    )
    return ScanPool(size, expected, hands)


RULES = Rules((b"build",))


def _scan(tree: Path, size: int, cache: WorktreeCache | None = None) -> tuple[ScanResult, Sink]:
    sink = Sink()
    share = crew_of(size, sink).share if size > 1 else walk_alone
    return scan_into(tree, sink, cache, rules=RULES, share=share), sink


@pytest.mark.parametrize("size", [2, 3, 4])
def test_a_crew_finds_what_one_alone_finds(tree: Path, size: int) -> None:
    alone, one = _scan(tree, 1)
    together, many = _scan(tree, size)

    for field in ("tree", "state", "links", "coverage"):
        assert getattr(together, field) == getattr(alone, field), field
    assert many.objects == one.objects


@pytest.mark.parametrize("size", [2, 4])
def test_a_crew_fills_the_cache_as_one_alone_does(tree: Path, tmp_path: Path, size: int) -> None:
    cache = WorktreeCache(str(tmp_path / "cache"), "owner")
    first, _ = _scan(tree, size, cache)
    sink = Sink()

    again = scan_into(tree, sink, cache, rules=RULES)

    assert again.tree == first.tree
    assert sink.reads() == 0
    cache.close()


def test_hard_links_walked_by_different_processes_are_one_group(tree: Path) -> None:
    found, sink = _scan(tree, 3)

    (group,) = decode_links(sink.get(found.links))
    assert len(group) == 60


def test_a_crew_knows_what_the_cache_knows(tree: Path, tmp_path: Path) -> None:
    cache = WorktreeCache(str(tmp_path / "cache"), "owner")
    first, sink = _scan(tree, 1, cache)
    cache.update([], list(cache.directories)[::3])

    share = crew_of(3, sink).share
    again = scan_into(tree, sink, cache, rules=RULES, share=share)

    assert again.tree == first.tree
    cache.close()


def _die(_: int) -> None:
    os._exit(7)


def _fail(_: int) -> None:
    raise MemoryError("no more")


def _second_dies(number: int) -> None:
    if number == 1:
        os._exit(7)


@pytest.mark.parametrize(
    ("become", "says"), [(_die, "died"), (_fail, "MemoryError: no more"), (_second_dies, "died")]
)
def test_a_helper_that_dies_takes_the_scan_with_it(tree: Path, become: Become, says: str) -> None:
    sink = Sink()

    with pytest.raises(ScanFailed, match=says):
        scan_into(tree, sink, share=crew_of(3, sink, become).share)

    with pytest.raises(ChildProcessError):  # nobody is left to wait for
        os.waitpid(-1, os.WNOHANG)


def test_a_failure_in_the_parent_leaves_no_helper_running(tree: Path) -> None:
    sink = Sink()
    parent = os.getpid()

    def fail(_: int, content: bytes) -> None:
        if os.getpid() == parent and content.startswith(b"number"):
            raise RuntimeError("our own fault")

    sink.hook = fail

    started = time.monotonic()
    with pytest.raises(RuntimeError, match="our own fault"):
        scan_into(tree, sink, share=crew_of(3, sink, lambda _: time.sleep(30)).share)

    assert time.monotonic() - started < 10
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_a_small_workspace_is_walked_alone(tree: Path) -> None:
    sink = Sink()

    found = scan_into(tree, sink, share=crew_of(4, sink, _die, expected=50).share)

    assert found.tree == scan_into(tree, Sink()).tree


def test_what_one_process_claims_no_other_stores() -> None:
    claims = Claims()
    claims.share()
    ours = [ObjectId(number.to_bytes(32, "big")) for number in range(1, 500)]
    ids = [ObjectId(bytes(reversed(item))) for item in ours]
    pid = os.fork()
    if not pid:
        os._exit(0 if all(claims.claim(item) for item in ids) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0

    assert not any(claims.claim(item) for item in ids)


def test_before_there_are_others_every_claim_is_granted() -> None:
    claims = Claims()
    identifier = ObjectId(b"x" * 32)

    assert claims.claim(identifier)
    assert claims.claim(identifier)
