"""Registry detector: where packages come from, how they are checked, and what their installation runs.

Only hosts are shown.  URLs contain user names, passwords and tokens, and so do keys
(`//registry.example/:_authToken`): a key is shown only if `package_settings.py` knows it.
A host that is not the public registry of the ecosystem is a warning, unless the whole project is
new; certificates that are not verified, packages that are not checked, and install scripts that run
again are warnings as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.locks.ecosystems import Ecosystem
from clew.detectors.locks.origins import is_loopback
from clew.detectors.security.package_settings import (
    PackageSettings,
    is_usual_program,
    package_settings,
    shown_setting,
)
from clew.detectors.security.security_rules import (
    content,
    is_dependency,
    joined,
    rules_between,
)
from clew.detectors.security.settings_files import (
    DIRECTORIES,
    NAMES,
    PROJECT_FILES,
    SUFFIXES,
    SettingsFile,
    settings_file,
)
from clew.detectors.security.settings_reading import line_settings
from clew.detectors.security.test_data import is_test_data
from clew.model.fact import Fact, Severity

_LIMIT = 1 << 20
_READ_BUDGET = 24 << 20
_MAX_FACTS = 200
_SHOWN = 5
_APT_RUNS = (b"pre-invoke", b"post-invoke", b"pre-install-pkgs", b"proxy-auto-detect", b"proxyautodetect")  # fmt: skip


class Registries:
    """Reports changed package sources, and settings that weaken how packages are checked."""

    name = "security/registries"
    version = 3
    kinds: tuple[str, ...] = (
        "security.registry", "security.tls", "security.integrity", "security.install_script",
        "config.changed",
    )  # fmt: skip
    watch = WatchedPaths(
        paths=("etc/apt/apt.conf", "etc/dnf/dnf.conf", "etc/yum.conf", "etc/pacman.conf"),
        below=("etc/apt/apt.conf.d", "etc/yum.repos.d", "etc/zypp/repos.d"),
        names=(*NAMES, *{name for names in DIRECTORIES.values() for name in names}),
        suffixes=SUFFIXES,
        own=True,
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        budget, told = _READ_BUDGET, 0
        for change in changes:
            known = settings_file(change.path)
            if known is None or not _is_judged(evidence, change) or told >= _MAX_FACTS:
                continue
            budget -= sum(entry.size for entry in (change.old, change.new) if entry is not None)
            if budget < 0:
                break
            with evidence.guarded(change.path):
                facts = tuple(_facts(evidence, change, known))
                told += len(facts)
                if facts:
                    yield Finding(facts, (change.path,) if known.is_settings_only else ())


def _is_judged(evidence: Evidence, change: PathChange) -> bool:
    if change.is_directory or not change.is_content:
        return False
    return change.path not in evidence.owners and not is_dependency(change.path)


def _facts(evidence: Evidence, change: PathChange, known: SettingsFile) -> Iterator[Fact]:
    old, new = (content(tree, change.path, _LIMIT) for tree in (evidence.old, evidence.new))
    if change.path.startswith("etc/apt/"):
        yield from _apt_programs(change.path, old, new)
    before, after = _read(known, old), _read(known, new)
    if before == after:
        return
    is_mild = is_test_data(change.path) or _is_new_project(evidence, change)
    for fact in setting_facts(change.path, known.ecosystem, before, after):
        if is_mild and fact.severity == Severity.HIGH:
            fact = fact._replace(severity=Severity.NOTE)
        yield fact


def _is_new_project(evidence: Evidence, change: PathChange) -> bool:
    """Return whether the file came with a whole project."""
    if not change.is_added or change.name in PROJECT_FILES:
        return change.is_added
    files = (joined(change.parent, name) for name in (*PROJECT_FILES, ".git/HEAD"))
    return any(path in evidence.changes and evidence.changes[path].is_added for path in files)


def _read(known: SettingsFile, text: bytes | None) -> PackageSettings:
    """Return what a file says; one that is not in its format is read line by line."""
    try:
        return package_settings(known.read(text or b""))
    except (ValueError, RecursionError):
        return package_settings(line_settings(text or b"") if known.is_settings_only else ())


def setting_facts(
    path: str, ecosystem: Ecosystem, before: PackageSettings, after: PackageSettings
) -> Iterator[Fact]:
    """Yield the facts about settings that differ."""
    yield from _place_facts(path, ecosystem, before, after)
    yield from _switch_facts(path, before, after)
    yield from _script_facts(path, before, after)
    for scope, was, now in (
        ("proxy", before.proxies, after.proxies), ("program", before.programs, after.programs),
    ):  # fmt: skip
        if now - was:
            hosts = sorted({value for _, value in now - was}) if scope == "proxy" else []
            is_strange = scope == "program" and not all(is_usual_program(*one) for one in now - was)
            marks = tuple(sorted({key for key, _ in now - was}))[:_SHOWN]
            yield _fact(
                "registry",
                path,
                Severity.HIGH if is_strange else Severity.NOTE,
                marks,
                after=", ".join(filter(None, hosts)),
                scope=scope,
            )


def _place_facts(
    path: str, ecosystem: Ecosystem, before: PackageSettings, after: PackageSettings
) -> Iterator[Fact]:
    was, now = ({host for _, host in side.places if host} for side in (before, after))
    strange = sorted(host for host in now - was if not ecosystem.is_public(host))
    gone = sorted(host for host in was - now if not ecosystem.is_public(host))
    local = sorted({key for key, host in after.places - before.places if not host})
    if strange:
        marks = sorted({key for key, host in after.places if host in strange})
        is_mild = all(
            is_loopback(host) or host in ecosystem.known or host.startswith("channel ")
            for host in strange
        )
        yield _fact(
            "registry", path, Severity.NOTE if is_mild else Severity.HIGH, marks,
            ", ".join(gone[:_SHOWN]), ", ".join(strange[:_SHOWN]),
        )  # fmt: skip
    elif gone or local:
        marks = sorted({f"−{key}" for key, host in before.places if host in gone} | {*local})
        yield _fact("registry", path, Severity.NOTE, marks, ", ".join(gone[:_SHOWN]))
    plain = sorted(host for host in after.plain - before.plain if not is_loopback(host))
    if plain and not strange:
        yield _fact("tls", path, Severity.HIGH, [f"http://{host}" for host in plain])


def _switch_facts(path: str, before: PackageSettings, after: PackageSettings) -> Iterator[Fact]:
    if after.tls_off - before.tls_off:
        yield _fact("tls", path, Severity.HIGH, sorted(after.tls_off - before.tls_off))
    elif before.tls_off - after.tls_off:
        yield _fact("tls", path, Severity.NOTE, sorted(before.tls_off - after.tls_off))
    unchecked = (after.checks_off - before.checks_off) | (before.checks_on - after.checks_on)
    if unchecked:
        marks = sorted(unchecked)
        yield _fact("integrity", path, Severity.HIGH, marks, after="unchecked")


def _script_facts(path: str, before: PackageSettings, after: PackageSettings) -> Iterator[Fact]:
    run_again = before.scripts_refused - after.scripts_refused
    allowed = after.scripts_allowed - before.scripts_allowed
    refused = after.scripts_refused - before.scripts_refused
    if run_again or allowed:
        marks = sorted(run_again | allowed)
        yield _fact("install_script", path, Severity.HIGH, marks, scope="setting")
    elif refused:
        said = tuple(
            f"{shown_setting(key)}: install scripts are no longer run" for key in sorted(refused)
        )
        yield Fact("config.changed", path, path, evidence=(path,), marks=said)


def _apt_programs(path: str, old: bytes | None, new: bytes | None) -> Iterator[Fact]:
    """Yield programs that apt runs as root around each package."""
    added = [line for line in rules_between(old, new).added if not line.startswith(b"//")]
    runs = [sign for sign in _APT_RUNS if any(sign in line.lower() for line in added)]
    if runs:
        marks = [sign.decode() for sign in runs]
        yield _fact("registry", path, Severity.HIGH, marks, scope="apt")


def _shown(mark: str) -> str:
    """Return a key as people write it; one that is gone has a sign."""
    return f"−{shown_setting(mark[1:])}" if mark.startswith("−") else shown_setting(mark)


def _fact(
    word: str, path: str, severity: str, marks: Sequence[str], before: str = "", after: str = "",
    scope: str = "registry",
) -> Fact:  # fmt: skip
    return Fact(
        f"security.{word}", scope, path, before or None, after or None,
        severity=severity, evidence=(path,), marks=tuple(map(_shown, marks[:_SHOWN])),
    )  # fmt: skip
