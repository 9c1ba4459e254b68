"""Field tables of docs/json.md, written from the shapes of `clew.render.shapes`.

`<!-- fields: Checkpoint -->` in the page stands above the table of that shape.  A shape's table has
the fields of its base classes too, except of those in `OWN_TABLE`.
`python -m tests.docs.field_tables` writes the tables again.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "json.md"
MARKER = re.compile(r"<!-- fields: (\w+) -->\n+(?:\|.*\n)*\n*")
OWN_TABLE = ("Story", "RestoreFields", "DiffOutput")
"""Bases whose fields are listed once; the sections of the shapes that have them link there."""


class Shape(NamedTuple):
    """One declaration: its base classes, and its own rows."""

    bases: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], str], ...]
    """Field names and their description."""


def declared_shapes() -> dict[str, Shape]:
    """Return every shape by name."""
    return dict(shape for node in _statements() for shape in _shapes(node))


def declared_types() -> Iterator[tuple[str, str]]:
    """Yield the name of every field and its type, without `NotRequired` and `None`."""
    for shape in _statements():
        for node in shape.body if isinstance(shape, ast.ClassDef) else []:
            match node:
                case ast.AnnAssign(target=ast.Name(field), annotation=annotation):
                    if (
                        isinstance(annotation, ast.Subscript)
                        and ast.unparse(annotation.value) == "NotRequired"
                    ):
                        annotation = annotation.slice
                    yield field, ast.unparse(annotation).removesuffix(" | None")
                case _:
                    pass


def with_tables(page: str) -> str:
    """Return the page with every table written again."""
    shapes = declared_shapes()
    written = MARKER.sub(
        lambda found: f"<!-- fields: {found[1]} -->\n\n{_table(found[1], shapes)}\n", page
    )
    return written.rstrip("\n") + "\n"


def _table(name: str, shapes: dict[str, Shape]) -> str:
    rows = [
        f"| {', '.join(f'`{field}`' for field in fields)} | {text} |\n"
        for fields, text in _rows(name, shapes)
    ]
    return "".join(("| field | meaning |\n|---|---|\n", *rows))


def _rows(name: str, shapes: dict[str, Shape]) -> Iterator[tuple[tuple[str, ...], str]]:
    for base in shapes[name].bases:
        if base in shapes and base not in OWN_TABLE:
            yield from _rows(base, shapes)
    yield from shapes[name].rows


def _statements() -> list[ast.stmt]:
    sources = sorted((ROOT / "src" / "clew" / "render" / "shapes").glob("*.py"))
    return [node for path in sources for node in ast.parse(path.read_text()).body]


def _shapes(node: ast.stmt) -> Iterator[tuple[str, Shape]]:
    match node:
        case ast.ClassDef():
            bases = tuple(ast.unparse(base) for base in node.bases)
            yield node.name, Shape(bases, tuple(_class_rows(node)))
        case ast.Assign(
            value=ast.Call(func=ast.Name("TypedDict"), args=[name, ast.Dict() as made])
        ):
            yield _text(name), Shape((), tuple(_dict_rows(made)))
        case _:
            pass


def _class_rows(node: ast.ClassDef) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield a row for each string; it describes the fields since the last one."""
    fields: list[str] = []
    for statement in node.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(field)) if not field.endswith("_b64"):
                fields.append(field)
            case ast.Expr(value):
                yield tuple(fields), _text(value)
                fields = []
            case _:
                pass
    assert not fields, f"{node.name} has no description of {fields}"


def _dict_rows(made: ast.Dict) -> Iterator[tuple[tuple[str, ...], str]]:
    for key, value in zip(made.keys, made.values, strict=True):
        assert key is not None
        assert isinstance(value, ast.Subscript)
        assert isinstance(value.slice, ast.Tuple)
        yield (_text(key),), _text(value.slice.elts[-1])


def _text(node: ast.expr) -> str:
    found = ast.literal_eval(node)
    assert isinstance(found, str)
    return found


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text()))
