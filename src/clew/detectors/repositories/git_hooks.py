"""Hooks of a repository, in `.git/hooks` or `core.hooksPath`.

`security.git_hook` warns about dangerous hooks; here a hook is one of the changes of a repository.
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
"""Every hook name that git knows."""


def hook_facts(
    scope: str,
    git_dir: str,
    directory: str,
    configs: tuple[Config, Config],
    changes: Sequence[PathChange],
    evidence: Evidence,
) -> Iterator[Fact]:
    """Yield added, deleted and changed hooks; `changes` are those with a hook's name."""
    places = {_hooks_directory(config, git_dir, directory) for config in configs}
    for change in changes:
        if change.parent not in places or change.is_directory:
            continue
        if change.path in evidence.claimed:
            continue  # already reported as a warning
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


def _hooks_directory(config: Config, git_dir: str, directory: str) -> str:
    """Return the hooks directory; a path outside the tree matches nothing."""
    configured = value_of(config, "core", "hookspath")
    if not configured:
        return f"{git_dir}/hooks"
    if configured.startswith("/"):
        return posixpath.normpath(configured).strip("/")
    return posixpath.normpath(posixpath.join(directory, configured))
