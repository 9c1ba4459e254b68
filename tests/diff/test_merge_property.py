"""Random trees, compared with a naive merge path by path."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from clew.model.entry import Entry, EntryKind
from clew.model.merge_results import ConflictReason
from tests.diff.forest import Directory, Flat, Node, flat, symlink, uncovered
from tests.diff.merging import holding, merge, timeless

NAMES = (b"a", b"a-", b"b", b"c")
LEAVES: tuple[Node, ...] = (
    *(holding(b"%d\x00" % number) for number in range(9)),
    symlink(b"1"),
    symlink(b"2"),
    Entry(b"", EntryKind.FIFO),
)
TEXTS = tuple(
    holding("".join(f"{line}\n" for line in text).encode())
    for text in ("abcdef", "abcdeF", "Abcdef", "bcdef", "abcde", "ab", "", "abcdefg")
)
OWN = [Entry(b"", EntryKind.DIRECTORY, mode) for mode in (0o755, 0o755, 0o700)]

Triple = tuple[Directory, Directory, Directory]


def triples(number: int, leaves: Sequence[Node] = LEAVES) -> Iterator[Triple]:
    """Yield a tree and two trees derived from it, a number of times."""
    for seed in range(number):
        grower = Grower(random.Random(seed), leaves)
        base = grower.directory(3)
        yield base, grower.grown(base), grower.grown(base)


class Grower:
    """Generates and changes trees."""

    def __init__(self, chance: random.Random, leaves: Sequence[Node]) -> None:
        self._chance = chance
        self._leaves = leaves

    def directory(self, depth: int) -> Directory:
        names = self._chance.sample(NAMES, self._chance.randint(0, 3))
        return Directory({name: self.node(depth) for name in names}, self._chance.choice(OWN))

    def node(self, depth: int) -> Node:
        if depth and self._chance.random() < 0.4:
            return self.directory(depth - 1)
        return self._chance.choice(self._leaves)

    def grown(self, base: Directory) -> Directory:
        chance, nodes = self._chance, dict(base.nodes)
        for name, node in base.nodes.items():
            fate = chance.random()
            if fate < 0.12:
                del nodes[name]
            elif fate < 0.25:
                nodes[name] = self.node(2)
            elif isinstance(node, Directory):
                nodes[name] = self.grown(node)
        if chance.random() < 0.3:
            nodes.setdefault(chance.choice(NAMES), self.node(2))
        return Directory(nodes, chance.choice(OWN) if chance.random() < 0.1 else base.own)


def state(directory: Directory) -> Flat:
    return timeless(flat(directory))


def naive_merge(base: Flat, ours: Flat, theirs: Flat) -> Flat | None:
    """Return the merge path by path, ignoring renames, or None if any path is a conflict."""
    result: Flat = {}
    for path in {*base, *ours, *theirs}:
        before, mine, other = base.get(path), ours.get(path), theirs.get(path)
        if mine == before:
            taken = other
        elif other in (before, mine):
            taken = mine
        else:
            return None
        if taken is not None:
            result[path] = taken
    for path in list(result):
        above = path
        while above:
            above = above.rpartition(b"/")[0]
            if above not in result:  # one side deleted a directory that the other needs
                result[above] = ours.get(above) or theirs[above]
            if not result[above].is_directory:
                return None
    return result


def test_the_merge_is_what_merging_every_path_gives() -> None:
    seen = {True: 0, False: 0}
    for base, ours, theirs in triples(1500):
        if _moves_something(base, ours) or _moves_something(base, theirs):
            continue  # renames have their own tests
        came = merge(base, ours, theirs)
        expected = naive_merge(state(base), state(ours), state(theirs))
        seen[expected is None] += 1

        if expected is None:
            assert came.conflicts
        else:
            assert came.conflicts == []
            assert timeless(came.tree) == expected
    assert min(seen.values()) > 200


def test_a_side_that_changed_nothing_gives_way() -> None:
    for base, ours, _ in triples(300):
        assert merge(base, ours, base).result.edits == {}
        assert merge(base, ours, ours).result.edits == {}
        assert timeless(merge(base, base, ours).tree) == state(ours)


def test_the_sides_can_be_swapped() -> None:
    for base, ours, theirs in triples(700, (*LEAVES, *TEXTS)):
        one, two = merge(base, ours, theirs), merge(base, theirs, ours)
        is_moved = (
            ConflictReason.RENAMED in dict(one.conflicts).values()
        )  # this may hide a second conflict

        assert bool(one.conflicts) == bool(two.conflicts)
        assert is_moved or dict(one.conflicts).keys() == dict(two.conflicts).keys()
        if not one.conflicts:
            assert timeless(one.tree) == timeless(two.tree)


def test_nothing_new_is_lost_without_a_conflict() -> None:
    for base, ours, theirs in triples(700, (*LEAVES, *TEXTS)):
        came = merge(base, ours, theirs)
        if came.conflicts or came.result.merged:
            continue
        for side in (ours, theirs):
            new = _contents(flat(side)) - _contents(flat(base))

            assert new <= _contents(came.tree)


def test_a_favoured_side_always_ends_in_a_tree() -> None:
    for base, ours, theirs in triples(700, (*LEAVES, *TEXTS)):
        plainly = merge(base, ours, theirs)
        for favour in ("ours", "theirs"):
            came = merge(base, ours, theirs, favour=favour)

            assert all(came.tree[_above(path)].is_directory for path in came.tree)
            if not plainly.conflicts:
                assert came.tree == plainly.tree


def test_what_a_side_does_not_cover_stays_as_ours_has_it() -> None:
    for triple in triples(700, (*LEAVES, uncovered(), uncovered(), uncovered())):
        covered = [flat(side).items() for side in triple]
        blind = {path for side in covered for path, entry in side if not entry.is_covered}
        before = state(triple[1])
        for favour in (None, "ours", "theirs"):
            now = timeless(merge(*triple, favour=favour).tree)

            assert _at_or_below(now, blind) == _at_or_below(before, blind)


def test_nothing_outside_the_chosen_paths_is_touched() -> None:
    for base, ours, theirs in triples(300, (*LEAVES, *TEXTS)):
        for favour in (None, "ours", "theirs"):
            now = timeless(merge(base, ours, theirs, within=[b"a"], favour=favour).tree)

            assert _outside(now, b"a") == _outside(state(ours), b"a")


def _above(path: bytes) -> bytes:
    return path.rpartition(b"/")[0]


def _outside(tree: Flat, name: bytes) -> Flat:
    return {path: entry for path, entry in tree.items() if path.split(b"/")[0] != name}


def _at_or_below(tree: Flat, tops: set[bytes]) -> Flat:
    found: Flat = {}
    for path, entry in tree.items():
        names = path.split(b"/")
        if any(b"/".join(names[: at + 1]) in tops for at in range(len(names))):
            found[path] = entry
    return found


def _moves_something(old: Directory, new: Directory) -> bool:
    """Return whether an entry deleted at one path was added at another."""
    before, after = flat(old), flat(new)
    gone = {path: before[path] for path in before.keys() - after.keys()}
    came = {path: after[path] for path in after.keys() - before.keys()}
    return bool(_contents(gone) & _contents(came)) or _targets(gone) & _targets(came) != set()


def _contents(tree: Flat) -> set[bytes]:
    return {entry.content for entry in tree.values() if entry.is_file}


def _targets(tree: Flat) -> set[bytes]:
    return {entry.target for entry in tree.values() if entry.kind == EntryKind.SYMLINK}
