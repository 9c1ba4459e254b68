"""Files that dpkg and apt write and that no package's file list names.

Lists name little more than a third of the files that an installation touches.
The rest is of two kinds: the bookkeeping of dpkg and apt, and the output of maintainer scripts and
triggers - caches, links, backups of account files.
Other programs write the second kind as well, so it is only attributed to packages if packages
changed, and only where nothing can hide in it: a link counts if its target is shipped.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from clew.detectors.detector import Evidence, PathChange
from clew.detectors.os_packages.dpkg_status import DPKG, INFO, STATUS, real, root_links
from clew.model.entry import EntryKind

REFRESHED_BELOW = (
    "var/cache/apt",
    "var/cache/app-info",
    "var/cache/swcatalog",
    "var/lib/apt/lists",
    "var/lib/apt/periodic",
    "var/lib/apt/daily_lock",
    "var/lib/command-not-found",
    "var/lib/PackageKit",
    "var/lib/update-notifier",
    "var/log/apt",
)
"""Files that a refresh of the package lists changes."""

BOOKKEEPING_BELOW = (
    DPKG,
    "etc/alternatives",
    "var/lib/apt",
    "var/cache/debconf",
    "var/lib/systemd/deb-systemd-helper-enabled",
    "var/lib/systemd/deb-systemd-helper-masked",
    "var/lib/systemd/deb-systemd-user-helper-enabled",
    "var/lib/systemd/deb-systemd-user-helper-masked",
    "var/lib/ucf",
    *REFRESHED_BELOW,
)
BOOKKEEPING_PATHS = tuple(
    f"{path}{rotated}"
    for path in (
        "var/log/dpkg.log",
        "var/log/alternatives.log",
        "var/backups/dpkg.status",
        "var/backups/apt.extended_states",
        "var/backups/dpkg.diversions",
        "var/backups/dpkg.statoverride",
        "var/backups/dpkg.arch",
        "var/backups/alternatives.tar",
    )
    for rotated in ("", ".0", ".1", ".0.gz", ".1.gz", ".2.gz")
)

SCRIPTS = (".preinst", ".postinst", ".prerm", ".postrm", ".config", ".triggers")
"""Suffixes of info files that make dpkg run something."""

_WRITTEN_PATHS = frozenset(
    (
        "etc/.pwd.lock",
        "etc/ld.so.cache",
        *(f"etc/{name}-" for name in ("passwd", "group", "shadow", "gshadow", "subuid", "subgid")),
        "usr/lib/locale/locale-archive",
        "usr/share/applications/mimeinfo.cache",
        "usr/share/info/dir",
        "usr/share/info/dir.old",
    )
)
_WRITTEN_BELOW = (
    "var/cache/ldconfig/",
    "var/cache/man/",
    "var/cache/fontconfig/",
    "var/cache/dictionaries-common/",
    "var/lib/apache2/conf/",
    "var/lib/apache2/module/",
    "var/lib/apache2/site/",
    "var/lib/emacsen-common/state/",
    "var/lib/pam/",
    "var/lib/php/modules/",
    "usr/share/mime/",
)
_WRITTEN_NAMES = frozenset(
    (
        ".uuid",
        "giomodule.cache",
        "gschemas.compiled",
        "icon-theme.cache",
        "immodules.cache",
        "loaders.cache",
    )
)
_BACKUP_SUFFIXES = (".ucf-old", ".ucf-dist")
_LINKED_FROM = ("etc/", "usr/bin/", "usr/sbin/", "usr/lib/", "usr/share/", "bin/", "sbin/", "lib/")
_MAX_LINKS = 3


def is_refresh(path: str) -> bool:
    """Return whether a refresh of the package lists changes a path."""
    return path.startswith(tuple(f"{directory}/" for directory in REFRESHED_BELOW)) or (
        path in REFRESHED_BELOW or path in ("var/lib/apt", "var/log/dpkg.log")
    )


def info_of(path: str) -> tuple[str, str] | None:
    """Return the package and the suffix of a file in dpkg's info directory: `nginx`, `.list`."""
    directory, _, name = path.rpartition("/")
    stem, dot, ending = name.rpartition(".")
    return (stem, dot + ending) if directory == INFO and dot else None


def did_dpkg_run(evidence: Evidence) -> bool:
    """Return whether dpkg itself wrote something."""
    return any(path in evidence.changes for path in (STATUS, f"{STATUS}-old", "var/log/dpkg.log"))


def is_bookkeeping(change: PathChange, packages: Collection[str]) -> bool:
    """Return whether a change of `packages`, or normal operation, explains a watched path.

    An alternative is a setting (`alternatives.py`).

    The info files of an unchanged package are not explained: a changed script there was planted.
    Only its list may differ, as another package can take over a file.
    """
    if change.path.startswith("etc/"):
        return False
    found = info_of(change.path)
    return found is None or found[1] == ".list" or found[0].partition(":")[0] in packages


def is_generated(path: str) -> bool:
    """Return whether a path is a cache or a backup that scripts write and no package ships."""
    name = path.rpartition("/")[2]
    if path in _WRITTEN_PATHS or path.startswith(_WRITTEN_BELOW):
        return not path.startswith("usr/share/mime/packages/")
    if name.startswith("modules."):  # written by depmod for a kernel's modules
        return path.startswith(("lib/modules/", "usr/lib/modules/")) and path.count("/") <= 4
    return name in _WRITTEN_NAMES and path.startswith("usr/")


def written_by_scripts(evidence: Evidence, shipped: Mapping[str, str]) -> dict[str, str]:
    """Return the changed paths that installing the `shipped` files leaves behind.

    Each with the package that it belongs to, or "" if it belongs to all of them.
    """
    found: dict[str, str] = {}
    links: dict[str, tuple[str, ...]] = {}
    aliases = {**root_links(evidence.old), **root_links(evidence.new)}
    for path, change in evidence.changes.items():
        if path in shipped:
            continue
        if is_generated(path) or _is_derived(path, shipped):
            found[path] = ""
        elif path.startswith(_LINKED_FROM):
            targets = tuple(_targets(change, aliases))
            if targets:
                links[path] = targets
    return found | _explained_links(evidence, links, shipped)


def _is_derived(path: str, shipped: Mapping[str, str]) -> bool:
    """Return whether this is a shipped file's byte code, or another version of it."""
    if path.endswith(".pyc"):
        directory, _, name = path.rpartition("/")
        source = f"{directory.removesuffix('/__pycache__')}/{name.partition('.')[0]}.py"
        return source in shipped
    if path.endswith(_BACKUP_SUFFIXES):  # those of dpkg: see `dpkg_lists.py`
        return path[: path.rfind(".")] in shipped
    return False


def _targets(change: PathChange, aliases: Mapping[str, str]) -> Iterator[str]:
    """Yield the old and the new target of a link; nothing if a side is not a link."""
    old, new = change.old, change.new
    if (old and old.kind != EntryKind.SYMLINK) or (new and new.kind != EntryKind.SYMLINK):
        return
    for entry in (old, new):
        if entry is None:
            continue
        target = entry.target.decode("utf-8", "surrogateescape")
        yield real(_joined(change.parent, target), aliases)


def _joined(directory: str, target: str) -> str:
    parts = [] if target.startswith("/") else directory.split("/")
    for part in target.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _explained_links(
    evidence: Evidence, links: Mapping[str, tuple[str, ...]], shipped: Mapping[str, str]
) -> dict[str, str]:
    """Return the links whose target is shipped, possibly through another such link."""
    found = {path: "" for path, targets in links.items() if _is_start_link(evidence, path, targets)}
    known = shipped
    for _ in range(_MAX_LINKS):
        fresh = {
            path: next(known[target] for target in targets if target in known)
            for path, targets in links.items()
            if path not in found and any(target in known for target in targets)
        }
        found |= fresh
        known = fresh
    return found


def _is_start_link(evidence: Evidence, path: str, targets: tuple[str, ...]) -> bool:
    """Return whether this starts a SysV service at another position in the boot order."""
    is_start = path.startswith("etc/rc") and path[7:10] == ".d/"
    return is_start and all(
        target.startswith("etc/init.d/")
        and target not in evidence.changes
        and evidence.new.entry(target) is not None
        for target in targets
    )
