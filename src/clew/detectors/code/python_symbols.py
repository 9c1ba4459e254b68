"""Definitions of a Python file, by its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import partial

from clew.detectors.code.symbols import CLASS, CONSTANT, FUNCTION, Symbol, Symbols, merged

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_MAX_DEPTH = 4


def python_symbols(tree: ast.Module, text: str) -> Symbols:
    """Return the definitions of a module and of its classes."""
    found: Symbols = {}
    for symbol in _Definitions(text).of(tree.body, "", 0):
        known = found.get(symbol.name)
        found[symbol.name] = symbol if known is None else merged(known, symbol)
    return found


def module_statements(tree: ast.Module) -> tuple[list[str], list[str]]:
    """Return the imports of a module, and its other statements that define nothing."""
    body = tree.body[1:] if is_docstring(tree.body) else tree.body
    imports: list[str] = []
    others: list[str] = []
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports.append(ast.dump(node, annotate_fields=False))
        elif not isinstance(node, _Function | ast.ClassDef | ast.Assign | ast.AnnAssign):
            others.append(ast.dump(without_docstrings(node), annotate_fields=False))
    return imports, others


def without_docstrings(tree: ast.AST) -> ast.AST:
    """Return a tree whose docstrings are removed, in place."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        if isinstance(node, ast.ClassDef | _Function) and is_docstring(body):
            del body[0]
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting.extend(getattr(node, name, ()))
    return tree


def is_docstring(body: Sequence[ast.stmt]) -> bool:
    """Return whether the first statement is a docstring."""
    if not body or not isinstance(body[0], ast.Expr):
        return False
    value = body[0].value
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


class _Definitions:
    """Lists definitions with the text of each."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")

    def of(self, body: Sequence[ast.stmt], owner: str, depth: int) -> Iterator[Symbol]:
        for node in body:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    yield self._symbol(node, f"{owner}{node.name}", FUNCTION, _parameters(node))
                case ast.ClassDef():
                    yield self._class(node, owner)
                    if depth < _MAX_DEPTH:
                        yield from self.of(node.body, f"{owner}{node.name}.", depth + 1)
                case ast.If() if depth < _MAX_DEPTH:
                    yield from self.of([*node.body, *node.orelse], owner, depth + 1)
                case ast.Try() if depth < _MAX_DEPTH:
                    others = [part for one in node.handlers for part in one.body]
                    yield from self.of([*node.body, *others, *node.orelse], owner, depth + 1)
                case ast.Assign() | ast.AnnAssign() if not owner:
                    yield from self._constants(node)
                case _:
                    pass

    def _symbol(
        self,
        node: _Function | ast.Assign | ast.AnnAssign,
        name: str,
        kind: str,
        parameters: tuple[str, ...] | None = None,
    ) -> Symbol:
        normal, anonymous = partial(_dump, node), partial(_dump_without_name, node)
        return Symbol(name, kind, self._raw(node), normal, anonymous, parameters)

    def _class(self, node: ast.ClassDef, owner: str) -> Symbol:
        """Return a class; its methods are definitions of their own."""
        body = node.body[1:] if is_docstring(node.body) else node.body
        rest = [one for one in body if not isinstance(one, _Function | ast.ClassDef)]
        head = [*node.decorator_list, *node.bases, *node.keywords, *rest]
        return Symbol(
            f"{owner}{node.name}", CLASS, self._raw(node),
            partial(_dump_all, head), partial(_dump_without_name, node),
        )  # fmt: skip

    def _constants(self, node: ast.Assign | ast.AnnAssign) -> Iterator[Symbol]:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            for name in names:
                if isinstance(name, ast.Name):
                    yield self._symbol(node, name.id, CONSTANT)

    def _raw(self, node: _Function | ast.ClassDef | ast.Assign | ast.AnnAssign) -> str:
        decorators = getattr(node, "decorator_list", ())
        first = min([node.lineno, *(one.lineno for one in decorators)])
        return "\n".join(self._lines[first - 1 : node.end_lineno])


def _parameters(node: _Function) -> tuple[str, ...]:
    given = node.args
    every = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    return tuple(one.arg for one in every if one is not None)


def _dump(node: ast.AST) -> str:
    if isinstance(node, _Function | ast.ClassDef):
        without_docstrings(node)
    return ast.dump(node, annotate_fields=False)


def _dump_all(nodes: Sequence[ast.AST]) -> str:
    return "\n".join(ast.dump(node, annotate_fields=False) for node in nodes)


def _dump_without_name(node: ast.AST) -> str:
    dumped = _dump(node)
    name = getattr(node, "name", "")
    return dumped.replace(f"'{name}'", "''") if name else dumped
