"""The bundle: the code of every module that a hook needs, in one file.

A hook imports some 130 modules, and finding, opening and reading a file for each takes a third of
its start-up.  So the first hook leaves what it had imported, compiled, in a file of its own in the
user's cache; the next ones take it from there.  It is used only if it is the user's own, of this
Python, and every source file is still what it was; otherwise imports go their usual way.
Only what is installed goes into it: a module that `PYTHONPATH` led to once, in one directory, must
not be imported by the hooks of every other.
"""

from __future__ import annotations

import marshal
import os
import stat
import sys
from zlib import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

_MAGIC = b"clew bundle 1\n"
_CHECK = 4
_LENGTH = 8
_LARGEST = 32 << 20
_PRIME = (1 << 61) - 1
_STRAYS = 8
"""Modules from elsewhere that make it worth writing the bundle again, with those in it."""

Place = tuple[int, int, str, bool, int, int]
"""Offset, length, source file, whether it is a package, and the source's change time and size.

An upgrade may bring another file with the same time of writing; the change time is its own.
"""


class Bundle:
    """Import finder that loads modules from one file; it comes before Python's own finders."""

    def __init__(self, index: Mapping[str, Place], content: memoryview) -> None:
        self._index = index
        self._content = content

    def __contains__(self, name: str) -> bool:
        return name in self._index

    def contents(self) -> dict[str, tuple[Place, bytes]]:
        """Return every module's place and code, as bytes."""
        return {
            name: (place, bytes(self._content[place[0] : place[0] + place[1]]))
            for name, place in self._index.items()
        }

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load a module that is in the bundle."""
        place = self._index.get(name)
        if place is None:
            return None
        make = type(sys.__spec__)  # importlib.machinery would have to be imported first
        made: ModuleSpec = make(name, self, origin=place[2], is_package=place[3])  # type: ignore[arg-type]
        made.has_location = True
        if place[3]:
            made.submodule_search_locations = [os.path.dirname(place[2])]
        return made

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave that to Python."""

    def exec_module(self, module: ModuleType) -> None:
        """Run a module's code."""
        exec(self.get_code(module.__name__), module.__dict__)  # noqa: S102 - compiled from our own source

    def get_code(self, name: str) -> CodeType:
        """Return a module's code."""
        offset, length = self._index[name][:2]
        code: CodeType = marshal.loads(self._content[offset : offset + length])  # noqa: S302 - the user's own file
        return code


def use(path: str) -> Bundle | None:
    """Import from the bundle from now on, if there is one that may be used."""
    bundle = load(path)
    if bundle is not None:
        sys.meta_path.insert(0, bundle)
    return bundle


def load(path: str) -> Bundle | None:
    """Return the bundle in a file; None if it belongs to another user or other sources."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        found = os.fstat(descriptor)
        if not _is_ours(found) or found.st_size > _LARGEST:
            return None
        content = os.pread(descriptor, _LARGEST, 0)
    finally:
        os.close(descriptor)
    try:
        index = _index_of(content)
        ours = index.get(__name__, (0, 0, ""))[2] == __file__
        is_current = ours and all(map(_is_current, index.values()))
        return Bundle(index, memoryview(content)) if is_current else None
    except (ValueError, TypeError, EOFError, OSError):
        return None


def keep(path: str, bundle: Bundle | None) -> bool:
    """Add the modules imported by now to the bundle, if enough are missing; return whether it was written."""
    loaded = dict(_from_source())
    strays = [name for name in loaded if bundle is None or name not in bundle]
    if len(strays) < _STRAYS or not _can_write(path):
        return False
    index: dict[str, Place] = {}
    parts: list[bytes] = []
    offset = 0
    for name, (place, code) in {**_known(bundle), **dict(_compiled(loaded))}.items():
        index[name] = (offset, len(code), *place[2:])
        parts.append(code)
        offset += len(code)
    _write(path, index, parts)
    return True


def bundle_path(environment: Mapping[str, str]) -> str:
    """Return where the bundle of this Python and this installation is."""
    home = environment.get("XDG_CACHE_HOME", "")
    if not home.startswith("/"):
        user = environment.get("HOME", "")
        home = os.path.join(user if user.startswith("/") else "/", ".cache")
    installation = int.from_bytes(os.fsencode(__file__), "big") % _PRIME
    return os.path.join(home, "clew", f"hook-{sys.implementation.cache_tag}-{installation:x}")


def _can_write(path: str) -> bool:
    """Tell it before the work is done, where no hook ever can."""
    directory = os.path.dirname(path)
    os.makedirs(directory, mode=0o700, exist_ok=True)
    return os.access(directory, os.W_OK)


def _is_ours(found: os.stat_result) -> bool:
    return (
        stat.S_ISREG(found.st_mode)
        and found.st_uid == os.geteuid()
        and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


def _is_current(place: Place) -> bool:
    found = os.stat(place[2])
    return (found.st_ctime_ns, found.st_size) == place[4:]


def _index_of(content: bytes) -> dict[str, Place]:
    """Return the index, with offsets from the beginning of the file."""
    checked = len(_MAGIC) + _CHECK
    start = checked + _LENGTH
    if content[: len(_MAGIC)] != _MAGIC:
        raise ValueError("no bundle")
    # Nothing is synced: after a crash any part of it may be missing.
    if crc32(memoryview(content)[checked:]) != int.from_bytes(
        content[len(_MAGIC) : checked], "little"
    ):
        raise ValueError("damaged")
    end = start + int.from_bytes(content[checked:start], "little")
    index: dict[str, Place] = marshal.loads(content[start:end])  # noqa: S302 - the user's own file
    return {name: (place[0] + end, *place[1:]) for name, place in index.items()}


def _from_source() -> Iterator[tuple[str, ModuleSpec]]:
    """Yield the modules that came from a source file that is installed."""
    from clew.worktree.interpreter import installed

    places = tuple(f"{place}/" for place in installed(sys.path, os.environ))
    for name, module in sorted(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        if spec is None or not (spec.origin or "").endswith(".py") or spec.name != name:
            continue
        if not (spec.origin or "").startswith(places):
            continue
        if name.startswith(("site", "_distutils")):
            continue  # loaded before the bundle, or not part of clew
        if hasattr(spec.loader, "get_code"):
            yield name, spec


def _compiled(modules: Mapping[str, ModuleSpec]) -> Iterator[tuple[str, tuple[Place, bytes]]]:
    for name, spec in modules.items():
        get_code = getattr(spec.loader, "get_code")  # noqa: B009 - not every loader has it
        source = spec.origin or ""
        found = os.stat(source)
        is_package = spec.submodule_search_locations is not None
        place = (0, 0, source, is_package, found.st_ctime_ns, found.st_size)
        yield name, (place, marshal.dumps(get_code(name)))


def _known(bundle: Bundle | None) -> dict[str, tuple[Place, bytes]]:
    """Return what is in the bundle already: other events need other modules."""
    return {} if bundle is None else bundle.contents()


def _write(path: str, index: Mapping[str, tuple[object, ...]], parts: Sequence[bytes]) -> None:
    from clew.atomic_write import replace_file  # not needed to read a bundle

    header = marshal.dumps(dict(index))
    content = b"".join([len(header).to_bytes(_LENGTH, "little"), header, *parts])
    replace_file(path, [_MAGIC + crc32(content).to_bytes(_CHECK, "little"), content])
