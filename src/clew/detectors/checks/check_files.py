"""Check detector: tests and linters that run less, or whose failure is ignored.

It reads what build servers, makefiles and scripts run (`pipelines.py`), and the settings of test
runners, coverage, linters and type checkers (`check_settings.py`).
A check that is gone from one file and runs in another is not gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from clew.detectors.checks.check_changes import CheckChange, pipeline_changes
from clew.detectors.checks.check_commands import Command, shown_words
from clew.detectors.checks.check_settings import SettingChange, setting_changes
from clew.detectors.checks.pipelines import DIRECTORIES, NAMES, Pipeline, is_pipeline, read_pipeline
from clew.detectors.checks.pipelines import SUFFIXES as PIPELINE_SUFFIXES
from clew.detectors.checks.removed_code import RemovedCode
from clew.detectors.checks.setting_values import settings_of
from clew.detectors.checks.suites import is_foreign, is_named_as_suite
from clew.detectors.detector import Evidence, Finding, PathChange, TooLarge, Tree, WatchedPaths
from clew.detectors.security.security_rules import in_fresh_clone, rules_between
from clew.model.fact import Fact, Severity

_FILE_LIMIT = 256 << 10
_MAX_FILES = 200
_MAX_BYTES = 4 << 20
_MAX_SIBLINGS = 30
_MAX_FACTS = 8

_SETTINGS = (
    "pytest.ini", ".pytest.ini", "pytest.toml", "tox.ini", "setup.cfg", "pyproject.toml", "conftest.py",
    ".coveragerc", "codecov.yml", "codecov.yaml", ".codecov.yml", ".codecov.yaml", ".simplecov", ".rspec",
    "package.json", "cypress.json", "tsconfig.json", "tslint.json", "pyrightconfig.json", "biome.json",
    "biome.jsonc", "mypy.ini", ".mypy.ini", ".flake8", ".pylintrc", "pylintrc", "ruff.toml", ".ruff.toml",
    ".bandit", "bandit.yaml", "bandit.yml", ".golangci.yml", ".golangci.yaml", ".golangci.toml",
    ".golangci.json", ".rubocop.yml", ".swiftlint.yml", "phpunit.xml", "phpunit.xml.dist", "phpstan.neon",
    "phpstan.neon.dist", "psalm.xml", "detekt.yml", "pom.xml", "build.gradle", "build.gradle.kts",
    "gradle.properties", "Cargo.toml", "CMakeLists.txt", "Directory.Build.props", ".clang-tidy",
    ".oxlintrc.json", ".editorconfig", ".globalconfig", "sonar-project.properties", ".codeclimate.yml",
    "settings.yml", ".taprc",
)  # fmt: skip
_HEADS = (
    "jest", "vitest", "vite", "playwright", "cypress", "karma", "eslint", "tsconfig", ".eslintrc",
    ".mocharc", ".nycrc", ".c8rc", "nyc", "ava", ".stylelintrc", "web-test-runner", "wdio", ".markdownlint",
    ".yamllint", ".xo-config",
)  # fmt: skip
_SETTING_NAMES = frozenset(_SETTINGS)
_SETTING_HEADS = frozenset(_HEADS)
_SETTING_NAME = re.compile(
    r"(?:jest|vitest|vite|playwright|cypress|karma|eslint|nyc|ava|web-test-runner|wdio)\.(?:config|conf|workspace)(?:\.\w+)?\.\w+"
    r"|tsconfig(?:\.[\w-]+)?\.json|\.(?:eslintrc|mocharc|nycrc|c8rc|stylelintrc|markdownlint|yamllint|xo-config)(?:\.\w+)?"
    r"|[\w.-]+\.csproj"
)


class CheckFiles:
    """Reports checks that became weaker, are gone, or are new."""

    name = "checks/checks"
    version = 3
    kinds: tuple[str, ...] = ("check.weakened", "check.removed", "check.added")
    watch = WatchedPaths(
        names=tuple(dict.fromkeys((*NAMES, *_SETTINGS))),
        heads=_HEADS,
        suffixes=(*PIPELINE_SUFFIXES, ".csproj"),
        directories=DIRECTORIES,
        own=True,
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        files, size = _MAX_FILES, _MAX_BYTES
        story = _Checks(evidence)
        for change in changes:
            if not _is_read(evidence, change):
                continue
            files, size = files - 1, size - _size(change)
            if files < 0 or size < 0:
                break
            with evidence.guarded(change.path):
                story.add(change)
        yield from story.findings()


def _is_read(evidence: Evidence, change: PathChange) -> bool:
    path = change.path
    if not (is_pipeline(path) or _has_settings(change.name)):
        return False
    if change.is_directory or path in evidence.owners or not change.is_content:
        return False
    if any(entry is not None and not entry.is_file for entry in (change.old, change.new)):
        return False
    return _size(change) <= _FILE_LIMIT and "/.git/" not in f"/{path}" and not is_foreign(path)


def _has_settings(name: str) -> bool:
    if name in _SETTING_NAMES:
        return True
    dot = name.find(".", 1)
    is_head = name[:dot] in _SETTING_HEADS if dot >= 0 else name in _SETTING_HEADS
    return (is_head or name.endswith(".csproj")) and _SETTING_NAME.fullmatch(name) is not None


def _size(change: PathChange) -> int:
    return max(entry.size if entry else 0 for entry in (change.old, change.new))


class _Checks:
    """Collects the changes of all files before it judges what is gone."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._code = RemovedCode(evidence)
        self._found: list[tuple[PathChange, list[CheckChange], set[tuple[str, ...]] | None]] = []
        self._changed: list[str] = []
        """Pipelines that are new or different."""

    def add(self, change: PathChange) -> None:
        if change.new is not None and is_pipeline(change.path):
            self._changed.append(change.path)
        if change.old is None and not (_has_settings(change.name) and self._had_tests(change.path)):
            return  # what is new is not weaker than before
        before = _content(self._evidence.old, change.path) if change.old else b""
        after = _content(self._evidence.new, change.path) if change.new else b""
        found: list[CheckChange] = []
        explained: set[tuple[str, ...]] | None = None
        if is_pipeline(change.path):
            old, new = read_pipeline(change.path, before), read_pipeline(change.path, after)
            found += _of_pipeline(change, old, new)
        if _has_settings(change.name):
            settings, explained = self._of_settings(change, before, after)
            found += settings
        if found:
            self._found.append((change, found, explained))

    def _of_settings(
        self, change: PathChange, before: bytes, after: bytes
    ) -> tuple[list[CheckChange], set[tuple[str, ...]] | None]:
        """Return what settings changed, and those among all that differ that nothing explains."""
        old = settings_of(change.name, before) if change.old else {}
        new = settings_of(change.name, after) if change.new else {}
        if old is None or new is None or change.new is None:
            return [], None
        address = (
            ".github/settings.yml" if change.path.endswith(".github/settings.yml") else change.name
        )
        listed = [one for one in setting_changes(address, old, new) if self._is_about(change, one)]
        if change.old is None:
            listed = [one for one in listed if one.is_weaker and one.severity == Severity.HIGH]
        known = {one.path for one in listed}
        left = {path for path in {*old, *new} if old.get(path) != new.get(path)} - known
        return [_as_check(one) for one in listed], left

    def _is_about(self, change: PathChange, one: SettingChange) -> bool:
        """Return whether what is no longer covered is still there."""
        paths = [path for path in one.lost if "*" not in path]
        if len(paths) < len(one.lost) or not paths:
            return True
        directory = change.path.rpartition("/")[0]
        return any(
            self._evidence.new.entry(_joined(directory, path.strip("./"))) is not None
            for path in paths
        )

    def _had_tests(self, path: str) -> bool:
        """Return whether there were tests beside a file that is new."""
        directory = path.rpartition("/")[0]
        return any(
            name in ("tests", "test", "spec", "__tests__", "e2e") or is_named_as_suite(name)
            for name in self._evidence.old.entries(directory)
        )

    def findings(self) -> Iterator[Finding]:
        for change, found, left in self._found:
            with self._evidence.guarded(change.path):
                kept = [one for one in found if not self._is_elsewhere(change, one)]
                facts = [self._fact(change, one) for one in _combined(kept)[:_MAX_FACTS]]
                if facts:
                    facts.sort(key=lambda fact: fact.severity != Severity.HIGH)
                    yield Finding(tuple(facts), self._claims(change, facts, left))

    def _fact(self, change: PathChange, one: CheckChange) -> Fact:
        severity = one.severity
        if severity == Severity.HIGH and (
            self._code.explains_state(change.path) or in_fresh_clone(self._evidence, change.path)
        ):
            severity = Severity.NOTE
        return Fact(
            f"check.{one.word}", change.path, one.subject, one.before, one.after,
            severity=severity, evidence=(change.path,), marks=(one.effect,) if one.effect else (),
        )  # fmt: skip

    def _claims(
        self, change: PathChange, facts: list[Fact], left: set[tuple[str, ...]] | None
    ) -> tuple[str, ...]:
        """Return the path if the facts say all that changed in it."""
        if left is not None and not is_pipeline(change.path):
            return () if left else (change.path,)
        if left:
            return ()
        lines = rules_between(
            _content(self._evidence.old, change.path), _content(self._evidence.new, change.path)
        )
        number = len(lines.added) + len(lines.removed)
        is_whole = change.new is None or number <= 3 * len(facts)
        return (change.path,) if is_whole else ()

    def _is_elsewhere(self, change: PathChange, one: CheckChange) -> bool:
        """Return whether a check that is gone from a file runs in another."""
        if one.word != "removed" or not one.commands:
            return False
        if change.new is None and self._project_is_gone(change.path):
            return True
        running = self._running | self._of_siblings(change.path)
        return all(_key(command) in running for command in one.commands)

    @cached_property
    def _running(self) -> set[str]:
        """The commands that changed files run now."""
        found: set[str] = set()
        for path in self._changed[:_MAX_FILES]:
            found |= self._commands(path)
        return found

    def _commands(self, path: str) -> set[str]:
        content = _content(self._evidence.new, path)
        return {_key(command) for command in read_pipeline(path, content).commands}

    def _project_is_gone(self, path: str) -> bool:
        """Return whether the directory that a pipeline belongs to is gone."""
        parts = path.split("/")[:-1]
        if any(part.startswith(".") for part in parts):
            parts = parts[: next(at for at, part in enumerate(parts) if part.startswith("."))]
        directory = "/".join(parts)
        return bool(directory) and self._evidence.new.entry(directory) is None

    def _of_siblings(self, path: str) -> set[str]:
        """Return the commands that other pipelines in the same directory run."""
        directory = path.rpartition("/")[0]
        found: set[str] = set()
        names = list(self._evidence.new.entries(directory))[: 10 * _MAX_SIBLINGS]
        others = [
            name for name in names if is_pipeline(f"{directory}/{name}" if directory else name)
        ]
        for name in others[:_MAX_SIBLINGS]:
            other = f"{directory}/{name}" if directory else name
            if other != path:
                found |= self._commands(other)
        return found


def _joined(directory: str, path: str) -> str:
    return f"{directory}/{path}" if directory else path


def _content(tree: Tree, path: str) -> bytes:
    try:
        return tree.read(path, _FILE_LIMIT) or b""
    except TooLarge:
        return b""


def _key(command: Command) -> str:
    """Return what makes a command the same in two files: its tool, without options."""
    return command.tool


def _of_pipeline(change: PathChange, old: Pipeline, new: Pipeline) -> list[CheckChange]:
    if change.old is None:
        return []
    if change.new is None:
        if not old.commands:
            return []
        tools = shown_words(", ".join(dict.fromkeys(one.core for one in old.commands)), 60)
        return [CheckChange("removed", "file", tools, commands=tuple(old.commands))]
    return list(pipeline_changes(old, new))


def _as_check(one: SettingChange) -> CheckChange:
    word = "weakened" if one.is_weaker else "added"
    return CheckChange(word, one.name, one.before, one.after, one.effect, one.severity)


def _combined(changes: list[CheckChange]) -> list[CheckChange]:
    """Return changes with the same subject and values once: four limits that fell alike."""
    found = dict.fromkeys(
        (one.word, one.subject, one.before, one.after, one.effect) for one in changes
    )
    first = {
        (one.word, one.subject, one.before, one.after, one.effect): one for one in reversed(changes)
    }
    return [first[key] for key in found]
