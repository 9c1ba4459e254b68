"""Files of dpkg and apt: status, extended_states, file lists, diversions.

`var/lib/dpkg/status` has a stanza for each package that dpkg knows, installed or not: the third
word of `Status` says which.
After `apt-get remove` a package is `deinstall ok config-files`, and still has a version.
While dpkg runs, newer stanzas are in `updates/`.
Images without dpkg ("distroless") have a file for each package in `status.d`, without `Status`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from clew.detectors.detector import Tree
from clew.model.entry import EntryKind
from clew.model.named_tuple import NamedTuple

DPKG = "var/lib/dpkg"
STATUS = f"{DPKG}/status"
STATUS_DIRECTORY = f"{DPKG}/status.d"
INFO = f"{DPKG}/info"
EXTENDED_STATES = "var/lib/apt/extended_states"

_TEXT_LIMIT = 256
_UPDATES_LIMIT = 2_000

_FIELD = re.compile(rb"^(Package|Status|Version|Architecture):[ \t]*(.*)$", re.M)
_CHECKED = re.compile(rb"^.{34}(.+)$", re.M)
_INSTALLED = frozenset(("installed", "triggers-awaited", "triggers-pending"))
_BROKEN = frozenset(("half-installed", "unpacked", "half-configured"))


class DpkgPackage(NamedTuple):
    """One stanza."""

    name: str
    architecture: str
    version: str
    want: str
    """The selection: `install`, `hold`, `deinstall`, `purge`."""
    state: str
    """The actual state: `installed`, `config-files`, `half-configured`, …"""
    is_damaged: bool = False
    """Whether dpkg marks the package for reinstallation."""

    @property
    def is_broken(self) -> bool:
        """Return whether an installation is unfinished."""
        return self.state in _BROKEN or (self.is_damaged and self.state in _INSTALLED)

    @property
    def is_present(self) -> bool:
        return self.state in _INSTALLED or self.is_broken

    @property
    def is_held(self) -> bool:
        return self.want == "hold"


class Differing(NamedTuple):
    """Packages whose stanzas differ between the trees, by subject."""

    old: Mapping[str, DpkgPackage]
    new: Mapping[str, DpkgPackage]
    native: str


def differing(old: Tree, new: Tree, also: Collection[str] = ()) -> Differing:
    """Return the packages whose stanzas differ, and those with a name in `also`.

    The others are not parsed.
    """
    before, after = _stanzas(old), _stanzas(new)
    names = {_name(stanza) for stanza in set(before) ^ set(after)}
    names.update(name.encode("utf-8", "surrogateescape") for name in also)
    native = _native(new, after) or _native(old, before)
    return Differing(_parsed(before, names, native), _parsed(after, names, native), native)


def subject(name: str, architecture: str, native: str) -> str:
    """Return the display name of a package, with its architecture only if it is foreign."""
    is_foreign = native and architecture not in ("", "all", native)
    return f"{name}:{architecture}" if is_foreign else name


def automatic(tree: Tree) -> set[str]:
    """Return `name:architecture` of the packages that are only dependencies."""
    found = set()
    for stanza in (tree.read(EXTENDED_STATES) or b"").split(b"\n\n"):
        if b"\nAuto-Installed: 1" in stanza:
            package = _parse(stanza)
            found.add(f"{package.name}:{package.architecture}")
    return found


def listed(tree: Tree, package: DpkgPackage) -> list[str]:
    """Return the paths in a package's file list, as written."""
    for stem in (f"{package.name}:{package.architecture}", package.name):
        content = tree.read(f"{INFO}/{stem}.list")
        if content is not None:
            return [line.lstrip("/") for line in _text(content).split("\n") if line]
    sums = tree.read(f"{STATUS_DIRECTORY}/{package.name}.md5sums")
    return [path.removeprefix("./") for path in checksums(sums)] if sums else []


def checksums(content: bytes) -> dict[str, str]:
    """Return the MD5 of each path in an `.md5sums`."""
    found = {}
    for line in _text(content).split("\n"):
        if len(line) > 34:
            found[line[34:]] = line[:32]
    return found


def has_checksum_of(content: bytes, paths: set[bytes]) -> bool:
    """Return whether an `.md5sums` names one of these paths verbatim, without parsing it."""
    return not paths.isdisjoint(_CHECKED.findall(content))


def diversions(tree: Tree) -> list[tuple[str, str, str]]:
    """Return each diversion: path, target, and package (`:` for a local one)."""
    lines = _text(tree.read(f"{DPKG}/diversions") or b"").split("\n")
    return [
        (lines[index].lstrip("/"), lines[index + 1].lstrip("/"), lines[index + 2])
        for index in range(0, len(lines) - 2, 3)
    ]


def root_links(tree: Tree) -> dict[str, str]:
    """Return the targets of links in the root: `lib` to `usr/lib` on a merged system."""
    found = {}
    for name, entry in tree.entries("").items():
        if entry.kind == EntryKind.SYMLINK:
            target = _text(entry.target).strip("/")
            if target and ".." not in target.split("/"):
                found[name] = target
    return found


def real(path: str, links: Mapping[str, str]) -> str:
    """Return the real location of a listed path: `lib/x` is `usr/lib/x` on a merged system."""
    first, slash, rest = path.partition("/")
    return f"{links[first]}/{rest}" if slash and first in links else path


def _stanzas(tree: Tree) -> list[bytes]:
    """Return every stanza; of two about one package, the later takes precedence."""
    found = (tree.read(STATUS) or b"").split(b"\n\n")
    updates = (
        name for name in tree.entries(f"{DPKG}/updates") if name.isascii() and name.isdigit()
    )
    for name in sorted(updates)[:_UPDATES_LIMIT]:
        found += (tree.read(f"{DPKG}/updates/{name}") or b"").split(b"\n\n")
    for name in sorted(tree.entries(STATUS_DIRECTORY)):
        if not name.endswith(".md5sums"):
            found.append(tree.read(f"{STATUS_DIRECTORY}/{name}") or b"")
    return [stripped for stanza in found if (stripped := stanza.strip(b"\n"))]


def _name(stanza: bytes) -> bytes:
    if stanza.startswith(b"Package: "):  # dpkg always begins with it
        return stanza[9 : stanza.find(b"\n") if b"\n" in stanza else None].strip()
    match = re.search(rb"^Package:(.*)$", stanza, re.M)
    return match[1].strip() if match else b""


def _native(tree: Tree, stanzas: Iterable[bytes]) -> str:
    """Return the native architecture: that of the dpkg package."""
    for stanza in stanzas:
        if stanza.startswith(b"Package: dpkg\n"):
            return _parse(stanza).architecture
    return _text(tree.read(f"{DPKG}/arch") or b"").partition("\n")[0].strip()


def _parsed(stanzas: Iterable[bytes], names: set[bytes], native: str) -> dict[str, DpkgPackage]:
    packages = (_parse(stanza) for stanza in stanzas if _name(stanza) in names)
    return {
        subject(package.name, package.architecture, native): package
        for package in packages
        if package.name
    }


def _parse(stanza: bytes) -> DpkgPackage:
    fields = dict(_fields(stanza))
    status = (fields.get("Status") or "install ok installed").split()
    want, flag, state = (*status, "", "", "")[:3]
    return DpkgPackage(
        fields.get("Package", ""),
        fields.get("Architecture", ""),
        fields.get("Version", ""),
        want,
        state,
        "reinstreq" in flag,
    )


def _fields(stanza: bytes) -> Iterator[tuple[str, str]]:
    for match in _FIELD.finditer(stanza):
        yield match[1].decode("ascii"), _text(match[2].strip())[:_TEXT_LIMIT]


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")
