"""Git hook detector: hooks and settings that make git run a program.

A hook counts in `.git/hooks` or in `core.hooksPath`; git ignores one without the execute bit.
Committed files (`.husky`, `.pre-commit-config.yaml`) run only after they were activated in `.git`;
until then they are a note.
Settings are named without subsection and value: both may contain a URL with a password.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, TooLarge, WatchedPaths
from clew.detectors.files.key_names import shown_name
from clew.detectors.locks.lock_dangers import origin_words
from clew.detectors.locks.origins import FORGES, Origin, git_origin
from clew.detectors.repositories.git_config import Config, parse_config, value_of
from clew.detectors.repositories.git_hooks import HOOKS
from clew.detectors.repositories.repositories import is_git_dir
from clew.detectors.security.known_hooks import MAX_SIZE, tool_of
from clew.detectors.security.known_places import is_known_owner
from clew.detectors.security.security_rules import (
    Alarm,
    LineChanges,
    content,
    examine,
    joined,
    repository_of,
    rules_between,
)
from clew.model.fact import Severity

_NAMED_CONFIGS = (".gitconfig", "gitconfig")
_MANAGERS = (".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml", "lefthook.yaml")
_SAME_CODE = (b"rev:", b"id:", b"name:", b"hooks:", b"exclude:", b"files:", b"types:", b"stages:",
              b"pass_filenames:", b"always_run:", b"default_stages:", b"ci:", b"fail_fast:")  # fmt: skip
"""Prefixes of lines that add no code from a new origin."""
_MAX_CONFIG_SIZE = 1 << 20
_MAX_LINES = 19_000
"""The limit of `parse_config`; a longer file could hide something behind it."""

_RUNS = frozenset((
    "core.hookspath", "core.sshcommand", "core.gitproxy", "core.askpass",
    "core.alternaterefscommand", "diff.external", "diff.command", "diff.textconv", "merge.driver",
    "uploadpack.packobjectshook", "remote.uploadpack", "remote.receivepack", "remote.vcs",
    "trailer.command", "trailer.cmd", "tar.command", "init.templatedir", "protocol.allow",
    "gc.recentobjectshook", "imap.tunnel", "sendemail.tocmd", "sendemail.cccmd",
    "sendemail.sendmailcmd",
))  # fmt: skip
"""Settings that name a program which git runs automatically."""
_RUNS_WHEN_ASKED = frozenset((
    "core.pager", "core.editor", "sequence.editor", "interactive.difffilter", "mergetool.cmd",
    "mergetool.path", "difftool.cmd", "difftool.path", "browser.cmd", "man.cmd", "safe.directory",
    "gui.cmd", "guitool.cmd", "log.showsignature",
))  # fmt: skip
_EXPECTED = {
    "credential.helper": ("store", "cache", "osxkeychain", "manager", "manager-core", "libsecret", "wincred", ""),
    "gpg.program": ("gpg", "gpg2", "ssh-keygen", "gpgsm"),
    "filter.clean": ("git-lfs clean -- %f",),
    "filter.smudge": ("git-lfs smudge -- %f", "git-lfs smudge --skip -- %f"),
    "filter.process": ("git-lfs filter-process", "git-lfs filter-process --skip"),
    "core.fsmonitor": ("true", "false", "1", "0", "yes", "no", "on", "off", ""),
}  # fmt: skip
"""Expected programs."""
_SPELLED = {
    "core.hookspath": "core.hooksPath", "core.sshcommand": "core.sshCommand",
    "includeif.path": "includeIf.path", "init.templatedir": "init.templateDir",
}  # fmt: skip

_GIT_PROGRAMS = ("git", "gitk", "tig", "echo", "cd", "true", "f", "f()")
_STEP = re.compile(r"&&|\|\||[;|\n{}]")
_SUBSTITUTION = re.compile(r"[`<>]|\$\(|-c\s|--(?:exec|upload-pack|receive-pack)\b")
_SETS_PROGRAM = re.compile(
    r"-c\s?(?:core\.(?:sshcommand|fsmonitor|editor|pager|hookspath|gitproxy|askpass)|alias\.|diff\.external"
    r"|credential\.helper|gpg\.program|filter\.|protocol\.)",
    re.I,
)

_UNREAD = Alarm("security.git_hook", "git", "", Severity.HIGH)


class GitHooks:
    """Reports new programs that git will run."""

    name = "security/git"
    version = 3
    kinds: tuple[str, ...] = ("security.git_hook", "security.dependency")
    watch = WatchedPaths(
        paths=("etc/gitconfig",),
        names=(*HOOKS, *_NAMED_CONFIGS, *_MANAGERS, "config", "config.worktree"),
        directories=(".husky",),
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield from examine(evidence, changes, _judge, _UNREAD)
        wrappers = [
            one.path for one in changes if not one.is_directory and _is_wrapper(evidence, one)
        ]
        if wrappers:
            yield Finding((), wrappers, "husky's wrappers around git's hooks")


def _judge(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    name = change.name
    if change.new is None:  # a deleted hook runs nothing; `git.hook` reports it
        return
    if name in ("config", "config.worktree", *_NAMED_CONFIGS):
        if _is_git_config(evidence, change):
            yield from _settings(evidence, change)
    elif name in _MANAGERS:
        yield from _manager(evidence, change)
    elif ".husky" in change.parent.split("/"):
        yield from _husky(evidence, change)
    elif name in HOOKS and _is_hook(evidence, change):
        yield from _hook(evidence, change)


def _hook(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    new, old = change.new, change.old
    assert new is not None
    runs = not new.is_file or bool(new.mode & 0o111)
    ran = old is not None and (not old.is_file or bool(old.mode & 0o111))
    if not change.is_content and (ran or not runs):
        return
    tool = tool_of(evidence.new.read(change.path) or b"") if new.size <= MAX_SIZE else ""
    marks: tuple[str, ...] = ("new" if old is None else "changed",) if runs else ("not executable",)
    marks += (f"runs {tool}",) if tool else ()
    yield _alarm(change, Severity.HIGH if runs and not tool else Severity.NOTE, marks)


def _is_hook(evidence: Evidence, change: PathChange) -> bool:
    directory, _, name = change.parent.rpartition("/")
    if name == "hooks" and (".git" in directory.split("/") or is_git_dir(evidence.new, directory)):
        return True
    repository = repository_of(evidence.new, change.path)
    return repository is not None and _hooks_path(evidence, repository) == change.parent


def _hooks_path(evidence: Evidence, repository: str) -> str:
    """Return the hooks path of a repository, or ""."""
    text = evidence.new.read(joined(repository, ".git/config"), _MAX_CONFIG_SIZE)
    configured = value_of(parse_config(text), "core", "hookspath")
    if not configured or configured.startswith(("/", "~")):
        return ""
    return posixpath.normpath(joined(repository, configured))


def _husky(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    if not change.is_content or change.name in (".gitignore", "husky.sh", "README.md"):
        return
    if _is_wrapper(evidence, change):
        return
    directory = change.path.partition(".husky")[0].rstrip("/")
    repository = repository_of(evidence.new, change.path)
    path = _hooks_path(evidence, repository) if repository is not None else ""
    is_on = path in (joined(directory, ".husky"), joined(directory, ".husky/_"))
    yield _alarm(
        change, Severity.HIGH if is_on else Severity.NOTE, () if is_on else ("not in use",)
    )


def _is_wrapper(evidence: Evidence, change: PathChange) -> bool:
    """Return whether husky wrote a file during activation, which `core.hooksPath` shows."""
    directory = change.path.partition(".husky")[0].rstrip("/")
    is_inside = f"/{change.parent}".endswith("/.husky/_")
    return is_inside and change.is_added and joined(directory, ".git/config") in evidence.changes


def _manager(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    path = change.path
    rules = rules_between(content(evidence.old, path), content(evidence.new, path))
    if not rules:
        return
    replaced = list(_replaced_repositories(rules))
    yield from (
        Alarm("security.dependency", path, path, severity, ("hook",), before, after)
        for before, after, severity in replaced
    )
    if replaced and all(line.lstrip(b"- ").startswith((b"repo:", b"rev:")) for line in rules.added):
        return
    repository = repository_of(evidence.new, path)
    is_on = repository is not None and any(
        evidence.new.entry(joined(repository, f".git/hooks/{hook}")) is not None for hook in HOOKS
    )
    marks = (*_new_repositories(rules), rules.mark, *(() if is_on else ("not in use",)))
    is_other_code = not all(
        line.lstrip(b"- ").startswith(_SAME_CODE) and b"{" not in line for line in rules.added
    )
    yield _alarm(change, Severity.HIGH if is_on and is_other_code else Severity.NOTE, marks)


def _new_repositories(rules: LineChanges) -> list[str]:
    """Return the repositories that new lines take hooks from."""
    return [
        f"hooks from {origin_words(origin).removeprefix('git at ')}"
        for origin in _repositories(rules.added)[:3]
    ]


def _repositories(lines: Sequence[bytes]) -> list[Origin]:
    """Return the repositories that lines take hooks from."""
    found = []
    for line in lines:
        key, _, value = line.decode("utf-8", "replace").lstrip("- ").partition(": ")
        if key in ("repo", "git_url") and ("://" in value or value.startswith("git@")):
            found.append(git_origin(value.strip("'\"")))
    return found


def _replaced_repositories(rules: LineChanges) -> Iterator[tuple[str, str, str]]:
    """Yield repositories of hooks that are now taken from someone else: before, after, how bad."""
    gone = _repositories(rules.removed)
    for new in _repositories(rules.added):
        name = new.repository.rpartition("/")[2].lower()
        old = next((one for one in gone if one.repository.rpartition("/")[2].lower() == name), None)
        if old is None or old[:3] == new[:3]:
            continue
        gone.remove(old)
        was, now = (one.repository.partition("/")[0].lower() for one in (old, new))
        is_usual = is_known_owner(now) or (was == now and new.host in FORGES)
        is_usual = is_usual and new.host in FORGES and not new.is_plain
        is_same_host = old.host == new.host
        shown = (one.repository if is_same_host else f"{one.host}/{one.repository}" for one in (old, new))  # fmt: skip
        before, after = map(shown_name, shown)
        yield before, after, Severity.NOTE if is_usual else Severity.HIGH


def _is_git_config(evidence: Evidence, change: PathChange) -> bool:
    if change.name in _NAMED_CONFIGS:
        return change.name == ".gitconfig" or change.path == "etc/gitconfig"
    parent = change.parent
    return (
        ".git" in parent.split("/")
        or f"/{parent}".endswith("/.config/git")
        or is_git_dir(evidence.new, parent)
    )


def _settings(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    before = _values(_config(evidence.old.read(change.path, _MAX_CONFIG_SIZE), change.path))
    after = _values(_config(evidence.new.read(change.path, _MAX_CONFIG_SIZE), change.path))
    is_local = change.name in ("config", "config.worktree") and ".config" not in change.parent
    severe, others = set(), set()
    for key, value in after - before:
        severity = _severity(key, value, is_local=is_local)
        if severity == Severity.HIGH:
            severe.add(_shown(key))
        elif severity == Severity.NOTE:
            others.add(_shown(key))
    if severe or others:
        severity = Severity.HIGH if severe else Severity.NOTE
        yield _alarm(change, severity, tuple(sorted(severe or others)))


def _config(text: bytes | None, path: str) -> Config:
    if text is not None and text.count(b"\n") > _MAX_LINES:
        raise TooLarge(path, len(text))
    return parse_config(text)


def _values(config: Config) -> set[tuple[str, str]]:
    return {
        (f"{section}.{key}", value)
        for (section, _), keys in config.items()
        for key, values in keys.items()
        for value in values
    }


def _severity(key: str, value: str, *, is_local: bool) -> str:
    """Return the severity of a new setting."""
    if key in _EXPECTED:
        if key == "core.fsmonitor" and value.lower() in _EXPECTED[key]:
            return Severity.NONE
        return Severity.NOTE if value in _EXPECTED[key] else Severity.HIGH
    if key in ("include.path", "includeif.path"):
        return Severity.HIGH if is_local else Severity.NOTE
    if key.startswith("alias."):
        return _alias_severity(value)
    if key == "submodule.update":
        return Severity.HIGH if value.startswith("!") else Severity.NONE
    if key == "protocol.allow":
        return Severity.HIGH if value == "always" else Severity.NONE
    if key in _RUNS:
        return Severity.HIGH
    return Severity.NOTE if key in _RUNS_WHEN_ASKED or key.startswith("pager.") else Severity.NONE


def _alias_severity(value: str) -> str:
    """Return the severity of an alias: git runs one that begins with `!` in a shell."""
    if not value.startswith("!"):
        return Severity.HIGH if _SETS_PROGRAM.search(value) else Severity.NONE
    steps = [step.strip() for step in _STEP.split(value[1:])]
    is_git = all(step.split(" ")[0] in _GIT_PROGRAMS for step in steps if step)
    return Severity.NOTE if is_git and not _SUBSTITUTION.search(value) else Severity.HIGH


def _shown(key: str) -> str:
    """Return a setting as people write it; of an alias its name."""
    if key.startswith("alias."):
        return f"alias {shown_name(key.removeprefix('alias.'))} runs a command"
    return _SPELLED.get(key, key)


def _alarm(change: PathChange, severity: str, marks: tuple[str, ...]) -> Alarm:
    return Alarm("security.git_hook", "git", change.path, severity, marks)
