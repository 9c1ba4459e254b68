"""Settings of one repository: the author, signatures, and how git pulls, pushes and merges.

Remotes, branches and whatever runs a program have their own detectors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.detectors.files.shown_values import shown_text
from clew.detectors.repositories.git_config import Config
from clew.model.fact import Fact

_SECTIONS = frozenset(
    ("user", "author", "committer", "commit", "tag", "gpg", "push", "pull", "rebase", "fetch")
)
_CORE = frozenset((
    "autocrlf", "eol", "safecrlf", "filemode", "ignorecase", "excludesfile", "worktree", "bare",
    "sharedrepository", "symlinks", "attributesfile",
))  # fmt: skip
_SECRET = ("key", "token", "password", "program")
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w.-]{1,100}")
_PERSON = re.compile(r"[^\W\d_][\w .'-]{0,59}")
_MARKS = 12


def setting_facts(git_dir: str, old: Config, new: Config) -> Iterator[Fact]:
    """Yield the fact about settings that differ."""
    before, after = dict(_settings(old)), dict(_settings(new))
    marks = tuple(
        _mark(name, before.get(name), after.get(name))
        for name in sorted({*before, *after}, key=_order)
        if before.get(name) != after.get(name)
    )
    path = f"{git_dir}/config"
    if marks:
        yield Fact("config.changed", path, path, evidence=(path,), marks=marks[:_MARKS])


def _order(name: str) -> tuple[bool, str]:
    """Sort key: who the author is comes first."""
    return not name.startswith(("user.", "author.", "committer.")), name


def _settings(config: Config) -> Iterator[tuple[str, str]]:
    for (section, below), values in config.items():
        for key, found in values.items():
            if not below and (section in _SECTIONS or (section == "core" and key in _CORE)):
                yield f"{section}.{key}", found[-1]


def _mark(name: str, old: str | None, new: str | None) -> str:
    """Return `user.email a@example.org → b@example.org`; `+` and `−` for one that came or went."""
    shown = [None if value is None else _shown(name, value) for value in (old, new)]
    if old is None or new is None:
        sign = "+" if old is None else "−"
        return f"{sign}{name}" + (f" {shown[1]}" if old is None and shown[1] else "")
    return f"{name} {shown[0]} → {shown[1]}" if all(shown) else f"{name} changed"


def _shown(name: str, value: str) -> str | None:
    if name.endswith(_SECRET):
        return None
    if name.endswith(".email"):
        return value if _ADDRESS.fullmatch(value) else None
    if name.endswith(".name"):
        return value if _PERSON.fullmatch(value) else None
    return shown_text(value)
