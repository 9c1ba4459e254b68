"""Certificate authority detector: trusted authorities that no package installed.

The trust store consists of copies: `update-ca-certificates` links every authority into
`/etc/ssl/certs`, links it again under a hash of its name, and writes all of them into one bundle.
The source is the files that administrators add; links and bundles are traced back to them, and a
bundle with a certificate from no such file was edited by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from posixpath import normpath

from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.security.security_rules import (
    Alarm,
    alarm_findings,
    content,
    harmless,
    is_harmless,
)
from clew.model.fact import Severity

_LOCAL = (
    "usr/local/share/ca-certificates",
    "etc/ca-certificates/trust-source/anchors",
    "etc/pki/ca-trust/source/anchors",
    "etc/pki/trust/anchors",
    "usr/local/share/pki",
)
"""Directories for locally added authorities."""
_SHIPPED = "usr/share/ca-certificates"
_STORE = "etc/ssl/certs"
_BUNDLES = (
    "etc/ssl/certs/ca-certificates.crt",
    "etc/ssl/cert.pem",
    "etc/pki/tls/certs/ca-bundle.crt",
    "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
)
_BEGIN = b"-----BEGIN CERTIFICATE-----"
_END = b"-----END CERTIFICATE-----"
_SNAKE_OIL = ("etc/ssl/certs/ssl-cert-snakeoil.pem", "ssl-cert")
"""A self-signed certificate that a package generates for this machine, and that package."""
_MAX_FILES = 3_000

_Digests = frozenset[bytes]


class Certificates:
    """Reports newly trusted authorities."""

    name = "security/certificates"
    version = 1
    kinds: tuple[str, ...] = ("security.certificate", "config.removed")
    watch = WatchedPaths(paths=_BUNDLES, below=(*_LOCAL, _STORE, "etc/pki"))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        alarms: list[Alarm] = []
        copies: list[str] = []
        for change in changes:
            if change.is_directory or change.path in evidence.owners:
                continue
            with evidence.guarded(change.path):
                alarm = _alarm(evidence, change)
                if alarm is None:
                    copies.append(change.path)
                else:
                    alarms.append(alarm)
        alarms = _with_copies(alarms, copies)
        yield from alarm_findings(alarms)
        if copies and not any(alarm.claims for alarm in alarms):
            yield Finding((), copies, "certificate store renewed")


def _alarm(evidence: Evidence, change: PathChange) -> Alarm | None:
    """Return the alarm of a changed file of the store; None for a copy of a known certificate."""
    path, new = change.path, change.new
    if path in _BUNDLES:
        return _bundle(evidence, change)
    if new is None:
        return harmless(change) if path.startswith(_LOCAL) else None
    if path.startswith(_LOCAL):
        return _trusted_alarm(change) if _holds_certificate(evidence.new, path) else None
    if not path.startswith(_STORE + "/") or not change.is_content:
        return None
    if new.is_file:
        if path == _SNAKE_OIL[0] and _SNAKE_OIL[1] in evidence.owners.values():
            return None
        return _unless_copy(evidence, change)
    return (
        None
        if _leads_to_known(path, new.target)
        else _trusted_alarm(change, "a link out of the store")
    )


def _unless_copy(evidence: Evidence, change: PathChange) -> Alarm | None:
    """Return the alarm of a file in the store, unless it is a copy of one that is judged itself."""
    if not _holds_certificate(evidence.new, change.path):
        return None
    held = _certificates(content(evidence.new, change.path))
    is_copy = bool(held) and held <= evidence.once(_known)
    return None if is_copy else _trusted_alarm(change)


def _trusted_alarm(change: PathChange, *marks: str) -> Alarm:
    return Alarm("security.certificate", "certificates", change.path, Severity.HIGH, marks)


def _holds_certificate(tree: Tree, path: str) -> bool:
    """Return whether there is a certificate, as PEM or DER, or a link that may lead to one."""
    text = content(tree, path) or b""
    return _BEGIN in text or text[:2] == b"\x30\x82" or text.startswith(b"link to ")


def _leads_to_known(path: str, target: bytes) -> bool:
    """Return whether a link target is judged itself, or in a directory of packages."""
    text = target.decode("utf-8", "surrogateescape")
    place = normpath(text if text.startswith("/") else f"/{path.rpartition('/')[0]}/{text}").strip(
        "/"
    )
    known = (_STORE, _SHIPPED, *_LOCAL)
    return place.startswith(tuple(directory + "/" for directory in known))


def _bundle(evidence: Evidence, change: PathChange) -> Alarm | None:
    added = _certificates(content(evidence.new, change.path)) - _certificates(
        content(evidence.old, change.path)
    )
    unknown = added - evidence.once(_known) if added else added
    if not unknown:
        return None
    number = f"{len(unknown):,} certificate{'s' if len(unknown) > 1 else ''} from nowhere"
    return _trusted_alarm(change, number)


def _certificates(text: bytes | None) -> _Digests:
    """Return a digest of each certificate in a text, ignoring whitespace."""
    found = set()
    for part in (text or b"").split(_BEGIN)[1:]:
        body = part.partition(_END)[0]
        found.add(blake2b(b"".join(body.split()), digest_size=16).digest())
    return frozenset(found)


def _known(evidence: Evidence) -> _Digests:
    """Return the certificates of all files that bundles are generated from."""
    found: set[bytes] = set()
    waiting = [_SHIPPED, "usr/share/pki", "usr/local/share/ca-certificates", *_LOCAL]
    for _ in range(_MAX_FILES):
        if not waiting:
            break
        path = waiting.pop()
        entry = evidence.new.entry(path)
        if entry is not None and entry.is_directory:
            waiting += [f"{path}/{name}" for name in evidence.new.entries(path)]
        elif entry is not None and entry.is_file:
            found |= _certificates(content(evidence.new, path, 1 << 20))
    return frozenset(found)


def _with_copies(alarms: list[Alarm], copies: list[str]) -> list[Alarm]:
    """Attach the derived links and bundles to the first alarm."""
    for at, alarm in enumerate(alarms):
        if not is_harmless(alarm):
            alarms[at] = alarm._replace(claims=(alarm.path, *copies))
            break
    return alarms
