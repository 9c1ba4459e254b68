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

_WEAK = re.compile(
    r"\.(?:not\s*+\.\s*+)?(?:toBe(?:Defined|Truthy|Falsy|Undefined|Null|NaN)|toHaveBeenCalled|toThrow(?:Error)?"
    r"|isNotNull|isNotEmpty|isPresent|isNotNil)\s*+\(\s*+\)"
    r"|\.(?:to|should)\.(?:not\.)?(?:be\.(?:ok|an?|undefined|null|true|false)|exist)\b"
    r"|\b(?:assert|require)\.(?:NotNil|NotEmpty|True|False|NoError|Nil|ok|isOk|exists|isDefined|isNotNull)\s*+\("
    r"|\bassert_?(?:Not_?Null|True|False|Is_?Instance_?Of|Instance_?Of|Not_?Nil|Not_?Empty|Instance|Not_?None)(?:\s*+\(|\s)"
    r"|\bXCTAssert(?:NotNil|True|False)?\s*+\(|\bassert!\s*+\(|\bAssert\.(?:NotNull|True|False|IsNotNull|IsTrue)\s*+\("
    r"|\b(?:EXPECT|ASSERT)_(?:TRUE|FALSE|NE)\s*+\(|\.to(?:_not)?\s++be_(?:truthy|falsey|nil|present)\b",
    re.I,
)  # fmt: skip
"""Assertions that ask whether there is a value, or whether it is true, and not which."""
_COMPARES = re.compile(r"[=!]=|(?<![=-])[<>]=?\s")
_PLAIN_END = re.compile(r"[,)]|\.to\b")
_CALL = re.compile(r"[\w$.:]++\s*+\([^()]*+(?:\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)[^()]*+)*+\)")
_OWN = re.compile(
    r"(?:\$?\w++(?:\.|::|->)){0,3}(?:expect\w*+|assert\w*+!?|require|EXPECT_\w++|ASSERT_\w++|XCTAssert\w*+"
    r"|(?:assert|require|Assert|t)\.\w++)\s*+[( ]",
    re.I,
)


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
            is_weak = _WEAK.search(text) is not None and not _COMPARES.search(text)
            asserts.append(Assertion(text, _subject(text), not is_weak))
    return Body(tuple(asserts), constant, tuple(others))


def _subject(text: str) -> str:
    """Return the first call in an assertion that is not the assertion itself; "" if there is none."""
    own = _OWN.match(text)
    start = own.end() if own else 0
    found = _CALL.search(text, start)
    if own is None or (found is not None and ")" not in text[start : found.start()]):
        return found[0] if found else ""
    return _PLAIN_END.split(text[start:], maxsplit=1)[0].strip()


def _words(masked: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(masked))
