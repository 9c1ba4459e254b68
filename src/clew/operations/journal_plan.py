"""What the journal keeps of a restore: enough to finish it, whatever it was asked with."""

from __future__ import annotations

from typing import NamedTuple, cast

from clew.model import bencode
from clew.model.ids import CheckpointId
from clew.store.store import Store


class TrailMove(NamedTuple):
    """What a restore does to the trail at its end."""

    position: int | None = None
    """Step to this entry (undo, redo), with the rescue, if there is one, put right after the cursor
    for a redo; None: cut, append the rescue and the result."""

    def apply(
        self,
        store: Store,
        workspace: bytes,
        rescue: CheckpointId | None,
        target: CheckpointId,
        here: CheckpointId,
    ) -> None:
        """Move the trail; inside the transaction that ends the journal."""
        if self.position is not None and here == target:
            if rescue is not None:
                store.trails.append(workspace, [rescue])
            store.trails.move(workspace, self.position)
            return
        rescued = [rescue] if rescue is not None else []
        store.trails.append(workspace, [*rescued, here])


class JournalPlan(NamedTuple):
    """A restore in words that outlive its process."""

    target: CheckpointId
    base: CheckpointId
    """What the workspace was: the rescue, or *here* if that held it."""
    rescue: CheckpointId | None
    within: tuple[bytes, ...]
    move: TrailMove
    staged: tuple[bytes, ...]
    """The path of each numbered item in the stage."""
    regions: tuple[bytes, ...] = (b"",)
    """The directories that hold a stage."""
    resumed: bool = False
    """Whether the row was there before, so that it is not this restore's to drop; not kept."""

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
        )
