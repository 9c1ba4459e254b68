"""Values that look like secrets: tokens of known formats, private keys, random assigned values."""

from __future__ import annotations

import re

from clew.detectors.files.key_names import shown_name
from clew.model.named_tuple import NamedTuple

SEARCHED_SIZE = 256 << 10
"""The largest file that is searched."""

_SHAPES = re.compile(
    rb"(?<![A-Za-z0-9_-])(?:(?P<aws>(?:AKIA|ASIA)[A-Z0-9]{16})(?![A-Za-z0-9])"
    rb"|(?P<github>gh[oprsu]_[A-Za-z0-9]{36,}+|github_pat_[A-Za-z0-9_]{40,}+)"
    rb"|(?P<gitlab>glpat-[A-Za-z0-9_-]{20,}+)"
    rb"|(?P<npm>npm_[A-Za-z0-9]{36,}+)"
    rb"|(?P<huggingface>hf_[A-Za-z0-9]{34,}+)"
    rb"|(?P<pypi>pypi-[A-Za-z0-9_-]{60,}+)"
    rb"|(?P<google>AIza[A-Za-z0-9_-]{35})(?![A-Za-z0-9_-])"
    rb"|(?P<slack>xox[abprs]-[A-Za-z0-9-]{20,}+)"
    rb"|(?P<stripe>[rs]k_live_[A-Za-z0-9]{20,}+)"
    rb"|(?P<anthropic>sk-ant-[A-Za-z0-9_-]{40,}+)"
    rb"|(?P<openai>sk-(?:proj-)?[A-Za-z0-9_-]{40,}+))"
)
_HINTS = (b"AKIA", b"ASIA", b"gh", b"glpat-", b"npm_", b"hf_", b"pypi-", b"AIza", b"xox", b"k_live_",
          b"sk-", b"PRIVATE KEY-----")  # fmt: skip
_WORDS = (
    b"secret",
    b"token",
    b"passw",
    b"apikey",
    b"api_key",
    b"api-key",
    b"access_key",
    b"private_key",
)
_ASSIGNMENT = re.compile(
    rb"(?<![\w.-])([\w.-]{0,40}(?:secret|token|passw|api_?-?key|access_?key|private_?key)[\w.-]{0,40}+)"
    rb"[\"']?\s{0,3}[=:]{1,2}>?\s{0,3}[\"']?([A-Za-z0-9+/=_.~-]{20,200}+)(?=[\"'\s,;]|$)",
    re.I | re.M,
)
_EXAMPLES = (
    b"example",
    b"xxxx",
    b"changeme",
    b"your",
    b"placeholder",
    b"dummy",
    b"sample",
    b"00000",
    b"test",
)


class Secret(NamedTuple):
    """A value that looks like a secret, and the name that is shown instead."""

    name: str
    value: bytes


def secrets_in(text: bytes) -> set[Secret]:
    """Return what looks like a secret in a text, each with a name that may be shown."""
    if b"\0" in text[:8_000]:
        return set()
    found = set()
    if any(hint in text for hint in _HINTS):
        for match in _SHAPES.finditer(text):
            if not is_example(match[0]):
                found.add(Secret(f"a token ({match.lastgroup})", match[0]))
        if b"-----BEGIN " in text and b"PRIVATE KEY-----\n" in text:
            found.add(Secret("a private key", b"PRIVATE KEY-----\n"))
    small = text.lower()
    if any(word in small for word in _WORDS):
        for match in _ASSIGNMENT.finditer(text):
            if _looks_random(match[2]):
                name = match[1].decode("ascii", "replace").strip(".-")
                found.add(Secret(shown_name(name), match[2]))
    return found


def is_example(value: bytes) -> bool:
    """Return whether a value is a placeholder."""
    small = value.lower()
    return any(word in small for word in _EXAMPLES)


def _looks_random(value: bytes) -> bool:
    """Return whether a value looks like a key: mixed letters and digits, many distinct ones."""
    if is_example(value) or value.count(b".") > 2:
        return False
    digits = sum(48 <= byte <= 57 for byte in value)
    letters = sum(65 <= byte <= 90 or 97 <= byte <= 122 for byte in value)
    return digits >= 3 and letters >= 3 and len(set(value)) >= 10
