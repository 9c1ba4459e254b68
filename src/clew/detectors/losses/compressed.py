"""Compression detector: files that a compressed version of the same name replaced, and the reverse.

`a.csv` is gone and `a.csv.gz` is new: nothing is lost.  The first bytes of the new file must be those
of its format, and gzip's own record of the size must be that of the old file.
Logs are left to their detector, and what can be made again to theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.data.data_facts import data_fact
from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.files.logs import is_log
from clew.detectors.losses.places import Places
from clew.model.amount import counted, size_text
from clew.model.entry import Entry

_MAGIC = {
    ".gz": b"\x1f\x8b", ".xz": b"\xfd7zXZ\0", ".bz2": b"BZh", ".zst": b"\x28\xb5\x2f\xfd",
    ".zip": b"PK\x03\x04", ".lz4": b"\x04\x22\x4d\x18", ".7z": b"7z\xbc\xaf", ".lzma": b"\x5d\0\0",
    ".lz": b"LZIP", ".Z": b"\x1f\x9d",
}  # fmt: skip
"""First bytes of each format, by the suffix that its program adds."""
_SUFFIXES = tuple(_MAGIC)
_MAX_FILES = 2_000
"""How many files are looked into."""
_EVIDENCE = 6
_SIZE_LIMIT = 1 << 32

_Pair = tuple[PathChange, PathChange]
"""A plain file, and the compressed one."""


class Compressed:
    """Reports files that were compressed or decompressed."""

    name = "losses/compressed"
    version = 1
    kinds: tuple[str, ...] = ("data.changed",)
    watch = WatchedPaths(suffixes=_SUFFIXES)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        groups: dict[tuple[str, str, str], list[_Pair]] = {}
        places = evidence.once(Places)
        left = _MAX_FILES
        for packed in changes:
            plain = _plain_of(evidence, packed)
            if plain is None or is_log(plain.path) or places.of(packed.parent).is_others:
                continue
            left -= 1
            if left < 0:
                break
            with evidence.guarded(packed.path):
                if _is_same(evidence, plain, packed):
                    verb = "compressed" if packed.old is None else "decompressed"
                    suffix = packed.name[packed.name.rfind(".") :]
                    groups.setdefault((packed.parent, verb, suffix), []).append((plain, packed))
        yield from (_finding(*key, pairs) for key, pairs in groups.items())


def _plain_of(evidence: Evidence, packed: PathChange) -> PathChange | None:
    """Return the file that went as a compressed file came, or the reverse."""
    plain = evidence.changes.get(packed.path[: packed.path.rfind(".")])
    if plain is None or not {plain.path, packed.path}.isdisjoint(evidence.claimed):
        return None
    came, went = (packed, plain) if packed.old is None else (plain, packed)
    if came.old is not None or went.new is not None:
        return None
    is_file = all(_is_full(one) for one in (came.new, went.old))
    return plain if is_file else None


def _is_full(entry: Entry | None) -> bool:
    return entry is not None and entry.is_file and entry.size > 0


def _is_same(evidence: Evidence, plain: PathChange, packed: PathChange) -> bool:
    """Return whether a compressed file may hold the plain one, as far as its ends tell."""
    tree: Tree = evidence.new if packed.old is None else evidence.old
    reader = tree.reader(packed.path)
    entry = plain.old or plain.new
    suffix = packed.name[packed.name.rfind(".") :]
    if reader is None or entry is None or not reader.read(0, 8).startswith(_MAGIC[suffix]):
        return False
    if suffix != ".gz":
        return True
    return int.from_bytes(reader.read(reader.size - 4, 4), "little") == entry.size % _SIZE_LIMIT


def _finding(directory: str, verb: str, suffix: str, pairs: Sequence[_Pair]) -> Finding:
    changes = [change for pair in pairs for change in pair]
    paths = [change.path for change in changes]
    went = size_text(sum(change.old.size for change in changes if change.old is not None))
    came = size_text(sum(change.new.size for change in changes if change.new is not None))
    sizes = f"{suffix[1:]}, {went} → {came}"
    if len(pairs) == 1:
        subject, text = pairs[0][0].path, f"{verb} ({sizes})"
    else:
        subject, text = directory or ".", f"{counted(len(pairs), 'file')} {verb} ({sizes})"
    fact = data_fact("compressed", subject, marks=(text,))
    return Finding((fact._replace(evidence=tuple(paths[:_EVIDENCE])),), paths)
