"""JSON editing: add a value to JSON text and remove it again, preserving every other byte.

An added value follows the layout around it.  Removing is the exact inverse: the comma that was added
with a value is removed with it.  An empty container has no layout to follow, so the white space
between its brackets is returned (`JsonEdit.blank`) and passed back when the value is removed.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from clew.agents.setup.json_spans import Node, read

_AROUND = " \t\r\n\ufeff"


class JsonEdit(NamedTuple):
    """The edited text."""

    text: str
    blank: str | None = None
    """The white space between the brackets of a container that was empty; None if it was not."""


def add(text: str, path: tuple[str, ...], key: str | None, value: object) -> JsonEdit:
    """Append `value` to the container at `path`; `key` is None for an array."""
    container = find(text, path)
    assert container is not None
    parts = _parts(container)
    head = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    if not parts:
        return _fill(text, container, head, value)
    gap = _gap(text, container, parts)
    written = _render(head, value, gap, _unit(text))
    end = parts[-1][1]
    return JsonEdit(text[:end] + "," + gap + written + text[end:])


def remove(text: str, path: tuple[str, ...], at: int, blank: str = "") -> str:
    """Remove part number `at` of the container at `path`."""
    container = find(text, path)
    assert container is not None
    parts = _parts(container)
    start, end = parts[at]
    if len(parts) == 1:
        return text[: container.start + 1] + blank + text[container.end - 1 :]
    if at > 0:
        return text[: parts[at - 1][1]] + text[end:]
    return text[:start] + text[parts[1][0] :]


def replace(text: str, node: Node, value: object) -> str:
    """Replace the value of a node, following the layout around it."""
    line = text[text.rfind("\n", 0, node.start) + 1 : node.start]
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    gap = _line_end(text) + indent if "\n" in text[node.start : node.end] else " "
    return text[: node.start] + _render("", value, gap, _unit(text)) + text[node.end :]


def find(text: str, path: tuple[str, ...]) -> Node | None:
    """Return the node at a path of object keys and item numbers (as text)."""
    node: Node | None = read(text)
    for step in path:
        if node is None:
            return None
        if node.items is not None:
            node = node.items[int(step)] if step.isdigit() and int(step) < len(node.items) else None
        else:
            member = node.member(step)
            node = member.node if member else None
    return node


def _parts(container: Node) -> list[tuple[int, int]]:
    if container.members is not None:
        return [(member.start, member.end) for member in container.members]
    return [(item.start, item.end) for item in container.items or ()]


def _fill(text: str, container: Node, head: str, value: object) -> JsonEdit:
    """Add the first value to an empty container."""
    blank = text[container.start + 1 : container.end - 1]
    if _is_one_line(text):
        inside = _render(head, value, " ", "")
    else:
        unit, end = _unit(text), _line_end(text)
        line = text[text.rfind("\n", 0, container.start) + 1 : container.start]
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        gap = end + indent + unit
        inside = gap + _render(head, value, gap, unit) + end + indent
    return JsonEdit(text[: container.start + 1] + inside + text[container.end - 1 :], blank)


def _gap(text: str, container: Node, parts: list[tuple[int, int]]) -> str:
    """Return the white space to put before a new part: that before the last one."""
    start = parts[-1][0]
    before = text[container.start + 1 : start]
    gap = before[len(before.rstrip(" \t\r\n")) :]
    if len(parts) > 1 or "\n" in gap:
        return gap
    return " " if ", " in text or '": ' in text else ""


def _render(head: str, value: object, gap: str, unit: str) -> str:
    if "\n" not in gap:
        return head + json.dumps(value, ensure_ascii=False)
    end, indent = _line_end(gap), gap[gap.rfind("\n") + 1 :]
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    return head + (end + indent).join(lines)


def _unit(text: str) -> str:
    """Return the indentation unit: that of the first indented line."""
    for line in text.splitlines():
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        if indent and line.strip():
            return indent
    return "  "


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _is_one_line(text: str) -> bool:
    """Return whether a document that is not empty has no line breaks."""
    inside = text.strip(_AROUND)[1:-1].strip(_AROUND)
    return bool(inside) and "\n" not in text.strip(_AROUND)
