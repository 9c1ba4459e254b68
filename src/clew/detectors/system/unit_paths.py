"""systemd unit search path, and the state of a unit in a tree.

The files in these directories decide, not a unit's own [Install] section: a link in
`multi-user.target.wants` enables, a link to /dev/null or an empty file masks, a link of another
name is an alias and enables its target.
The first directory that contains a name wins.
"""

from __future__ import annotations

import posixpath

from clew.detectors.detector import Tree
from clew.detectors.system.unit_files import NOTHING, UnitFile, read_unit
from clew.model.entry import Entry, EntryKind
from clew.model.named_tuple import NamedTuple

_LOCAL = {"etc": ("system", "system.control", "system.attached", "user")}
_VENDORS = ("usr/local/lib", "usr/lib", "lib", "usr/local/share", "usr/share")
_SUFFIXES = frozenset(
    ("service", "socket", "timer", "path", "target", "mount", "automount", "swap", "slice", "scope")
)
_DEPENDENCIES = frozenset(("wants", "requires", "upholds"))


class UnitRole:
    """Roles of a path for a unit."""

    FILE = "file"
    LINK = "link"
    DROPIN = "drop-in"


class UnitPath(NamedTuple):
    """The meaning of a path to systemd."""

    scope: str
    """`systemd`, `systemd-user` for all users, `systemd-user:<home>` for one."""
    is_vendor: bool
    """Whether this is a vendor directory, used by packages."""
    role: str
    unit: str


class UnitState(NamedTuple):
    """State of a unit in one tree."""

    path: str | None
    """Its file, if any."""
    is_masked: bool
    links: frozenset[str]
    """The links that enable it."""

    @property
    def word(self) -> str | None:
        """The state as `systemctl is-enabled` names it, simplified."""
        if self.is_masked:
            return "masked"
        if self.links:
            return "enabled"
        return "disabled" if self.path else None


def unit_path(path: str) -> UnitPath | None:
    """Return the meaning of a path to systemd, or None."""
    found = _unit_directory(path.split("/"))
    if found is None:
        return None
    scope, is_vendor, rest = found
    stem, _, suffix = rest[0].rpartition(".")
    if len(rest) == 1 and stem and suffix in _SUFFIXES:
        return UnitPath(scope, is_vendor, UnitRole.FILE, rest[0])
    if len(rest) == 2 and stem and suffix in _DEPENDENCIES and _is_unit(rest[1]):
        return UnitPath(scope, is_vendor, UnitRole.LINK, rest[1])
    if len(rest) == 2 and stem and suffix == "d" and rest[1].endswith(".conf"):
        return UnitPath(scope, is_vendor, UnitRole.DROPIN, stem if "." in stem else f"*.{stem}")
    return None


class Units:
    """Units of one scope in one tree."""

    def __init__(self, tree: Tree, scope: str) -> None:
        self._tree = tree
        self._directories = directories(scope)
        self._links: dict[str, set[str]] | None = None

    def state(self, unit: str) -> UnitState:
        path = self.path(unit)
        entry = self._tree.entry(path) if path else None
        masked = path is not None and entry is not None and is_mask(path, entry)
        return UnitState(path, masked, frozenset(self._enabling().get(unit, ())))

    def path(self, unit: str) -> str | None:
        """Return the file of a unit; an instance uses its template."""
        for name in dict.fromkeys((unit, template_of(unit))):
            for directory in self._directories:
                path = f"{directory}/{name}"
                entry = self._tree.entry(path)
                if entry is not None and not entry.is_directory:
                    return path
        return None

    def _enabling(self) -> dict[str, set[str]]:
        if self._links is None:
            self._links = {}
            for directory in self._directories:
                if not directory.startswith(_VENDORS):  # links of packages enable nothing
                    self._collect_links(directory, self._links)
        return self._links

    def _collect_links(self, directory: str, found: dict[str, set[str]]) -> None:
        for name, entry in self._tree.entries(directory).items():
            path = f"{directory}/{name}"
            if entry.is_directory and name.rpartition(".")[2] in _DEPENDENCIES:
                for unit, link in self._tree.entries(path).items():
                    if is_enabling(f"{path}/{unit}", link) and _is_unit(unit):
                        found.setdefault(unit, set()).add(f"{path}/{unit}")
            elif alias := alias_of(path, entry):
                found.setdefault(alias, set()).add(path)


def directories(scope: str) -> tuple[str, ...]:
    """Return the unit directories of a scope, in order of precedence."""
    if scope == "systemd":
        local = ("etc/systemd/system.control", "etc/systemd/system", "etc/systemd/system.attached")
        return *local, *(f"{base}/systemd/system" for base in _VENDORS[:3])
    common = tuple(f"{base}/systemd/user" for base in _VENDORS)
    home = scope.partition(":")[2]
    if not home:
        return "etc/systemd/user", *common
    prefix = "" if home == "." else f"{home}/"
    own = (f"{prefix}.config/systemd/user", f"{prefix}.local/share/systemd/user")
    return *own, *common


def is_mask(path: str, entry: Entry | None) -> bool:
    """Return whether this masks a unit: a link to /dev/null, or an empty file."""
    if entry is None:
        return False
    if entry.kind == EntryKind.SYMLINK:
        return target_of(path, entry) == "dev/null"
    return entry.is_file and entry.size == 0


def is_enabling(path: str, entry: Entry | None) -> bool:
    """Return whether an entry of a `wants` directory enables; a link to /dev/null cancels."""
    return entry is not None and entry.kind == EntryKind.SYMLINK and not is_mask(path, entry)


def alias_of(path: str, entry: Entry | None) -> str | None:
    """Return the unit that a link among the units is an alias of."""
    name = path.rpartition("/")[2]
    if entry is None or entry.kind != EntryKind.SYMLINK or name == "default.target":
        return None
    target = target_of(path, entry).rpartition("/")[2]
    if target in (name, template_of(name)) or not _is_unit(target) or not _is_unit(name):
        return None
    return target


def target_of(path: str, entry: Entry) -> str:
    """Return the target of a link from the root; one step, and never outside the tree."""
    target = entry.target.decode("utf-8", "surrogateescape")
    whole = posixpath.join("/" + path.rpartition("/")[0], target)
    return posixpath.normpath(whole).lstrip("/")


def template_of(unit: str) -> str:
    """Return `getty@.service` for `getty@tty1.service`, and everything else unchanged."""
    stem, _, suffix = unit.rpartition(".")
    prefix, at, _ = stem.partition("@")
    return f"{prefix}@.{suffix}" if at else unit


def read_through(tree: Tree, path: str) -> UnitFile:
    """Return the unit file at a path, also through a link to one elsewhere."""
    entry = tree.entry(path)
    if entry is None:
        return NOTHING
    if entry.kind != EntryKind.SYMLINK:
        return read_unit(tree, path)
    target = target_of(path, entry)
    merged = f"usr/{target}" if target.startswith("lib/") else target
    return read_unit(tree, target if tree.entry(target) else merged)


def _unit_directory(parts: list[str]) -> tuple[str, bool, list[str]] | None:
    """Return the scope, whether it is a vendor directory, and the path below it."""
    for at in range(min(len(parts) - 2, 6)):
        if parts[at] != "systemd":
            continue
        base, kind, rest = "/".join(parts[:at]), parts[at + 1], parts[at + 2 :]
        if kind in _LOCAL.get(base, ()):
            return "systemd-user" if kind == "user" else "systemd", False, rest
        if base in _VENDORS and kind in ("system", "user"):
            return "systemd-user" if kind == "user" else "systemd", True, rest
        home = _home(parts[:at])
        if home is not None and kind == "user":
            return f"systemd-user:{home}", False, rest
    return None


def _home(above: list[str]) -> str | None:
    """Return the home of a `.config` or `.local/share`; the root may be a home itself."""
    for ending in ([".config"], [".local", "share"]):
        if above[-len(ending) :] == ending:
            owner = above[: -len(ending)]
            is_home = not owner or owner == ["root"] or (owner[0] == "home" and len(owner) == 2)
            return ("/".join(owner) or ".") if is_home else None
    return None


def _is_unit(name: str) -> bool:
    stem, _, suffix = name.rpartition(".")
    return bool(stem) and suffix in _SUFFIXES
