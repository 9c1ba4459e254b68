"""Secrets in prose: `the password is hunter2`, `use API key 8f3a…`.

After `is`, `to` or a colon, anything but a plain word counts as the secret; right after the name it
must look random: `token oauth2` and `password v2` are not secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from clew.policy.redaction.names import (
    is_open,
    looks_chosen,
    looks_made_up,
    looks_random,
    names_password,
    names_secret,
)

Span = tuple[int, int]

_NEAR = 60
"""Characters after a word for an account in which its password is searched for."""


def find_in_prose(text: str) -> Iterator[Span]:
    """Yield the spans of secrets in sentences."""
    yield from _said(text)
    for found in _pattern("changed").finditer(text) if " from " in text else ():
        for name in ("old", "new"):
            if looks_made_up(found[name] or ""):
                yield found.span(name)
    for found in _pattern("account").finditer(text):
        for word in _pattern("word").finditer(text, found.end(), found.end() + _NEAR):
            if looks_chosen(word[0]):
                yield word.span()
    for found in _pattern("identifier").finditer(text):
        looks_secret = looks_made_up if names_password(found["name"]) else looks_random
        if names_secret(found["name"]) and looks_secret(found["value"]):
            yield found.span("value")
    for found in _pattern("both").finditer(text) if "/" in text else ():
        if not is_open(found["value"]):
            yield found.span("value")


def _said(text: str) -> Iterator[Span]:
    for found in _pattern("said").finditer(text):
        word = found["value"]
        if found["quote"]:
            is_secret = not is_open(word) and found["link"] is not None and " " not in word
            is_secret = is_secret and (found["quote"] != "`" or looks_made_up(word))
            is_password = found[0][:4].lower() == "pass"
            is_secret = is_secret or (looks_made_up if is_password else looks_random)(word)
        else:
            is_secret = looks_made_up(word) if found["link"] else looks_random(word)
        if is_secret:
            end = found.end("value")
            bare = word.rstrip(".,;:!?)]}'\"")
            yield found.start("value"), end if found["quote"] else end - len(word) + len(bare)


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern, compiled on first use to keep the import fast."""
    noun = (
        r"pass(?:word|wd|phrase|code)|pwd|pw|(?:api|access|auth|bearer|refresh|deploy|push|bot|session)"
        r"[ -]?(?:key|token|secret)|token|secret(?:[ -](?:access[ -])?key)?|private[ -]key|credentials?"
        r"|(?:maps?|license|licence|signing|encryption|master|admin)[ -]key"
        r"|passw(?:ort|oord)|wachtwoord|kennwort|mot de passe|contrase[ñn]a|senha"
    )
    filler = (
        r"value|string|for|of|on|the|new|old|user|root|admin|db|database|app|is|was|now|set|changed"
        r"|reset|rotated|following|below|f[üu]r|von|vom|der|die|das|pour|para|de|del|la|le|el"
    )
    return re.compile(
        {
            "changed": (
                rf"(?i:(?<![\w-])(?:{noun})s?[ \t]{{1,3}}from)[ \t]{{1,3}}[\"'`]?(?P<old>[^\s\"'`]{{1,400}})"
                r"(?:[\"'`]?[ \t]{1,3}to[ \t]{1,3}[\"'`]?(?P<new>[^\s\"'`]{1,400}))?"
            ),
            "account": r"(?i:(?<![\w-])(?:creds|credentials|login|pass|pw))(?=[ \t:,])",
            "word": r"[^\s\"'`]{1,400}",
            # `user/pass: anna/x`
            "both": (
                r"(?i:(?<![\w-])(?:user(?:name)?|login)[ ]?/[ ]?(?:pass(?:word|wd)?|pwd?))[ \t]{0,3}[:=]"
                r"[ \t]{0,3}[^\s/]{1,100}+[ ]?/[ ]?(?P<value>[^\s/]{1,400}+)"
            ),
            "identifier": (
                r"(?<![\w-])(?P<name>[A-Za-z][A-Za-z0-9]{0,40}+(?:[_-][A-Za-z0-9]{1,40}+){1,6}+)"
                r"[ \t]{1,3}(?:<\(echo[ ])?(?P<value>[^\s;|&<>()\"'`-][^\s;|&<>()\"'`]{7,4000})"
            ),
            "said": (
                rf"(?i:(?<![\w-])(?:{noun})s?)(?:[ \t]{{1,3}}(?i:{filler})){{0,4}}?"
                r"(?:(?i:(?<=[ \t]for)|(?<=[ \t]of)|(?<=[ \t]on)|(?<=[ \t]f[üu]r)|(?<=[ \t]de)|(?<=[ \t]pour)|(?<=[ \t]para))[ \t]\S{1,40}?(?=:))?"
                r"(?P<link>[ \t]{0,3}(?:\*{0,2}[:=]\*{0,2}|->|=>|→|⇒|(?<=[ \t])(?i:is|was|to|will[ ]be|should[ ]be|now|ist|lautet|war|est|es|é|ser[áa])(?=[ \t])))?+"
                rf"[ \t]{{1,3}}(?!(?i:{filler})[ \t]|[<>|&$(])(?P<quote>[\"'`])?"
                r"(?P<value>(?(quote)[^\s\"'`][^\"'`\n]{0,400}(?=[\"'`])|\S{1,4000}))"
            ),
        }[name]
    )
