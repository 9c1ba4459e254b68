"""Names of audit trails: logs that are records, which nobody may shorten.

`audit.log`, `payments-ledger.jsonl`, `auth.log`, `.bash_history`.
A rotated copy (`audit.log.3.gz`) belongs to its log and is deleted by retention.
"""

from __future__ import annotations

import re

from clew.detectors.files.logs import HISTORIES, base_of

_WORDS = frozenset((
    "audit", "audits", "auditlog", "audittrail", "trail", "journal", "ledger", "history",
    "transactions", "transaction", "payments", "consent", "consents", "evidence", "custody",
    "eventstore",
))  # fmt: skip
_STRONG = frozenset(("audit", "audits", "auditlog", "audittrail", "trail", "ledger"))
"""Words that make a record of any plain file, not only of one with the name of a log."""
_LOGS = frozenset((".log", ".out"))
_PLAIN = frozenset(("", ".log", ".out", ".txt", ".jsonl", ".ndjson", ".csv", ".tsv", ".journal"))
_MAYBE = re.compile(
    r"audit|trail|ledger|journal|history|transaction|payments|consent|evidence|custody|eventstore|"
    r"tmp$|lastlog|secure$|auth\.log|tmp\.db$|dbshell", re.I,
)  # fmt: skip
"""Most names are none of these, which is found out fast."""
_PARTS = re.compile(r"[^a-z]+")
_LOGINS = frozenset(("wtmp", "btmp", "lastlog", "wtmp.db", "lastlog2.db", "auth.log", "secure"))
"""In `var/log`: who logged in."""
_NEVER = ("var/log/journal/", "var/log/apt/")


def is_audit_trail(path: str) -> bool:
    """Return whether a file is an audit trail, by its name."""
    parent, _, name = path.rpartition("/")
    return _MAYBE.search(name) is not None and _is_audit_trail(parent, name)


def _is_audit_trail(parent: str, name: str) -> bool:
    path = f"{parent}/{name}" if parent else name
    if name in HISTORIES or (parent == "var/log" and name in _LOGINS):
        return True
    if base_of(path) != path or path.startswith(_NEVER):
        return False
    lower = name.lower()
    suffix = lower[lower.rfind(".") :] if "." in lower.lstrip(".") else ""
    words = frozenset(_PARTS.split(lower.removesuffix(suffix)))
    if not _STRONG.isdisjoint(words):
        return suffix in _PLAIN
    return suffix in _LOGS and not _WORDS.isdisjoint(words)
