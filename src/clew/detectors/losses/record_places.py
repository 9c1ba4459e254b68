"""Files of records among settings: which tracked JSON, YAML, XML and text files hold data.

A file of settings that becomes shorter has its own detector, which names the settings.
"""

from __future__ import annotations

import re

from clew.detectors.detector import PathChange

_DIRECTORIES = frozenset((
    "data", "_data", "dataset", "datasets", "fixtures", "__fixtures__", "seeds", "seed", "db",
    "database", "content", "exports", "export", "dumps", "backup", "backups", "locales", "locale",
    "i18n", "translations", "records", "samples", "testdata", "test-data", "input", "inputs", "raw",
    "processed", "annotations", "labels", "corpus", "collections", "catalog", "feeds",
))  # fmt: skip
_WORDS = re.compile(
    r"seed|data|user|customer|product|order|price|record|export|dump|catalog|inventory|contact|"
    r"event|transaction|invoice|article|post|question|answer|translation|message|annotation|label|"
    r"collection|database|backup|history|entries|items|list"
)
_SETTINGS = re.compile(
    r"^package|^tsconfig|^jsconfig|^composer|manifest|config|settings|^\.|^docker-compose|^compose|"
    r"^openapi|^swagger|schema|^launch|^tasks|^lerna|^nx|^turbo|^vercel|^renovate|^angular|"
    r"workflow|^values|^chart|^kustomiz|^deployment|^service|^mkdocs|^pubspec|^pnpm|lock|^\w+rc$"
)


_TRANSIENT = re.compile(r"queue|pending|session|cache|progress|cursor|offset|heartbeat|spool")
"""Words of files that programs fill and empty."""


def are_settings(name: str) -> bool:
    """Return whether a file of JSON, YAML or XML is settings by its name."""
    return _SETTINGS.search(name.lower()) is not None


def is_transient(name: str) -> bool:
    """Return whether a program fills and empties a file all the time, by its name."""
    return _TRANSIENT.search(name.lower()) is not None


def holds_records(change: PathChange) -> bool:
    """Return whether a file holds records rather than settings, by its place and name."""
    *above, name = change.path.lower().split("/")
    if are_settings(name):
        return False
    return not _DIRECTORIES.isdisjoint(above) or bool(_WORDS.search(name))
