"""Emptied settings: a file that configures something has no bytes any more, or only zeros.

A program that crashes while it saves leaves such a file.  Nobody empties settings to keep them, except
where an empty file has a meaning: units of systemd, parts of a `.d` directory, patterns, templates.
"""

from __future__ import annotations

import re
from functools import lru_cache

from clew.detectors.data.data_facts import beginning
from clew.detectors.detector import Evidence, PathChange
from clew.detectors.formats.reading import syntax_of
from clew.detectors.losses.record_places import is_transient
from clew.detectors.security.test_data import is_test_data

_SYNTAXES = frozenset((
    "json", "toml", "yaml", "configparser", "git", "mysql", "conf", "properties", "keywords",
    "sections", "tfvars", "xml", "plist", "config",
))  # fmt: skip
_NAMES = frozenset((
    "Dockerfile", "Containerfile", "Makefile", "GNUmakefile", "Justfile", "justfile", "Jenkinsfile",
    "Vagrantfile", "Gemfile", "Podfile", "CMakeLists.txt", "crontab",
))  # fmt: skip
COMMON_SETTINGS = (
    ".json",
    ".toml",
    ".yaml",
    ".yml",
    ".ini",
    ".cfg",
    ".conf",
    ".xml",
    ".properties",
)
"""Files that are compared with zeros, if they have the size that they had."""
_SUFFIXES = (".tf", ".hcl", ".nix", ".bicep", ".gradle", ".kts")
_PATTERN = re.compile(
    r"example|sample|template|\bdist\b|\btmpl\b|\btpl\b|lock|state|cache|history|\bpid\b"
)
"""Words of files that show what others look like, or that programs empty."""
_SAMPLE = 4096
_COMMENT = re.compile(rb"[ \t]*+(?:#|;|//|<!--|<\?xml|---)[^\n]*+")
_WORD = re.compile(rb"[A-Za-z0-9_]")
_ZEROS = 16


@lru_cache(maxsize=4096)
def is_settings(name: str) -> bool:
    """Return whether a file of this name configures something, so that an empty one is broken."""
    if syntax_of(name) not in _SYNTAXES and name not in _NAMES and not name.endswith(_SUFFIXES):
        return False
    return not _PATTERN.search(name.lower()) and not is_transient(name)


def is_emptied(evidence: Evidence, change: PathChange) -> bool:
    """Return whether a file of settings lost everything that it said."""
    new = change.new
    if new is None or not is_settings(change.name) or change.parent.endswith(".d"):
        return False
    if is_test_data(change.path):
        return False
    if new.size and (new.size < _ZEROS or not _are_zeros(evidence, change)):
        return False
    return _says_something(beginning(evidence.old, change.path, _SAMPLE))


def _are_zeros(evidence: Evidence, change: PathChange) -> bool:
    now = beginning(evidence.new, change.path, _SAMPLE)
    return len(now) >= _ZEROS and not now.strip(b"\0")


def _says_something(content: bytes) -> bool:
    return any(
        _WORD.search(line) and not _COMMENT.fullmatch(line.rstrip(b"\r"))
        for line in content.split(b"\n")
    )
