"""Putting a value into JSON text and taking it out again, with every other byte as it was.

What is put in follows the layout around it.  Taking out is the exact inverse: a value leaves with
the comma that came with it.  Only a container that was empty has no layout to go by, so what stood
between its brackets is handed out (`Edit.blank`) and handed back.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from clew.agents.setup.json_spans import Node, read

_AROUND = " \t\r\n\ufeff"


class JsonEdit(NamedTuple):
    """The text as it is now."""

    text: str
    blank: str | None = None
    """What stood between the brackets of a container that was empty; None if it was not."""


def add(text: str, path: tuple[str, ...], key: str | None, value: object) -> JsonEdit:
    """Put `value` last into the container at `path`; an object's under `key`, an array's under None."""
    container = find(text, path)
    assert container is not None
    parts = _parts(container)
    head = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    if not parts:
        return _filled(text, container, head, value)
    gap = _gap(text, container, parts)
    written = _written(head, value, gap, _unit(text))
    end = parts[-1][1]
    return JsonEdit(text[:end] + "," + gap + written + text[end:])


def remove(text: str, path: tuple[str, ...], at: int, blank: str = "") -> str:
    """Take out the part number `at` of the container at `path`."""
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
    """Put another value where one is, laid out like its surroundings."""
    line = text[text.rfind("\n", 0, node.start) + 1 : node.start]
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    gap = _line_end(text) + indent if "\n" in text[node.start : node.end] else " "
    return text[: node.start] + _written("", value, gap, _unit(text)) + text[node.end :]


def find(text: str, path: tuple[str, ...]) -> Node | None:
    """Return what stands at a path: keys of objects, and numbers of items as text."""
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


def _filled(text: str, container: Node, head: str, value: object) -> JsonEdit:
    """Put the first value between the brackets of a container."""
    blank = text[container.start + 1 : container.end - 1]
    if _is_one_line(text):
        inside = _written(head, value, " ", "")
    else:
        unit, end = _unit(text), _line_end(text)
        line = text[text.rfind("\n", 0, container.start) + 1 : container.start]
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        gap = end + indent + unit
        inside = gap + _written(head, value, gap, unit) + end + indent
    return JsonEdit(text[: container.start + 1] + inside + text[container.end - 1 :], blank)


def _gap(text: str, container: Node, parts: list[tuple[int, int]]) -> str:
    """Return the white space that stands before a part: that before the last one."""
    start = parts[-1][0]
    before = text[container.start + 1 : start]
    gap = before[len(before.rstrip(" \t\r\n")) :]
    if len(parts) > 1 or "\n" in gap:
        return gap
    return " " if ", " in text or '": ' in text else ""


def _written(head: str, value: object, gap: str, unit: str) -> str:
    if "\n" not in gap:
        return head + json.dumps(value, ensure_ascii=False)
    end, indent = _line_end(gap), gap[gap.rfind("\n") + 1 :]
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    return head + (end + indent).join(lines)


def _unit(text: str) -> str:
    """Return one step of indentation: that of the first line that has any."""
    for line in text.splitlines():
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        if indent and line.strip():
            return indent
    return "  "


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _is_one_line(text: str) -> bool:
    """Tell whether a document with something in it is written without line breaks."""
    inside = text.strip(_AROUND)[1:-1].strip(_AROUND)
    return bool(inside) and "\n" not in text.strip(_AROUND)
