"""Definitions of a file in a language with braces, or one with `end`, by a light reader.

A definition counts at the top of a file and directly in a class, a module or a namespace; what is
inside a function does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from clew.detectors.code.light_source import LightSource, plain_tokens
from clew.detectors.code.symbols import CLASS, CONSTANT, FUNCTION, Symbol, Symbols, merged
from clew.model.named_tuple import NamedTuple

_MAX_SYMBOLS = 4_000
_NAME = r"(?P<name>[A-Za-z_$][\w$]{0,79})"
_KEYWORDS = frozenset((
    "if", "for", "while", "switch", "catch", "function", "return", "else", "do", "try", "with",
    "synchronized", "using", "lock", "foreach", "match", "when", "unless", "new", "throw", "await",
    "typeof", "super", "this", "case", "default", "sizeof", "elif", "until", "defer", "go", "select",
    "guard", "repeat", "assert", "yield", "in", "of", "delete", "void", "not", "and", "or",
))  # fmt: skip
_MODIFIERS = (
    r"(?:(?:public|private|protected|internal|static|final|abstract|async|override|open|sealed"
    r"|virtual|readonly|inline|suspend|export|default|declare|partial|extern|unsafe|pub|mutating"
    r"|data|lateinit|synchronized|native|operator|implicit|lazy|case|tailrec|companion|constexpr)\b"
    r"(?:\([a-z: ]{0,20}\))?[ \t]++)*+"
)
_START = r"^(?P<indent>[ \t]*+)"
_PART, _SPACE = "part", "space"
"""Blocks that hold definitions and are none: one names its class again, one has no name that counts."""


class _Rule(NamedTuple):
    """How a definition begins."""

    pattern: re.Pattern[str]
    kind: str
    only_in_class: bool = False
    is_loose: bool = False
    """Whether a call looks the same at first."""


def _rule(kind: str, pattern: str, *, only_in_class: bool = False, is_loose: bool = False) -> _Rule:
    return _Rule(re.compile(_START + pattern, re.M), kind, only_in_class, is_loose)


_SCRIPT = (
    _rule(FUNCTION, rf"{_MODIFIERS}function\b[ \t]*+\*?[ \t]*+{_NAME}"),
    _rule(
        FUNCTION,
        rf"(?:export[ \t]++)?(?:const|let|var)[ \t]++{_NAME}[^=\n;]{{0,200}}?=[ \t]*+"
        r"(?:async\b[ \t]*+)?(?:function\b|\([^()\n]{0,300}\)[^=\n]{0,80}=>|[\w$]{1,80}+[ \t]*+=>)",
    ),
    _rule(FUNCTION, rf"(?:module\.)?exports\.{_NAME}[ \t]*+=[ \t]*+(?:async\b|function\b|\(|[\w$]{{1,80}}+[ \t]*+=>)"),
    _rule(CLASS, rf"{_MODIFIERS}(?:const[ \t]++)?(?:class|interface|enum)[ \t]++{_NAME}"),
    _rule(_SPACE, rf"{_MODIFIERS}(?:namespace|module)[ \t]++{_NAME}"),
    _rule(CLASS, rf"{_MODIFIERS}type[ \t]++{_NAME}(?:<[^\n=]{{0,200}}?>)?[ \t]*+="),
    _rule(CONSTANT, rf"(?:export[ \t]++)?(?:const|let|var)[ \t]++{_NAME}[^=\n;]{{0,200}}?="),
    _rule(
        FUNCTION, rf"{_MODIFIERS}(?:(?:get|set)[ \t]++)?\*?#?{_NAME}[ \t]*+(?:<[^<>\n]{{0,80}}>)?\(",
        only_in_class=True, is_loose=True,
    ),
)  # fmt: skip
_GO = (
    _rule(FUNCTION, rf"func[ \t]++\([ \t]*+(?:\w++[ \t]++)?\*?(?P<owner>\w{{1,80}})[^)\n]{{0,80}}\)[ \t]*+{_NAME}"),
    _rule(FUNCTION, rf"func[ \t]++{_NAME}[ \t]*+[\[(]"),
    _rule(CLASS, rf"type[ \t]++{_NAME}\b"),
    _rule(CONSTANT, rf"(?:const|var)[ \t]++{_NAME}\b"),
)  # fmt: skip
_RUST = (
    _rule(FUNCTION, rf"{_MODIFIERS}(?:const[ \t]++)?{_MODIFIERS}fn[ \t]++{_NAME}"),
    _rule(CLASS, rf"{_MODIFIERS}(?:struct|enum|trait|union|mod|type|macro_rules!)[ \t]++{_NAME}"),
    _rule(_PART, r"(?:unsafe[ \t]++)?impl\b(?:<[^{\n]{0,80}?>)?[ \t]*+(?:[\w:<>, ]{1,80}?[ \t]for[ \t]++)?"
                 rf"(?:&[ \t]*+)?(?:\w++::)*+{_NAME}"),
    _rule(CONSTANT, rf"(?:pub(?:\([a-z: ]{{0,20}}\))?[ \t]++)?(?:static|const)[ \t]++(?:mut[ \t]++)?{_NAME}[ \t]*+:"),
)  # fmt: skip
_OBJECTS = (
    _rule(CLASS, rf"{_MODIFIERS}(?:class|interface|enum|record|struct|object|trait|protocol|mixin|annotation)[ \t]++(?:class[ \t]++)?{_NAME}"),
    _rule(_PART, rf"{_MODIFIERS}extension[ \t]++{_NAME}"),
    _rule(_SPACE, rf"(?:inline[ \t]++)?namespace[ \t]++(?:\w++(?:::|\.|\\))*+{_NAME}"),
    _rule(_SPACE, r"companion[ \t]++(?P<name>object)"),
    _rule(FUNCTION, rf"{_MODIFIERS}(?:fun|func|def|function)\b[ \t]++(?:<[^<>\n]{{0,80}}>[ \t]*+)?(?:[\w<>?]{{1,60}}\.)?`?&?{_NAME}"),
    _rule(
        FUNCTION,
        rf"{_MODIFIERS}(?!(?:return|new|throw|else|await)\b)(?:<[^<>\n]{{0,80}}>[ \t]++)?"
        rf"(?:[\w<>\[\],.?:*&~]{{1,120}}+[ \t*&]++){{1,6}}{_NAME}[ \t]*+\(",
        is_loose=True,
    ),
)  # fmt: skip

_RULES: dict[str, tuple[_Rule, ...]] = {
    "js": _SCRIPT,
    "ts": _SCRIPT,
    "go": _GO,
    "rust": _RUST,
    **dict.fromkeys(
        ("java", "kotlin", "scala", "groovy", "swift", "csharp", "php", "c", "dart"), _OBJECTS
    ),
}

_INDENTED: dict[str, tuple[tuple[re.Pattern[str], str], ...]] = {
    "ruby": (
        (re.compile(r"(?:class|module)[ \t]++(?:\w++::)*+(?P<name>[A-Z]\w{0,79})"), CLASS),
        (re.compile(r"(?:private[ \t]++)?def[ \t]++(?:self\.)?(?P<name>[a-z_]\w{0,79}[?!=]?)"), FUNCTION),
    ),
    "elixir": (
        (re.compile(r"defmodule[ \t]++(?:\w++\.)*+(?P<name>[A-Z]\w{0,79})"), CLASS),
        (re.compile(r"defp?[ \t]++(?P<name>[a-z_]\w{0,79}[?!]?)"), FUNCTION),
    ),
    "lua": (
        (re.compile(r"(?:local[ \t]++)?function[ \t]++(?:\w++[.:])*+(?P<name>\w{1,80})"), FUNCTION),
    ),
    "shell": (
        (re.compile(r"(?:function[ \t]++)?(?P<name>[A-Za-z_][\w-]{0,79})[ \t]*+\(\)"), FUNCTION),
    ),
}  # fmt: skip


LIGHT_LANGUAGES = frozenset((*_RULES, *_INDENTED))


def light_symbols(source: LightSource) -> Symbols:
    """Return the definitions of a file."""
    found: Symbols = {}
    if source.language in _INDENTED:
        listed = _by_indent(source)
    else:
        listed = _by_braces(source, _RULES.get(source.language, ()))
    for symbol in listed:
        known = found.get(symbol.name)
        found[symbol.name] = symbol if known is None else merged(known, symbol)
        if len(found) >= _MAX_SYMBOLS:
            break
    return found


class _Start(NamedTuple):
    """Where a definition may begin."""

    at: int
    end: int
    """The end of its head."""
    name: str
    owner: str
    rule: _Rule


class _Found(NamedTuple):
    """One definition, and its extent."""

    start: _Start
    name: str
    end: int
    brace: int
    """Its opening brace, -1 if it has none."""


def _by_braces(source: LightSource, rules: tuple[_Rule, ...]) -> Iterator[Symbol]:
    bodies: dict[int, str] = {}
    """The opening brace of each class, with its name."""
    members: dict[int, list[_Found]] = {}
    """What is directly in each class."""
    listed: list[_Found] = []
    for start in _starts(source, rules):
        innermost = source.innermost(start.at)
        inside = bodies.get(innermost)
        if innermost >= 0 and inside is None:
            continue  # in a function
        if start.rule.only_in_class and inside is None:
            continue
        end, brace = _extent(source, start.end)
        owner = start.owner or inside
        found = _Found(start, f"{owner}.{start.name}" if owner else start.name, end, brace)
        kind = start.rule.kind
        if kind in (CLASS, _PART, _SPACE) and brace >= 0:
            bodies[brace] = (inside or "") if kind == _SPACE else found.name
        if kind in (_PART, _SPACE) or (kind == CONSTANT and inside):
            continue
        members.setdefault(innermost, []).append(found)
        listed.append(found)
    for found in listed:
        yield _symbol(source, found, members.get(found.brace, []) if found.brace >= 0 else [])


def _starts(source: LightSource, rules: tuple[_Rule, ...]) -> list[_Start]:
    """Return the possible definitions in the order of the file, one for each place."""
    found: dict[int, _Start] = {}
    for rule in rules:
        for match in rule.pattern.finditer(source.masked):
            name = match["name"]
            at = match.end("indent")
            if at in found or (rule.is_loose and not _is_definition(source, match)):
                continue
            owner = match.groupdict().get("owner") or ""
            found[at] = _Start(at, match.end("name"), name, owner, rule)
            if len(found) >= _MAX_SYMBOLS:
                break
    return [found[at] for at in sorted(found)]


_AFTER_PARAMETERS = re.compile(
    r"\s*+(?:[{:]|=>|->|=|throws\b|where\b|const\b|noexcept\b|override\b|async\b)"
)


def _is_definition(source: LightSource, match: re.Match[str]) -> bool:
    """Return whether a body follows the parameters, as it does not after a call."""
    if match["name"] in _KEYWORDS:
        return False
    end = source.closing.get(match.end() - 1)
    return end is not None and _AFTER_PARAMETERS.match(source.masked, end + 1) is not None


_STOP = re.compile(r"[({\[;\n]")
_GOES_ON = frozenset("=>,(+-|&?:<*")
_BEGINS_WITH = frozenset(".?:|&+-*/=)]{,>")


def _extent(source: LightSource, at: int) -> tuple[int, int]:
    """Return where a definition ends, and its opening brace, -1 if it has none."""
    masked, closing = source.masked, source.closing
    brace = -1
    while (match := _STOP.search(masked, at)) is not None:
        stop, sign = match.start(), match[0]
        if sign == ";":
            return stop + 1, brace
        if sign == "\n":
            before = masked[max(0, stop - 200) : stop].rstrip()[-1:]
            after = masked[stop : stop + 200].lstrip()[:1]
            if before not in _GOES_ON and after not in _BEGINS_WITH:
                return stop, brace
            at = stop + 1
            continue
        end = closing.get(stop)
        if end is None:
            return stop, brace
        at = end + 1
        if sign == "{":
            brace = stop
            rest = masked[at : at + 200].lstrip(" \t\n")[:1]
            if rest != "{" and masked[at : at + 40].lstrip(" \t")[:1] not in _CALLED:
                return at, brace
    return len(masked), brace


_CALLED = frozenset(".()[,")


def _symbol(source: LightSource, found: _Found, members: list[_Found]) -> Symbol:
    start, end = found.start, found.end
    raw = source.code[start.at : end]
    kind = start.rule.kind
    # The methods of a class are definitions of their own.
    body = raw if kind != CLASS else _without(source, start.at, end, members)
    parameters = _parameters(source, start.end, end) if kind == FUNCTION else None
    return Symbol(
        found.name, kind, raw,
        partial(_tokens, body), partial(_tokens_without, raw, start.name), parameters,
    )  # fmt: skip


def _without(source: LightSource, at: int, end: int, members: list[_Found]) -> str:
    """Return a text without some definitions in it."""
    parts = []
    for member in members:
        parts.append(source.code[at : member.start.at])
        at = max(at, member.end)
    return "".join([*parts, source.code[at:end]])


_PARAMETER = re.compile(r"[A-Za-z_$][\w$]*+")


def _parameters(source: LightSource, at: int, end: int) -> tuple[str, ...] | None:
    """Return the first word of each parameter in scripts; None in languages that begin with a type."""
    opening = source.masked.find("(", at, min(end, at + 200))
    if source.language not in ("js", "ts", "go", "rust", "kotlin", "swift") or opening < 0:
        return None
    inner = source.masked[opening + 1 : source.closing.get(opening, opening + 1)]
    found = [_PARAMETER.search(part) for part in _split(inner)]
    return tuple(match[0] for match in found if match is not None)[:40]


def _split(inner: str) -> Iterator[str]:
    """Yield the parts between commas outside brackets."""
    depth, start = 0, 0
    for match in re.finditer(r"[,()\[\]{}]", inner):
        if match[0] in "([{":
            depth += 1
        elif match[0] in ")]}":
            depth -= 1
        elif depth == 0:
            yield inner[start : match.start()]
            start = match.end()
    yield inner[start:]


def _tokens(text: str) -> tuple[str, ...]:
    return tuple(plain_tokens(text))


def _tokens_without(text: str, name: str) -> tuple[str, ...]:
    return tuple("" if token == name else token for token in _tokens(text))


def _by_indent(source: LightSource) -> Iterator[Symbol]:
    """Yield the definitions of a language in which `end` or a brace stands below the head."""
    rules = _INDENTED[source.language]
    lines = source.masked.split("\n")
    starts = source.lines
    owners: list[tuple[int, str]] = []
    skip_until = 0
    for number, line in enumerate(lines):
        text = line.lstrip()
        if number < skip_until or not text:
            continue
        indent = len(line) - len(text)
        while owners and owners[-1][0] >= indent:
            owners.pop()
        found = next(((hit, kind) for one, kind in rules if (hit := one.match(text))), None)
        if found is None:
            continue
        match, kind = found
        last = _block_end(lines, number, indent)
        path = ".".join([*(name for _, name in owners), match["name"]])
        if kind == CLASS:
            owners.append((indent, match["name"]))
            last = number + 1
        else:
            skip_until = last
        end = starts[last] if last < len(starts) else len(source.code)
        raw = source.code[starts[number] : end]
        yield Symbol(
            path, kind, raw, partial(_tokens, raw), partial(_tokens_without, raw, match["name"])
        )


def _block_end(lines: list[str], number: int, indent: int) -> int:
    """Return the line after a block: after the first one that is not indented more."""
    for at in range(number + 1, len(lines)):
        text = lines[at].lstrip()
        if text and len(lines[at]) - len(text) <= indent:
            return at + 1 if text.startswith(("end", "}")) else at
    return len(lines)
