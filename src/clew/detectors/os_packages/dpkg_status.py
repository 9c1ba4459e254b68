"""What dpkg and apt write about packages: status, extended_states, file lists, diversions.

`var/lib/dpkg/status` holds a stanza for each package that dpkg knows, installed or not: the third
word of `Status` tells which.
After `apt-get remove` a package is `deinstall ok config-files`, and still has a version.
While dpkg works, newer stanzas lie in `updates/`.
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
    """What is asked of dpkg: `install`, `hold`, `deinstall`, `purge`."""
    state: str
    """What is so: `installed`, `config-files`, `half-configured`, …"""
    is_damaged: bool = False
    """Whether dpkg itself says that the package must be installed again."""

    @property
    def is_broken(self) -> bool:
        """Return whether an installation did not come to its end."""
        return self.state in _BROKEN or (self.is_damaged and self.state in _INSTALLED)

    @property
    def is_present(self) -> bool:
        return self.state in _INSTALLED or self.is_broken

    @property
    def is_held(self) -> bool:
        return self.want == "hold"


class Differing(NamedTuple):
    """The packages whose stanzas are not the same in both moments, by what they are called."""

    old: Mapping[str, DpkgPackage]
    new: Mapping[str, DpkgPackage]
    native: str


def differing(old: Tree, new: Tree, also: Collection[str] = ()) -> Differing:
    """Return the packages whose stanzas differ, and those of a name in `also`.

    All others are not even parsed.
    """
    before, after = _stanzas(old), _stanzas(new)
    names = {_name(stanza) for stanza in set(before) ^ set(after)}
    names.update(name.encode("utf-8", "surrogateescape") for name in also)
    native = _native(new, after) or _native(old, before)
    return Differing(_parsed(before, names, native), _parsed(after, names, native), native)


def subject(name: str, architecture: str, native: str) -> str:
    """Return what people call a package: its architecture is named only if it is a foreign one."""
    is_foreign = native and architecture not in ("", "all", native)
    return f"{name}:{architecture}" if is_foreign else name


def automatic(tree: Tree) -> set[str]:
    """Return `name:architecture` of the packages that are there only because others need them."""
    found = set()
    for stanza in (tree.read(EXTENDED_STATES) or b"").split(b"\n\n"):
        if b"\nAuto-Installed: 1" in stanza:
            package = _parse(stanza)
            found.add(f"{package.name}:{package.architecture}")
    return found


def listed(tree: Tree, package: DpkgPackage) -> list[str]:
    """Return the paths that a package's file list names, as it names them."""
    for stem in (f"{package.name}:{package.architecture}", package.name):
        content = tree.read(f"{INFO}/{stem}.list")
        if content is not None:
            return [line.lstrip("/") for line in _text(content).split("\n") if line]
    sums = tree.read(f"{STATUS_DIRECTORY}/{package.name}.md5sums")
    return [path.removeprefix("./") for path in checksums(sums)] if sums else []


def checksums(content: bytes) -> dict[str, str]:
    """Return the MD5 of each path that an `.md5sums` names."""
    found = {}
    for line in _text(content).split("\n"):
        if len(line) > 34:
            found[line[34:]] = line[:32]
    return found


def has_checksum_of(content: bytes, paths: set[bytes]) -> bool:
    """Tell, without parsing an `.md5sums`, whether it names one of these as they are spelled."""
    return not paths.isdisjoint(_CHECKED.findall(content))


def diversions(tree: Tree) -> list[tuple[str, str, str]]:
    """Return from where a path is diverted, to where, and by which package (`:` by hand)."""
    lines = _text(tree.read(f"{DPKG}/diversions") or b"").split("\n")
    return [
        (lines[index].lstrip("/"), lines[index + 1].lstrip("/"), lines[index + 2])
        for index in range(0, len(lines) - 2, 3)
    ]


def root_links(tree: Tree) -> dict[str, str]:
    """Return where directories of the root lead: `lib` to `usr/lib` on a merged system."""
    found = {}
    for name, entry in tree.entries("").items():
        if entry.kind == EntryKind.SYMLINK:
            target = _text(entry.target).strip("/")
            if target and ".." not in target.split("/"):
                found[name] = target
    return found


def real(path: str, links: Mapping[str, str]) -> str:
    """Return where a listed path really lies: `lib/x` is `usr/lib/x` on a merged system."""
    first, slash, rest = path.partition("/")
    return f"{links[first]}/{rest}" if slash and first in links else path


def _stanzas(tree: Tree) -> list[bytes]:
    """Return every stanza; of two about one package, the later one counts."""
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
    """Return the machine's own architecture: that of dpkg itself."""
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
