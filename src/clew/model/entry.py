"""Directory entry, as captured.  Encoded by `tree.py`; see docs/format.md, 3.3."""

from __future__ import annotations

from clew.model.ids import ObjectId, StateId
from clew.model.named_tuple import NamedTuple


class EntryKind:
    """The type byte of an entry."""

    FILE = 1
    DIRECTORY = 2
    SYMLINK = 3
    FIFO = 4
    SOCKET = 5
    CHARACTER = 6
    BLOCK = 7
    UNCOVERED = 8

    NAMES = {
        1: "file",
        2: "directory",
        3: "symlink",
        4: "fifo",
        5: "socket",
        6: "character device",
        7: "block device",
        8: "uncovered",
    }


class Reason:
    """Why the content of a name is not in the tree."""

    EXCLUDED = 1
    MOUNT = 2
    UNREADABLE = 3
    STORE = 4
    STAGE = 5
    PSEUDO = 6
    LARGE = 7

    BY_RULE = (EXCLUDED, LARGE)
    """Excluded by the user's rules; their presence is not part of the state."""

    NAMES = {
        1: "excluded",
        2: "mount",
        3: "unreadable",
        4: "store",
        5: "stage",
        6: "pseudo filesystem",
        7: "too large",
    }


NO_ID = ObjectId(bytes(32))
NO_STATE = StateId(bytes(32))

FLAG_IMMUTABLE = 0x10
FLAG_APPEND = 0x20
FLAG_NODUMP = 0x40
KEPT_FLAGS = FLAG_IMMUTABLE | FLAG_APPEND | FLAG_NODUMP


class Entry(NamedTuple):
    """One name in a directory with its captured content and metadata."""

    name: bytes
    """Raw bytes, never empty except for the root's own entry."""
    kind: int
    """One of `EntryKind`."""
    mode: int = 0
    """The low twelve bits: permissions, setuid, setgid, sticky."""
    uid: int = 0
    gid: int = 0
    mtime_ns: int = 0
    size: int = 0
    """Length of a regular file; otherwise zero."""
    content: ObjectId = NO_ID
    """A file's blob or chunklist, a directory's tree."""
    state: StateId = NO_STATE
    """A directory's state id."""
    target: bytes = b""
    """A symlink's target."""
    device: tuple[int, int] = (0, 0)
    """Major and minor number of a device."""
    xattrs: ObjectId | None = None
    flags: int = 0
    """Inode flags, of those in `KEPT_FLAGS`."""
    reason: int = 0
    """Why it is uncovered, one of `Reason`."""

    @property
    def is_directory(self) -> bool:
        return self.kind == EntryKind.DIRECTORY

    @property
    def is_file(self) -> bool:
        return self.kind == EntryKind.FILE

    @property
    def is_covered(self) -> bool:
        return self.kind != EntryKind.UNCOVERED

    def same_content(self, other: Entry) -> bool:
        """Return whether both have the same content, ignoring metadata; true for two directories."""
        if self.kind != other.kind:
            return False
        if self.kind == EntryKind.DIRECTORY:
            return True
        return (
            self.size == other.size
            and self.content == other.content
            and self.target == other.target
            and self.device == other.device
            and self.reason == other.reason
        )

    def same_metadata(self, other: Entry, *, mtimes: bool) -> bool:
        """Return whether mode, owner, xattrs and flags agree, and mtimes too if asked."""
        return (
            self.mode == other.mode
            and self.uid == other.uid
            and self.gid == other.gid
            and self.xattrs == other.xattrs
            and self.flags == other.flags
            and not (mtimes and self.mtime_ns != other.mtime_ns)
        )
