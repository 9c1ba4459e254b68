"""Marks of Python tests: what skips them, and what accepts their failure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from clew.detectors.checks.cases import CONDITIONAL, MAY_FAIL, ON_REQUEST, SKIPPED, Mark, strongest

_SKIPS = frozenset(("skip", "Skip", "ignore", "disabled", "disable", "nottest", "not_implemented"))
_CONDITIONS = frozenset(("skipif", "skipIf"))
_OPPOSITE = frozenset(("skipUnless", "skipunless"))
_FAILURES = frozenset(("xfail", "expectedFailure", "expected_failure", "known_failure", "todo"))
_EVERYWHERE = frozenset(("CI", "GITHUB_ACTIONS", "GITLAB_CI"))
"""Variables that are set wherever tests matter most."""
_NEEDS = "importorskip"
_MAX_CASES = 10_000
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{1,39}")


class Marks:
    """Marks of one module, which may give them names of its own."""

    def __init__(self, body: Sequence[ast.stmt]) -> None:
        self._named: dict[str, ast.expr] = {}
        self._imported: set[str] = set()
        for node in body:
            if isinstance(node, ast.Import):
                self._imported.update(one.name.partition(".")[0] for one in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                self._imported.add(node.module.partition(".")[0])
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self._named[node.targets[0].id] = node.value

    def of_decorators(self, decorators: Sequence[ast.expr]) -> Mark | None:
        """Return the mark that decorators give."""
        return _strongest(self._of(one) for one in decorators)

    def of_body(self, body: Sequence[ast.stmt]) -> Mark | None:
        """Return the mark that a module or a class gives to all its tests."""
        found = [body_mark(body), *(self._of_missing(node) for node in body)]
        for node in body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name, value = node.targets[0].id, node.value
                if name == "pytestmark":
                    listed = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
                    found += [self._of(one) for one in listed]
                elif name == "__test__" and _is_constant(value, False):
                    found.append(Mark(SKIPPED, "__test__ = False"))
        return _strongest(found)

    def _of_missing(self, node: ast.stmt) -> Mark | None:
        """Return the mark of `importorskip` for a module that these tests never use."""
        call = node.value if isinstance(node, ast.Expr) else None
        if not isinstance(call, ast.Call) or name_of(call.func).rpartition(".")[2] != _NEEDS:
            return None
        named = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else ""
        is_used = str(named).partition(".")[0] in self._imported
        return None if is_used else Mark(SKIPPED, _NEEDS)

    def number_of_cases(self, decorators: Sequence[ast.expr]) -> int:
        """Return the number of parameter sets that run; 1 if it cannot be read."""
        number = 1
        for one in decorators:
            if isinstance(one, ast.Call) and name_of(one.func).endswith("parametrize"):
                values = [*one.args[1:2], *(k.value for k in one.keywords if k.arg == "argvalues")]
                if values and isinstance(values[0], ast.List | ast.Tuple):
                    number *= sum(self._case_runs(value) for value in values[0].elts)
        return min(number, _MAX_CASES)

    def is_autouse(self, decorators: Sequence[ast.expr]) -> bool:
        """Return whether a fixture is used by every test."""
        return any(
            isinstance(one, ast.Call)
            and name_of(one.func).endswith("fixture")
            and any(k.arg == "autouse" and _is_constant(k.value, True) for k in one.keywords)
            for one in decorators
        )

    def _case_runs(self, value: ast.expr) -> bool:
        """Return whether a parameter set is not marked as skipped."""
        if not isinstance(value, ast.Call) or not name_of(value.func).endswith("param"):
            return True
        marks = [k.value for k in value.keywords if k.arg == "marks"]
        listed = [
            one
            for mark in marks
            for one in (mark.elts if isinstance(mark, ast.List | ast.Tuple) else [mark])
        ]
        found = self.of_decorators(listed)
        return found is None or found.state == CONDITIONAL

    def _of(self, decorator: ast.expr, depth: int = 0) -> Mark | None:
        call = decorator if isinstance(decorator, ast.Call) else None
        name = name_of(call.func if call else decorator)
        if "." not in name and name in self._named and depth < 3:
            return self._of(self._named[name], depth + 1)
        return _mark(name.rpartition(".")[2], call)


def body_mark(body: Sequence[ast.stmt]) -> Mark | None:
    """Return the mark that the statements of a body give when they run."""
    found: list[Mark | None] = []
    for node in body:
        if isinstance(node, ast.If):
            inner = body_mark(node.body)
            if inner is not None and _is_truth(node.test):
                found.append(inner)
            elif inner is not None and _is_constant_expression(node.test) is None:
                found.append(Mark(CONDITIONAL, f"{inner.how} if"))
        else:
            found.append(_of_statement(node))
    return _strongest(found)


def name_of(node: ast.expr) -> str:
    """Return a dotted name; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(node.id)
    elif isinstance(node, ast.Call):
        parts.append(name_of(node.func))
    return ".".join(reversed(parts))


def _of_statement(node: ast.stmt) -> Mark | None:
    """Return the mark of `pytest.skip()`, `self.skipTest()`, `raise SkipTest`."""
    call: ast.expr | None = None
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        call = node.value.func
    elif isinstance(node, ast.Raise) and node.exc is not None:
        call = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    name = name_of(call).rpartition(".")[2] if call is not None else ""
    if name == _NEEDS:
        return Mark(CONDITIONAL, "skip if")
    if name in ("skip", "skipTest", "SkipTest", "Skipped"):
        return Mark(SKIPPED, "skip")
    if name in ("xfail", "XFailed"):
        return Mark(MAY_FAIL, "xfail")
    return None


def _mark(word: str, call: ast.Call | None) -> Mark | None:
    if word in _SKIPS:
        return Mark(SKIPPED, "skip")
    if word in _CONDITIONS:
        return _conditional(call, "skip", is_opposite=False)
    if word in _OPPOSITE:
        return _conditional(call, "skip", is_opposite=True)
    if word in _FAILURES:
        condition = call.args[0] if call is not None and call.args else None
        if condition is None or isinstance(condition, ast.Constant):
            return Mark(MAY_FAIL, "xfail" if word == "todo" else word)
        return _conditional(call, word, is_opposite=False, state=MAY_FAIL)
    return None


def _conditional(
    call: ast.Call | None, how: str, *, is_opposite: bool, state: str = SKIPPED
) -> Mark | None:
    """Return the mark of a condition, which may be one that always or never holds."""
    given = (
        [*call.args[:1], *(k.value for k in call.keywords if k.arg == "condition")] if call else []
    )
    if not given:
        return Mark(state, how)
    constant = _is_constant_expression(given[0])
    if constant is not None:
        return Mark(state, how) if constant is not is_opposite else None
    if not is_opposite and _means_everywhere(given[0]):
        return Mark(state, f"{how} in CI")
    variable = _variable(given[0], is_opposite=is_opposite)
    return Mark(CONDITIONAL, f"{ON_REQUEST}{variable}" if variable else f"{how} if")


def _variable(test: ast.expr, *, is_opposite: bool) -> str:
    """Return the variable of the environment without which a test is skipped; "" if there is none."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, is_opposite = test.operand, not is_opposite
    elif isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotEq | ast.NotIn | ast.Is):
        # `!= "1"`, `not in os.environ`, `is None`
        test = test.comparators[0] if isinstance(test.ops[0], ast.NotIn) else test.left
        is_opposite = True
    elif isinstance(test, ast.Compare):
        test = test.comparators[0] if isinstance(test.ops[0], ast.In) else test.left
    if not is_opposite:
        return ""
    text = ast.dump(test)
    if "environ" not in text and "getenv" not in text:
        return ""
    named = (one.value for one in ast.walk(test) if isinstance(one, ast.Constant))
    return next(
        (one for one in named if isinstance(one, str) and _VARIABLE.fullmatch(one)), "a variable"
    )


def _is_truth(test: ast.expr) -> bool:
    return _is_constant_expression(test) is True or _means_everywhere(test)


def _is_constant_expression(test: ast.expr) -> bool | None:
    """Return what a condition always is; None if it depends on something."""
    if isinstance(test, ast.Constant):
        # pytest evaluates a text as a condition
        return (
            test.value not in ("False", "0", "")
            if isinstance(test.value, str)
            else bool(test.value)
        )
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _is_constant_expression(test.operand)
        return None if inner is None else not inner
    return None


def _means_everywhere(test: ast.expr) -> bool:
    """Return whether a condition holds on every build server: `os.environ.get("CI")`."""
    if isinstance(test, ast.UnaryOp):
        return False
    texts = {one.value for one in ast.walk(test) if isinstance(one, ast.Constant)}
    return not texts.isdisjoint(_EVERYWHERE) and "environ" in ast.dump(test)


def _is_constant(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _strongest(marks: Iterable[Mark | None]) -> Mark | None:
    found = [mark for mark in marks if mark is not None]
    return strongest(*found) if found else None
