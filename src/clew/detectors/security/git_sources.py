"""Git source detector: where git fetches from, and whether it verifies certificates.

`.gitmodules` names the submodules; `.git/config` may name other addresses for them, and rewrite any
address (`url.<base>.insteadOf`).  `git.remote` reports remotes.
Only hosts and the paths of repositories are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.files.key_names import shown_name
from clew.detectors.locks.lock_dangers import origin_words
from clew.detectors.locks.origins import Origin, OriginKind, git_origin, host_of
from clew.detectors.repositories.git_config import Config, parse_config
from clew.detectors.repositories.repositories import is_git_dir
from clew.detectors.security.security_rules import in_fresh_clone, is_dependency
from clew.model.fact import Fact, Severity

_LIMIT = 1 << 20
_MODULES = ".gitmodules"
_CONFIGS = (".gitconfig", "gitconfig", "config", "config.worktree")
_FALSE = ("false", "no", "off", "0", "")
_MAX_MODULES = 500


class GitSources:
    """Reports other addresses of submodules and repositories, and certificates that are not verified."""

    name = "security/git-sources"
    version = 2
    kinds: tuple[str, ...] = ("security.dependency", "security.registry", "security.tls")
    watch = WatchedPaths(names=(_MODULES, *_CONFIGS))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        told: set[str] = set()
        for change in sorted(changes, key=lambda one: (one.name != _MODULES, one.path)):
            if change.is_directory or not change.is_content or is_dependency(change.path):
                continue
            if change.path in evidence.owners or in_fresh_clone(evidence, change.path):
                continue
            with evidence.guarded(change.path):
                yield from _findings(evidence, change, told)


def _findings(evidence: Evidence, change: PathChange, told: set[str]) -> Iterator[Finding]:
    is_modules = change.name == _MODULES
    if not is_modules and not _is_git_config(evidence.new, change):
        return
    before, after = (
        parse_config(tree.read(change.path, _LIMIT)) for tree in (evidence.old, evidence.new)
    )
    facts = list(_module_facts(change.path, before, after, is_modules=is_modules))
    commands = sorted(_commands(after) - _commands(before))
    if commands and is_modules:  # in `.git/config` they are told with what else git runs
        facts.append(
            Fact(
                "security.registry", "program", change.path, severity=Severity.HIGH,
                evidence=(change.path,), marks=tuple(dict.fromkeys(key for key, _ in commands))[:_MAX_MODULES],
            )
        )  # fmt: skip
    facts = [fact for fact in facts if fact.subject not in told]
    told.update(fact.subject for fact in facts)
    if facts and is_modules:
        yield Finding(tuple(facts), (change.path,))
    elif not is_modules:
        facts += _instead_facts(change.path, before, after)
        facts += _tls_facts(change.path, before, after)
        if facts:
            yield Finding(tuple(facts), (change.path,))


def _is_git_config(tree: Tree, change: PathChange) -> bool:
    if change.name in (".gitconfig", "gitconfig"):
        return change.name == ".gitconfig" or change.path == "etc/gitconfig"
    parent = change.parent
    return (
        ".git" in parent.split("/")
        or f"/{parent}".endswith("/.config/git")
        or is_git_dir(tree, parent)
    )


# Submodules


def _module_facts(path: str, before: Config, after: Config, *, is_modules: bool) -> Iterator[Fact]:
    was, now = _modules(before), _modules(after)
    for name in sorted(now)[:_MAX_MODULES]:
        place, origin = now[name]
        old = was.get(name)
        if old is not None and _same(old[1], origin):
            continue
        if old is None and not is_modules:  # `git submodule init` copies the address
            continue
        severity = Severity.HIGH if old is not None else Severity.NOTE
        words = origin_words(origin).removeprefix("git at ")
        yield Fact(
            "security.dependency", path, place, origin_words(old[1]).removeprefix("git at ") if old else None, words,
            severity=severity, evidence=(path,), marks=("submodule",) if old else ("submodule", "new"),
        )  # fmt: skip


def _modules(config: Config) -> dict[str, tuple[str, Origin]]:
    """Return the place and the address of each submodule."""
    found = {}
    for (section, name), values in config.items():
        url = values.get("url", [""])[-1]
        if section == "submodule" and url:
            place = values.get("path", [name])[-1] or name
            found[name] = place[:200], _origin(url)
    return found


def _commands(config: Config) -> set[tuple[str, str]]:
    """Return the commands that an update of a submodule runs, by their settings."""
    return {
        (f"submodule.{shown_name(name)}.update", value)
        for (section, name), values in config.items()
        if section == "submodule"
        for value in values.get("update", [])
        if value.startswith("!")
    }


def _origin(url: str) -> Origin:
    """Return the address of a submodule; a relative one is a path."""
    return git_origin(url) if host_of(url) else Origin(OriginKind.PATH, repository=_last(url))


def _last(url: str) -> str:
    return url.rstrip("/").rpartition("/")[2].removesuffix(".git")[:80]


def _same(one: Origin, other: Origin) -> bool:
    return (one.host, one.repository.lower()) == (other.host, other.repository.lower())


# Addresses that are rewritten


def _instead_facts(path: str, before: Config, after: Config) -> Iterator[Fact]:
    known = set(_rewritten(before))
    for key, old, new in sorted(set(_rewritten(after)) - known):
        if old and new and old != new:
            yield Fact(
                "security.registry", "git", path, old, new,
                severity=Severity.HIGH, evidence=(path,), marks=(f"url.{key}",),
            )  # fmt: skip


def _rewritten(config: Config) -> Iterator[tuple[str, str, str]]:
    for (section, base), values in config.items():
        if section == "url":
            for key, shown in (("insteadof", "insteadOf"), ("pushinsteadof", "pushInsteadOf")):
                for value in values.get(key, ()):
                    yield shown, host_of(value), host_of(base)


# Certificates


def _tls_facts(path: str, before: Config, after: Config) -> Iterator[Fact]:
    was, now = _unverified(before), _unverified(after)
    if now - was:
        severity, marks = Severity.HIGH, now - was
    elif was - now:
        severity, marks = Severity.NOTE, was - now
    else:
        return
    yield Fact(
        "security.tls", "git", path, severity=severity, evidence=(path,), marks=tuple(sorted(marks))
    )


def _unverified(config: Config) -> set[str]:
    found = set()
    for (section, subsection), values in config.items():
        for key in ("sslverify", "proxysslverify"):
            value = values.get(key, ["true"])[-1]
            if section == "http" and value.lower() in _FALSE:
                host = host_of(subsection)
                found.add(f"http.{host}.sslVerify" if host else "http.sslVerify")
    return found
