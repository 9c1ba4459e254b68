"""Tests of a Python file: pytest and unittest, by its syntax tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import partial

from clew.detectors.checks.cases import SKIPPED, Case, Mark, Suite, strongest
from clew.detectors.checks.python_asserts import read_body
from clew.detectors.checks.python_marks import Marks, body_mark, name_of
from clew.detectors.code.definitions import parsed
from clew.detectors.code.light_source import LightSource

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_MAX_DEPTH = 4
_MAX_CASES = 5_000
_SETUPS = frozenset((
    "setUp", "asyncSetUp", "setUpClass", "setUpModule", "setup", "setup_method", "setup_class",
    "setup_function", "setup_module",
))  # fmt: skip
_DOCTEST_SKIP = re.compile(r"#\s*+doctest:[^\n]{0,80}\+SKIP")


def python_suite(text: str) -> Suite | None:
    """Return the tests of a Python file; None if it cannot be parsed."""
    tree = parsed(text)
    if tree is None:
        return None
    reader = _Reader(tree, text)
    cases: dict[str, Case] = {}
    for case in reader.of(tree.body, "", reader.module_mark, 0):
        cases[case.name] = case
        if len(cases) >= _MAX_CASES:
            break
    return Suite(cases, text, lambda: LightSource(text, "python").masked, doctest_skips(text))


def doctest_skips(text: str) -> int:
    """Return how many examples of a text are skipped."""
    return len(_DOCTEST_SKIP.findall(text)) if "+SKIP" in text else 0


class _Reader:
    """Lists tests with the marks of their module and class."""

    def __init__(self, tree: ast.Module, text: str) -> None:
        self._lines = text.split("\n")
        self._marks = Marks(tree.body)
        self.module_mark = (
            self._marks.of_body(tree.body) or _of_setups(tree.body, self._marks) or Mark()
        )

    def of(self, body: Sequence[ast.stmt], owner: str, mark: Mark, depth: int) -> Iterator[Case]:
        for node in body:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef() if node.name.startswith("test"):
                    yield self._case(node, owner, mark)
                case ast.ClassDef() if depth < _MAX_DEPTH and _is_collected(node):
                    own = (
                        self._marks.of_decorators(node.decorator_list)
                        or self._marks.of_body(node.body)
                        or _of_setups(node.body, self._marks)
                    )
                    inner = strongest(mark, own) if own else mark
                    yield from self.of(node.body, f"{owner}{node.name}.", inner, depth + 1)
                case ast.If() if depth < _MAX_DEPTH:
                    if not _is_false(node.test):
                        yield from self.of(node.body, owner, mark, depth + 1)
                    yield from self.of(node.orelse, owner, mark, depth + 1)
                case ast.Try() if depth < _MAX_DEPTH:
                    yield from self.of(node.body, owner, mark, depth + 1)
                case _:
                    pass

    def _case(self, node: _Function, owner: str, mark: Mark) -> Case:
        own = self._marks.of_decorators(node.decorator_list) or body_mark(node.body) or Mark()
        count = self._marks.number_of_cases(node.decorator_list)
        found = strongest(mark, own, Mark() if count else Mark(SKIPPED, "no cases"))
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        raw = "\n".join(self._lines[first - 1 : node.end_lineno])
        return Case(
            f"{owner}{node.name}", found, raw,
            partial(read_body, node.body), partial(_words, node), max(1, count),
        )  # fmt: skip


def _is_collected(node: ast.ClassDef) -> bool:
    """Return whether pytest or unittest look for tests in a class."""
    return node.name.startswith("Test") or any("Test" in name_of(base) for base in node.bases)


def _is_false(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and not test.value


def _of_setups(body: Sequence[ast.stmt], marks: Marks) -> Mark | None:
    """Return the mark of what runs before each test, if it skips all of them."""
    for node in body:
        if not isinstance(node, _Function):
            continue
        if node.name in _SETUPS or marks.is_autouse(node.decorator_list):
            found = body_mark(node.body)
            if found is not None and found.state == SKIPPED:
                return found
    return None


def _words(node: ast.AST) -> frozenset[str]:
    found = set()
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            found.add(one.id)
        elif isinstance(one, ast.Attribute):
            found.add(one.attr)
    return frozenset(found)
