"""Tests whose block ends where the indentation does.

Ruby (RSpec, minitest), Elixir (ExUnit), Haskell (hspec), Julia, Clojure and Gherkin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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

_MAX_CASES = 5_000
_MAX_NAME = 120
_HEADS: dict[str, re.Pattern[str]] = {
    "ruby": re.compile(
        r"(?:RSpec\.)?(?P<word>[xf]?(?:describe|context|feature|example_group)(?=[ (]++[\"'A-Z:])"
        r"|(?:[xf]?(?:it|specify|example|scenario)|its|test|should)(?=[ (]++[\"'])"
        r"|(?:pending|skip)(?=[ (]++[\"'][^\n]*(?:\bdo\b|\{)))|(?P<def>def)[ \t]++(?P<name>test_\w{1,120}[?!]?)"
        r"|(?P<class>class)[ \t]++(?P<owner>[\w:]{1,120})"
    ),
    "elixir": re.compile(r"(?P<word>describe|test|property)\b(?=[ (]+\")"),
    "haskell": re.compile(r"(?P<word>[xf]?(?:describe|context|it|specify|prop))\b(?=[ ]+\")"),
    "julia": re.compile(r"@testset\b(?P<word>)"),
    "clojure": re.compile(r"(?P<off>#_)?\((?P<word>deftest)[ \t]++(?P<meta>\^:?\{?[\w: ]{1,40}\}?[ \t]++)*+(?P<name>[\w\-?!]{1,120})"),
    "gherkin": re.compile(r"(?P<word>Scenario(?: Outline| Template)?|Example|Feature|Rule):"),
}  # fmt: skip
_GROUPS = frozenset(("describe", "context", "feature", "example_group", "Feature", "Rule"))
_ASSERTIONS: dict[str, re.Pattern[str]] = {
    "ruby": re.compile(r"\b(?:expect|assert\w*+|refute\w*+|flunk|is_expected|should|must_\w++|wont_\w++|raise_error|allow)\b"),
    "elixir": re.compile(r"\b(?:assert|refute|flunk|catch_error|catch_exit|expect|check)\w*+\b"),
    "haskell": re.compile(r"\b(?:should\w*+|expectationFailure|assert\w*+|property)\b|===|@\?="),
    "julia": re.compile(r"@test\b(?!_)|@test_throws\b|@test_logs\b|@inferred\b"),
    "clojure": re.compile(r"\((?:is|are|testing|match\?|check)\b"),
    "gherkin": re.compile(r"^[ \t]*+(?:Then|And|But)\b", re.M),
}  # fmt: skip
_OPTION = re.compile(
    r"(?<!\w):?(?P<word>skip|pending|focus)\b(?P<sign>:|\s*+=>)?\s*+(?P<value>true|false|nil|[\"'])?"
)
_BODY_SKIP = re.compile(
    r"^[ \t]*+(?P<word>skip|pending|omit|pend|startSkipping)\b(?P<rest>[^\n]*+)", re.M
)
_TAGS = re.compile(r"@(?:tag|moduletag|describetag)\b[^\n]*?(?<!\w):?skip\b(?!:\s*+(?:false|nil))")
_GHERKIN_TAGS = re.compile(r"@(?:skip|ignore|ignored|wip|disabled|pending|todo|manual)\b", re.I)

INDENTED_LANGUAGES = frozenset(_HEADS)


class _Block(NamedTuple):
    """A test or a group."""

    indent: int
    start: int
    end: int
    name: str
    is_group: bool
    mark: Mark
    is_only: bool


def indented_suite(text: str, language: str) -> Suite:
    """Return the tests of a file."""
    source = LightSource(text, language)
    blocks = list(_blocks(source))
    only = any(block.is_only for block in blocks)
    top = Mark()
    if language == "elixir" and re.search(r"@moduletag\b[^\n]*?:?skip\b", source.masked):
        top = Mark(SKIPPED, "@moduletag skip")
    cases: dict[str, Case] = {}
    stack: list[_Block] = []
    for block in blocks:
        while stack and stack[-1].indent >= block.indent:
            stack.pop()
        around = [*stack, block]
        if block.is_group:
            stack.append(block)
            continue
        mark = strongest(top, *(one.mark for one in around), _by_body(source, block))
        if only and mark.state == RUNS and not any(one.is_only for one in around):
            mark = Mark(SKIPPED, "focus")
        sign = "." if block.name.startswith("test_") else " "
        name = sign.join(one.name for one in around)[-_MAX_NAME:]
        name = name if name not in cases else f"{name} {len(cases)}"
        cases[name] = light_case(source, name, mark, block.start, block.end, _ASSERTIONS[language])
        if len(cases) >= _MAX_CASES:
            break
    return Suite(cases, text, lambda: source.masked)


def _blocks(source: LightSource) -> Iterator[_Block]:
    head = _HEADS[source.language]
    lines = source.masked.split("\n")
    for number, line in enumerate(lines):
        text = line.lstrip()
        match = head.match(text)
        if match is None:
            continue
        indent = len(line) - len(text)
        last = _last_line(source, lines, number, indent)
        start = source.lines[number] + indent
        after = source.lines[number + 1] if number + 1 < len(source.lines) else len(source.text)
        end = source.lines[last] if last < len(source.lines) else len(source.text)
        mark, is_only = _state(source, match, lines, number, text)
        groups = match.groupdict()
        word = (groups.get("word") or "").lstrip("xf") or groups.get("word") or ""
        word = "feature" if groups.get("word") == "feature" else word
        is_group = word in _GROUPS or bool(groups.get("class"))
        name = groups.get("name") or groups.get("owner") or _quoted(source, start)
        if source.language == "gherkin":
            name = source.text[start + match.end() : after].strip()
        if not name and not is_group:
            continue
        body = after if source.language != "clojure" else start + 1
        yield _Block(indent, min(body, end), end, name[:_MAX_NAME], is_group, mark, is_only)


def _last_line(source: LightSource, lines: list[str], number: int, indent: int) -> int:
    """Return the line at which a block ends."""
    if source.language == "clojure":
        opening = source.masked.find("(", source.lines[number])
        end = source.closing.get(opening, len(source.text))
        return source.masked.count("\n", 0, end) + 1
    for at in range(number + 1, len(lines)):
        text = lines[at].lstrip()
        if text and len(lines[at]) - len(text) <= indent:
            return at
    return len(lines)


def _state(
    source: LightSource, match: re.Match[str], lines: list[str], number: int, text: str
) -> tuple[Mark, bool]:
    groups = match.groupdict()
    word = groups.get("word") or ""
    if groups.get("off") or (groups.get("meta") and "skip" in groups["meta"]):
        return Mark(SKIPPED, "skip"), False
    if source.language == "gherkin":
        above = lines[number - 1] if number else ""
        found = _GHERKIN_TAGS.search(above)
        return Mark(SKIPPED, found[0]) if found else Mark(), False
    if source.language == "elixir":
        above = "\n".join(lines[max(0, number - 4) : number]).rpartition("\n\n")[2]
        return Mark(SKIPPED, "@tag skip") if _TAGS.search(above) else Mark(), False
    if word.startswith("x") or word in ("pending", "skip"):
        return Mark(SKIPPED, word), False
    is_only = word.startswith("f") and word != "feature"
    for option in _OPTION.finditer(text[match.end() :]):
        is_off = option["value"] in ("false", "nil")
        if option["word"] == "focus":
            is_only = is_only or not is_off
        elif not is_off and (option["sign"] or option[0].startswith(":")):
            state = MAY_FAIL if option["word"] == "pending" else SKIPPED
            return Mark(state, option["word"]), is_only
    is_without_block = source.language == "ruby" and word and not re.search(r"\bdo\b|\{", text)
    if is_without_block and word in ("it", "specify", "example", "scenario", "test"):
        return Mark(SKIPPED, "pending"), is_only
    return Mark(), is_only


def _by_body(source: LightSource, block: _Block) -> Mark:
    found = _BODY_SKIP.search(source.masked, block.start, block.end)
    if found is None or source.language not in ("ruby", "haskell", "julia"):
        return Mark()
    indent = len(found[0]) - len(found[0].lstrip())
    body = source.masked[block.start : block.end]
    first = next((line for line in body.split("\n") if line.strip()), "")
    is_condition = re.search(r"\b(?:if|unless)\b", found["rest"]) is not None
    if is_condition or indent > len(first) - len(first.lstrip()):
        return Mark(CONDITIONAL, "skip if")
    return Mark(MAY_FAIL if found["word"] == "pending" else SKIPPED, found["word"])


def _quoted(source: LightSource, at: int) -> str:
    """Return the first text in quotes on a line."""
    end = source.masked.find("\n", at)
    line = source.masked[at : end if end >= 0 else None]
    match = re.search(r"[\"']", line)
    if match is None:
        words = source.code[at : at + len(line)].split()[1:2]
        return "".join(words).strip("(,")
    close = line.find(match[0], match.end())
    return source.text[at + match.end() : at + (close if close > 0 else len(line))]
