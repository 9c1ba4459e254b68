"""Differences between two versions of a source file, named by its definitions.

    +limit()  −Mailer  ~orders()  ~total(+discount)  discount() → reduced()

A version that differs in layout, comments, docstrings or the order of imports only has no such
difference, and says so.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence

from clew.detectors.code.languages import decoded, language_of
from clew.detectors.code.light_source import LightSource
from clew.detectors.code.light_symbols import LIGHT_LANGUAGES, light_symbols
from clew.detectors.code.python_symbols import module_statements, python_symbols
from clew.detectors.code.symbols import CLASS, CONSTANT, FUNCTION, Symbol, Symbols
from clew.model.named_tuple import NamedTuple

LAYOUT, COMMENTS, IMPORTS = "layout", "comments", "imports"
"""What alone is different."""

_MAX_PAIRS = 400
_MAX_PARAMETERS = 3
_MAX_UNSEEN = 100
"""How many definitions are looked for in the other version."""
_FEW_WORDS = 4
_MARK = "\x00"


class Version(NamedTuple):
    """One version of a source file, read."""

    symbols: Symbols
    source: LightSource
    tree: ast.Module | None = None
    """The syntax tree of Python."""


class Differences(NamedTuple):
    """How two versions differ; a file that came or went has one version that is empty."""

    added: tuple[Symbol, ...] = ()
    removed: tuple[Symbol, ...] = ()
    changed: tuple[str, ...] = ()
    """As shown: `orders()`, `total(+discount)`."""
    renamed: tuple[tuple[Symbol, Symbol], ...] = ()
    only: str = ""
    """`layout`, `comments` or `imports` if nothing else is different."""


def can_be_read(name: str) -> bool:
    """Return whether the definitions of a file with this name can be read."""
    language = language_of(name)
    return language == "python" or language in LIGHT_LANGUAGES or name.endswith(COMPONENTS)


COMPONENTS = (".vue", ".svelte")
"""Files with a page and its program."""
_SCRIPT = re.compile(r"<script\b[^>]{0,200}>(.*?)</script\s*>", re.S | re.I)


def _scripts(text: str) -> str:
    """Return the programs in a component."""
    return "\n".join(_SCRIPT.findall(text))


def read_version(name: str, content: bytes) -> Version | None:
    """Return a version of a file; None if it cannot be parsed."""
    if name.endswith(COMPONENTS):
        source = LightSource(_scripts(decoded(content)), "ts")
        return Version(light_symbols(source), source)
    language = language_of(name)
    source = LightSource(decoded(content), language)
    if language != "python":
        return Version(light_symbols(source), source)
    tree = parsed(source.text)
    return None if tree is None else Version(python_symbols(tree, source.text), source, tree)


def parsed(text: str) -> ast.Module | None:
    """Return the syntax tree of a Python file; None if it has none."""
    try:
        return parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def parse(text: str) -> ast.Module:
    """Return the syntax tree of a Python file; warnings about its strings are nobody's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def differences(before: Version, after: Version) -> Differences:
    """Return how two versions differ."""
    old, new = before.symbols, after.symbols
    is_light = before.tree is None or after.tree is None
    if is_light and _is_same_code(before.source, after.source):
        return Differences(only=_layout_or_comments(before, after))
    gone = [symbol for name, symbol in old.items() if name not in new]
    fresh = [symbol for name, symbol in new.items() if name not in old]
    if is_light and (gone or fresh):
        gone, fresh = _without_unseen(gone, after), _without_unseen(fresh, before)
    renamed = _renamed(gone, fresh)
    was = {one.name for one, _ in renamed}
    now = {one.name for _, one in renamed}
    removed = _outermost([one for one in gone if one.name not in was], was)
    added = _outermost([one for one in fresh if one.name not in now], now)
    changed = tuple(_changed(old, new))
    only = "" if added or removed or changed or renamed else _only(before, after)
    return Differences(tuple(added), tuple(removed), changed, tuple(renamed), only)


def _without_unseen(symbols: Sequence[Symbol], other: Version) -> list[Symbol]:
    """Return the definitions that the other version lacks.

    A light reader misses a definition that shares a line with another, until a formatter parts them.
    """
    text = _MARK.join(["", *other.source.tokens(), ""])
    left = _MAX_UNSEEN
    found: list[Symbol] = []
    for symbol in symbols:
        left -= 1
        words = symbol.normal() if symbol.kind == FUNCTION and left >= 0 else ()
        is_long = isinstance(words, tuple) and len(words) > _FEW_WORDS
        listed = [str(word) for word in words] if isinstance(words, tuple) else []
        if not is_long or _MARK.join(["", *listed, ""]) not in text:
            found.append(symbol)
    return found


def definitions(version: Version) -> tuple[Symbol, ...]:
    """Return the functions and classes at the top of a version."""
    return tuple(
        symbol
        for symbol in version.symbols.values()
        if symbol.kind != CONSTANT and "." not in symbol.name
    )


def _outermost(symbols: Sequence[Symbol], renamed: set[str]) -> list[Symbol]:
    """Return the symbols that are not in a class which is listed itself; constants come last."""
    classes = {one.name for one in symbols if one.kind == CLASS} | renamed
    found = [one for one in symbols if one.owner not in classes]
    return sorted(found, key=lambda one: one.kind == CONSTANT)


def _renamed(gone: Sequence[Symbol], fresh: Sequence[Symbol]) -> list[tuple[Symbol, Symbol]]:
    """Return the pairs that differ in their name only."""
    if not gone or not fresh or len(gone) + len(fresh) > _MAX_PAIRS:
        return []
    waiting: dict[tuple[str, object], list[Symbol]] = {}
    for symbol in gone:
        if symbol.kind != CONSTANT:
            waiting.setdefault((symbol.kind, symbol.anonymous()), []).append(symbol)
    pairs = []
    for symbol in fresh:
        if symbol.kind == CONSTANT:
            continue
        found = waiting.get((symbol.kind, symbol.anonymous()))
        if found:
            pairs.append((found.pop(0), symbol))
    inside = {old.name for old, _ in pairs if old.kind == CLASS}
    return [pair for pair in pairs if pair[0].owner not in inside]


def _changed(old: Symbols, new: Symbols) -> Iterator[str]:
    both = [(old[name], symbol) for name, symbol in new.items() if name in old]
    for kind in (FUNCTION, CLASS, CONSTANT):
        for was, now in both:
            if now.kind == kind and was.raw != now.raw and was.meaning != now.meaning:
                yield _with_parameters(was, now)


def _with_parameters(was: Symbol, now: Symbol) -> str:
    """Return the name of a definition, with the parameters that came and went."""
    if was.parameters is None or now.parameters is None or was.parameters == now.parameters:
        return now.shown
    signs = [f"+{name}" for name in now.parameters if name not in was.parameters]
    signs += [f"−{name}" for name in was.parameters if name not in now.parameters]
    if len(signs) > _MAX_PARAMETERS:
        signs[_MAX_PARAMETERS:] = ["…"]
    return f"{now.shown[:-2]}({', '.join(signs)})"


def _only(before: Version, after: Version) -> str:
    """Return what alone is different, or nothing if more is; no definition is."""
    if before.tree is None or after.tree is None:
        if not _is_same_code(before.source, after.source):
            return ""
    elif list(before.symbols) != list(after.symbols):
        return ""  # they are in another order
    else:
        imports, others = module_statements(before.tree)
        new_imports, new_others = module_statements(after.tree)
        if others != new_others:
            return ""
        if imports != new_imports:
            return IMPORTS
    return _layout_or_comments(before, after)


def _is_same_code(before: LightSource, after: LightSource) -> bool:
    """Return whether two versions have the same words, and the same texts in their strings."""
    return before.tokens() == after.tokens() and before.texts() == after.texts()


def _layout_or_comments(before: Version, after: Version) -> str:
    return LAYOUT if _prose(before.source) == _prose(after.source) else COMMENTS


def _prose(source: LightSource) -> tuple[list[str], str]:
    """Return the words of comments, and the letters of texts, among them docstrings."""
    texts = "".join(source.strings) if source.language == "python" else ""
    return " ".join(source.comments).split(), "".join(
        texts.replace('"', "").replace("'", "").split()
    )
