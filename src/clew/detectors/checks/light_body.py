"""Body of a test in a language without a parser here: its assertions and its other lines."""

from __future__ import annotations

import re
from functools import partial

from clew.detectors.checks.cases import Assertion, Body, Case, Mark
from clew.detectors.code.light_source import LightSource

_WORDS = re.compile(r"[A-Za-z_$][\w$]{2,}")
_BLANKS = re.compile(r"\s+")
_MAX_LINES = 2_000
_NOTHING = frozenset(
    (
        "",
        "{",
        "}",
        "(",
        ")",
        "});",
        "})",
        "};",
        ");",
        "],",
        "]",
        "end",
        "pass",
        "do",
        "return;",
        "return",
    )
)
_ALWAYS = re.compile(
    r"expect\(\s*+(?:true|1|\"\w*+\"|'\w*+')\s*+\)\s*+\.(?:to\.)?"
    r"(?:toBe|toEqual|toBeTruthy|toStrictEqual|be\.true|equal|eq|toBeDefined)\b"
    r"|\bassert(?:_?[tT]rue|\.ok|\.True|\.IsTrue|\.isTrue|!)?\s*+\(\s*+true\s*+[),]"
    r"|\bassert(?:_eq|Equal|Equals|_equal|\.equal|\.Equal|\.AreEqual|\.strictEqual)?!?\s*+\(\s*+(?P<one>\w++)\s*+,\s*+(?P=one)\s*+[),]"
    r"|\b(?:EXPECT|ASSERT)_TRUE\s*+\(\s*+true\s*+\)|\b(?:REQUIRE|CHECK)\s*+\(\s*+true\s*+\)"
    r"|\bXCTAssert(?:True)?\s*+\(\s*+true\s*+\)|\$this->assertTrue\(\s*+true\s*+\)"
    r"|\bt\.(?:pass|ok)\(\s*+(?:true)?\s*+\)|\bassert\s++true\b|\bassert_true\s*+\(?\s*+true\b"
    r"|\bexpect\(true\)\.to\s++(?:be|eq)\b[ (]true",
    re.I,
)  # fmt: skip
"""Assertions that always hold."""


def light_case(
    source: LightSource, name: str, mark: Mark, start: int, end: int,
    assertion: re.Pattern[str], count: int = 1,
) -> Case:  # fmt: skip
    """Return the test whose body is a part of a file."""
    code, masked = source.code[start:end], source.masked[start:end]
    read = partial(_read, code, masked, assertion)
    return Case(name, mark, code, read, partial(_words, masked), count)


def _read(code: str, masked: str, assertion: re.Pattern[str]) -> Body:
    asserts: list[Assertion] = []
    others: list[str] = []
    constant = 0
    at = 0
    for line in code.split("\n")[:_MAX_LINES]:
        text = _BLANKS.sub(" ", line).strip()
        found = assertion.search(masked, at, at + len(line))
        at += len(line) + 1
        if text in _NOTHING:
            continue
        if found is None:
            others.append(text)
        elif _ALWAYS.search(text):
            constant += 1
        else:
            asserts.append(Assertion(text))
    return Body(tuple(asserts), constant, tuple(others))


def _words(masked: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(masked))
