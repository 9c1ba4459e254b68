"""The journal entry of a restore: enough to continue or abort it in another process."""

from __future__ import annotations

from typing import cast

from clew.model import bencode
from clew.model.ids import CheckpointId
from clew.model.named_tuple import NamedTuple
from clew.model.parts import RestorePart
from clew.store.store import Store


class TrailMove(NamedTuple):
    """What a restore does to the trail at its end."""

    position: int | None = None
    """Move to this entry (undo, redo), keeping the rescue, if there is one, for the way back; None:
    cut the trail, append the rescue and the result.
    """

    def apply(
        self,
        store: Store,
        workspace: bytes,
        rescue: CheckpointId | None,
        target: CheckpointId,
        here: CheckpointId,
    ) -> None:
        """Move the trail, inside the transaction that ends the journal entry."""
        if self.position is not None and here == target:
            if rescue is not None:
                _keep_on_trail(store, workspace, rescue)
            store.trails.move(workspace, self.position)
            return
        rescued = [rescue] if rescue is not None else []
        store.trails.append(workspace, [*rescued, here])


class JournalPlan(NamedTuple):
    """A restore, as stored in the journal."""

    target: CheckpointId
    base: CheckpointId
    """The state before the restore: the rescue, or *here* if it held that state."""
    rescue: CheckpointId | None
    within: tuple[bytes, ...]
    move: TrailMove
    staged: tuple[bytes, ...]
    """The path of each numbered item in the stage."""
    regions: tuple[bytes, ...] = (b"",)
    """The directories that hold a stage."""
    resumed: bool = False
    """Whether the journal row existed before, so that this restore must not drop it; not stored."""
    parts: tuple[str, ...] = (RestorePart.FILES,)
    """The parts to restore; only files in journals from before there were sessions."""
    session: bytes = b""
    """The session whose conversation and tasks are restored."""
    fresh: bytes = b""
    """An id for new objects, the same if another process finishes the restore."""
    aborting: bool = False
    """Whether this reverts an interrupted restore: `target` is then the state before it, and `base`
    the state that it was restoring.
    """

    def reversed(self) -> JournalPlan:
        """Return the plan that takes this one back."""
        return self._replace(target=self.base, base=self.target, rescue=None, aborting=True)

    @property
    def is_whole(self) -> bool:
        """Return whether all files are restored."""
        return RestorePart.FILES in self.parts and not self.within

    @property
    def forgets(self) -> bool:
        """Return whether later effects are forgotten by the session afterwards."""
        return not self.aborting and (self.is_whole or self.parts != (RestorePart.FILES,))

    def encode(self) -> bytes:
        position = self.move.position
        return bencode.encode(
            {
                b"target": self.target,
                b"base": self.base,
                b"rescue": self.rescue or b"",
                b"within": list(self.within),
                b"position": -1 if position is None else position,
                b"staged": list(self.staged),
                b"regions": list(self.regions),
                b"parts": [part.encode() for part in self.parts],
                b"session": self.session,
                b"fresh": self.fresh,
                b"aborting": int(self.aborting),
            }
        )

    @classmethod
    def decode(cls, content: bytes) -> JournalPlan:
        found = bencode.decode_dict(content)
        position = cast("int", found[b"position"])
        rescue = cast("bytes", found[b"rescue"])
        return cls(
            target=CheckpointId(cast("bytes", found[b"target"])),
            base=CheckpointId(cast("bytes", found[b"base"])),
            rescue=CheckpointId(rescue) if rescue else None,
            within=tuple(cast("list[bytes]", found[b"within"])),
            move=TrailMove(None if position < 0 else position),
            staged=tuple(cast("list[bytes]", found[b"staged"])),
            regions=tuple(cast("list[bytes]", found[b"regions"])),
            parts=tuple(
                part.decode() for part in cast("list[bytes]", found.get(b"parts", [b"files"]))
            ),
            session=cast("bytes", found.get(b"session", b"")),
            fresh=cast("bytes", found.get(b"fresh", b"")),
            aborting=bool(found.get(b"aborting", 0)),
        )


def _keep_on_trail(store: Store, workspace: bytes, rescue: CheckpointId) -> None:
    """Put a rescue where the opposite step leads to it.

    If it has the same files as *here*, it differs in the conversation, and replaces it.
    """
    trail = store.trails.get(workspace)
    here = store.checkpoints.get(trail.here) if trail.here is not None else None
    rescued = store.checkpoints.get(rescue)
    if here is not None and rescued is not None and here.record.state == rescued.record.state:
        store.trails.replace_here(workspace, rescue)
    else:
        store.trails.append(workspace, [rescue])
