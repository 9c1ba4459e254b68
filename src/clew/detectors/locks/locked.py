"""Content of a lock file: packages by name, each with version, origin and digests.

A reader gets the old and the new bytes of a file, and returns the content of both.
It may leave out a name whose versions are all equal in both, so that it need not parse the whole of
a large file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from clew.detectors.locks.origins import Origin
from clew.model.named_tuple import NamedTuple

MAX_PACKAGES = 50_000
_MAX_NAME = 214
"""npm's limit; no registry allows longer names."""
_MAX_VERSION = 100


class Digest(NamedTuple):
    """A digest that a download is compared with."""

    file: str
    """The file's name; empty where the lock does not say."""
    algorithm: str
    value: str


class Locked(NamedTuple):
    """One version of a package."""

    version: str = ""
    origins: frozenset[Origin] = frozenset()
    """The registry, and where its files are."""
    digests: frozenset[Digest] = frozenset()
    runs_script: bool = False
    """Whether the lock notes a script that runs when it is installed."""
    commit: str = ""
    """The commit, if it comes from a repository."""


class LockContent(NamedTuple):
    """What a lock file states."""

    packages: Mapping[str, frozenset[Locked]] = {}
    requested: frozenset[str] | None = None
    """The packages that the project itself wants; None where the lock does not say."""


LockReader = Callable[[bytes | None, bytes | None], tuple[LockContent, LockContent]]
"""Returns the content of the old and the new file; an absent file is empty."""

EMPTY = LockContent()


class LockBuilder:
    """Collects packages while a lock file is read."""

    def __init__(self) -> None:
        self._packages: dict[str, set[Locked]] = {}
        self._count = 0

    def add(self, name: str, package: Locked) -> None:
        """Add one version of a package; names and versions that cannot be shown are skipped."""
        if not is_shown(name, _MAX_NAME) or not is_shown(package.version or "-", _MAX_VERSION):
            return
        self._count += 1
        if self._count > MAX_PACKAGES:
            raise ValueError("too many packages")
        self._packages.setdefault(name, set()).add(package)

    def content(self, requested: Iterable[str] | None = None) -> LockContent:
        """Return what was collected."""
        packages = {name: frozenset(found) for name, found in self._packages.items()}
        return LockContent(packages, None if requested is None else frozenset(requested))


def is_shown(text: str, most: int) -> bool:
    """Return whether a name or version from a file can be shown."""
    return 0 < len(text) <= most and text.isprintable() and "://" not in text


def each(read: Callable[[bytes], LockContent]) -> LockReader:
    """Return a reader that reads the old and the new file by themselves."""

    def read_both(old: bytes | None, new: bytes | None) -> tuple[LockContent, LockContent]:
        return read(old) if old else EMPTY, read(new) if new else EMPTY

    return read_both


def digest(text: object, file: str = "") -> Digest | None:
    """Return a digest written as `sha512-…`, `sha256:…` or `h1:…`; None if it is none."""
    if not isinstance(text, str) or not 8 <= len(text) <= 400:
        return None
    for sign in ("-", ":", "/"):
        algorithm, found, value = text.partition(sign)
        if found and 0 < len(algorithm) <= 12 and algorithm.isalnum():
            return Digest(file, algorithm.lower(), value)
    return Digest(file, "", text)


def digests(texts: Iterable[object], file: str = "") -> frozenset[Digest]:
    """Return those of several texts that are digests."""
    return frozenset(found for text in texts if (found := digest(text, file)) is not None)
