"""Assertions of a Python test: those that can fail, and those that always hold."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from clew.detectors.checks.cases import Assertion, Body
from clew.detectors.checks.python_marks import name_of
from clew.detectors.code.python_symbols import is_docstring
from clew.model.named_tuple import NamedTuple

_MAX_DEPTH = 12
_WORD = re.compile(
    r"_?(?:assert|expect|verif|check|ensure|should|must|validate|compare|match_snapshot|approve)"
    r"|(?:raises|warns|fail|failIf|failUnless|deprecated_call|assertion)$"
)
_CONTEXTS = re.compile(r"(?:assert|raises|warns|deprecated_call|expect|fail_if)", re.I)
_STRONG = re.compile(
    r"assert(?:_)?(?:\w*[eE]qual\w*|Is|In|is|in|Raises\w*|Greater\w*|Less\w*|Regex)$"
)
_WEAK = re.compile(
    r"assert(?:_)?(?:true|True|false|False|IsNotNone|IsNone|IsInstance|is_not_none|is_none)$"
)
"""Those that ask for a truth, a type or a presence; a second argument is only the message."""
_BROAD = frozenset(("Exception", "BaseException", "AssertionError", ""))


class _Statement(NamedTuple):
    text: str
    assertion: Assertion | None = None
    is_constant: bool = False


def read_body(body: Sequence[ast.stmt]) -> Body:
    """Return the statements of a test that can be reached."""
    found = list(_statements(body[1:] if is_docstring(body) else body, 0, False))
    return Body(
        tuple(one.assertion for one in found if one.assertion is not None),
        sum(one.is_constant for one in found),
        tuple(one.text for one in found if one.assertion is None and not one.is_constant),
    )


def _statements(body: Sequence[ast.stmt], depth: int, swallowed: bool) -> Iterator[_Statement]:
    """Yield statements; `swallowed` are those whose failure nobody sees."""
    for node in body:
        if isinstance(node, ast.Pass) or _is_ellipsis(node):
            continue
        if isinstance(node, ast.Return) and node.value is None:
            return
        yield from _of(node, depth, swallowed)
        if isinstance(node, ast.Return | ast.Raise):
            return


def _of(node: ast.stmt, depth: int, swallowed: bool) -> Iterator[_Statement]:
    inner = partial_body(node)
    if not inner or depth > _MAX_DEPTH:
        yield _simple(node, swallowed)
        return
    if isinstance(node, ast.If) and isinstance(node.test, ast.Constant) and not node.test.value:
        yield from _statements(node.orelse, depth + 1, swallowed)
        return
    if isinstance(node, ast.With | ast.AsyncWith):
        names = [name_of(item.context_expr) for item in node.items]
        swallowed = swallowed or any(_suppresses(item.context_expr) for item in node.items)
        for name, item in zip(names, node.items, strict=True):
            text = ast.dump(item, annotate_fields=False)
            if _CONTEXTS.search(name.rpartition(".")[2]) and not swallowed:
                yield _Statement(text, Assertion(text))
            else:
                yield _Statement(text)
    elif isinstance(node, ast.Try):
        swallowed = swallowed or any(_swallows(handler) for handler in node.handlers)
    else:
        yield _Statement(_head(node))
    for part in inner:
        yield from _statements(part, depth + 1, swallowed)


def partial_body(node: ast.stmt) -> list[list[ast.stmt]]:
    """Return the blocks of a compound statement."""
    blocks = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
    handlers = [one.body for one in getattr(node, "handlers", [])]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        blocks = [node.body]
    return [block for block in (*blocks[:1], *handlers, *blocks[1:]) if block]


def _head(node: ast.stmt) -> str:
    for name in ("test", "iter", "subject"):
        part = getattr(node, name, None)
        if part is not None:
            return type(node).__name__ + ast.dump(part, annotate_fields=False)
    return type(node).__name__


def _simple(node: ast.stmt, swallowed: bool) -> _Statement:
    text = ast.dump(node, annotate_fields=False)
    found: Assertion | None
    if isinstance(node, ast.Assert):
        if _always_holds(node.test):
            return _Statement(text, is_constant=True)
        found = _assertion(text, node.test)
    elif isinstance(node, ast.Raise):
        name = name_of(node.exc) if node.exc is not None else ""
        found = Assertion(text) if name.endswith(("AssertionError", "Failed")) else None
    else:
        call = _call(node)
        if call is None or not _is_assertion_name(call):
            return _Statement(text)
        if _is_constant_call(call):
            return _Statement(text, is_constant=True)
        found = _of_call(text, call)
    return _Statement(text) if swallowed else _Statement(text, found)


def _call(node: ast.stmt) -> ast.Call | None:
    value = node.value if isinstance(node, ast.Expr) else None
    if isinstance(value, ast.Await):
        value = value.value
    return value if isinstance(value, ast.Call) else None


def _is_assertion_name(call: ast.Call) -> bool:
    return any(_WORD.match(part) for part in name_of(call.func).split("."))


def _of_call(text: str, call: ast.Call) -> Assertion:
    subject = ast.dump(call.args[0], annotate_fields=False) if call.args else ""
    name = name_of(call.func).rpartition(".")[2]
    is_strong = _STRONG.match(name) is not None
    is_weak = len(call.args) == 1 or _WEAK.match(name) is not None
    return Assertion(text, subject, is_strong or not is_weak)


def _assertion(text: str, test: ast.expr) -> Assertion:
    match test:
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot()]):
            return Assertion(text, ast.dump(left, annotate_fields=False), is_strong=False)
        case ast.Compare(left=left):
            return Assertion(text, ast.dump(left, annotate_fields=False))
        case ast.Call(func=ast.Name(id="isinstance" | "hasattr" | "callable"), args=[first, *_]):
            return Assertion(text, ast.dump(first, annotate_fields=False), is_strong=False)
        case _:
            return Assertion(text, ast.dump(test, annotate_fields=False), is_strong=False)


def _always_holds(test: ast.expr) -> bool:
    match test:
        case ast.Constant(value=value):
            return bool(value)
        case ast.Tuple(elts=[_, *_]):
            return True
        case ast.UnaryOp(op=ast.Not(), operand=ast.Constant(value=value)):
            return not value
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(_always_holds(value) for value in values)
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_always_holds(value) for value in values)
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
            is_plain = isinstance(left, ast.Constant | ast.Name | ast.Attribute)
            return is_plain and ast.dump(left) == ast.dump(right)
        case _:
            return False


def _is_constant_call(call: ast.Call) -> bool:
    """Return whether an assertion is about constants: `self.assertTrue(True)`."""
    name = name_of(call.func).rpartition(".")[2]
    if not name.lower().startswith("assert") or not call.args:
        return False
    first = call.args[0]
    if len(call.args) == 1 or isinstance(call.args[1], ast.JoinedStr):
        wanted = not name.lower().replace("_", "").endswith(("false", "isnone"))
        return isinstance(first, ast.Constant) and bool(first.value) is wanted
    second = call.args[1]
    if not isinstance(first, ast.Constant | ast.Name):
        return False
    return name.lower().replace("_", "").endswith("equal") and ast.dump(first) == ast.dump(second)


def _is_ellipsis(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant)


def _suppresses(context: ast.expr) -> bool:
    if not isinstance(context, ast.Call) or not name_of(context.func).endswith("suppress"):
        return False
    return any(name_of(one).rpartition(".")[2] in _BROAD for one in context.args)


def _swallows(handler: ast.ExceptHandler) -> bool:
    """Return whether a handler hides a failed assertion."""
    names = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    if not any(one is None or name_of(one).rpartition(".")[2] in _BROAD for one in names):
        return False
    return not any(isinstance(one, ast.Raise) or _fails(one) for one in handler.body)


def _fails(node: ast.stmt) -> bool:
    call = _call(node)
    return isinstance(node, ast.Assert) or (call is not None and _is_assertion_name(call))
