"""Redis detector: the number of keys in a dump, and the growth of an append-only file.

A dump states the number of keys of each database; to reach the next database, the keys and
values in between are skipped, and none of them is stored.
If a dump is long or contains an unknown type, the count is a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.data.data_facts import beginning, data_fact, split_crowds, unclaimed_files
from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.model.amount import counted, size_text
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_PREFIX = 4 << 20
_STEPS = 30_000
_MEMBERS = 1_000_000
_APPEND_ONLY = "appendonlydir"
_FEW_KEYS = 10
"""The largest loss of keys that is not remarkable."""

_ONE_STRING = frozenset((0, 9, 10, 11, 12, 13, 16, 17, 20))
"""Value types of one string: plain strings and packed collections."""
_STRINGS = {1: 1, 2: 1, 4: 2, 14: 1}
"""Value types of a count and that many strings per item: lists, sets, hashes, quicklists."""
_SORTED, _SORTED_BINARY, _QUICKLIST = 3, 5, 18

_FIXED = {0xF9: 1, 0xFC: 8, 0xFD: 4}
"""Sizes of the opcodes before a key: usage frequency and expiry."""


class Dump(NamedTuple):
    """The properties of a dump."""

    keys: int
    is_whole: bool
    """Whether all its databases were read."""
    body: bytes
    """The bytes after the header, without the checksum; truncated if the dump is long."""


class Redis:
    """Reports changes in the number of keys."""

    name = "data/redis"
    version = 2
    kinds: tuple[str, ...] = ("data.changed", "loss.shrunk")
    watch = WatchedPaths(suffixes=(".rdb", ".aof"), directories=(_APPEND_ONLY,))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        logs: dict[str, list[PathChange]] = {}
        files: list[PathChange] = []
        for change in unclaimed_files(evidence, changes):
            if f"/{_APPEND_ONLY}/" in f"/{change.path}":
                logs.setdefault(_log_of(change.path), []).append(change)
            else:
                files.append(change)
        for path, parts in logs.items():
            with evidence.guarded(path):
                yield _base_finding(evidence, path, parts) or _log_finding(path, parts)
        alone, crowded = split_crowds("redis", files)
        yield from crowded
        for change in alone:
            with evidence.guarded(change.path):
                if change.name.endswith(".rdb"):
                    yield from _dump_findings(evidence, change)
                else:
                    yield _log_finding(change.path, [change])


def parse_dump(content: bytes) -> Dump | None:
    """Return the properties of a dump, or None if this is not one."""
    if not content.startswith(b"REDIS") or not content[5:9].isdigit():
        return None
    reader = _DumpReader(content)
    counts: list[int] = []
    body = len(content)
    is_whole = False
    for _ in range(_STEPS):
        start = reader.at
        code = reader.next_code()
        if code == 0xFE:
            reader.length()
            body = min(body, start)
        elif code == 0xFB:
            counts.append(reader.length())
            reader.length()
        if code == 0xFF or code is None:
            is_whole = code == 0xFF
            break
    end = reader.at if is_whole else len(content)
    return Dump(sum(counts), is_whole, content[body:end])


def dump_keys(tree: Tree, path: str, *, at_least: bool = False) -> int | None:
    """Return the number of keys in a dump, or a lower bound; None if that is unknown."""
    dump = parse_dump(beginning(tree, path, _PREFIX))
    return dump.keys if dump is not None and (dump.is_whole or at_least) else None


def _dump_findings(evidence: Evidence, change: PathChange) -> Iterator[Finding]:
    old, new = (
        parse_dump(beginning(tree, change.path, _PREFIX)) for tree in (evidence.old, evidence.new)
    )
    if old is None and new is None:
        return
    before, after = _keys(old), _keys(new)
    claims = (change.path,)
    if old is None or new is None or before != after:
        is_loss = old and new and old.is_whole and new.is_whole
        is_severe = bool(is_loss and old and new and is_most(old.keys, new.keys))
        severity = Severity.NOTE if is_severe else Severity.NONE
        yield Finding((data_fact("redis", change.path, before, after, (), severity),), claims)
    elif old.body == new.body and old.is_whole:
        yield Finding((), claims, f"{change.path} saved again, same keys")
    else:
        marks = (after or "", "values changed")
        yield Finding((data_fact("redis", change.path, before, after, marks),), claims)


def _keys(dump: Dump | None) -> str | None:
    if dump is None:
        return None
    return ("" if dump.is_whole else "at least ") + counted(dump.keys, "key")


def _log_of(path: str) -> str:
    """Return the directory that holds the parts of an append-only file."""
    at = f"/{path}".index(f"/{_APPEND_ONLY}/")
    return path[: at + len(_APPEND_ONLY)]


def _base_finding(evidence: Evidence, path: str, files: list[PathChange]) -> Finding | None:
    """Return that most keys are gone from the dump with which an append-only file begins.

    A rewrite replaces that dump by one with everything that was appended since.
    """
    bases = [change for change in files if change.name.endswith(".base.rdb")]
    old = [dump_keys(evidence.old, one.path, at_least=True) for one in bases if one.old is not None]
    new = [dump_keys(evidence.new, one.path) for one in bases if one.new is not None]
    if not old or not new or old[0] is None or new[0] is None or not is_most(old[0], new[0]):
        return None
    fact = Fact(
        "loss.shrunk", "file", path, counted(old[0], "key"), counted(new[0], "key"),
        severity=Severity.HIGH, evidence=(bases[0].path,),
    )  # fmt: skip
    return Finding((fact,), tuple(change.path for change in files))


def is_most(before: int, after: int) -> bool:
    """Return whether most keys are gone."""
    return before - after > _FEW_KEYS and 2 * after <= before


def _log_finding(path: str, files: list[PathChange]) -> Finding:
    """Report the growth of the changed parts; the others have the same size."""
    old = sum(change.old.size for change in files if change.old is not None)
    new = sum(change.new.size for change in files if change.new is not None)
    before = size_text(old) if any(change.old is not None for change in files) else None
    after = size_text(new) if any(change.new is not None for change in files) else None
    fact = data_fact("redis", path, before, after)
    return Finding((fact,), tuple(change.path for change in files))


class _DumpReader:
    """Skips over a dump; bytes beyond its end read as zero, and `next_code` reports the end."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self.at = 9

    def next_code(self) -> int | None:
        """Skip one entry and return its first byte, or None if its length is unknown."""
        if self.at >= len(self._content):
            return None
        code = self._byte()
        if code == 0xFA:
            self._string()
            self._string()
        elif code == 0xF8:
            self.length()
        elif code in _FIXED:
            self.at += _FIXED[code]
        elif code < 0xF0:
            self._string()
            if not self._value(code):
                return None
        elif code not in (0xFB, 0xFE, 0xFF):
            return None
        return code

    def length(self) -> int:
        first = self._byte()
        kind = first >> 6
        if kind == 0:
            return first & 0x3F
        if kind == 1:
            return (first & 0x3F) << 8 | self._byte()
        size = 8 if first == 0x81 else 4
        self.at += size
        return int.from_bytes(self._content[self.at - size : self.at], "big")

    def _byte(self) -> int:
        self.at += 1
        return self._content[self.at - 1] if self.at <= len(self._content) else 0

    def _string(self) -> None:
        first = self._content[self.at] if self.at < len(self._content) else 0
        if first >> 6 != 3:
            size = self.length()
            self.at += size
            return
        self.at += 1
        if first == 0xC3:  # compressed: packed size, size, bytes
            packed = self.length()
            self.length()
            self.at += packed
        else:
            self.at += {0xC0: 1, 0xC1: 2, 0xC2: 4}.get(first, 0)

    def _value(self, code: int) -> bool:
        """Skip a value and return whether its type is known."""
        if code in _ONE_STRING:
            self._string()
            return True
        if code not in _STRINGS and code not in (_SORTED, _SORTED_BINARY, _QUICKLIST):
            return False
        members = self.length()
        for _ in range(min(members, _MEMBERS)):
            if self.at >= len(self._content):
                break
            self._member(code)
        return True

    def _member(self, code: int) -> None:
        if code == _QUICKLIST:
            self.length()
        for _ in range(_STRINGS.get(code, 1)):
            self._string()
        if code == _SORTED_BINARY:
            self.at += 8
        elif code == _SORTED:  # a score as text; three lengths encode infinities
            size = self._byte()
            self.at += size if size < 253 else 0
