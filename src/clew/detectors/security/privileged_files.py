"""Privilege detector: programs with setuid, setgid or capabilities.

Every changed file is checked, so the two tests that rule out nearly all of them come first: the
mode bits, and the presence of extended attributes.
`chmod u+s` changes only metadata, and counts.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.security.security_rules import Alarm, alarm_findings
from clew.model.entry import Entry
from clew.model.fact import Severity

_SETUID = 0o4000
_SETGID = 0o2000
_CAPABILITY = b"security.capability"
_IMAGES = ("var/lib/docker/", "var/lib/containerd/", "var/lib/containers/", "snap/")
"""Container images and snaps, whose programs are not run from outside."""

_CAPABILITIES = (
    "chown", "dac_override", "dac_read_search", "fowner", "fsetid", "kill", "setgid", "setuid",
    "setpcap", "linux_immutable", "net_bind_service", "net_broadcast", "net_admin", "net_raw",
    "ipc_lock", "ipc_owner", "sys_module", "sys_rawio", "sys_chroot", "sys_ptrace", "sys_pacct",
    "sys_admin", "sys_boot", "sys_nice", "sys_resource", "sys_time", "sys_tty_config", "mknod",
    "lease", "audit_write", "audit_control", "setfcap", "mac_override", "mac_admin", "syslog",
    "wake_alarm", "block_suspend", "audit_read", "perfmon", "bpf", "checkpoint_restore",
)  # fmt: skip
_NAMED = 4


class PrivilegedFiles:
    """Reports files that grant privileges to those who run them."""

    name = "security/privileged"
    version = 1
    kinds: tuple[str, ...] = ("security.setuid", "security.capability")
    watch = WatchedPaths(everything=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        alarms: list[Alarm] = []
        for change in changes:
            new = change.new
            if new is None or not (new.mode & (_SETUID | _SETGID) or new.xattrs) or not new.is_file:
                continue
            if change.path in evidence.owners:
                continue
            with evidence.guarded(change.path):
                alarms += _alarms(evidence, change, new)
        yield from alarm_findings(alarms)


def _alarms(evidence: Evidence, change: PathChange, new: Entry) -> Iterator[Alarm]:
    path, old = change.path, change.old
    severity = Severity.NOTE if path.startswith(_IMAGES) else Severity.HIGH
    if new.mode & (_SETUID | _SETGID) and _is_more(change, new):
        before = _mode(old) if old is not None and old.is_file else None
        yield Alarm(
            "security.setuid", "setuid", path, severity, _bits(new), before, _mode(new)
        )  # fmt: skip
    if new.xattrs is not None and (old is None or old.xattrs != new.xattrs or change.is_content):
        was, now = _capabilities(evidence.old, path), _capabilities(evidence.new, path)
        if now and (now - was or change.is_content):
            yield Alarm("security.capability", "capability", path, severity, _named(now))


def _is_more(change: PathChange, new: Entry) -> bool:
    """Return whether a privileged file gained rights, other content or another owner."""
    old = change.old
    if old is None or change.is_content:
        return True
    return bool(new.mode & ~old.mode) or (old.uid, old.gid) != (new.uid, new.gid)


def _bits(entry: Entry) -> tuple[str, ...]:
    owner = "root" if entry.uid == 0 else f"uid {entry.uid}"
    group = "root" if entry.gid == 0 else f"gid {entry.gid}"
    names = ((_SETUID, f"setuid {owner}"), (_SETGID, f"setgid {group}"))
    return tuple(text for bit, text in names if entry.mode & bit)


def _mode(entry: Entry) -> str:
    return f"{entry.mode:04o}"


def _capabilities(tree: Tree, path: str) -> frozenset[int]:
    """Return the capability numbers that a file grants; see capabilities(7)."""
    value = tree.xattrs(path).get(_CAPABILITY, b"")
    if len(value) < 12:
        return frozenset()
    words = struct.unpack_from(f"<{min(len(value) // 4, 5)}I", value)
    # magic, then permitted and inheritable, of the low and of the high 32 bits
    low = words[1] | words[2]
    high = words[3] | words[4] if len(words) >= 5 else 0
    both = low | high << 32
    return frozenset(number for number in range(64) if both >> number & 1)


def _named(numbers: frozenset[int]) -> tuple[str, ...]:
    names = [
        f"cap_{_CAPABILITIES[number]}" if number < len(_CAPABILITIES) else f"capability {number}"
        for number in sorted(numbers)
    ]
    if len(names) <= _NAMED:
        return tuple(names)
    return (*names[:_NAMED], f"{len(names) - _NAMED} more capabilities")
