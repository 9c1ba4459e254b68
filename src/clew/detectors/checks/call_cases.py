"""Tests that are calls with a name and a function: `it('adds prices', () => { … })`.

JavaScript and TypeScript (jest, vitest, mocha, jasmine, node:test, playwright, cypress, ava, QUnit,
Deno), Dart, Lua (busted), R (testthat), PHP (Pest) and Scala (ScalaTest, munit).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from clew.detectors.checks.cases import (
    CONDITIONAL,
    MAY_FAIL,
    RUNS,
    SKIPPED,
    Case,
    Mark,
    Suite,
    strongest,
)
from clew.detectors.checks.light_body import light_case
from clew.detectors.code.light_source import LightSource
from clew.model.named_tuple import NamedTuple

_MAX_CALLS = 5_000
_MAX_NAME = 120
_FILE = -1
"""Stands for the whole file where the position of a call is meant."""

_GROUPS = frozenset((
    "describe", "context", "suite", "feature", "group", "QUnit.module", "module", "fdescribe",
    "xdescribe", "fcontext", "xcontext", "xfeature", "parallelGroup",
))  # fmt: skip
_CALL = re.compile(
    r"(?<![\w$.>])(?P<callee>[xf]?(?:describe|context|suite|feature|it|test|specify|scenario)"
    r"|QUnit\.(?:module|test|skip|todo|only)|Deno\.test|test_that|testWidgets|testGoldens|group"
    r"|ignore|property|pending|blocTest)"
    r"(?P<words>(?:\s*+\.\s*+\w{1,30}+)*+)\s*+(?=[(`])"
)
_SKIP_WORDS = frozenset(("skip", "todo", "fixme", "ignore", "disabled"))
_FAIL_WORDS = frozenset(("failing", "fails", "fail"))
_CONDITION_WORDS = frozenset(("skipIf", "runIf", "skip_if", "ifdef"))
_ONLY_WORDS = frozenset(("only", "solo", "focus"))
_OPTION = re.compile(
    r"\b(?P<word>skip|only|todo|ignore|solo|pending|enabled)\s*+[:=]\s*+(?P<value>true|false|[\"'`]|[\w!(])"
)
_BODY_SKIP = re.compile(
    r"\b(?:this|t|ctx|context|test|it|self|testInfo|task)\s*+\.\s*+(?P<word>skip|fixme|fail|todo)\s*+\("
    r"|(?<![\w$.>])(?P<alone>skip|pending|skip_on_cran|markTestSkipped|cancel)\s*+\("
)
_CHAINED = re.compile(r"\s*+->\s*+(?P<word>skip|todo|only|group|repeat|with|throws|depends)\s*+\(")
_FUNCTION = re.compile(r"=>|\bfunction\b|\bfn\b|\{")
_BODY_START = re.compile(r"[({]")
_COMMA = re.compile(",")
_FAR = 4_000
"""How far from its name the function of a test is looked for."""
_ASSERTION = re.compile(
    r"\bexpect(?:Async|TypeOf|_\w++)?\s*+(?:\.\w++\s*+)?[(<]|\bassert\w*+\s*+[.(:]|\bassert\b|\.should\b|\bshould\b"
    r"|\bt\.(?:is|not|deepEqual|notDeepEqual|true|false|truthy|falsy|throws\w*+|equals?|same|ok|notOk"
    r"|like|regex|snapshot|fail|strictEqual|strictSame|match\w*+|deepEquals|rejects|error|has)\s*+\("
    r"|\bcy\.(?:contains|should)\b|\bverify\w*+\s*+\(|\bsinon\.assert|\bfail\s*+\(|\btoThrow|\bmust\w*+\b"
    r"|\bcheck\w*+\s*+\(|\b\w*+assert\w*+\s*+\(|\bexpect\w++\s*+\(|->expect\w*+\(|\bQUnit\b"
)


class _Node(NamedTuple):
    """A call that names a test or a group."""

    at: int
    end: int
    """The closing bracket of its arguments."""
    name: str
    is_group: bool
    mark: Mark
    is_only: bool
    start: int
    """Where its function begins."""
    body: int
    """The brace at which the body of its function begins; -1 if it has none."""
    number: int
    """How many tests it is, with its table."""


def call_suite(text: str, language: str) -> Suite:
    """Return the tests of a file."""
    source = LightSource(text, language)
    nodes, notes = _nodes(source)
    only = any(node.is_only for node in nodes)
    cases: dict[str, Case] = {}
    numbers: Counter[str] = Counter()
    stack: list[_Node] = []
    for node in nodes:
        while stack and stack[-1].end < node.at:
            stack.pop()
        if node.is_group:
            stack.append(node)
            continue
        around = [*stack, node]
        mark = _mark_of(around, notes)
        if only and mark.state == RUNS and not any(one.is_only for one in around):
            mark = Mark(SKIPPED, "only")
        name = " ".join(one.name for one in around)[-_MAX_NAME:]
        numbers[name] += 1
        name = name if numbers[name] == 1 else f"{name} {numbers[name]}"
        case = light_case(
            source, name, mark, max(node.start, node.body + 1), node.end,
            _ASSERTION, node.number,
        )  # fmt: skip
        cases[case.name] = case
    return Suite(cases, text, lambda: source.masked)


def _mark_of(around: list[_Node], notes: dict[int, Mark]) -> Mark:
    """Return the state of a test from its own words and those of the groups around it."""
    said = [notes[at] for at in (_FILE, *(node.at for node in around)) if at in notes]
    return strongest(*said, *(node.mark for node in around))


def _nodes(source: LightSource) -> tuple[list[_Node], dict[int, Mark]]:
    """Return the calls of a file, and what statements in their functions say about them."""
    nodes: list[_Node] = []
    for match in _CALL.finditer(source.masked):
        node = _node(source, match)
        if node is not None:
            nodes.append(node)
        if len(nodes) >= _MAX_CALLS:
            break
    return nodes, dict(_notes(source, nodes))


def _node(source: LightSource, match: re.Match[str]) -> _Node | None:
    """Return a test or a group; None for a call that is something else."""
    words = [word.strip() for word in match["words"].split(".") if word.strip()]
    callee = match["callee"]
    opening = match.end()
    count = 1
    while True:  # `it.each(table)(name, function)`, `it.skipIf(condition)(name, function)`
        if source.masked[opening] == "`":
            closing = source.masked.find("`", opening + 1)
        else:
            closing = source.closing.get(opening, -1)
        if closing < 0:
            return None
        rest = _next(source.masked, closing + 1)
        if rest < len(source.masked) and source.masked[rest] in "(`" and "each" in words[-1:]:
            count = _table_size(source, opening, closing)
        elif rest >= len(source.masked) or source.masked[rest] != "(" or not words:
            break
        opening = rest
    return _named_call(source, callee, words, match.start(), opening, closing, count)


def _named_call(
    source: LightSource, callee: str, words: list[str], at: int, opening: int, closing: int, count: int
) -> _Node | None:  # fmt: skip
    name, after = _first_argument(source, opening, closing)
    function = _function(source, after, opening, closing)
    brace = source.masked[closing + 1 : closing + 40].lstrip()[:1] == "{"
    if function is None and brace and source.language in ("scala", "groovy", "kotlin"):
        opening = source.masked.index("{", closing)
        closing = source.closing.get(opening, closing)
        start = opening
    elif function is None:
        is_pending = bool(name) and (not words or words[-1] in _SKIP_WORDS)
        if not is_pending or callee in _GROUPS or after < closing - 1:
            return None
        start = closing
        words = words or ["todo"]
    else:
        start = function
    if not name:
        return None
    is_group = callee in _GROUPS or "describe" in words or "suite" in words
    mark = _mark(callee, words)
    only = (callee[0] == "f" and callee != "feature") or not _ONLY_WORDS.isdisjoint(words)
    only = only or callee == "QUnit.only"
    options = source.code[after:start] if function is not None else ""
    if source.language == "dart":  # options follow the function
        options += source.code[source.closing.get(_body(source, start, closing), start) : closing]
    if callee == "Deno.test" and source.masked[after - 1 : after] == "{":
        options = source.code[opening:closing]
    for option in _OPTION.finditer(options):
        is_off = option["value"] in ("false", "f")
        if option["word"] in _ONLY_WORDS:
            only = only or not is_off
        elif option["word"] == "enabled":
            mark = Mark(SKIPPED, "enabled") if is_off else mark
        elif not is_off and mark.state == RUNS:
            certain = option["value"] in ("true", "t", '"', "'", "`")
            mark = Mark(SKIPPED, option["word"]) if certain else Mark(CONDITIONAL, "skip if")
    chained = _CHAINED.match(source.masked, closing + 1)
    while chained is not None and source.language == "php":
        if chained["word"] in ("skip", "todo"):
            mark = Mark(SKIPPED, chained["word"])
        only = only or chained["word"] == "only"
        end = source.closing.get(chained.end() - 1, len(source.masked))
        chained = _CHAINED.match(source.masked, end + 1)
    body = _body(source, start, closing)
    return _Node(at, closing, name, is_group, mark, only, start, body, count)


def _mark(callee: str, words: list[str]) -> Mark:
    if callee.startswith("x") or callee in ("ignore", "pending", "QUnit.skip", "QUnit.todo"):
        return Mark(SKIPPED, callee)
    for word in words:
        if word in _SKIP_WORDS:
            return Mark(SKIPPED, f"{callee}.{word}")
        if word in _FAIL_WORDS:
            return Mark(MAY_FAIL, f"{callee}.{word}")
        if word in _CONDITION_WORDS:
            return Mark(CONDITIONAL, f"{callee}.{word}")
    return Mark()


_QUOTED = re.compile(r"\s*+(?:name\s*+[:=]\s*+)?(?P<quote>[\"'`])")
_NAME_KEY = re.compile(r"\bname\s*+:\s*+(?P<quote>[\"'`])")


def _first_argument(source: LightSource, opening: int, closing: int) -> tuple[str, int]:
    """Return the name that a call gives, and where it ends; an empty name if there is none."""
    match = _QUOTED.match(source.masked, opening + 1)
    if match is None:
        brace = _next(source.masked, opening + 1)
        if brace < closing and source.masked[brace] == "{":  # `Deno.test({ name: "…", fn() {} })`
            match = _NAME_KEY.search(source.masked, brace, min(closing, brace + 400))
            if match is not None:
                start = match.end()
                end = source.masked.find(match["quote"], start, closing)
                return source.text[start : max(start, end)][:_MAX_NAME], brace + 1
        word = re.compile(r"\s*+([A-Za-z_$][\w$.]{0,60}+)\s*+,").match(source.masked, opening + 1)
        return (word[1], word.end(1)) if word else ("", opening + 1)
    start = match.end()
    end = source.masked.find(match["quote"], start, closing + 1)
    if end < 0:
        return "", opening + 1
    return " ".join(source.text[start:end].split())[:_MAX_NAME], end + 1


def _function(source: LightSource, at: int, opening: int, closing: int) -> int | None:
    """Return where the function among the arguments of a call begins."""
    for match in _FUNCTION.finditer(source.masked, at, closing):
        around = source.innermost(match.start())
        is_key = match[0] == "{" and source.language in ("js", "ts")  # options, or a method
        if around == opening and not is_key:
            return match.start()
        if around > opening and source.innermost(around) == opening and match[0].startswith("fn"):
            return match.start()
        if match.start() - at > _FAR:
            break
    return None


def _body(source: LightSource, start: int, closing: int) -> int:
    """Return the brace at which the body of a function begins; -1 if it has none."""
    at = start
    while (match := _BODY_START.search(source.masked, at, closing)) is not None:
        if match[0] == "{":
            return match.start()
        at = source.closing.get(match.start(), closing) + 1
    return -1


def _table_size(source: LightSource, opening: int, closing: int) -> int:
    """Return the number of rows in the table of `it.each`."""
    if source.masked[opening] == "`":
        rows = source.text[opening:closing].strip("` \n").count("\n")
        return max(1, rows)
    bracket = _next(source.masked, opening + 1)
    if bracket >= closing or source.masked[bracket] != "[":
        return 1
    end = source.closing.get(bracket, closing)
    places = (one.start() for one in _COMMA.finditer(source.masked, bracket + 1, end))
    commas = sum(source.innermost(place) == bracket for place in places)
    inner = source.masked[bracket + 1 : end].strip()
    return commas + (not inner.endswith(",")) if inner else 0


def _next(text: str, at: int) -> int:
    """Return the position of the next sign that is not a blank."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _notes(source: LightSource, nodes: list[_Node]) -> Iterator[tuple[int, Mark]]:
    """Yield what `this.skip()` and `test.skip(condition)` say about the call they are in."""
    matches = list(islice(_BODY_SKIP.finditer(source.masked), _MAX_CALLS))
    owners = _owners(nodes, [match.start() for match in matches])
    starts = {node.at for node in nodes}
    for match, owner in zip(matches, owners, strict=True):
        bracket = source.innermost(match.start())
        if match.start() in starts or (owner is None and bracket >= 0):
            continue  # it names a test itself, or is in a helper
        inner = source.masked[match.end() : source.closing.get(match.end() - 1, match.end())]
        state = MAY_FAIL if match["word"] == "fail" else SKIPPED
        if _has_condition(inner) or (owner is not None and not _is_body(source, owner, bracket)):
            state = CONDITIONAL
        yield (owner.at if owner else _FILE), Mark(state, match["word"] or match["alone"])


def _owners(nodes: list[_Node], positions: list[int]) -> Iterator[_Node | None]:
    """Yield the innermost test or group around each of some ascending positions."""
    opened: list[_Node] = []
    at = 0
    for position in positions:
        while at < len(nodes) and nodes[at].at <= position:
            while opened and opened[-1].end < nodes[at].at:
                opened.pop()
            opened.append(nodes[at])
            at += 1
        while opened and opened[-1].end < position:
            opened.pop()
        yield opened[-1] if opened else None


def _has_condition(inner: str) -> bool:
    """Return whether the first argument of a skip is neither a text nor true nor a function."""
    first = inner.partition(",")[0].strip()
    return bool(first) and first[0] not in "\"'`" and first not in ("true", "TRUE", "1")


def _is_body(source: LightSource, node: _Node, bracket: int) -> bool:
    """Return whether a bracket is the body of a call's function, not a block in it."""
    return bracket in (node.body, source.innermost(node.start))
