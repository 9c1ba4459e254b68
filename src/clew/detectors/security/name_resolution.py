"""Name resolution detector: `/etc/hosts`, the resolver, and the host name.

Containers and DHCP write these, so changes are notes; the machine's own names are ignored.
A changed address of a well-known code host is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.security.security_rules import (
    Alarm,
    content,
    examine,
    rules_between,
    rules_of,
    word,
)
from clew.model.fact import Severity

_OWN_NAMES = (b"localhost", b"ip6-", b"broadcasthost")
_BLOCKED = (b"0.0.0.0", b"::")
_CODE = frozenset((
    b"pypi.org", b"files.pythonhosted.org", b"registry.npmjs.org", b"registry.yarnpkg.com",
    b"github.com", b"raw.githubusercontent.com", b"codeload.github.com", b"gitlab.com",
    b"deb.debian.org", b"security.debian.org", b"ftp.debian.org", b"archive.ubuntu.com",
    b"security.ubuntu.com", b"crates.io", b"static.crates.io", b"index.crates.io",
    b"proxy.golang.org", b"sum.golang.org", b"rubygems.org", b"repo.maven.apache.org",
    b"registry-1.docker.io", b"auth.docker.io", b"ghcr.io", b"api.anthropic.com",
    b"api.openai.com", b"generativelanguage.googleapis.com",
))  # fmt: skip
"""Hosts that code is fetched from, or that agents connect to."""
_SHOWN = 4


class NameResolution:
    """Reports changed name resolution."""

    name = "security/names"
    version = 1
    kinds: tuple[str, ...] = ("security.network",)
    watch = WatchedPaths(
        paths=("etc/hosts", "etc/resolv.conf", "etc/systemd/resolved.conf"),
        below=("etc/systemd/resolved.conf.d", "etc/resolver"),
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield from examine(evidence, changes, _judge)


def _judge(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    if not change.is_content:
        return
    old, new = content(evidence.old, change.path), content(evidence.new, change.path)
    severity = Severity.NOTE
    if change.name == "hosts":
        own = (content(evidence.new, "etc/hostname") or b"").strip()
        before, after = _names(old, own), _names(new, own)
        marks = _hosts(before, after)
        if any(after.get(name, b"0.0.0.0") not in (*_BLOCKED, before.get(name)) for name in _CODE):
            severity = Severity.HIGH
    else:
        marks = _resolver(old, new)
    if marks:
        yield Alarm("security.network", "network", change.path, severity, tuple(marks))


def _hosts(before: dict[bytes, bytes], after: dict[bytes, bytes]) -> list[str]:
    changed = [name for name, address in after.items() if before.get(name) != address]
    changed.sort(key=lambda name: name not in _CODE)
    gone = len(before.keys() - after.keys())
    marks = [f"{word(name)} → {word(after[name])}" for name in changed[:_SHOWN]]
    marks += [f"{len(changed) - _SHOWN:,} more names"] if len(changed) > _SHOWN else []
    return marks + ([f"−{gone:,} names"] if gone else [])


def _names(text: bytes | None, own: bytes) -> dict[bytes, bytes]:
    """Return the address of each name except the machine's own; the first line takes precedence."""
    found: dict[bytes, bytes] = {}
    for line in rules_of(text):
        address, *names = line.partition(b"#")[0].split()[:40] or [b""]
        for name in names:
            if (
                not name.startswith(_OWN_NAMES)
                and name.partition(b".")[0] != own.partition(b".")[0]
            ):
                found.setdefault(name, address)
    return found


def _resolver(old: bytes | None, new: bytes | None) -> list[str]:
    added = [line.replace(b"=", b" ", 1) for line in rules_between(old, new).added]
    lines = [
        line
        for line in added
        if line.lower().startswith((b"nameserver", b"dns ", b"fallbackdns", b"domains"))
    ]
    return [word(line) for line in lines[:_SHOWN]]
