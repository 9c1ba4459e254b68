"""Settings of structured files: a key path for each, and a digest of its value.

Supports JSON (with comments), TOML, INI, properties, and the common part of YAML
(`yaml_keys.py`).  A list is one value.
Values are not returned: a digest only shows whether two are equal.
A file that does not match its suffix, repeats a key, or is nested too deeply has no nameable
settings (None); the caller can still count its lines.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from hashlib import blake2b

from clew.detectors.files.loose_json import strict_json
from clew.detectors.files.yaml_keys import yaml_values

KeyPath = tuple[str, ...]
Keys = dict[KeyPath, bytes]

SIZE_LIMIT = 1 << 20
_TOML_LIMIT = 256 << 10
"""tomllib is slower than linear on unusual input."""
_MAX_DOTS = 100
"""Per line: for a key of 100,000 parts tomllib exhausts memory."""
_MAX_DEPTH = 32
_MAX_KEYS = 20_000

_SECTION = re.compile(r"\[([^\[\]\r\n]{1,200})\]\s*+(?:[#;].*)?$")
_INI_KEY = re.compile(r"[A-Za-z_.*$@/][\w.*$@/\[\]-]{0,99}")
"""One word: in `requirepass hunter2=` the second word is not a name."""


def keys_of(name: str, content: bytes) -> Keys | None:
    """Return the settings of a file, by its suffix; None if they cannot be parsed."""
    read = _READERS.get(syntax_of(name))
    if read is None or len(content) > SIZE_LIMIT:
        return None
    text = _decoded(content)
    if text is None:
        return None
    try:
        return read(text)
    except (ValueError, RecursionError):  # raised by the parsers for malformed or hostile input
        return None


def syntax_of(name: str) -> str:
    """Return the syntax of a file: `json`, `toml`, `ini`, `yaml`, or "" if unknown."""
    return _NAMES.get(name) or _SUFFIXES.get(name[name.rfind(".") :].lower(), "")


def _decoded(content: bytes) -> str | None:
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _json_keys(text: str) -> Keys | None:
    try:
        value = _loads(text)
    except ValueError:
        value = _loads(strict_json(text))
    return _flat(value)


def _loads(text: str) -> object:
    return json.loads(
        text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_object
    )


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands there twice")
    return found


def _toml_keys(text: str) -> Keys | None:
    return _flat(tomllib.loads(text)) if is_safe_toml(text) else None


def is_safe_toml(text: str) -> bool:
    """Return whether tomllib can parse a text in reasonable time and memory."""
    dots = max((line.count(".") for line in text.splitlines()), default=0)
    return len(text) <= _TOML_LIMIT and dots <= _MAX_DOTS


def _flat(value: object) -> Keys | None:
    """Return each leaf under its path; iterative, because trees may be deep."""
    if not isinstance(value, dict):
        return None
    found: Keys = {}
    waiting: list[tuple[KeyPath, object]] = [((), value)]
    while waiting:
        path, one = waiting.pop()
        if isinstance(one, dict) and one and len(path) < _MAX_DEPTH:
            waiting.extend(((*path, str(name)), inner) for name, inner in one.items())
        elif path:
            text = json.dumps(one, sort_keys=True, default=str)
            found[path] = _digest(text)
        if len(found) + len(waiting) > _MAX_KEYS:
            return None
    return found


def _ini_keys(text: str) -> Keys | None:
    """Return the settings of an INI or properties file; None if any line is something else."""
    values: dict[KeyPath, list[str]] = {}
    section: KeyPath = ()
    last: list[str] | None = None
    goes_on = False
    for line in text.splitlines():
        stripped = line.strip()
        is_comment = stripped[:1] in ("#", ";", "!")
        if goes_on and last is not None:
            last.append(stripped)
        elif not stripped or is_comment:
            continue
        elif line[0] in " \t" and last is not None:
            last.append(stripped)
        elif match := _SECTION.match(stripped):
            section, last = (match[1].strip(),), None
        else:
            key, value = _assignment(stripped)
            if not key or (*section, key) in values:
                return None
            last = values[(*section, key)] = [value]
        goes_on = stripped.endswith("\\") and not is_comment
    return _digested(values)


def _assignment(line: str) -> tuple[str, str]:
    """Return key and value; an empty key if the line is not a setting."""
    equals, colon = line.find("="), line.find(":")
    at = min((place for place in (equals, colon) if place > 0), default=0)
    key = line[:at].rstrip()
    if not at or not _INI_KEY.fullmatch(key):
        return "", ""
    return key, line[at + 1 :].strip()


def _yaml_keys(text: str) -> Keys | None:
    values = yaml_values(text)
    return None if values is None else _digested(values)


def _digested(values: dict[KeyPath, list[str]]) -> Keys | None:
    if not values or len(values) > _MAX_KEYS:
        return None
    return {path: _digest("\n".join(lines)) for path, lines in values.items()}


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


_READERS: dict[str, Callable[[str], Keys | None]] = {
    "json": _json_keys,
    "toml": _toml_keys,
    "ini": _ini_keys,
    "yaml": _yaml_keys,
}

_SUFFIXES = {
    ".json": "json", ".jsonc": "json", ".json5": "json", ".webmanifest": "json",
    ".toml": "toml",
    ".ini": "ini", ".cfg": "ini", ".conf": "ini", ".cnf": "ini", ".properties": "ini",
    ".desktop": "ini", ".editorconfig": "ini",
    ".yaml": "yaml", ".yml": "yaml",
}  # fmt: skip

_NAMES = {
    "Pipfile": "toml", ".babelrc": "json", ".eslintrc": "json", ".prettierrc": "json",
    ".swcrc": "json", ".npmrc": "ini", ".yarnrc": "yaml", ".condarc": "yaml", ".flake8": "ini",
    ".pylintrc": "ini", ".coveragerc": "ini", ".gitmodules": "ini", ".clang-format": "yaml",
}  # fmt: skip
