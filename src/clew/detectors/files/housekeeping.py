"""Housekeeping detector: files that a running machine writes for itself; one line, no facts.

Random seeds, clocks, locks, process ids, login records, indexes derived from other files.
Executable files never count as housekeeping, wherever they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths

TEXT = "housekeeping of the system"

_PATHS = frozenset((
    "etc/machine-id", "etc/ld.so.cache", "etc/mtab", "etc/.updated", "etc/adjtime",
    "etc/.pwd.lock",
    "var/.updated", "var/lib/dbus/machine-id", "var/lib/systemd/random-seed",
    "var/lib/systemd/catalog/database", "var/lib/urandom/random-seed",
    "var/lib/logrotate/status", "var/lib/logrotate.status", "var/lib/plocate/plocate.db",
    "var/lib/mlocate/mlocate.db", "var/lib/chrony/drift", "var/lib/ntp/ntp.drift",
    "var/lib/NetworkManager/timestamps", "var/lib/NetworkManager/seen-bssids",
    "var/lib/misc/dnsmasq.leases", "var/lib/sudo/lectured", "var/lib/ucf/registry.lock",
    "var/spool/anacron", "usr/share/applications/mimeinfo.cache", "usr/share/info/dir",
    "usr/lib/locale/locale-archive", "usr/share/glib-2.0/schemas/gschemas.compiled", "usr/share/mime/mime.cache",
))  # fmt: skip

_BELOW = (
    "run", "var/run", "var/lock", "var/lib/man-db", "var/lib/fontconfig", "var/lib/systemd/timers",
    "var/lib/systemd/timesync", "var/lib/systemd/backlight",
    "var/lib/systemd/rfkill", "var/lib/systemd/coredump", "var/lib/dhcp", "var/lib/dhclient",
    "var/lib/misc", "var/lib/update-notifier", "var/lib/apt/periodic", "var/lib/command-not-found",
    "var/lib/sudo/lectured", "var/lib/sudo/ts", "var/spool/anacron",
    "var/lib/upower", "var/lib/rsyslog", "var/lib/apache2/conf", "var/lib/apache2/module",
    "var/lib/apache2/site",
)  # fmt: skip

_NAMES = frozenset((
    ".viminfo", ".lesshst", ".wget-hsts", ".Xauthority", ".ICEauthority", ".netrwhist",
    ".sudo_as_admin_successful", ".motd_shown", ".zcompdump", "recently-used.xbel", "main.shada",
    ".uuid", "icon-theme.cache", "loaders.cache", "immodules.cache", "giomodule.cache",
    "gschemas.compiled", "fonts.cache-1", ".lock", "lockfile", ".#lock", "SingletonLock",
))  # fmt: skip

_IN_VAR_LOG = frozenset(
    ("wtmp", "btmp", "lastlog", "faillog", "wtmp.db", "lastlog2.db", "tallylog")
)
_SUFFIXES = (".pid", ".lck", ".shada.tmp.a")
_PREFIXES = (".zcompdump-", ".zcompdump.", ".nfs0", ".fuse_hidden0")


class Housekeeping:
    """Claims files that a machine writes for itself."""

    name = "files/housekeeping"
    version = 1
    kinds: tuple[str, ...] = ()
    watch = WatchedPaths(everything=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        paths = [change.path for change in changes if is_housekeeping(change)]
        if paths:
            yield Finding((), paths, TEXT)


def is_housekeeping(change: PathChange) -> bool:
    """Return whether a change is housekeeping."""
    if _can_be_executed(change):
        return False
    path, name = change.path, change.name
    if path in _PATHS or name in _NAMES or path.startswith(_PREFIXES_BELOW):
        return True
    if name.endswith(_SUFFIXES) or name.startswith(_PREFIXES):
        return True
    if change.parent == "var/log":
        return name.partition(".")[0] in _IN_VAR_LOG or name in _IN_VAR_LOG
    return name.endswith(".lock") and _is_empty(change)


def _can_be_executed(change: PathChange) -> bool:
    new = change.new
    return new is not None and new.is_file and bool(new.mode & 0o6111)


def _is_empty(change: PathChange) -> bool:
    """Return whether only its existence has a meaning: a lock, not a lock file of packages."""
    return all(
        entry is None or (entry.is_file and not entry.size) for entry in (change.old, change.new)
    )


_PREFIXES_BELOW = tuple(f"{directory}/" for directory in _BELOW)
