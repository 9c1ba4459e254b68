"""Source files that a comment leaves unchecked as a whole."""

from __future__ import annotations

import pytest

from clew.detectors.files.source_files import SourceFiles
from clew.model.fact import Fact, Severity
from tests.kit.moments import facts, story

_CODE = {
    ".ts": "export const one = 1;\n", ".js": "export const one = 1;\n", ".py": "one = 1\n",
    ".go": "package one\n", ".rb": "one = 1\n", ".php": "<?php\n$one = 1;\n", ".css": "a { top: 0 }\n",
}  # fmt: skip


def _switches(path: str, old: str, new: str) -> list[Fact]:
    found = facts(SourceFiles(), {path: old.encode()}, {path: new.encode()})
    return [one for one in found if one.kind == "check.weakened"]


@pytest.mark.parametrize(
    ("path", "comment", "check"),
    [
        ("web/a.ts", "// @ts-nocheck", "type check"),
        ("web/a.js", "/* eslint-disable */", "eslint"),
        ("web/a.js", "/* istanbul ignore file */", "coverage"),
        ("web/a.css", "/* stylelint-disable */", "stylelint"),
        ("shop/a.py", "# mypy: ignore-errors", "type check"),
        ("shop/a.py", "# type: ignore", "type check"),
        ("shop/a.py", "# ruff: noqa", "lint"),
        ("shop/a.py", "# pylint: disable=all", "pylint"),
        ("shop/a.go", "//nolint:all", "lint"),
        ("shop/a.rb", "# rubocop:disable all", "rubocop"),
    ],
)
def test_a_comment_that_switches_a_check_off_for_a_file_is_a_warning(
    path: str, comment: str, check: str
) -> None:
    code = _CODE[path[path.rindex(".") :]]
    (fact,) = _switches(path, code, f"{comment}\n{code}")
    assert (fact.scope, fact.subject, fact.severity) == (path, check, Severity.HIGH)
    assert _switches(path, f"{comment}\n{code}", f"{comment}\n{code}\n") == []
    assert _switches(path, f"{comment}\n{code}", code) == []


@pytest.mark.parametrize(
    ("path", "comment"),
    [
        ("web/a.js", "/* eslint-disable no-console */"),
        ("web/a.js", "/* eslint-disable */\nlegacy();\n/* eslint-enable */"),
        ("web/a.js", "run(); // eslint-disable-line"),
        ("shop/a.py", "import os  # noqa: F401"),
        ("shop/a.py", "def f():\n    # type: ignore\n    pass"),
        ("shop/a.py", "text = '''\n@ts-nocheck'''"),
    ],
)
def test_a_rule_or_a_line_is_no_file(path: str, comment: str) -> None:
    code = _CODE[path[path.rindex(".") :]]
    assert _switches(path, code, f"{code}{comment}\n") == []


def test_many_files_are_one_line() -> None:
    old = {f"web/{number}.ts": f"export const one = {number};\n".encode() for number in range(9)}
    new = {path: b"// @ts-nocheck\n" + code for path, code in old.items()}
    told = story([], old, new, [SourceFiles()])
    assert told.headline.startswith("! web: type check no longer runs (9 files: @ts-nocheck)")
