"""Supervisors other than systemd: supervisor, runit and s6.

supervisor has programs in sections of its configuration; runit and s6 have a directory with a
script for each service, and another directory that lists the services to run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, Tree
from clew.detectors.system.shown_command import shown_command
from clew.detectors.system.unit_files import UnitFile, different_keys, new_loads
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

SUPERVISOR_FILES = ("etc/supervisord.conf", "etc/supervisor/supervisord.conf")
SUPERVISOR_DIRECTORIES = ("etc/supervisor/conf.d", "etc/supervisord.d")
_SIZE_LIMIT = 1 << 20


class _Supervisor(NamedTuple):
    """Directories of a supervisor with one directory per service."""

    scope: str
    wanted: tuple[str, ...]
    """Directories with one entry for each service to run."""
    scripts: tuple[str, ...]
    """The scripts of a service."""


_SUPERVISORS = (
    _Supervisor(
        "runit",
        ("etc/service", "var/service", "etc/runit/runsvdir/default"),
        ("etc/sv/{}/run", "etc/service/{}/run"),
    ),
    _Supervisor(
        "s6",
        ("etc/s6-overlay/s6-rc.d/user/contents.d", "etc/services.d", "etc/cont-init.d"),
        (
            "etc/s6-overlay/s6-rc.d/{}/run",
            "etc/s6-overlay/s6-rc.d/{}/up",
            "etc/services.d/{}/run",
            "etc/cont-init.d/{}",
        ),
    ),
)
DIRECTORIES = tuple(
    dict.fromkeys(
        place
        for supervisor in _SUPERVISORS
        for place in (
            *supervisor.wanted,
            *(script.partition("/{}")[0] for script in supervisor.scripts),
        )
    )
)


# Services in directories


def supervised_findings(evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
    """Yield changes of what runit and s6 start."""
    for supervisor in _SUPERVISORS:
        touched: dict[str, list[str]] = {}
        for change in changes:
            if change.is_content and not change.is_directory:
                name = _service(supervisor, change.path)
                touched.setdefault(name, []).append(change.path)
        touched.pop("", None)
        facts: list[Fact] = []
        claims: list[str] = []
        for name in sorted(touched):
            with evidence.guarded(touched[name][0]):
                found = list(_service_facts(evidence, supervisor, name, touched[name]))
                claims += touched[name] if found else []
                facts += found
        if facts:
            yield Finding(tuple(facts), claims)


def _service(supervisor: _Supervisor, path: str) -> str:
    """Return the service that a path belongs to, or ""."""
    for directory in supervisor.wanted:
        if path.startswith(directory + "/"):
            return path[len(directory) + 1 :].partition("/")[0]
    for script in supervisor.scripts:
        directory = script.partition("/{}")[0]
        if path.startswith(directory + "/"):
            name, slash, _ = path[len(directory) + 1 :].partition("/")
            return name if slash else ""
    return ""


def _service_facts(
    evidence: Evidence, supervisor: _Supervisor, name: str, paths: list[str]
) -> Iterator[Fact]:
    was, now = (_is_wanted(tree, supervisor, name) for tree in (evidence.old, evidence.new))
    before, after = (_script(tree, supervisor, name) for tree in (evidence.old, evidence.new))
    is_packaged = any(path in evidence.owners for path in (*paths, before or "", after or ""))
    if is_packaged and supervisor.scope == "runit" and not _has_runit(evidence):
        return  # Debian's packages ship run scripts even without runit
    words = []
    if after and not before:
        words.append("added")
    elif before and not after:
        words.append("removed")
    elif before in paths or after in paths:
        words.append("changed")
    if was != now:
        words.append("enabled" if now else "disabled")
    for number, word in enumerate(words):  # one note is enough
        is_severe = not number and not is_packaged and word not in ("removed", "disabled")
        yield Fact(
            f"service.{word}", supervisor.scope, name,
            direct=not is_packaged,
            severity=Severity.NOTE if is_severe else Severity.NONE,
            evidence=tuple(paths[:5]),
        )  # fmt: skip


def _has_runit(evidence: Evidence) -> bool:
    return any(
        tree.entry(f"usr/{directory}/runsvdir") is not None
        for tree in (evidence.old, evidence.new)
        for directory in ("bin", "sbin")
    )


def _is_wanted(tree: Tree, supervisor: _Supervisor, name: str) -> bool:
    """Return whether a service is to run; a file `down` next to its script prevents that."""
    script = _script(tree, supervisor, name)
    if script and tree.entry(f"{script.rpartition('/')[0]}/down") is not None:
        return False
    return any(tree.entry(f"{directory}/{name}") is not None for directory in supervisor.wanted)


def _script(tree: Tree, supervisor: _Supervisor, name: str) -> str | None:
    for script in supervisor.scripts:
        path = script.format(name)
        entry = tree.entry(path)
        if entry is not None and not entry.is_directory:
            return path
    return None


# Programs of supervisor


def program_findings(evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
    """Yield changes of what supervisor starts."""
    for change in changes:
        is_table = change.path in SUPERVISOR_FILES or change.parent in SUPERVISOR_DIRECTORIES
        if not is_table or change.is_directory or not change.is_content:
            continue
        with evidence.guarded(change.path):
            before = _programs(evidence.old.read(change.path, _SIZE_LIMIT))
            after = _programs(evidence.new.read(change.path, _SIZE_LIMIT))
            is_packaged = change.path in evidence.owners
            facts = tuple(_program_facts(change.path, before, after, is_packaged=is_packaged))
            services = tuple(fact for fact in facts if fact.severity != Severity.HIGH)
            if services:
                yield Finding(services, (change.path,))
            for fact in facts:
                if fact.severity == Severity.HIGH:
                    yield Finding((fact,))


def _programs(content: bytes | None) -> dict[str, UnitFile]:
    """Return the programs of a configuration, each with its settings."""
    found: dict[str, list[tuple[str, str]]] = {}
    inside: list[tuple[str, str]] = []
    for raw in (content or b"").decode("utf-8", "replace").split("\n"):
        line = raw.strip()
        if line[:1] == "[":
            kind, _, name = line.strip("[]").partition(":")
            is_program = kind in ("program", "eventlistener", "fcgi-program") and name
            inside = found.setdefault(name.strip()[:100], []) if is_program else []
        elif line[:1] not in (";", "#", ""):
            key, _, value = line.partition("=")
            key = key.strip().lower()[:100]
            inside.append(("Environment" if key == "environment" else key, value.strip()))
    return {name: UnitFile(tuple(settings)) for name, settings in found.items()}


def _program_facts(
    path: str, before: dict[str, UnitFile], after: dict[str, UnitFile], *, is_packaged: bool
) -> Iterator[Fact]:
    for name in sorted({*before, *after}):
        was, now = before.get(name), after.get(name)
        if was == now:
            continue
        word = "added" if was is None else "changed" if now is not None else "removed"
        old, new = was or UnitFile(), now or UnitFile()
        runs_else = now is not None and _runs(old) != _runs(new)
        yield Fact(
            f"service.{word}", "supervisor", name, _command(old), _command(new),
            direct=not is_packaged,
            severity=Severity.NOTE if runs_else and not is_packaged else Severity.NONE,
            evidence=(path,),
            marks=tuple(different_keys(old, new)[:5]) if word == "changed" else (),
        )  # fmt: skip
        if not is_packaged and (names := new_loads(old, new)):
            yield Fact(
                "security.preload", "supervisor", name,
                severity=Severity.HIGH, evidence=(path,), marks=tuple(names),
            )  # fmt: skip


def _runs(program: UnitFile) -> list[tuple[str, str]]:
    return [setting for setting in program.settings if setting[0] in ("command", "user")]


def _command(program: UnitFile) -> str | None:
    commands = [value for key, value in program.settings if key == "command"]
    return shown_command(commands[-1]) if commands else None
