"""Parser for `.git/config`: remotes, the hooks path and the object format.

Includes are not followed and nothing is run; lines that cannot be parsed are skipped.
URLs may contain a password: only what `clean_url` returns may be shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.model.named_tuple import NamedTuple

_LIMIT = 1 << 20
_MAX_LINES = 20_000
_MAX_URL_LENGTH = 200

_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\]|\\.)*+)")?\s*\]')
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*+)://(?:[^/?#]*@)?([^?#]*)", re.S)

Config = dict[tuple[str, str], dict[str, list[str]]]
"""Values by section and subsection, then by key; section and key are in lower case."""


class Remote(NamedTuple):
    """URLs of a remote as configured; they may contain a password."""

    url: str
    push_url: str = ""


def parse_config(content: bytes | None) -> Config:
    """Return the parsed settings of a configuration file."""
    found: Config = {}
    section = ("", "")
    for line in _logical_lines((content or b"")[:_LIMIT].decode("utf-8", "surrogateescape")):
        text = line.strip()
        header = _SECTION.match(text)
        if header:
            section = _named(header[1], header[2])
            text = text[header.end() :].strip()
        if not text or text[0] in "#;[":
            continue
        key, equals, value = text.partition("=")
        name = key.strip().lower()
        found.setdefault(section, {}).setdefault(name, []).append(
            _value(value) if equals else "true"
        )
    return found


def value_of(config: Config, section: str, key: str) -> str:
    """Return the last value of a key in a section without subsection, or ""."""
    return config.get((section, ""), {}).get(key, [""])[-1]


def remotes_of(config: Config) -> dict[str, Remote]:
    """Return every remote that has a URL."""
    found = {}
    for (section, name), values in config.items():
        url = values.get("url", [""])[-1]
        if section == "remote" and name and url:
            found[name] = Remote(url, values.get("pushurl", [""])[-1])
    return found


def clean_url(url: str) -> str:
    """Return a URL without user, password and query; `git@host:path` keeps its user."""
    match = _URL.match(url)
    if match:
        return f"{match[1]}://{match[2]}"[:_MAX_URL_LENGTH]
    head, at, rest = url.partition("@")
    if at and (":" in head or "://" in url):  # `user:password@…` of an unknown form
        url = rest.rpartition("@")[2]
    return url.partition("?")[0][:_MAX_URL_LENGTH]


def _logical_lines(text: str) -> Iterator[str]:
    """Yield lines, joined where one ends in a backslash."""
    joined: list[str] = []
    for line in text.split("\n", _MAX_LINES)[:_MAX_LINES]:
        stripped = line.rstrip("\r")
        if (len(stripped) - len(stripped.rstrip("\\"))) % 2:
            joined.append(stripped[:-1])
            continue
        yield "".join([*joined, stripped])
        joined = []


def _named(name: str, quoted: str | None) -> tuple[str, str]:
    if quoted is not None:
        return name.lower(), re.sub(r"\\(.)", r"\1", quoted)
    section, _, old_style = name.lower().partition(".")
    return section, old_style


def _value(raw: str) -> str:
    """Return a value without quotes, escapes and trailing comment."""
    found: list[str] = []
    in_quotes = False
    characters = iter(raw.strip())
    for character in characters:
        if character == '"':
            in_quotes = not in_quotes
        elif character == "\\":
            found.append(next(characters, "").translate(_ESCAPES))
        elif character in "#;" and not in_quotes:
            break
        else:
            found.append(character)
    return "".join(found).strip()


_ESCAPES = str.maketrans({"n": "\n", "t": "\t", "b": "\b"})
