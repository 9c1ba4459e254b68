"""SSH detector: authorized keys, and private keys that others can read.

`authorized_keys` counts at any path, because sshd can be configured to read any.
Of a key only type, comment and fingerprint are shown, as in `ssh-keygen -l`.
A private key is recognised by its first line; it is not reported in a directory of test data, in one
that others may not enter, or if readable only by a group that the machine created for it.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256

from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.files.key_names import shown_name
from clew.detectors.security.security_rules import (
    Alarm,
    became_world_writable,
    content,
    directories_above,
    examine,
    harmless,
    harmless_lines,
    in_repository,
    rules_between,
    word,
)
from clew.detectors.security.sshd_settings import weaker_settings
from clew.detectors.security.test_data import is_test_data
from clew.model.fact import Severity

_KEY_LISTS = ("authorized_keys", "authorized_keys2")
_RUN_AT_LOGIN = ("rc", "environment")
_QUIET = ("known_hosts", "known_hosts.old", "config")
_KEY_TYPES = (b"ssh-", b"ecdsa-", b"sk-")
_KEY_NAMES = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk")
_KEY_SUFFIXES = (".pem", ".key", ".ppk")
_PRIVATE = re.compile(
    rb"^-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY-----\s*$|\APuTTY-User-Key-File-\d", re.M
)
_MAX_KEY_SIZE = 1 << 16
_SHOWN = 4

_UNREAD = Alarm("security.authorized_keys", "ssh", "", Severity.HIGH)


class SshFiles:
    """Reports key logins, sshd settings, and private keys that others can read."""

    name = "security/ssh"
    version = 2
    kinds: tuple[str, ...] = (
        "security.authorized_keys", "security.login", "security.private_key",
        "config.added", "config.changed", "config.removed",
    )  # fmt: skip
    watch = WatchedPaths(
        paths=("etc/ssh/sshd_config", "etc/ssh/sshrc"),
        below=("etc/ssh/sshd_config.d",),
        names=(*_KEY_LISTS, *_KEY_NAMES),
        suffixes=_KEY_SUFFIXES,
        directories=(".ssh",),
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield from examine(evidence, changes, _judge, _UNREAD)


def _judge(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    path, name = change.path, change.name
    is_in_ssh_directory = change.parent.rpartition("/")[2] == ".ssh"
    if name in _KEY_LISTS:
        yield from _authorized_keys(evidence, change)
    elif path.startswith("etc/ssh/sshd_config"):
        yield from _sshd(evidence, change)
    elif path == "etc/ssh/sshrc" or (is_in_ssh_directory and name in _RUN_AT_LOGIN):
        yield from _login_script(evidence, change)
    elif is_in_ssh_directory and name in _QUIET:
        yield harmless_lines(evidence, change)
    else:
        alarms = list(_open_key(evidence, change)) if _may_be_private_key(change) else []
        yield from alarms
        if change.is_deleted:
            return  # a key that is gone is a loss, which its detector reports
        if is_in_ssh_directory and not alarms and change.is_content and _file_role(change):
            yield harmless(change, (_file_role(change),))


def _authorized_keys(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    path = change.path
    keys = rules_between(content(evidence.old, path), content(evidence.new, path))
    marks = [f"+{_shown_key(line)}" for line in keys.added[:_SHOWN]]
    marks += [f"{len(keys.added) - _SHOWN:,} more keys"] if len(keys.added) > _SHOWN else []
    marks += [f"−{len(keys.removed):,} keys"] if keys.removed else []
    others = became_world_writable(change)
    marks += ["writable by others"] if others else []
    if keys or others:
        severity = Severity.HIGH if keys.added or others else Severity.NOTE
        yield Alarm("security.authorized_keys", "ssh", path, severity, tuple(marks))
    elif change.is_content:
        yield harmless_lines(evidence, change)


def _shown_key(line: bytes) -> str:
    """Return `ssh-ed25519 SHA256:… alice@laptop` of a line; the rest stays hidden."""
    words = line[:20_000].split(b" ")
    for at, kind in enumerate(words[:-1]):
        if kind.startswith(_KEY_TYPES) and words[at + 1].startswith(b"AAAA"):
            comment = shown_name(word(b" ".join(words[at + 2 :])))
            return f"{word(kind)} {_fingerprint(words[at + 1])} {comment}".rstrip()
    return "a line that is no key"


def _fingerprint(encoded: bytes) -> str:
    try:
        digest = sha256(b64decode(encoded, validate=True)).digest()
    except ValueError:
        return "unreadable"
    return "SHA256:" + b64encode(digest).rstrip(b"=").decode("ascii")[:12] + "…"


def _sshd(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    path = change.path
    weaker, others = weaker_settings(content(evidence.old, path), content(evidence.new, path))
    if weaker:
        yield Alarm("security.login", "ssh", path, Severity.HIGH, weaker)
    elif others:
        yield Alarm("security.login", "ssh", path, Severity.NOTE, others)


def _login_script(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    path = change.path
    rules = rules_between(content(evidence.old, path), content(evidence.new, path))
    if rules.added:
        yield Alarm("security.login", "ssh", path, Severity.HIGH, ("runs at each login",))
    elif rules.removed:
        yield harmless_lines(evidence, change)


def _file_role(change: PathChange) -> str:
    """Return the role of a file in an ssh directory, by its name."""
    if change.name in _KEY_NAMES:
        return "a private key"
    is_public = change.name.endswith(".pub")
    return "a public key" if is_public and change.name.removesuffix(".pub") in _KEY_NAMES else ""


def _may_be_private_key(change: PathChange) -> bool:
    """Return whether a file became readable by others than its owner."""
    new, old = change.new, change.old
    if new is None or not new.is_file or not 0 < new.size <= _MAX_KEY_SIZE:
        return False
    before = old.mode if old is not None and old.size else 0
    return bool(new.mode & ~before & 0o044)


def _open_key(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    entry = change.new
    assert entry is not None
    if is_test_data(change.path):
        return
    is_in_ssh_directory = ".ssh" in change.parent.split("/")
    by_all = bool(entry.mode & 0o004)
    if not is_in_ssh_directory:
        if not _can_be_reached(evidence.new, change.path, by_all=by_all):
            return
        if not by_all and (entry.uid == entry.gid or change.path.startswith("etc/")):
            return  # a group of the owner alone, or one made for the key, such as `ssl-cert`
    text = evidence.new.read(change.path, _MAX_KEY_SIZE) or b""
    if not _PRIVATE.search(text):
        return
    is_severe = is_in_ssh_directory or (by_all and not in_repository(evidence.new, change.path))
    is_locked = b"ENCRYPTED" in text
    severity = Severity.HIGH if is_severe and not is_locked else Severity.NOTE
    marks = (f"mode {entry.mode:04o}", *(("encrypted",) if is_locked else ()))
    yield Alarm("security.private_key", "ssh", change.path, severity, marks)


def _can_be_reached(tree: Tree, path: str, *, by_all: bool) -> bool:
    """Return whether others may enter every directory above a file."""
    wanted = 0o001 if by_all else 0o010
    entries = (tree.entry(above) for above in directories_above(path) if above)
    return all(entry is None or entry.mode & wanted for entry in entries)
