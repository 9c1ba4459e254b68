"""Tests that are functions or macros with a body in braces.

Go, Rust, Java, Kotlin, Groovy, C#, PHP (PHPUnit), Swift, C and C++ (GoogleTest, Catch2, doctest, Boost,
Unity), Zig, and shell (bats, shunit2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.detectors.checks.cases import (
    CONDITIONAL,
    MAY_FAIL,
    ON_REQUEST,
    SKIPPED,
    Case,
    Mark,
    Suite,
    strongest,
)
from clew.detectors.checks.light_body import light_case
from clew.detectors.code.light_source import LightSource
from clew.model.named_tuple import NamedTuple

_MAX_CASES = 5_000
_ABOVE = 12
"""Lines above a test that may hold its attributes."""


class _Dialect(NamedTuple):
    """How a language declares, skips and checks."""

    head: re.Pattern[str]
    """A function; the group `name`, `text` for a name in quotes, or `listed` for arguments."""
    is_test: re.Pattern[str] | None
    """What the attributes must have; None if the head suffices."""
    named: re.Pattern[str] | None = None
    """Names that make a function a test without attributes."""
    skip: re.Pattern[str] | None = None
    """Attributes, or words of the head, that skip."""
    may_fail: re.Pattern[str] | None = None
    condition: re.Pattern[str] | None = None
    body_skip: re.Pattern[str] | None = None
    body_fail: re.Pattern[str] | None = None
    assertion: re.Pattern[str] = re.compile(r"\bassert")
    container: re.Pattern[str] | None = None


def _one(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in patterns), re.M)


_TYPED = r"(?P<name>\w{1,120})[ \t]*+\("
_CLASS = _one(r"\b(?:class|object|struct|mod|module|interface)[ \t]++(?P<name>\w++)")
_JVM = _Dialect(
    _one(r"^[ \t]*+[^\n;/*]{0,200}?\b(?:fun|def|void|\w++)[ \t]++(?:`(?P<text>[^`\n]{1,160})`|(?P<name>\w{1,120}))[ \t]*+\("),
    _one(r"@(?:\w++\.)*+(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property|Theory|FuzzTest)\b"),
    _one(r"test[A-Z_]\w*+"),
    _one(r"@(?:\w++\.)*+(?:Disabled|Ignore|Ignored)\b", r"@(?:\w++\.)*+Test\s*+\([^)]{0,200}\benabled\s*+=\s*+false"),
    _one(r"@(?:\w++\.)*+(?:PendingFeature|ExpectedToFail|NotWorking)\b"),
    _one(r"@(?:\w++\.)*+(?:Disabled|Enabled)(?:On|If|For|In)\w*+"),
    _one(r"\bassumeTrue\s*+\(\s*+false\b", r"\bassumeFalse\s*+\(\s*+true\b", r"\bthrow\s++(?:new\s++)?\w*+Skip\w*+\(", r"\bAssumptions\.abort\b"),
    None,
    _one(r"\bassert\w*+\b", r"\bverify\w*+\s*+\(", r"\bexpect\w*+\s*+[(.]", r"\bfail\s*+\(", r"\bshould\w*+\b", r"\bcheck\w*+\s*+\(", r"\bStepVerifier\b", r"^[ \t]*+then:"),
    _CLASS,
)  # fmt: skip
_DIALECTS: dict[str, _Dialect] = {
    "go": _Dialect(
        _one(r"^func[ \t]++(?:\([^)\n]{0,120}\)[ \t]*+)?(?P<name>(?!TestMain\b)(?:Test|Fuzz|Example)\w*+)[ \t]*+\("),
        None,
        body_skip=_one(r"\b(?:t|b|f|s\.T\(\)|suite\.T\(\)|c)\.Skip(?:f|Now)?\s*+\("),
        assertion=_one(r"\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*+\(", r"\b(?:assert|require|is|must|qt|c|s|suite|check|Expect|expect)\.\w++\s*+\(", r"\bExpect\s*+\(", r"\bcmp\.Diff\b", r"\bassert\w*+\s*+\(", r"\bcheck\w*+\s*+\(", r"\bverify\w*+\s*+\(", r"// Output:"),
    ),
    "rust": _Dialect(
        _one(r"\bfn[ \t]++(?P<name>\w{1,120})"),
        _one(r"#\[\s*+(?:\w++::)*+(?:test|rstest|test_case|wasm_bindgen_test|quickcheck|proptest|bench|test_log)\b"),
        skip=_one(r"#\[\s*+ignore\b", r"#\[\s*+cfg\s*+\(\s*+(?:any\s*+\(\s*+\)|FALSE|false)\s*+\)"),
        condition=_one(r"#\[\s*+cfg_attr\b[^\]\n]{0,200}\bignore\b", r"#\[\s*+cfg\s*+\((?!\s*+test\s*+\))"),
        assertion=_one(r"\b(?:debug_|prop_)?assert\w*+!", r"\bassert\w*+\s*+\(", r"\bpanic!", r"\bunreachable!", r"\bexpect_err\b", r"\bunwrap_err\b", r"\binsta::", r"\bcheck\w*+\s*+\("),
        container=_CLASS,
    ),
    **dict.fromkeys(("java", "kotlin", "groovy"), _JVM),
    "csharp": _Dialect(
        _one(r"^[ \t]*+[^\n;/*]{0,200}?\b\w[\w<>\[\]?]*+[ \t]++" + _TYPED),
        _one(r"\[[^\]\n]{0,200}?\b(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod|TestCaseSource)\b"),
        skip=_one(r"\bSkip\s*+=", r"\[[^\]\n]{0,200}?\b(?:Ignore|Explicit)\b"),
        body_skip=_one(r"\bAssert\.(?:Ignore|Inconclusive|Skip)\s*+\(", r"\bSkip\.If\s*+\(\s*+true"),
        assertion=_one(r"\bAssert\b", r"\bShould\w*+\b", r"\bVerify\w*+\s*+\(", r"\bExpect\w*+\s*+[(.]", r"\bCheck\w*+\s*+\("),
        container=_CLASS,
    ),
    "php": _Dialect(
        _one(r"\bfunction[ \t]++" + _TYPED),
        _one(r"#\[\s*+(?:\w++\\)*+Test\b", r"@test\b"),
        _one(r"test\w*+"),
        _one(r"#\[\s*+(?:\w++\\)*+(?:Ignore|Skip)\b"),
        None,
        _one(r"#\[\s*+(?:\w++\\)*+Requires\w++", r"@requires\b"),
        _one(r"\bmarkTest(?:Skipped|Incomplete)\s*+\("),
        None,
        _one(r"(?:->|::)assert\w*+\s*+\(", r"(?:->|::)expect\w*+\s*+\(", r"\bexpect\s*+\(", r"->should\w*+\(", r"(?:->|::)fail\s*+\("),
    ),
    "swift": _Dialect(
        _one(r"\bfunc[ \t]++`?(?P<name>\w{1,120})`?[ \t]*+\("),
        _one(r"@Test\b"),
        _one(r"test\w*+"),
        _one(r"\.disabled\s*+\("),
        _one(r"\.bug\s*+\("),
        _one(r"@available\b", r"\.enabled\s*+\(\s*+if"),
        _one(r"\bthrow\s++XCTSkip\b", r"\bXCTSkip(?:If\s*+\(\s*+true|Unless\s*+\(\s*+false)"),
        _one(r"\bXCTExpectFailure\b", r"\bwithKnownIssue\b"),
        _one(r"\bXCTAssert\w*+", r"\bXCTFail\b", r"\bXCTUnwrap\b", r"#(?:expect|require)\b", r"\bexpect\w*+\s*+\(", r"\bassert\w*+\s*+\("),
        _CLASS,
    ),
    "c": _Dialect(
        _one(
            r"^[ \t]*+(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|TEST_CASE|TEST_CASE_METHOD|SCENARIO|BOOST_AUTO_TEST_CASE|BOOST_FIXTURE_TEST_CASE|START_TEST|Test|UTEST|MU_TEST)[ \t]*+\((?P<listed>[^\n{]{1,200}?)\)\s*+(?=\{|$)",
            r"^[ \t]*+(?:static[ \t]++)?(?:void|int)[ \t]++(?P<name>test\w*+)[ \t]*+\(",
        ),
        None,
        skip=_one(r"\bDISABLED_", r"\bdoctest::skip\b", r"\bdisabled\s*+\(", r"\[\.\w*+\]", r"\[!hide\]"),
        may_fail=_one(r"\[!(?:mayfail|shouldfail)\]", r"\bmay_fail\b", r"\bshould_fail\b", r"\bexpected_failures\b"),
        body_skip=_one(r"\bGTEST_SKIP\b", r"^[ \t]*+SKIP\s*+\(", r"\bTEST_IGNORE\w*+", r"\bskip\s*+\(\s*+\)"),
        assertion=_one(r"\b(?:EXPECT|ASSERT|REQUIRE|CHECK|FAIL|BOOST|TEST_ASSERT|TEST_FAIL|CU_ASSERT|TEST_CHECK)\w*+", r"\b(?:ck_|mu_|cr_)?assert\w*+\s*+\("),
    ),
    "zig": _Dialect(
        _one(r"^[ \t]*+test[ \t]++(?P<listed>\"[^\"\n]{0,160}\"|\w{1,120})[ \t]*+(?=\{)"),
        None,
        body_skip=_one(r"\breturn\s++error\.SkipZigTest\b"),
        assertion=_one(r"\bexpect\w*+\s*+\("),
    ),
    "shell": _Dialect(
        _one(r"^[ \t]*+@test[ \t]++(?P<listed>[^\n{]{1,200}?)[ \t]*+(?=\{)", r"^(?:function[ \t]++)?(?P<name>test\w*+)[ \t]*+\(\)"),
        None,
        body_skip=_one(r"^[ \t]*+(?:skip|startSkipping|return[ \t]++0)\b(?!\s*+\|\|)"),
        assertion=_one(r"\bassert\w*+\b", r"\brefute\w*+\b", r"^[ \t]*+!?\[", r"\[\[", r"^[ \t]*+test[ \t]", r"^[ \t]*+\(\(", r"\bfail\b", r"\brun\b", r"\bgrep\b", r"\bdiff\b", r"\bcmp\b"),
    ),
}  # fmt: skip

DECLARED_LANGUAGES = frozenset(_DIALECTS)

_GO_TAG = re.compile(
    r"^//(?:go:build[ \t]++(?P<tag>[^\n]{1,120})|[ \t]*+\+build[ \t]++(?P<old>[^\n]{1,120}))", re.M
)
_GO_MAIN = re.compile(r"^func[ \t]++TestMain[ \t]*+\([^)\n]{0,80}\)[ \t]*+\{", re.M)
_GO_RUN = re.compile(r"\.Run\s*+\(|\b(?:VerifyTestMain|\w*+TestMain\w*+|RunTests?)\s*+\(")
"""Runs the tests, itself or by a helper of a library."""
_ON_REQUEST = re.compile(
    r"@(?:\w++\.)*+EnabledIf(?:EnvironmentVariable|SystemProperty)\b"
    r"|#\[\s*+cfg\s*+\((?!\s*+not)[^\]\n]{0,80}?\bfeature\s*+="
)
"""Conditions that somebody must fulfil on purpose."""
_KNOWN_TAGS = re.compile(
    r"(?:linux|darwin|windows|unix|freebsd|openbsd|netbsd|android|ios|js|wasm|amd64|arm64|386|arm|cgo|race"
    r"|go1\.\d++|gc|plan9|solaris|aix|riscv64|ppc64le|s390x|mips\w*+)\Z"
)


def declared_suite(text: str, language: str) -> Suite:
    """Return the tests of a file."""
    source = LightSource(text, language)
    dialect = _DIALECTS[language]
    if dialect is _JVM and "extends TestCase" not in source.masked:
        dialect = dialect._replace(named=None)  # only JUnit 3 goes by names
    top = _file_state(source)
    containers = list(_containers(source, dialect))
    cases: dict[str, Case] = {}
    for match in dialect.head.finditer(source.masked):
        case = _case(source, dialect, match, top, containers)
        if case is not None:
            name = case.name if case.name not in cases else f"{case.name} {len(cases)}"
            case.name = name
            cases[name] = case
        if len(cases) >= _MAX_CASES:
            break
    return Suite(cases, text, lambda: source.masked)


class _Container(NamedTuple):
    """A class or module with its extent and state."""

    start: int
    end: int
    name: str
    mark: Mark


def _containers(source: LightSource, dialect: _Dialect) -> Iterator[_Container]:
    if dialect.container is None:
        return
    for match in dialect.container.finditer(source.masked):
        brace = source.masked.find("{", match.end(), match.end() + 600)
        end = source.closing.get(brace, -1)
        if brace >= 0 and end > 0 and ";" not in source.masked[match.end() : brace]:
            above = _attributes(source, match.start())
            yield _Container(match.start(), end, match["name"], _by_attributes(dialect, above))


def _case(
    source: LightSource, dialect: _Dialect, match: re.Match[str], top: Mark,
    containers: list[_Container],
) -> Case | None:  # fmt: skip
    at = match.start()
    name = _name(source, match)
    above = _attributes(source, match.end(_group(match)) if match.re.groups else at)
    if not _is_test(dialect, name, above):
        return None
    brace = source.masked.find("{", match.end() - 1, match.end() + 600)
    end = source.closing.get(brace, -1) if brace >= 0 else -1
    if end < 0:
        return None
    around = [one for one in containers if one.start < at <= one.end]
    found = [top, *(one.mark for one in around), _by_attributes(dialect, above + match[0])]
    if "listed" in match.re.groupindex and match["listed"]:
        found.append(
            _by_attributes(dialect, source.text[match.start("listed") : match.end("listed")])
        )
    found.append(_by_body(source, dialect, brace, end))
    owner = ".".join(one.name for one in around)
    return light_case(
        source,
        f"{owner}.{name}" if owner else name,
        strongest(*found),
        brace + 1,
        end,
        dialect.assertion,
    )


def _group(match: re.Match[str]) -> str:
    return next(
        name for name in ("name", "text", "listed") if name in match.re.groupindex and match[name]
    )


def _name(source: LightSource, match: re.Match[str]) -> str:
    group = _group(match)
    text = source.text[match.start(group) : match.end(group)]
    text = text.replace("DISABLED_", "") if group == "listed" else text
    return " ".join(text.replace('"', " ").split())[:120]


def _is_test(dialect: _Dialect, name: str, above: str) -> bool:
    if dialect.is_test is None or dialect.is_test.search(above):
        return True
    return dialect.named is not None and dialect.named.fullmatch(name) is not None


def _attributes(source: LightSource, at: int) -> str:
    """Return the attributes before a position: on its line, and on the lines directly above."""
    start = source.masked.rfind("\n", 0, at) + 1
    parts = [source.masked[start:at]]
    for _ in range(_ABOVE):
        if start == 0:
            break
        end = start - 1
        start = source.masked.rfind("\n", 0, end) + 1
        line = source.masked[start:end].strip()
        comment = source.text[start:end].strip()
        if "@test" in comment or "@requires" in comment:  # PHPUnit reads its comments
            parts.append(comment)
        elif not line and comment:
            continue
        elif not line or line.endswith((";", "}", "{")):
            break
        parts.append(line)
    return "\n".join(parts)


def _by_attributes(dialect: _Dialect, above: str) -> Mark:
    for pattern, state in (
        (dialect.condition, CONDITIONAL),
        (dialect.skip, SKIPPED),
        (dialect.may_fail, MAY_FAIL),
    ):
        found = pattern.search(above) if pattern is not None else None
        if found is not None:
            if state == CONDITIONAL:
                wanted = _ON_REQUEST.search(above)
                return Mark(
                    state,
                    f"{ON_REQUEST}{'a feature' if 'feature' in wanted[0] else 'a variable'}"
                    if wanted
                    else "skip if",
                )
            return Mark(state, _word(found[0]))
    return Mark()


def _word(found: str) -> str:
    words = re.findall(r"\w+", found)
    return words[-1] if words else "skip"


def _by_body(source: LightSource, dialect: _Dialect, brace: int, end: int) -> Mark:
    """Return what the statements of a body say; in a block they depend on something."""
    for pattern, state in ((dialect.body_skip, SKIPPED), (dialect.body_fail, MAY_FAIL)):
        found = pattern.search(source.masked, brace + 1, end) if pattern is not None else None
        if found is not None:
            before = source.masked[brace + 1 : found.start()]
            is_nested = before.count("{") > before.count("}")
            return Mark(CONDITIONAL, "skip if") if is_nested else Mark(state, "skip")
    first = source.masked[brace + 1 : brace + 200].split(None, 1)
    if first and first[0] in ("return", "return;", "return}"):
        return Mark(SKIPPED, "return")
    return Mark()


def _file_state(source: LightSource) -> Mark:
    """Return what excludes the whole file: a build tag of Go."""
    if source.language != "go":
        return Mark()
    main = _GO_MAIN.search(source.masked)
    if main is not None:
        end = source.closing.get(main.end() - 1, -1)
        if end > 0 and not _GO_RUN.search(source.masked, main.end(), end):
            return Mark(SKIPPED, "TestMain")
    head = source.text[: source.text.find("\npackage ") + 1] or source.text[:400]
    found = _GO_TAG.search(head)
    if found is None:
        return Mark()
    tag = (found["tag"] or found["old"]).strip()
    words = re.findall(r"[\w.]+", tag)
    if words and all(_KNOWN_TAGS.match(word) for word in words):
        return Mark(CONDITIONAL, f"build tag {tag}")
    return Mark(SKIPPED, f"build tag {tag}")
