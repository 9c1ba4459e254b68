"""Which changes of tables are losses: rules that all databases share.

A warning is for data that nobody makes again.
A test database is made by the tests, and sessions or cached values come and go.
"""

from __future__ import annotations

import re

_FEW_ROWS = 10
"""The largest loss of rows that raises no warning."""
_DISPOSABLE_DIRECTORIES = frozenset((
    "test", "tests", "testing", "__tests__", "testdata", "test-data", "spec", "specs", "fixtures",
    "e2e", "tmp", "temp", ".tmp", "cache", "caches",
))  # fmt: skip
_DISPOSABLE_NAME = re.compile(
    r"(?<![a-z])(?:tests?|testing|testdb|tmp|temp|cache|scratch)(?![a-z])"
)
_PASSING_ROWS = re.compile(
    r"(?<![a-z])(?:sessions?|caches?|cached|queues?|queued|celery|kombu|tmp|temp|locks?|nonces?)(?![a-z])"
)


def is_disposable(path: str) -> bool:
    """Return whether a database is made by tests, or a cache."""
    *above, name = path.lower().split("/")
    return not _DISPOSABLE_DIRECTORIES.isdisjoint(above) or _has(_DISPOSABLE_NAME, name)


def has_passing_rows(table: str) -> bool:
    """Return whether the rows of a table come and go: sessions, caches, queues."""
    return _has(_PASSING_ROWS, table.lower())


def are_most_rows(lost: int, before: int) -> bool:
    """Return whether most rows of a table are gone, and more than a few."""
    return are_more_than_few(lost) and 2 * lost > before


def are_more_than_few(lost: int) -> bool:
    """Return whether so many lost rows are worth a warning, if their loss was not meant."""
    return lost > _FEW_ROWS


def _has(words: re.Pattern[str], name: str) -> bool:
    return words.search(name[:300].replace("_", "-")) is not None
