"""What a file is, by its name and its directory: a kind of data, or disposable."""

from __future__ import annotations

import re

from clew.detectors.losses.audit_names import is_audit_trail
from clew.detectors.losses.data_kinds import AUDIT, BACKUP, DECIDED, MAIL, OTHER, SECRET, kind_of
from clew.detectors.losses.disposable import is_disposable_name
from clew.detectors.losses.places import Place

_MAILDIR = frozenset(("cur", "new"))
_MAILBOXES = ("var/mail", "var/spool/mail")
_NO_KEYS = ("config", "known_hosts", "known_hosts.old", "authorized_keys", "environment", "rc")
_HASHED = re.compile(r"[0-9a-f]{64}")
_OF_BACKUPS = {"keys": SECRET, "snapshots": BACKUP}
"""Directories of a repository of restic without which its data cannot be read."""
NOTHING = ""
_DIGITS = str.maketrans("123456789", "000000000")
_MAX_KNOWN = 1_000
_HASH = 16
"""The length from which letters and digits without a dot are a hash or an identifier."""


def what_is(place: Place, name: str) -> str:
    """Return the kind of data of a file; `NOTHING` if it is disposable.

    Names that differ only in their digits are judged once: a directory may have 100,000 of them.
    """
    if place.is_ordinary and name[:1] not in "~.#":  # most files: the suffix decides
        kind = DECIDED.get(name[name.rfind(".") + 1 :])
        if kind is not None:
            return kind
    mask = mask_of(name)
    kind = place.kinds.get(mask)
    if kind is None:
        kind = _judged(place, name)
        if len(place.kinds) < _MAX_KNOWN:
            place.kinds[mask] = kind
    return kind


def mask_of(name: str) -> str:
    """Return a text that is the same for names which mean the same."""
    if len(name) >= _HASH and name.replace("-", "").isalnum() and not name.isalpha():
        return "0"
    return name.translate(_DIGITS)


def _judged(place: Place, name: str) -> str:
    parent = place.path
    if is_audit_trail(f"{parent}/{name}" if parent else name):
        return AUDIT
    if is_disposable_name(parent, name):
        return NOTHING
    kind = kind_of(name)
    if kind == OTHER and _HASHED.fullmatch(name):
        kind = _OF_BACKUPS.get(parent.rpartition("/")[2], OTHER)
    if kind == OTHER and parent.rpartition("/")[2] == ".ssh" and name not in _NO_KEYS:
        return OTHER if name.endswith(".pub") else SECRET
    if kind == OTHER and (parent.rpartition("/")[2] in _MAILDIR or parent.endswith(_MAILBOXES)):
        return MAIL
    return kind
