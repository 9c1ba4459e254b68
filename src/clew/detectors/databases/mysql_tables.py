"""Table files of MySQL and MariaDB: which tables a database has, by the names of its files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from struct import unpack_from

from clew.detectors.databases.innodb import count_rows, tablespace
from clew.detectors.databases.sampling import Rows
from clew.detectors.detector import ContentReader, Tree
from clew.model.entry import Entry

DATA_ENDINGS = (".ibd", ".MYD", ".MAD", ".CSV", ".ARZ", ".MRG")
OTHER_ENDINGS = (".frm", ".MYI", ".MAI", ".opt", ".sdi", ".par", ".TRG", ".TRN", ".CSM", ".isl")

_ENCODED = re.compile(r"@([0-9a-f]{4})")
_FULL_TEXT = re.compile(r"FTS_[0-9a-f]{16}_", re.IGNORECASE)
_MEMORY = 6
_MOST = 5_000
_DEFINITION = 1 << 20
_COUNTERS = {".MYI": (b"\xfe\xfe\x07\x01", 28), ".MAI": (b"\xfe\xfe\x09\x03", 49)}
"""Where the files of MyISAM and Aria have their number of rows."""


class Files:
    """The files of one table."""

    def __init__(self) -> None:
        self.paths: dict[str, Entry] = {}

    @property
    def size(self) -> int:
        return sum(entry.size for path, entry in self.paths.items() if path.endswith(DATA_ENDINGS))

    def contents(self) -> set[tuple[str, bytes]]:
        """Return what differs if any file differs, whatever the table is called."""
        return {(path.rpartition(".")[2], entry.content) for path, entry in self.paths.items()}

    def definition(self, tree: Tree) -> bytes:
        """Return its definition, or nothing if that is in another place."""
        for path, entry in self.paths.items():
            if path.endswith(".frm") and entry.size <= _DEFINITION:
                content = tree.read(path) or b""
                # a rebuild gives the same definition another version
                has_version = content[64:66] == b"\x00\x10"
                return content[:66] + content[82:] if has_version else content
        return b""

    @property
    def has_data(self) -> bool:
        return any(path.endswith(DATA_ENDINGS) for path in self.paths)


Tables = Mapping[str, Files]
"""The tables of a database by name."""


def tables_of(tree: Tree, directory: str) -> dict[str, Files]:
    """Return the tables of a database by name; views and temporary tables are none."""
    found: dict[str, Files] = {}
    for name, entry in _first(tree.entries(directory).items()):
        table = table_of(name)
        if table and entry.is_file:
            found.setdefault(table, Files()).paths[f"{directory}/{name}"] = entry
    return {
        name: files for name, files in found.items() if files.has_data or _is_table(tree, files)
    }


def table_of(name: str) -> str:
    """Return the table that a file belongs to, or "" if to none; a partition counts as its table."""
    stem, dot, ending = name.rpartition(".")
    if dot + ending not in (*DATA_ENDINGS, *_COUNTERS, ".frm") or stem.startswith("#sql"):
        return ""
    if _FULL_TEXT.match(stem) or stem.lower().startswith("#mysql50#"):
        return ""
    at = stem.lower().find("#p#")
    return decoded(stem[:at] if at >= 0 else stem)


def decoded(name: str) -> str:
    """Return a name as the server shows it: `@0024` stands for `$`."""
    return _ENCODED.sub(lambda found: _character(int(found[1], 16), found[0]), name)


def rows_of(tree: Tree, files: Files) -> Rows | None:
    """Return about how many rows a table has, or None if its files do not tell."""
    numbers: list[int] = []
    for path in sorted(files.paths):
        reader = tree.reader(path) if path.endswith((".ibd", *_COUNTERS)) else None
        if reader is None:
            continue
        rows = count_rows(reader) if path.endswith(".ibd") else _counter(reader, path[-4:])
        if rows is None:
            return None
        numbers.append(rows.number)
    return Rows(sum(numbers), is_estimate=True) if numbers else None


def _counter(reader: ContentReader, ending: str) -> Rows | None:
    """Return the number of rows in the header of an index file of MyISAM or Aria."""
    magic, at = _COUNTERS[ending]
    header = reader.read(0, at + 8)
    if len(header) < at + 8 or not header.startswith(magic):
        return None
    number: int = unpack_from(">Q", header, at)[0]
    return Rows(number, is_estimate=True) if number < 1 << 50 else None


def identity(tree: Tree, files: Files) -> object:
    """Return what a renamed table keeps: its tablespace, or the content of its data file."""
    for path, entry in sorted(files.paths.items()):
        if path.endswith(".ibd"):
            reader = tree.reader(path)
            number = tablespace(reader) if reader is not None else 0
            return number or None
        if path.endswith(DATA_ENDINGS) and entry.size:
            return entry.content
    return None


def _is_table(tree: Tree, files: Files) -> bool:
    """Return whether a table has only a definition: a view has a text, and memory is nobody's data."""
    for path in files.paths:
        reader = tree.reader(path) if path.endswith(".frm") else None
        header = reader.read(0, 4) if reader is not None else b""
        if header.startswith(b"\xfe\x01") and len(header) == 4 and header[3] != _MEMORY:
            return True
    return False


def _first(items: Iterable[tuple[str, Entry]]) -> list[tuple[str, Entry]]:
    return sorted(items)[:_MOST]


def _character(number: int, text: str) -> str:
    is_plain = number >= 0x20 and not 0x7F <= number < 0xA0 and not 0xD800 <= number < 0xE000
    return chr(number) if is_plain else text
