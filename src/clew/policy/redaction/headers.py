"""Secrets in authentication headers: `Authorization`, `Cookie` and similar ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from clew.policy.redaction.names import is_open, looks_made_up

Span = tuple[int, int]

_SCHEMES = "bearer|basic|digest|token|negotiate|apikey|aws4-hmac-sha256|hawk|oauth|key|ssws|bot"


def find_headers(text: str, *, typed: bool) -> Iterator[Span]:
    """Yield the spans of header values; in `typed` text they must look like secrets."""
    for found in _authorization().finditer(text):
        value = found["value"]
        # in prose: `authorization: check roles before a delete`
        is_prose = typed and not found["scheme"] and not found["quoted"] and " " in value.strip()
        if text[found.end() : found.end() + 1] in ('"', "'") and len(value) == 1:
            continue  # source code with a string prefix: f"…"
        if not is_open(value) and not (is_prose and not looks_made_up(value.split()[0])):
            yield found.span("value")
    for found in _digest().finditer(text):
        yield found.span("value")
    for found in _bearer().finditer(text):
        yield found.span("value")
    for found in _cookie().finditer(text):
        yield found.span("value")


@cache
def _authorization() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w-])(?:proxy-)?authorization(?:\\{0,4}[\"'])?"
        # nginx and code have no colon: `Authorization "Basic x"`, `("Authorization", "Basic x")`
        rf"(?:[ \t]{{0,8}}+[:=][ \t]{{0,8}}+|,?[ \t]{{1,8}}(?=\\{{0,4}}[\"'](?:{_SCHEMES})[ \t]))"
        r"(?P<quoted>\\{0,4}[\"'])?+"
        rf"(?P<scheme>(?:{_SCHEMES})(?:[ \t]|%20){{1,8}}+)?+(?!\[redacted\])(?P<value>[^\n\\\"'`]++)",
        re.IGNORECASE,
    )


@cache
def _digest() -> re.Pattern[str]:
    """Return the pattern of the digest scheme, the only one with quotes in its value."""
    return re.compile(
        r"authorization(?:\\{0,4}[\"'])?[ \t]{0,8}+[:=][ \t]{0,8}+(?:\\{0,4}[\"'])?+digest[ \t]{1,8}+"
        r"(?!\[redacted\])(?P<value>[^\n]++)",
        re.IGNORECASE,
    )


@cache
def _bearer() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w-])bearer(?:[ \t]|%20){1,8}+(?P<value>[A-Za-z0-9._~+/=-]{16,}+)", re.IGNORECASE
    )


@cache
def _cookie() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w-])(?:set-)?cookie(?:\\{0,4}[\"'])?[ \t]{0,8}+:[ \t]{0,8}+(?:\\{0,4}[\"'])?+"
        r"[\w.-]{1,100}+=(?!\[redacted\]|\$)(?P<value>[^\n\\\"']++)",
        re.IGNORECASE,
    )
