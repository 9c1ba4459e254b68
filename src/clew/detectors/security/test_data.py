"""Directories of test data, examples and documentation: what is in them is not in use."""

from __future__ import annotations

_DIRECTORIES = frozenset((
    "test", "tests", "testing", "testdata", "test-data", "test_data", "testfiles", "test-fixtures",
    "fixtures", "__fixtures__", "fixture", "spec", "specs", "__tests__", "e2e", "cypress",
    "examples", "example", "samples", "sample", "demo", "demos", "doc", "docs", "mocks",
    "__mocks__", "snapshots", "__snapshots__",
))  # fmt: skip


def is_test_data(path: str) -> bool:
    """Return whether a file is in a directory of test data or examples."""
    return not _DIRECTORIES.isdisjoint(path.lower().split("/")[:-1])
