"""Commits and trees of a git repository, read from its loose and packed objects.

Object sizes, pack sizes and the number of lookups are bounded.
If a limit is reached, or an object is missing or does not match its id, the result is None.
Objects are content-addressed, so either tree may supply them; the new tree is read first.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence

from clew.detectors.detector import TooLarge, Tree
from clew.model.git_pack import GitPackIndex, RawObject, ReadAt, read_object
from clew.model.named_tuple import NamedTuple

_OBJECT_LIMIT = 8 << 20
_PACK_LIMIT = 32 << 20
_PACKS_LIMIT = 64 << 20
"""The total size of the packs that are read."""
_MAX_PACKS = 64
_MAX_LOOKUPS = 20_000
_MAX_QUESTIONS = 100_000
"""How often a commit may be requested; bounds walks over commits that are already cached."""
_MAX_TAGS = 4
"""How many nested tags are followed."""
_MAX_PARENTS = 64


class Commit(NamedTuple):
    """A commit's tree, parents and time."""

    tree: str
    parents: tuple[str, ...]
    time: int


class TreeEntry(NamedTuple):
    """One entry of a git tree."""

    mode: int
    id: str

    @property
    def is_directory(self) -> bool:
        return self.mode == 0o040000


class Objects:
    """Object database of one repository."""

    def __init__(self, trees: Sequence[Tree], git_dir: str, *, id_size: int = 20) -> None:
        self._trees = trees
        self._dir = f"{git_dir}/objects"
        self._id_size = id_size
        self._lookups_left = _MAX_LOOKUPS
        self._questions_left = _MAX_QUESTIONS
        self._packs: list[_OpenPack] | None = None
        self._commits: dict[str, Commit | None] = {}
        self._listings: dict[str, dict[str, TreeEntry] | None] = {}
        self._shallow = _shallow(trees, git_dir)

    def resolve(self, wanted: str) -> str | None:
        """Return the commit that an id refers to: itself, or the target of a tag."""
        for _ in range(_MAX_TAGS):
            if self.commit(wanted) is not None:
                return wanted
            raw = self._raw(wanted)
            if raw is None or raw.type != "tag" or not raw.content.startswith(b"object "):
                return None
            wanted = raw.content[7:].partition(b"\n")[0].decode("latin-1")
        return None

    def commit(self, wanted: str) -> Commit | None:
        self._questions_left -= 1
        if self._questions_left < 0:
            return None
        if wanted not in self._commits:
            raw = self._raw(wanted)
            found = _commit(raw.content) if raw and raw.type == "commit" else None
            if found and wanted in self._shallow:  # shallow clone: its parents were never fetched
                found = found._replace(parents=())
            self._commits[wanted] = found
        return self._commits[wanted]

    def listing(self, wanted: str) -> dict[str, TreeEntry] | None:
        """Return the entries of a tree by name."""
        if wanted not in self._listings:
            raw = self._raw(wanted)
            known = raw is not None and raw.type == "tree"
            self._listings[wanted] = _listing(raw.content, self._id_size) if raw and known else None
        return self._listings[wanted]

    def blob(self, wanted: str) -> bytes | None:
        """Return the content of a file."""
        raw = self._raw(wanted)
        return raw.content if raw is not None and raw.type == "blob" else None

    def has(self, wanted: str) -> bool:
        """Return whether an object is stored, without reading it."""
        if self._lookups_left <= 0 or len(wanted) != 2 * self._id_size or not _is_hex(wanted):
            return False
        self._lookups_left -= 1
        loose = f"{self._dir}/{wanted[:2]}/{wanted[2:]}"
        if any(tree.entry(loose) is not None for tree in self._trees):
            return True
        if self._packs is None:
            self._packs = self._open_packs()
        identity = bytes.fromhex(wanted)
        return any(pack.index.offset(identity) is not None for pack in self._packs)

    def _raw(self, wanted: str) -> RawObject | None:
        if self._lookups_left <= 0 or len(wanted) != 2 * self._id_size or not _is_hex(wanted):
            return None
        self._lookups_left -= 1
        found = self._loose(wanted) or self._packed(bytes.fromhex(wanted))
        return found if found and object_id(found, self._id_size) == wanted else None

    def _loose(self, wanted: str) -> RawObject | None:
        for tree in self._trees:
            content = _read(tree, f"{self._dir}/{wanted[:2]}/{wanted[2:]}", _OBJECT_LIMIT)
            if content is not None:
                return _inflated(content)
        return None

    def _packed(self, wanted: bytes) -> RawObject | None:
        if self._packs is None:
            self._packs = self._open_packs()
        for pack in self._packs:
            offset = pack.index.offset(wanted)
            content = pack.content() if offset is not None else None
            if content is not None and offset is not None:
                return read_object(_reader(content), pack.index, offset, _OBJECT_LIMIT)
        return None

    def _open_packs(self) -> list[_OpenPack]:
        found: dict[str, _OpenPack] = {}
        budget = [_PACKS_LIMIT]
        for tree in self._trees:
            names = [n for n in tree.entries(f"{self._dir}/pack") if n.endswith(".idx")]
            for name in sorted(names)[:_MAX_PACKS]:
                path = f"{self._dir}/pack/{name}"
                if name not in found and (index := self._index(tree, path)) is not None:
                    found[name] = _OpenPack(
                        tree, path.removesuffix(".idx") + ".pack", index, budget
                    )
        return list(found.values())

    def _index(self, tree: Tree, path: str) -> GitPackIndex | None:
        content = _read(tree, path, _PACK_LIMIT)
        try:
            return GitPackIndex(_reader(content), self._id_size) if content is not None else None
        except ValueError:
            return None


def object_id(raw: RawObject, id_size: int) -> str:
    """Return the git object id: a hash of type, length and content."""
    made = hashlib.sha1(usedforsecurity=False) if id_size == 20 else hashlib.sha256()
    made.update(f"{raw.type} {len(raw.content)}\0".encode("latin-1"))
    made.update(raw.content)
    return made.hexdigest()


def is_loose_object(content: bytes) -> bool:
    """Return whether the bytes of a loose object can be read."""
    return _inflated(content) is not None


def _is_hex(text: str) -> bool:
    return not text.strip("0123456789abcdef")


class _OpenPack:
    """A pack that is read on first use."""

    def __init__(self, tree: Tree, path: str, index: GitPackIndex, budget: list[int]) -> None:
        self.index = index
        self._tree = tree
        self._path = path
        self._budget = budget
        """Bytes that may still be read; shared by all packs of a repository."""
        self._content: bytes | None = None
        self._is_read = False

    def content(self) -> bytes | None:
        if not self._is_read:
            self._is_read = True
            self._content = _read(self._tree, self._path, min(_PACK_LIMIT, self._budget[0]))
            self._budget[0] -= len(self._content or b"")
        return self._content


def _read(tree: Tree, path: str, limit: int) -> bytes | None:
    try:
        return tree.read(path, limit)
    except TooLarge:
        return None


def _reader(content: bytes) -> ReadAt:
    return lambda offset, size: content[offset : offset + size]


def _inflated(compressed: bytes) -> RawObject | None:
    try:
        content = zlib.decompressobj().decompress(compressed, _OBJECT_LIMIT)
    except zlib.error:
        return None
    header, nul, body = content.partition(b"\0")
    kind, _, size = header.partition(b" ")
    if not nul or size != b"%d" % len(body):
        return None
    return RawObject(kind.decode("latin-1"), body)


def _commit(content: bytes) -> Commit | None:
    tree, time = "", 0
    parents: list[str] = []
    for line in content.partition(b"\n\n")[0].split(b"\n", _MAX_PARENTS):
        key, _, value = line.partition(b" ")
        if key == b"tree":
            tree = value.decode("latin-1")
        elif key == b"parent":
            parents.append(value.decode("latin-1"))
        elif key == b"committer":
            time = _seconds(value)
            break
    return Commit(tree, tuple(parents), time) if tree else None


def _seconds(who: bytes) -> int:
    digits = who.rpartition(b"> ")[2].partition(b" ")[0]
    return int(digits) if digits.isdigit() and len(digits) < 16 else 0


def _listing(content: bytes, id_size: int) -> dict[str, TreeEntry] | None:
    found: dict[str, TreeEntry] = {}
    at = 0
    while at < len(content):
        nul = content.find(b"\0", at)
        end = nul + 1 + id_size
        mode, space, name = content[at:nul].partition(b" ")
        if nul < 0 or end > len(content) or not space or not mode.isdigit() or len(mode) > 6:
            return None
        if b"8" in mode or b"9" in mode:
            return None
        text = name.decode("utf-8", "surrogateescape")
        found[text] = TreeEntry(int(mode, 8), content[nul + 1 : end].hex())
        at = end
    return found


def _shallow(trees: Sequence[Tree], git_dir: str) -> frozenset[str]:
    content = next((c for t in trees if (c := _read(t, f"{git_dir}/shallow", 1 << 20))), b"")
    return frozenset(content.decode("latin-1").split())
