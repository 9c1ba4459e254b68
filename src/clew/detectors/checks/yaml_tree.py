"""Light reader of YAML as a tree: keys, list items and texts by indentation.

It is made for pipelines and settings, which use mappings, lists, block texts and short flow lists.
Anchors and aliases are not resolved, so no input can expand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_MAX_LINES = 20_000
_MAX_DEPTH = 40
_KEY = re.compile(
    r"(?P<quote>[\"']?)(?P<key>[^\s#&!|>%@`\"'\[\]{},?:-][^:\"'{}\[\]\n]{0,119}|[^\"'\n]{1,119})(?P=quote)\s*+:(?:\s++(?P<value>.*))?$"
)
_BLOCK = re.compile(r"(?:[!&]\S++\s++)*+[|>][-+0-9]{0,3}(?:\s++#.*)?$")
_FLOW_PAIR = re.compile(r"[\"']?([\w.-]{1,80})[\"']?\s*+:\s*+([^,{}\[\]]*+)")


class YamlNode:
    """A key with its value, or an item of a list; the root has neither."""

    def __init__(
        self, key: str = "", value: str = "", indent: int = -1, is_item: bool = False
    ) -> None:
        self.key = key
        self.value = value
        """Its scalar, a block text with its line breaks; empty for a mapping or a list."""
        self.indent = indent
        self.is_item = is_item
        self.children: list[YamlNode] = []

    def child(self, key: str) -> YamlNode | None:
        return next((one for one in self.children if one.key == key), None)

    def text(self, key: str) -> str:
        """Return the scalar of a child; empty if there is none."""
        found = self.child(key)
        return found.value if found is not None else ""

    def walk(self, depth: int = 0) -> Iterator[YamlNode]:
        """Yield this node and all below it."""
        yield self
        if depth < _MAX_DEPTH:
            for one in self.children:
                yield from one.walk(depth + 1)

    def scalars(self) -> list[str]:
        """Return its value, or those of the items of its list."""
        if self.value:
            return flow_items(self.value)
        return [one.value for one in self.children if one.is_item and one.value]


def yaml_tree(text: str) -> YamlNode:
    """Return the tree of a document; what is not understood is left out."""
    root = YamlNode()
    stack = [root]
    lines = text.replace("\t", "    ").split("\n")[:_MAX_LINES]
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        stripped = line.strip()
        if not stripped or stripped.startswith(("#", "---", "...", "%")):
            continue
        indent = len(line) - len(line.lstrip(" "))
        while (
            len(stack) > 1
            and stack[-1].indent >= indent
            and not _is_item_of(stack[-1], stripped, indent)
        ):
            stack.pop()
        at = _take(stack, stripped, indent, lines, at)
    return root


def _is_item_of(node: YamlNode, stripped: str, indent: int) -> bool:
    """Return whether a dash belongs to a key with the same indentation."""
    return (
        stripped.startswith(("- ", "-\n"))
        and node.indent == indent
        and not node.is_item
        and bool(node.key)
    )


def _take(stack: list[YamlNode], text: str, indent: int, lines: list[str], at: int) -> int:
    """Add what one line says; return the next line to read."""
    while (text == "-" or text.startswith("- ")) and len(stack) <= _MAX_DEPTH:
        item = YamlNode(indent=indent, is_item=True)
        while len(stack) > 1 and stack[-1].is_item and stack[-1].indent >= indent:
            stack.pop()
        stack[-1].children.append(item)
        stack.append(item)
        rest = text[1:].lstrip()
        indent += len(text) - len(rest)
        text = rest
    if len(stack) > _MAX_DEPTH or not text:
        return at
    match = _KEY.match(text)
    if match is None:
        value = _uncommented(text)
        if stack[-1].is_item and not stack[-1].children:
            at = _scalar(stack[-1], value, indent - 1, lines, at)
        elif stack[-1].value:
            stack[-1].value += f" {value}"  # a text that goes on
        return at
    node = YamlNode(match["key"].strip(), indent=indent)
    stack[-1].children.append(node)
    stack.append(node)
    return _scalar(node, _uncommented(match["value"] or ""), indent, lines, at)


def _scalar(node: YamlNode, value: str, indent: int, lines: list[str], at: int) -> int:
    """Set the value of a node, and read the block text that may follow."""
    if _BLOCK.match(value):
        block = []
        while at < len(lines):
            line = lines[at]
            if line.strip() and len(line) - len(line.lstrip(" ")) <= indent:
                break
            block.append(line.strip())
            at += 1
        node.value = "\n".join(block).strip("\n")
    elif value.startswith("{"):
        for key, scalar in _FLOW_PAIR.findall(value):
            node.children.append(YamlNode(key, _plain(scalar), indent + 1))
    elif value.startswith("[") and not value.endswith("]"):
        parts = [value]
        while at < len(lines) and "]" not in parts[-1]:
            parts.append(lines[at].strip())
            at += 1
        node.value = " ".join(parts)
    elif not value.startswith(("&", "*")) or " " in value:
        node.value = _plain(value)
    return at


def flow_items(value: str) -> list[str]:
    """Return the items of `[a, b]`, or the value itself."""
    if not value.startswith("["):
        return [value]
    return [_plain(part) for part in value.strip("[] ").split(",") if part.strip()]


def _plain(value: str) -> str:
    value = value.strip()
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value


def _uncommented(value: str) -> str:
    if value.startswith("#"):
        return ""
    if value[:1] in "\"'":
        return value.strip()
    return value.partition(" #")[0].strip()
