"""Syntax detector: files that could be parsed and no longer can.

Python by its own parser, structured files by `formats/syntax_problems.py`.  Of Go, Rust, Java,
JavaScript and TypeScript only brackets that do not match are recognised.
Not reported: a file with conflict markers, which says more, an empty one, a template, and Python that
a newer interpreter may understand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.code.definitions import parse
from clew.detectors.code.languages import decoded, language_of, parsing_cost
from clew.detectors.code.light_source import LightSource
from clew.detectors.detector import Evidence, Finding, PathChange, TooLarge, WatchedPaths
from clew.detectors.files.common_directory import common_directory
from clew.detectors.files.source_languages import is_generated_or_vendored
from clew.detectors.formats.syntax_problems import (
    HCL_SUFFIXES,
    INI_NAMES,
    XML_SUFFIXES,
    Parser,
    SyntaxProblem,
    parser_of,
)
from clew.detectors.security.test_data import is_test_data
from clew.model.fact import Fact, Severity

_FILE_LIMIT = 1 << 20
_MAX_FILES = 200
_MAX_BYTES = 768 << 10
"""What is parsed for one story: new versions, and old ones where the new cannot be parsed."""
_MANY = 6
"""More files than this are told together."""
_REASON = 60
_CONFLICT = re.compile(rb"^(?:<{7} |>{7} )", re.M)
_TEMPLATE = re.compile(rb"\{[{%]|%\}|<%")
_NEWER = re.compile(
    r"^[ \t]*+(?:type [A-Za-z_]\w*+\s*+[\[=]|(?:async )?(?:def|class) \w++\[|except\*? [\w.]++\s*+,)"
    r"|\b[tT][rR]?[\"']|^[ \t]*+lazy (?:import|from)\b",
    re.M,
)
"""Syntax of Python 3.12 and later, which the running interpreter may not know."""


class BrokenSyntax:
    """Reports files that no longer can be parsed."""

    name = "code/syntax"
    version = 2
    kinds: tuple[str, ...] = ("broken.syntax",)
    watch = WatchedPaths(
        suffixes=(
            ".py", ".pyi", ".json", ".jsonc", ".yaml", ".yml", ".toml", ".go", ".rs", ".java",
            ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".ipynb", ".geojson", ".webmanifest",
            ".avsc", ".har", ".tfstate", *XML_SUFFIXES, *HCL_SUFFIXES,
        ),
        names=(
            "Pipfile", "Pipfile.lock", "composer.lock", "flake.lock", ".babelrc", ".eslintrc",
            ".prettierrc", ".stylelintrc", *INI_NAMES,
        ),
        existed=True, own=True,
    )  # fmt: skip

    def __init__(self, *, max_files: int = _MAX_FILES, max_bytes: int = _MAX_BYTES) -> None:
        self._max_files = max_files
        self._max_bytes = max_bytes

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield from _combined(list(self._broken(evidence, changes)))

    def _broken(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        files, size = self._max_files, self._max_bytes
        for change in changes:
            if not _is_edit(evidence, change) or change.new is None or files < 1:
                continue
            if change.new.size > min(size, _FILE_LIMIT):
                continue
            files -= 1
            with evidence.guarded(change.path):
                after = evidence.new.read(change.path, _FILE_LIMIT) or b""
                size -= parsing_cost(after)
                if size >= 0:
                    yield from _judge(evidence, change, after)


def _combined(findings: list[Finding]) -> Iterator[Finding]:
    if len(findings) <= _MANY:
        yield from findings
        return
    paths = [fact.subject for finding in findings for fact in finding.facts]
    fact = (
        findings[0]
        .facts[0]
        ._replace(
            subject=f"{common_directory(paths) or '.'}/",
            evidence=tuple(paths[:_MANY]),
            marks=(f"{len(paths):,} files",),
        )
    )
    yield Finding((fact,), paths)


def _is_edit(evidence: Evidence, change: PathChange) -> bool:
    """Return whether somebody edited a file that is theirs."""
    old, new = change.old, change.new
    if old is None or new is None or not old.is_file or not new.is_file or not new.size:
        return False
    path = change.path
    if path in evidence.claimed or path in evidence.owners or not change.is_content:
        return False
    return not is_generated_or_vendored(path)


def _judge(evidence: Evidence, change: PathChange, after: bytes) -> Iterator[Finding]:
    parser = _parser_of(change.name)
    if parser is None or b"\0" in after or _CONFLICT.search(after):
        return
    problem = parser(decoded(after))
    if problem is None:
        return
    try:
        before = evidence.old.read(change.path, _FILE_LIMIT) or b""
    except TooLarge:
        return
    if not before.strip() or _CONFLICT.search(before) or parser(decoded(before)) is not None:
        return
    if _is_template(change.name, before, after):
        return
    if problem.reason == _BRACKETS and not _is_plain_difference(before, after):
        return
    marks = [f"line {problem.line:,}"] if problem.line else []
    marks += [problem.reason] if problem.reason else []
    fact = Fact(
        "broken.syntax", language_of(change.name) or change.name.rpartition(".")[2], change.path,
        severity=_severity(change, problem), evidence=(change.path,), marks=tuple(marks),
    )  # fmt: skip
    yield Finding((fact,), (change.path,))


def _severity(change: PathChange, problem: SyntaxProblem) -> str:
    if not problem.is_certain:
        return Severity.NOTE
    is_sample = not language_of(change.name) and is_test_data(change.path)
    return Severity.NOTE if is_sample else Severity.HIGH


def _is_template(name: str, before: bytes, after: bytes) -> bool:
    """Return whether a file became a template, or one of its lines that differ is one."""
    if language_of(name):
        return bool(_TEMPLATE.search(after)) and not _TEMPLATE.search(before)
    differing = set(before.split(b"\n")) ^ set(after.split(b"\n"))
    return any(_TEMPLATE.search(line) for line in differing)


def _python(text: str) -> SyntaxProblem | None:
    try:
        parse(text)
    except SyntaxError as error:
        reason = str(error.msg).partition(" after ")[0][:_REASON]
        if "f-string" in reason or _NEWER.search(text):
            return None
        return SyntaxProblem(error.lineno or 0, reason)
    except (ValueError, RecursionError, MemoryError):
        return None
    return None


_BRACKETS = "brackets do not match"


def _brackets(language: str) -> Parser:
    def judge(text: str) -> SyntaxProblem | None:
        source = LightSource(text, language)
        opened = sum(source.masked.count(sign) for sign in "([{")
        closed = sum(source.masked.count(sign) for sign in ")]}")
        if opened == closed == len(source.closing):
            return None
        return SyntaxProblem(reason=_BRACKETS)

    return judge


def _is_plain_difference(before: bytes, after: bytes) -> bool:
    """Return whether the lines that differ have nothing that a light reader may misread."""
    differing = set(before.split(b"\n")) ^ set(after.split(b"\n"))
    return not any(sign in line for line in differing for sign in (b"`", b"/", b"'", b'"', b"\\"))


def _parser_of(name: str) -> Parser | None:
    language = language_of(name)
    if language == "python":
        return _python
    if language in ("go", "rust", "java", "js", "ts"):
        return _brackets(language)
    return parser_of(name)
