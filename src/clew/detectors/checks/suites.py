"""Test files: which files hold tests, by name and place, and the reader for each."""

from __future__ import annotations

import re
from functools import lru_cache

from clew.detectors.checks.call_cases import call_suite
from clew.detectors.checks.cases import SKIPPED, Body, Case, Mark, Suite
from clew.detectors.checks.declared_cases import DECLARED_LANGUAGES, declared_suite
from clew.detectors.checks.indented_cases import INDENTED_LANGUAGES, indented_suite
from clew.detectors.checks.python_cases import doctest_skips, python_suite
from clew.detectors.code.languages import LANGUAGES, decoded, language_of
from clew.detectors.files.source_languages import is_generated_or_vendored

SUFFIXES = (*LANGUAGES, ".R", ".feature", ".rst", ".md")

_DIRECTORIES = frozenset((
    "test", "tests", "testing", "spec", "specs", "__tests__", "__test__", "e2e", "cypress",
    "unittests", "unit_tests", "integration_tests", "it", "features", "androidtest", "testsuite",
    "test-suite", "browser-tests",
))  # fmt: skip
_HELPERS = frozenset((
    "fixtures", "__fixtures__", "testdata", "test_data", "test-data", "__mocks__", "__snapshots__",
    "snapshots", "golden", "node_modules",
))  # fmt: skip
_FOREIGN = frozenset((
    "third_party", "third-party", "thirdparty", "external", "externals", "extern", "_vendor",
    "_vendored", "vendored", "deps", "subprojects", "pods", "carthage",
))  # fmt: skip
"""Directories of code that others wrote, besides those of dependencies."""

_ALWAYS = {
    "python": re.compile(r"test[_\w]*\.py|\w+_tests?\.py|tests?\.py"),
    "js": re.compile(r".+\.(?:test|spec|cy|e2e|it)\.\w+|.+[-_](?:test|spec)\.\w+|tests?\.\w+"),
    "go": re.compile(r"[^_.].*_test\.go"),
    "java": re.compile(r"(?:Test|IT)[A-Z]\w*\.\w+|\w+(?:Test|Tests|TestCase|IT|Spec|Specs|Suite)\.\w+"),
    "csharp": re.compile(r"\w*(?:Test|Tests|Spec|Specs|Should)\.cs|Test\w+\.cs"),
    "php": re.compile(r"\w+Test\.php"),
    "swift": re.compile(r"\w+Tests?\.swift"),
    "ruby": re.compile(r".+_(?:spec|test)\.rb|test_.+\.rb|spec_.+\.rb"),
    "elixir": re.compile(r".+_test\.exs"),
    "dart": re.compile(r".+_test\.dart"),
    "lua": re.compile(r".+_(?:spec|test)\.lua|test_.+\.lua"),
    "c": re.compile(r"test[_-].+|.+[-_](?:test|tests|unittest)\.\w+|\w+Tests?\.\w+|Test[A-Z]\w+\.\w+"),
    "shell": re.compile(r".+\.bats|test[_-].+\.sh|.+[_-]test\.sh"),
    "perl": re.compile(r".+\.t"),
    "r": re.compile(r"test[-_.].+"),
    "julia": re.compile(r"runtests\.jl|test_.+\.jl|.+_tests?\.jl"),
    "haskell": re.compile(r"\w*(?:Spec|Test|Tests)\.hs"),
    "clojure": re.compile(r".+_test\.clj[cs]?"),
    "gherkin": re.compile(r".+\.feature"),
}  # fmt: skip
_LIKE = {"ts": "js", "kotlin": "java", "groovy": "java", "scala": "java"}
_ANY_NAME = frozenset((
    "js", "ts", "java", "kotlin", "groovy", "scala", "csharp", "swift", "c", "r", "julia",
))  # fmt: skip
"""Languages whose runners look into every file of a directory of tests."""
_INLINE = {
    "rust": re.compile(rb"#\[\s*+(?:\w++::)*+(?:test|rstest)\b"),
    "zig": re.compile(rb"^[ \t]*+test[ \t]++[\"\w]", re.M),
}
"""Languages whose tests may be in any file, and what gives them away."""
_CALLS = frozenset(("js", "ts", "dart", "lua", "r", "scala"))
_NAMES = {
    "python": re.compile(rb"^[ \t]*+(?:async[ \t]++)?def[ \t]++(test\w*+)", re.M),
    "js": re.compile(rb"(?<![\w$.])(?:it|test|specify)(?:\.\w++)*+\s*+\(\s*+[\"'`]([^\"'`\n]{1,120})"),
    "go": re.compile(rb"^func[ \t]++(?:\([^)\n]{0,80}\)[ \t]*+)?((?:Test|Fuzz|Example)\w*+)", re.M),
    "rust": re.compile(rb"#\[\s*+(?:\w++::)*+(?:test|rstest)\b[^\n]*+\n(?:[ \t]*+#[^\n]*+\n)*+[^\n]{0,80}?\bfn[ \t]++(\w++)"),
    "java": re.compile(rb"@(?:\w++\.)*+(?:Test|ParameterizedTest|RepeatedTest)\b[^;{}]{0,300}?[ `](\w[\w ]{0,119})`?[ \t]*+\("),
    "csharp": re.compile(rb"\[[^\]\n]{0,80}?\b(?:Fact|Theory|Test|TestMethod)\b[^;{}]{0,300}?[ ](\w++)[ \t]*+\("),
    "ruby": re.compile(rb"^[ \t]*+(?:(?:it|specify|scenario|test)[ (]++[\"']([^\"'\n]{1,120})|def[ \t]++(test_\w++))", re.M),
}  # fmt: skip
"""The names of tests, roughly."""
_PERL_CHECK = re.compile(
    r"^[ \t]*+(?:ok|is|isnt|like|unlike|is_deeply|cmp_ok|can_ok|isa_ok|pass|fail|subtest|throws_ok)\b",
    re.M,
)
_PERL_SKIP = re.compile(r"^[^\n#]*\bskip_all\b", re.M)


@lru_cache(maxsize=1 << 16)
def _place(directory: str) -> tuple[bool, bool]:
    """Return whether a directory is one of tests, and whether what is in it holds none of ours."""
    names = [name.lower() for name in directory.split("/")]
    foreign = not _FOREIGN.isdisjoint(names) or is_generated_or_vendored(f"{directory}/x")
    is_data = not _HELPERS.isdisjoint(names)
    is_dotnet = any(name.endswith((".tests", ".test", ".unittests", "tests")) for name in names)
    tests = is_dotnet or not _DIRECTORIES.isdisjoint(names)
    return tests and not is_data, foreign or is_data


def is_foreign(path: str) -> bool:
    """Return whether a file is part of a dependency or of a library that was copied in."""
    return _place(path.rpartition("/")[0])[1]


def language_of_suite(path: str) -> str:
    """Return the language of a file that may hold tests; empty if its name says that it does not."""
    directory, _, name = path.rpartition("/")
    language = "gherkin" if name.endswith(".feature") else language_of(name)
    if not language:
        return ""
    pattern = _ALWAYS.get(_LIKE.get(language, language))
    if pattern is None or not pattern.fullmatch(name):
        if language not in _INLINE and (language not in _ANY_NAME or not _place(directory)[0]):
            return ""
    return "" if _place(directory)[1] else language


def is_in_tests(path: str) -> bool:
    """Return whether a file is in a directory of tests, or configures them."""
    directory, _, name = path.rpartition("/")
    names = directory.lower().split("/")
    return name == "conftest.py" or not _DIRECTORIES.isdisjoint(names)


def is_named_as_suite(path: str) -> bool:
    """Return whether the name alone says that a file holds tests."""
    name = path.rpartition("/")[2]
    language = "gherkin" if name.endswith(".feature") else language_of(name)
    pattern = _ALWAYS.get(_LIKE.get(language, language))
    return pattern is not None and pattern.fullmatch(name) is not None


def may_have_tests(language: str, content: bytes) -> bool:
    """Return whether a file of a language with tests anywhere has some."""
    pattern = _INLINE.get(language)
    return pattern is None or pattern.search(content) is not None


def read_suite(language: str, content: bytes) -> Suite | None:
    """Return the tests of a file; None if it cannot be parsed."""
    text = decoded(content)
    if language == "python":
        return python_suite(text)
    if language == "php":
        return _merged(declared_suite(text, "php"), call_suite(text, "php"))
    if language == "perl":
        return _perl_suite(text)
    if language in _CALLS:
        found = call_suite(text, language)
        return _merged(found, declared_suite(text, "java")) if language == "scala" else found
    if language in DECLARED_LANGUAGES:
        return declared_suite(text, language)
    return indented_suite(text, language) if language in INDENTED_LANGUAGES else None


def test_names(language: str, content: bytes) -> list[str]:
    """Return roughly the names of the tests of a file, without parsing it."""
    like = {"dart": "js", "lua": "js", **_LIKE}.get(language, language)
    pattern = _NAMES.get("js" if language in ("js", "ts") else like)
    if pattern is None:
        suite = read_suite(language, content)
        return [case.short_name for case in suite.cases.values()] if suite is not None else []
    return [
        b"".join(found).decode("utf-8", "replace") if isinstance(found, tuple) else _text(found)
        for found in pattern.findall(content)
    ]


def _text(found: bytes) -> str:
    return found.decode("utf-8", "replace")


def document_skips(content: bytes) -> int:
    """Return how many examples of a document are skipped."""
    return doctest_skips(decoded(content)) if b"+SKIP" in content else 0


def _merged(one: Suite, other: Suite) -> Suite:
    one.cases = {**other.cases, **one.cases}
    return one


def _perl_suite(text: str) -> Suite:
    """Return a Perl test program as one test with its checks."""
    from_comments = "\n".join(
        "" if line.lstrip().startswith("#") else line for line in text.split("\n")
    )
    checks = len(_PERL_CHECK.findall(from_comments))
    mark = Mark(SKIPPED, "skip_all") if _PERL_SKIP.search(from_comments) else Mark()
    case = Case("tests", mark, from_comments, Body, count=max(1, checks))
    return Suite({"tests": case}, text, lambda: from_comments)
