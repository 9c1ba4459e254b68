"""Display of setting names: names that look like secrets are shown as `…`.

Most secrets are in values, but `{"tokens": {"ghp_…": "alice"}}` is JSON as well.
A name hidden by mistake costs a look into the file; a shown secret costs more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

HIDDEN = "…"

_MAX_LENGTH = 80
_TOKEN = 16
"""The minimum length of a random token."""
_PREFIX = re.compile(
    r"(?:sk|pk|rk)[-_]|gh[oprsu]_|github_pat_|xox[a-z]-|AKIA|ASIA|glpat-|eyJ|npm_|pypi-|AIza|hf_"
    r"|ya29\.|SG\.|dop_v1_|shpat_"
)
_HEX = re.compile(r"[0-9a-fA-F-]{24,}")
_WORD = re.compile(r"[A-Za-z0-9+/=]+")


def shown_path(path: Sequence[str]) -> str:
    """Return `server.port`; parts that look like a secret and an overlong rest are omitted."""
    text = ".".join(shown_name(part) for part in path)
    return text if len(text) <= _MAX_LENGTH else HIDDEN


def shown_name(name: str) -> str:
    """Return a name, or `…` if it may be a secret."""
    return HIDDEN if _looks_secret(name) or "‹" in name else name


def _looks_secret(name: str) -> bool:
    if len(name) > _MAX_LENGTH or "-----BEGIN" in name:
        return True
    if "://" in name and ("@" in name or "?" in name):
        return True
    digits = sum(letter.isdigit() for letter in name)
    if _PREFIX.match(name) and len(name) >= _TOKEN and digits:
        return True
    if digits and _HEX.fullmatch(name):
        return True
    return any(_looks_random(word) for word in _WORD.findall(name))


def _looks_random(word: str) -> bool:
    """Return whether a word is a token: letter case and digits alternate often."""
    if len(word) < _TOKEN or not any(letter.isdigit() for letter in word):
        return False
    classes = [_class_of(letter) for letter in word]
    turns = sum(one != other for one, other in pairwise(classes))
    return turns > len(word) * (0.4 if "U" in classes and "l" in classes else 0.25)


def _class_of(letter: str) -> str:
    if letter.isdigit():
        return "0"
    return "U" if letter.isupper() else "l" if letter.islower() else "-"
