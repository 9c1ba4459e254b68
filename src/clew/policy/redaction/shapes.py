"""Secrets recognized by their format: private keys, password hashes, tokens, URLs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from clew.policy.redaction.names import is_open
from clew.policy.redaction.tokens import TOKENS

Span = tuple[int, int]


def find_shapes(text: str) -> Iterator[Span]:
    """Yield the spans of secrets that are recognized without a name."""
    small = text.lower()
    for sign, shape in _WHOLE:
        for found in _compiled(shape).finditer(text) if sign in small else ():
            yield found.span()
    # A pattern of all tokens takes milliseconds to compile; a text has signs of few.
    signed = tuple([number for number, sign in _SIGNS if sign in small])
    for found in _tokens(signed).finditer(text):
        yield found.span()
    for sign, shape in _WITH_HEAD:
        for found in _compiled(shape).finditer(text) if sign in small else ():
            if not is_open(found["value"]):
                yield found.span("value")


_SIGNS = tuple((number, token.sign) for number, token in enumerate(TOKENS))


@lru_cache(maxsize=256)
def _tokens(numbers: tuple[int, ...]) -> re.Pattern[str]:
    """Return the pattern of some kinds of tokens.

    A token with a distinct prefix is also found as part of a name, after `_` or `-`.
    """
    strict = "|".join(TOKENS[number].shape for number in numbers if TOKENS[number].is_strict)
    loose = "|".join(TOKENS[number].shape for number in numbers if not TOKENS[number].is_strict)
    either = [rf"(?<![A-Za-z0-9_-])(?:{strict})"] if strict else []
    either += [rf"(?<![A-Za-z0-9])(?:{loose})"] if loose else []
    return re.compile("|".join(either))


@cache
def _compiled(shape: str) -> re.Pattern[str]:
    """Return a pattern, compiled on first use to keep the import fast."""
    return re.compile(shape, re.DOTALL)


_PRIVATE_KEY = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_SALT = r"[A-Za-z0-9./+=,$_-]"

_WHOLE = (
    ("-----begin", rf"-----BEGIN {_PRIVATE_KEY}.*?(?:-----END {_PRIVATE_KEY}|\Z)"),
    # a key without its beginning
    ("-----end", rf"\A[A-Za-z0-9+/=\s]++-----END {_PRIVATE_KEY}"),
    # hashes of passwords, which can be guessed: crypt, Django, LDAP
    ("$", rf"(?<![A-Za-z0-9$])\$(?:1|5|6|7|2[abxy]?|y|gy|apr1|md5|sha1|scrypt|argon2(?:id|[id]))\${_SALT}{{20,}}+"),
    ("$", rf"(?<![A-Za-z0-9])(?:pbkdf2_sha\d{{1,3}}|bcrypt(?:_sha256)?|argon2|scrypt|sha1)\${_SALT}{{20,}}+"),
    ("{s", r"\{(?:SSHA|SHA|SMD5)(?:256|384|512)?\}[A-Za-z0-9+/]{20,}+={0,2}"),
)  # fmt: skip
"""A sign, and a pattern that is redacted as a whole."""

_SCHEME = r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]*+://"
_USER = r"[^\s/:@\"'<>]*+"

_WITH_HEAD = (
    ("://", rf"{_SCHEME}{_USER}:(?P<value>[^\s/\"'<>]+)(?=@)"),
    # an unencoded slash in the password; after a port it begins the path
    ("://", rf"{_SCHEME}{_USER}:(?!\d{{1,5}}/)(?P<value>[^\s@\"'<>]{{1,200}}+)(?=@[\w\[])"),
    # a URL as a parameter of another
    (
        "%3a%2f%2f",
        r"(?i:%3a%2f%2f)[^\s/@%\"'<>]{0,200}+(?i:%3a)(?P<value>[^\s@\"'<>]{1,400}?)(?=%40)",
    ),
    # a token in place of the user
    ("://", rf"{_SCHEME}(?P<value>[^\s/:@\"'<>]{{20,}}+)(?=@|:[^\s/@\"'<>]{{1,200}}+@)"),
    # the address of Go's driver for MySQL, without a scheme
    ("(", r"(?<![\w.-])[\w.-]{1,80}:(?P<value>[^\s@\"'`]{1,200}+)(?=@(?:tcp6?|unix|udp)\()"),
    # addresses that are secrets themselves
    (
        "hooks.slack",
        r"(?i:hooks\.slack\.com/(?:services|workflows|triggers)/)(?P<value>[A-Za-z0-9/_-]{20,}+)",
    ),
    ("discord", r"(?i:discord(?:app)?\.com/api/webhooks/)\d{5,}+/(?P<value>[A-Za-z0-9_-]{20,}+)"),
    ("office.com", r"(?i:office\.com/webhook(?:b2)?/)(?P<value>[A-Za-z0-9@/_-]{40,}+)"),
    ("/t/", r"/t/(?P<value>[a-z]{2}-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12})(?=/)"),
    ("zapier", r"(?i:hooks\.zapier\.com/hooks/catch/)(?P<value>[A-Za-z0-9/]{8,}+)"),
    ("ifttt", r"(?i:maker\.ifttt\.com/)[^\s\"'<>]{0,200}?/key/(?P<value>[A-Za-z0-9_-]{16,}+)"),
)
"""A sign, and a pattern of which the group `value` is redacted."""
