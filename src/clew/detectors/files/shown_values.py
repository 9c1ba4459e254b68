"""Values that may be shown: short words and numbers that cannot be secrets.

A value is shown if three things hold: no name on its path is that of a secret, it is short, and it
is written like an option: a number, a boolean, a version, a size, a word of a language, an address
without a user.  Everything else is hidden.
A value hidden by mistake costs a look into the file; a shown secret costs more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from clew.detectors.formats.values import Hidden, Shown, Value
from clew.policy.redaction.assignments import sounds_secret
from clew.policy.redaction.names import assigns_secret, names_secret

_MAX_LENGTH = 40
_MAX_DIGITS = 12
"""Longer numbers may be those of cards, accounts and phones."""
_SECRET_LAST = frozenset((
    "key", "keys", "pass", "pwd", "pw", "auth", "otp", "jwt", "pin", "pins", "cvv", "cvc", "salt",
    "seed", "nonce", "dsn", "cookie", "cookies", "cert", "certificate", "hash", "digest", "sid",
    "signature", "session", "webhook", "hook", "phrase", "mnemonic", "private", "bearer", "login",
    "iban", "ssn", "license", "licence", "code", "sas", "psk", "passwort", "kennwort", "clave",
))  # fmt: skip
"""Last words of names whose values are not shown, however they look."""
_SECRET_PLACES = ("secret", "credential", "password", "passwd", "vault", "apikey", "privatekey")
"""Words in the name of a file whose values are never shown."""
_HIDDEN_PLACES = frozenset(("environment", "env", "envs", "variables", "stringData", "buildArgs"))
"""Names of mappings whose values may be secret whatever their names."""
_NAME_WORDS = re.compile(r"[A-Z]++(?![a-z])|[A-Z]?[a-z]++|[0-9]++")
_NUMBER = re.compile(
    r"[-+]?(?:\d{1,12}(?:[._]\d{1,12}){0,3}|\.\d{1,12})(?:e[-+]?\d{1,3})?|0[xob][0-9a-fA-F]{1,8}",
    re.I,
)
_WORD = re.compile(r"[A-Za-z0-9._+/:@~^<>=!*,%-]++")
_PART = re.compile(r"[A-Za-z0-9]++")
_MIXED = re.compile(
    r"[A-Za-z]{1,3}\d{1,4}|\d{1,6}[A-Za-z]{1,3}|v\d{1,4}[a-z]{1,5}\d{0,3}|\d{1,4}(?:a|b|rc|beta|alpha|dev|post)\d{1,4}"
    r"|(?:TLSv|SSLv|HTTP|http|ipv|IPv|sha|SHA|utf|UTF|es|ES|md|rsa|RSA|ed|base|oauth|node|python|cp|py|php"
    r"|java|jdk|ruby|go|rust|net|netstandard|ubuntu|debian|bookworm|alpine|fedora|centos|rhel|el|postgres"
    r"|postgresql|mysql|redis|mongo|mariadb|windows|macos|ios|android|arm|amd|x|i|k|s|gpt|zone|region|level"
    r"|linux|argon|http2|web|log|db|app|slot|shard|pool|worker|host|server|test|stage|eth|ens|wlan|lib)\d{1,5}",
)
"""Letters and digits in one word of a technical language."""
_SCHEDULE = re.compile(r"(?:[\d*][\d*/,-]{0,12}[ \t]++){4}[\d*][\d*/,A-Za-z-]{0,12}")
_VERSIONS = re.compile(
    r"[~^<>=!]{1,2} ?v?\d[\d.*]{0,15}(?:, ?[~^<>=!]{1,2} ?v?\d[\d.*]{0,15}){0,3}"
)
_ASSIGNED = re.compile(r"[A-Za-z_][\w.-]*+=")
"""`NAME=value`: a variable, whose value may be secret."""
_COMMENT = re.compile(r"(?<=[ \t])[#;]")
_ADDRESS = re.compile(
    r"([a-z][a-z0-9+.-]{1,15})://([A-Za-z0-9._-]{1,80}(?::\d{1,5})?)(/[A-Za-z0-9._~/-]*+)?"
)


def shown_value(path: Sequence[str], value: Value) -> str | None:
    """Return the text of a value if it may be shown at its path, else None."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, Shown):
        return value
    if not isinstance(value, str) or isinstance(value, Hidden):
        return None
    is_number = _NUMBER.fullmatch(value) is not None
    if is_secret_path(path, is_number=is_number):
        return None
    return shown_text(value)


def shown_text(text: str) -> str | None:
    """Return a word, number, version or address if it cannot be a secret, else None."""
    text = _bare(text)
    if text == "":
        return '""'
    if len(text) > _MAX_LENGTH * 2 or (len(text) > _MAX_LENGTH and "://" not in text):
        return None
    if _NUMBER.fullmatch(text):
        return text if sum(map(str.isdigit, text)) <= _MAX_DIGITS else None
    if "://" in text:
        return _shown_address(text)
    if _SCHEDULE.fullmatch(text) or _VERSIONS.fullmatch(text):
        return text
    if not _WORD.fullmatch(text) or "@" in text[1:] or _ASSIGNED.match(text):
        return None
    return text if all(map(_is_plain_part, _PART.findall(text))) else None


def _bare(text: str) -> str:
    """Return a value without a comment after it and quotes around it."""
    text = _COMMENT.split(text[:1000], maxsplit=1)[0].strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def is_secret_path(path: Sequence[str], *, is_number: bool = False) -> bool:
    """Return whether a name on a path is that of a secret, or of a place of secrets."""
    for number, name in enumerate(path, 1):
        is_last = number == len(path)
        if is_last and is_number and sounds_secret(name) and not assigns_secret(name):
            continue  # `token_limit`, `max_tokens`
        if sounds_secret(name) or names_secret(name):
            return True
        if name in _HIDDEN_PLACES and not is_last:
            return True
        words = _NAME_WORDS.findall(name[-120:])
        last = words[-1].lower() if words else ""
        is_vague = last in _SECRET_LAST or last.endswith(("pass", "pwd", "auth"))
        if is_vague and (is_last or not is_number):
            return True
    return False


def holds_secrets(path: str) -> bool:
    """Return whether a file is one of secrets, whose values are never shown."""
    bare = path.lower().replace("_", "").replace("-", "")
    return bare.endswith(".tfvars") or any(word in bare for word in _SECRET_PLACES)


def _shown_address(text: str) -> str | None:
    """Return an address; its path is shown only if it has no part that could be a key."""
    found = _ADDRESS.fullmatch(text)
    if found is None or not all(map(_is_plain_part, _PART.findall(found[2]))):
        return None
    parts = [part for part in (found[3] or "").split("/") if part]
    is_plain = all(_is_plain_part(part) for name in parts for part in _PART.findall(name))
    rest = (found[3] or "") if is_plain and len(parts) <= 3 else "/…"
    return f"{found[1]}://{found[2]}{rest}"


def _is_plain_part(part: str) -> bool:
    """Return whether letters and digits are a word or a number, not a key."""
    if part.isdigit():
        return len(part) <= 8
    if not part.isalpha():
        return _MIXED.fullmatch(part) is not None
    if len(part) > 24:
        return False
    return len(part) <= 8 or _is_pronounced(part)


def _is_pronounced(word: str) -> bool:
    """Return whether a long word has vowels and few changes of case, unlike a random one."""
    vowels = sum(letter in "aeiouyAEIOUY" for letter in word)
    turns = sum(one.isupper() != other.isupper() for one, other in pairwise(word))
    return vowels * 5 >= len(word) and turns * 3 <= len(word)
