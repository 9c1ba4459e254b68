"""A cheap test whether a name may hold a token: a listing has a hundred thousand names.

A token has a prefix that many names have by chance, and a random part, which few have: letters of
both cases and digits that alternate.
"""

from __future__ import annotations

import re
from functools import cache

_FREQUENT = (
    "k_live_", "k-live-", "k_test_", "k-test-", "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_",
    "glpat-", "xox", "akia", "asia", "npm_", "hf_", "sk-", "eyj", "aiza", "sntry", "pypi-", "shp",
)  # fmt: skip
"""Prefixes after which even a part that is not random is taken for a token."""
_SHORTEST_RUN = 14
_PIECES = 6
"""Pieces of one kind of character that make a run random."""
_LETTERS = 16
"""Length of a run of capitals and digits that may be random without alternating."""


def may_hold_token(name: str) -> bool:
    """Return whether a name may hold a token, a password in an address or a key; in doubt, it may."""
    if "://" in name or "-----" in name or "$" in name:
        return True
    runs = _runs().findall(name)
    if not runs:
        return False
    small = name.lower()
    return any(prefix in small for prefix in _FREQUENT) or any(map(_is_mixed, runs))


def _is_mixed(run: str) -> bool:
    if run.upper() == run and len(run) >= _LETTERS:
        return True
    return len(_pieces().findall(run)) >= _PIECES


@cache
def _runs() -> re.Pattern[str]:
    return re.compile(rf"[A-Za-z0-9_-]{{{_SHORTEST_RUN},}}")


@cache
def _pieces() -> re.Pattern[str]:
    return re.compile(r"[A-Z]+|[a-z]+|[0-9]+")
