"""A workspace, its history, and the naivest model of both; this part of the kit drives clew.

The model keeps a full description of the tree for every checkpoint (made by `kit.walker`, which
shares no code with clew), and the trail as the design says it: save cuts and appends; restore
cuts, appends a rescue if dirty, and appends the target; undo gives up dirt or steps back; redo
steps forward.
Deleting spares what is on the trail: what undo does then is another test's business.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from clew import errors, opening
from clew.model.restore_results import RestoreResult
from tests.kit.removing import remove
from tests.kit.walker import Facts, Tree, differences, look

NAMES = st.sampled_from(["a", "b", "c", "d", "e", "n\n", "\udcff"])
SIZES = st.sampled_from([0, 1, 10, 4096, 70_000])
FILLS = st.binary(min_size=1, max_size=3)
MODES = st.sampled_from([0o600, 0o644, 0o755, 0o700, 0o444, 0o4755])


class History(RuleBasedStateMachine):
    """Random work in a workspace, checked against copies."""

    base = Path(tempfile.gettempdir())
    """Where workspaces and stores are made; set by the test that runs the machine."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp(prefix="history-", dir=self.base))
        self.root = self.place / "project"
        self.root.mkdir()
        self.clew = opening.open(self.root, store=str(self.place / "store"), create=True)
        self.moments: dict[str, Tree] = {}
        """What the tree was at each checkpoint that still exists."""
        self.trail: list[str] = []
        self.cursor = -1

    @initialize()
    def first_save(self) -> None:
        (self.root / "a").write_text("here from the start")
        self.save("first")

    # ---- work ----

    @rule(data=st.data(), size=SIZES, fill=FILLS)
    def write(self, data: st.DataObject, size: int, fill: bytes) -> None:
        if target := self._free(data):
            target.write_bytes((fill * size)[:size])

    @rule(data=st.data(), fill=FILLS)
    def rewrite_in_place(self, data: st.DataObject, fill: bytes) -> None:
        """Same size, same mtime, other bytes."""
        if target := self._file(data):
            before = target.stat()
            with open(target, "r+b") as file:
                file.write((fill * before.st_size)[: before.st_size])
            os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))

    @rule(data=st.data())
    def append(self, data: st.DataObject) -> None:
        if target := self._file(data):
            with open(target, "ab") as file:
                file.write(b"more")

    @rule(data=st.data(), size=SIZES)
    def truncate(self, data: st.DataObject, size: int) -> None:
        if target := self._file(data):
            os.truncate(target, size)

    @rule(data=st.data(), value=st.integers(0, 255))
    def store_through_a_map(self, data: st.DataObject, value: int) -> None:
        target = self._file(data)
        if target and target.stat().st_size:
            with open(target, "r+b") as file, mmap.mmap(file.fileno(), 0) as view:
                view[len(view) // 2] = value

    @rule(data=st.data())
    def rename(self, data: st.DataObject) -> None:
        source, target = self._there(data), self._free(data)
        if source and target and source not in target.parents:
            os.rename(source, target)

    @rule(data=st.data())
    def replace(self, data: st.DataObject) -> None:
        source, target = self._file(data), self._file(data)
        if source and target:
            os.replace(source, target)

    @rule(data=st.data())
    def link(self, data: st.DataObject) -> None:
        source, target = self._file(data), self._free(data)
        if source and target:
            os.link(source, target)

    @rule(data=st.data(), to=NAMES)
    def symlink(self, data: st.DataObject, to: str) -> None:
        if target := self._free(data):
            target.symlink_to(to)

    @rule(data=st.data())
    def mkdir(self, data: st.DataObject) -> None:
        if target := self._free(data):
            target.mkdir()

    @rule(data=st.data(), mode=MODES)
    def chmod(self, data: st.DataObject, mode: int) -> None:
        target = self._there(data)
        if target and not target.is_symlink():
            # without root the model itself could not look into a closed directory
            target.chmod(mode | 0o700 if target.is_dir() and os.geteuid() else mode)

    @rule(data=st.data(), value=st.binary(max_size=8))
    def set_xattr(self, data: st.DataObject, value: bytes) -> None:
        target = self._there(data)
        if target and not target.is_symlink():
            os.setxattr(target, "user.note", value)

    @rule(data=st.data())
    def delete_path(self, data: st.DataObject) -> None:
        if target := self._there(data):
            remove(target)

    @rule(data=st.data())
    def change_type(self, data: st.DataObject) -> None:
        if target := self._there(data):
            was_directory = target.is_dir() and not target.is_symlink()
            remove(target)
            target.write_text("was a directory") if was_directory else target.mkdir()

    @rule(data=st.data())
    def touch(self, data: st.DataObject) -> None:
        if target := self._there(data):
            os.utime(target, ns=(0, 1_600_000_000_123_456_789), follow_symlinks=False)

    # ---- history ----

    @rule(intent=st.text(max_size=10))
    def save(self, intent: str) -> None:
        now = look(self.root)
        saved = self.clew.save(intent).checkpoint.id.hex()
        self.moments[saved] = now
        self._cut()
        self._append(saved)

    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        dirty = self._is_dirty()
        target = data.draw(st.sampled_from(list(self.moments)))
        if not dirty and target == self._here():
            return  # whether going nowhere lengthens the trail is left open
        before = look(self.root)
        result = self.clew.restore(target)
        self._cut()
        if dirty:
            self._append(self._rescue(result, before))
        else:
            assert result.rescue is None
        self._append(target)
        self._expect(self.moments[target], result)

    @rule(data=st.data())
    def restore_one_path(self, data: st.DataObject) -> None:
        target = data.draw(st.sampled_from(list(self.moments)))
        before, dirty = look(self.root), self._is_dirty()
        paths = sorted((before.facts.keys() | self.moments[target].facts.keys()) - {b""})
        if not paths:
            return
        path = data.draw(st.sampled_from(paths))
        if not all(self._may_hold(before, above) for above in _above(path)):
            return  # a file stands where a directory is due; what happens then is another test's
        result = self.clew.restore(
            target, paths=[os.fsdecode(os.fsencode(self.root) + b"/" + path)]
        )
        after = look(self.root)
        self._cut()
        if dirty:
            self._append(self._rescue(result, before))
        here = result.here.id.hex()
        self.moments.setdefault(here, after)
        self._append(here)

        expected = _with_path_of(before, self.moments[target], path)
        assert (
            differences(Tree(expected, frozenset()), Tree(after.state().facts, frozenset())) == []
        )

    @rule()
    def undo(self) -> None:
        before = look(self.root)
        if self._is_dirty():
            result = self.clew.undo()
            self._cut()
            self.trail.append(self._rescue(result, before))
        elif self.cursor == 0:
            with pytest.raises(errors.NothingToUndo):
                self.clew.undo()
            assert look(self.root) == before
            return
        else:
            result = self.clew.undo()
            assert result.rescue is None
            self.cursor -= 1
        self._expect(self.moments[self._here()], result)

    @rule()
    def redo(self) -> None:
        before = look(self.root)
        if self._is_dirty():
            with pytest.raises((errors.DirtyWorkspace, errors.NothingToRedo)):
                self.clew.redo()
            assert look(self.root) == before
        elif self.cursor == len(self.trail) - 1:
            with pytest.raises(errors.NothingToRedo):
                self.clew.redo()
            assert look(self.root) == before
        else:
            result = self.clew.redo()
            self.cursor += 1
            self._expect(self.moments[self._here()], result)

    @precondition(lambda self: bool(set(self.moments) - set(self.trail)))
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        victim = data.draw(st.sampled_from([i for i in self.moments if i not in self.trail]))
        self.clew.delete([victim])
        del self.moments[victim]

    @rule()
    def collect(self) -> None:
        self.clew.store.gc()

    @rule()
    def reopen(self) -> None:
        self.clew.close()
        self.clew = opening.open(self.root, store=str(self.place / "store"))

    # ---- what always holds ----

    @invariant()
    def the_timeline_is_complete(self) -> None:
        log = self.clew.log(limit=None)
        assert {found.id.hex() for found in log.checkpoints} == set(self.moments)
        if self.trail:
            assert log.here
            assert log.here.hex() == self._here()

    def teardown(self) -> None:
        try:
            result = self.clew.store.check(read_data=True)
            assert result.whole, result.damages
            for identifier, moment in sorted(self.moments.items()):
                self.clew.restore(identifier)
                assert differences(moment, look(self.root)) == []
        finally:
            self.clew.close()
            remove(self.place)

    # ---- the model ----

    def _here(self) -> str:
        return self.trail[self.cursor]

    def _is_dirty(self) -> bool:
        return look(self.root).state() != self.moments[self._here()].state()

    def _cut(self) -> None:
        del self.trail[self.cursor + 1 :]

    def _append(self, identifier: str) -> None:
        self.trail.append(identifier)
        self.cursor = len(self.trail) - 1

    def _rescue(self, result: RestoreResult, before: Tree) -> str:
        assert result.rescue is not None
        identifier = result.rescue.id.hex()
        self.moments[identifier] = before
        return identifier

    def _expect(self, moment: Tree, result: RestoreResult) -> None:
        note(f"trail {[i[:6] for i in self.trail]}, cursor {self.cursor}")
        assert differences(moment, look(self.root)) == []
        assert result.verified
        assert (result.skipped, result.problems, result.changed_after) == ((), (), ())
        assert result.here.id.hex() == self._here()

    def _may_hold(self, tree: Tree, path: bytes) -> bool:
        return path not in tree.facts or tree.facts[path].kind == "directory"

    # ---- paths ----

    def _free(self, data: st.DataObject) -> Path | None:
        """Choose a name in some directory, unless it is taken."""
        parent = data.draw(st.sampled_from(self._paths("directory", b"")))
        target = parent / data.draw(NAMES)
        return None if os.path.lexists(target) else target

    def _there(self, data: st.DataObject) -> Path | None:
        return self._choose(data, self._paths(""))

    def _file(self, data: st.DataObject) -> Path | None:
        return self._choose(data, self._paths("file"))

    def _choose(self, data: st.DataObject, paths: list[Path]) -> Path | None:
        return data.draw(st.sampled_from(paths)) if paths else None

    def _paths(self, kind: str, *more: bytes) -> list[Path]:
        """Return what is there, of one kind or of any; symlinks are not walked through."""
        facts = look(self.root).facts
        found = {path for path, fact in facts.items() if path and fact.kind.startswith(kind)}
        return [self.root / os.fsdecode(path) for path in sorted(found.union(more))]


def _above(path: bytes) -> list[bytes]:
    pieces = path.split(b"/")
    return [b"/".join(pieces[:number]) for number in range(1, len(pieces))]


def _with_path_of(live: Tree, target: Tree, path: bytes) -> dict[bytes, Facts]:
    """Return the live facts, times aside, with one path and all below it as in `target`."""

    def inside(other: bytes) -> bool:
        return other == path or other.startswith(path + b"/")

    expected = {p: f.without_time() for p, f in live.facts.items() if not inside(p)}
    expected |= {p: f.without_time() for p, f in target.facts.items() if inside(p)}
    if path in target.facts:  # the directories above it come along, where there are none
        for above in _above(path):
            expected.setdefault(above, target.facts[above].without_time())
    return expected
