"""Files of migrations: what they add to a schema, and what a database records when they are complete."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.detectors.detector import Evidence, Tree
from clew.detectors.files.source_languages import is_generated_or_vendored
from clew.model.entry import Entry
from clew.model.named_tuple import NamedTuple

_SUFFIXES = (".py", ".rb", ".js", ".ts", ".sql", ".cjs", ".mjs")
_DIRECTORIES = frozenset(("migrations", "migrate", "versions"))
_FILE_LIMIT = 256 << 10
_MAX_DIRECTORIES = 1_000
_MAX_DEPTH = 5
_MAX_FILES = 300
"""How many files are read that did not change, the last by name first."""

_NAME = rb"[\"'`:]?(\w{2,80})"
_ADDED = (
    rb"\bAddField\(\s{0,80}(?:model_name\s{0,3}=\s{0,3})?[\"']\w{1,80}[\"'],\s{0,80}(?:name\s{0,3}=\s{0,3})?[\"'](\w{2,80})",
    rb"\bCreateModel\(\s{0,80}(?:name\s{0,3}=\s{0,3})?[\"'](\w{2,80})",
    rb"\badd_column\(?\s{0,80}[\"':]\w{1,80}[\"']?,\s{0,80}(?:sa\.Column\(\s{0,80})?[\"':](\w{2,80})",
    rb"\bcreate_table\(?\s{0,80}[\"':](\w{2,80})",
    rb"\bcreateTable\(\s{0,80}[\"'](\w{2,80})",
    rb"\baddColumn\(\s{0,80}[\"']\w{1,80}[\"'],\s{0,80}[\"'](\w{2,80})",
    rb"\btable\.\w{2,40}\(\s{0,80}[\"'](\w{2,80})",
    rb"\bADD\s{1,9}COLUMN\s{1,9}(?:IF\s{1,9}NOT\s{1,9}EXISTS\s{1,9})?" + _NAME,
    rb"\bCREATE\s{1,9}TABLE\s{1,9}(?:IF\s{1,9}NOT\s{1,9}EXISTS\s{1,9})?" + _NAME,
)
"""How migrations add a column or a table; the group is its name."""
_REVISION = rb"(?m)^revision(?:\s{0,3}:\s{0,3}str)?\s{0,3}=\s{0,3}[\"'](\w{4,64})[\"']"
_PARENTS = rb"(?m)^down_revision\b[^=\n]{0,80}=([^\n]{0,400})"
_WORD = rb"[\"'](\w{4,64})[\"']"
_STAMP = re.compile(r"(\d{10,20})_")


_DEPENDENCIES = re.compile(rb"\bdependencies\s{0,3}=\s{0,3}\[([^\]]{0,2000})\]")
_DEPENDENCY = re.compile(rb"\(\s{0,9}[\"'](\w{1,80})[\"']\s{0,3},\s{0,9}[\"'](\w{2,120})[\"']")


def parents_of(path: str, content: bytes) -> tuple[str, ...]:
    """Return the names of the migrations before one, of Django in the same directory, of Alembic anywhere."""
    revision = re.search(_REVISION, content)
    if revision is not None:
        before = re.search(_PARENTS, content)
        return tuple(one.decode() for one in re.findall(_WORD, before[1])) if before else ()
    listed = _DEPENDENCIES.search(content)
    app = path.split("/")[-3].encode() if path.count("/") > 1 else b""
    return tuple(
        name.decode()
        for one, name in _DEPENDENCY.findall(listed[1] if listed else b"")
        if one == app
    )


def name_of(path: str, content: bytes) -> str:
    """Return the name by which other migrations of Python name this one."""
    revision = re.search(_REVISION, content)
    return revision[1].decode() if revision else path.rpartition("/")[2].removesuffix(".py")


class Migration(NamedTuple):
    """One migration."""

    path: str
    key: bytes
    """What the database records when the migration is complete."""
    parents: tuple[bytes, ...] | None
    """What the database records before it, for a tool that records only the last; else None."""
    adds: tuple[bytes, ...]
    """Columns and tables that it adds."""

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2].rpartition(".")[0]


def is_migration(path: str, entry: Entry | None) -> bool:
    """Return whether a file is a migration, by its name and place."""
    if entry is None or not entry.is_file or not path.endswith(_SUFFIXES):
        return False
    return entry.size <= _FILE_LIMIT and not _DIRECTORIES.isdisjoint(path.split("/")[:-1])


def read_migration(tree: Tree, path: str) -> Migration:
    """Return what a migration adds, and how it is recorded."""
    content = tree.read(path, _FILE_LIMIT) or b""
    found = (name for one in _ADDED for name in re.findall(one, content, re.I))
    adds = tuple(dict.fromkeys(found))
    revision = re.search(_REVISION, content)
    if revision is None:
        return Migration(path, _recorded_name(path), None, adds)
    before = re.search(_PARENTS, content)
    parents = tuple(re.findall(_WORD, before[1])) if before else ()
    return Migration(path, revision[1], parents, adds)


def migrations_near(evidence: Evidence, path: str) -> Iterator[Migration]:
    """Yield the migrations of the project around a database, the last by name first."""
    files: list[str] = []
    for directory in _directories(evidence.new, path):
        for name, entry in evidence.new.entries(directory).items():
            if is_migration(f"{directory}/{name}", entry):
                files.append(f"{directory}/{name}")
    files.sort(key=lambda one: one.rpartition("/")[2], reverse=True)
    for one in files[:_MAX_FILES]:
        with evidence.guarded(one):
            yield read_migration(evidence.new, one)


def _directories(tree: Tree, path: str) -> Iterator[str]:
    """Yield the directories of migrations below the directory of a database, or below one above."""
    left = _MAX_DIRECTORIES
    top = path.rpartition("/")[0]
    while True:
        waiting = [(top, 0)]
        has_found = False
        while waiting and left > 0:
            directory, depth = waiting.pop()
            left -= 1
            if directory.rpartition("/")[2] in _DIRECTORIES:
                has_found = True
                yield directory
            waiting += _below(tree, directory, depth)
        if has_found or not top or left <= 0:
            return
        top = top.rpartition("/")[0]


def _below(tree: Tree, directory: str, depth: int) -> list[tuple[str, int]]:
    if depth >= _MAX_DEPTH:
        return []
    return [
        (inner, depth + 1)
        for name, entry in tree.entries(directory).items()
        if entry.is_directory and not name.startswith(".")
        for inner in (f"{directory}/{name}" if directory else name,)
        if not is_generated_or_vendored(f"{inner}/x")
    ]


def _recorded_name(path: str) -> bytes:
    name = path.rpartition("/")[2]
    stamp = _STAMP.match(name)
    return (stamp[1] if stamp else name.rpartition(".")[0]).encode("utf-8", "surrogateescape")
