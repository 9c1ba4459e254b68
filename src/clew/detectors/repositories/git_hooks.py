"""Hooks of a repository, in `.git/hooks` or where `core.hooksPath` says.

That a hook may be dangerous is said elsewhere (`security.git_hook`); here it is one of the things
that happened to a repository.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, PathChange
from clew.detectors.repositories.git_config import Config, value_of
from clew.model.fact import Fact

HOOKS = (
    "applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit",
    "prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge",
    "pre-push", "pre-receive", "update", "proc-receive", "post-receive", "post-update",
    "reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite",
    "sendemail-validate", "fsmonitor-watchman", "post-index-change",
)  # fmt: skip
"""Every name that git looks for."""


def hook_facts(
    scope: str,
    git_dir: str,
    directory: str,
    configs: tuple[Config, Config],
    changes: Sequence[PathChange],
    evidence: Evidence,
) -> Iterator[Fact]:
    """Yield the hooks that came, went or are others; `changes` are those with a hook's name."""
    places = {_place(config, git_dir, directory) for config in configs}
    for change in changes:
        if change.parent not in places or change.is_directory:
            continue
        if change.path in evidence.claimed:
            continue  # a warning says it already
        if change.is_added:
            marks = ["added"]
        elif change.is_deleted:
            marks = ["removed"]
        else:
            marks = ["changed"]
        entry = change.new
        if entry is not None and entry.is_file and not entry.mode & 0o111:
            marks.append("not executable")
        owner = evidence.owners.get(change.path)
        yield Fact(
            "git.hook", scope, change.name,
            direct=owner is None, evidence=(change.path,), marks=tuple(marks),
        )  # fmt: skip


def _place(config: Config, git_dir: str, directory: str) -> str:
    """Return where hooks are looked for; a path that leads out of the tree matches nothing."""
    said = value_of(config, "core", "hookspath")
    if not said:
        return f"{git_dir}/hooks"
    if said.startswith("/"):
        return posixpath.normpath(said).strip("/")
    return posixpath.normpath(posixpath.join(directory, said))
