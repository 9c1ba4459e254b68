"""YAML between brackets and quotes: flow collections, quoted scalars, anchors and aliases."""

from __future__ import annotations

import re

from clew.detectors.formats.values import MAX_DEPTH, NodeCounter, Plain, Unreadable, Value
from clew.detectors.formats.yaml_scalars import double_quoted, folded, single_quoted

_BETWEEN = re.compile(r"(?:[ \t\n]++|#[^\n]*+)*+")
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*+)\"|'((?:[^']|'')*+)'", re.S)
_PLAIN_LINE = re.compile(
    r"(?:[^\s:#,\[\]{}]++|:(?=[^\s,\[\]{}])|(?<=[^\s])#|[ \t]++(?=[^\s#:,\[\]{}]|:[^\s,\[\]{}]))*+",
    re.A,
)
_PLAIN_BEGINS = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`]|[-?:](?=[^\s,\[\]{}])", re.A)
_GOES_ON = re.compile(r"[ \t]*+\n[ \t\n]*+(?=[^\s,\[\]{}#:]|:[^\s,\[\]{}])", re.A)
_PROPERTY = re.compile(
    r"&([^\s,\[\]{}:]{1,200}+)(?=[\s,\]}])|!(?:<[^\s>]{0,200}+>|[^\s,\[\]{}]{0,200}+)(?=[\s,\]}])",
    re.A,
)
_ALIAS = re.compile(r"\*([^\s,\[\]{}:]{1,200}+)", re.A)

MERGE = "<<"


class FlowReader:
    """Reads one document; `at` is the place of the next character."""

    def __init__(self, text: str, counter: NodeCounter) -> None:
        self.is_cut = not text.endswith("\n")
        """Whether the last line had no end."""
        self.text = text + "\n" * self.is_cut
        self.at = 0
        self._counter = counter
        self._depth = 0
        self._anchors: dict[str, tuple[Value, int]] = {}
        """Values by anchor, with their number of nodes."""

    def flow(self) -> Value:
        """Read `[…]` or `{…}` at the cursor."""
        self.enter()
        found = self._flow_sequence() if self.text[self.at] == "[" else self._flow_mapping()
        self.leave()
        return found

    def enter(self) -> None:
        """Begin a collection."""
        self._counter.count()
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Unreadable("nested too deeply")

    def leave(self) -> None:
        """End a collection."""
        self._depth -= 1

    def quoted(self) -> str:
        """Read a quoted scalar at the cursor."""
        found = _QUOTED.match(self.text, self.at)
        if found is None:
            raise Unreadable("a quote is not closed")
        self._counter.count()
        self.at = found.end()
        return unquoted(found[1], found[2])

    def alias(self) -> Value:
        """Read an alias at the cursor."""
        found = _ALIAS.match(self.text, self.at)
        if found is None or found[1] not in self._anchors:
            raise Unreadable("an alias without an anchor")
        self.at = found.end()
        value, nodes = self._anchors[found[1]]
        self._counter.count(nodes)
        return value

    def anchored(self) -> str:
        """Read an anchor or a tag at the cursor; return the name of the anchor."""
        found = _PROPERTY.match(self.text, self.at)
        if found is None:
            raise Unreadable("not an anchor")
        self.at = found.end()
        return found[1] or ""

    def remember(self, anchor: str, value: Value, since: int) -> None:
        """Record the value of an anchor, which began when `since` nodes were read."""
        if anchor:
            self._anchors[anchor] = value, self._counter.nodes - since

    @property
    def nodes(self) -> int:
        return self._counter.nodes

    def add(self, mapping: dict[str, Value], key: Value, value: Value) -> None:
        """Add an entry to a mapping."""
        if not isinstance(key, str):
            raise Unreadable("a key is not a scalar")
        if key in mapping:
            raise Unreadable("a key is repeated")
        self._counter.count()
        mapping[key] = value

    def merged(self, mapping: dict[str, Value], others: list[Value]) -> dict[str, Value]:
        """Return a mapping with the entries of its merge keys; its own win, then the first."""
        for other in others:
            for one in other if isinstance(other, list) else [other]:
                if not isinstance(one, dict):
                    raise Unreadable("only mappings can be merged")
                self._counter.count(len(one))
                mapping = {**one, **mapping}
        return mapping

    def _next(self) -> str:
        """Skip blanks, line breaks and comments; return the character there."""
        found = _BETWEEN.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.text[self.at : self.at + 1]

    def _flow_sequence(self) -> list[Value]:
        items: list[Value] = []
        self.at += 1
        while self._next() != "]":
            items.append(self._flow_item())
            self._separator("]")
        self.at += 1
        return items

    def _flow_item(self) -> Value:
        is_pair = self._skip_question()
        value = self._flow_node()
        if self._next() != ":" and not is_pair:
            return value
        pair: dict[str, Value] = {}  # `[a: b]` is a sequence of one mapping
        inner = self._flow_value("]")
        if isinstance(value, Plain) and value == MERGE:
            return self.merged(pair, [inner])
        self.add(pair, value, inner)
        return pair

    def _flow_mapping(self) -> dict[str, Value]:
        found: dict[str, Value] = {}
        merges: list[Value] = []
        self.at += 1
        while self._next() != "}":
            self._skip_question()
            key = self._flow_node()
            value = self._flow_value("}")
            if isinstance(key, Plain) and key == MERGE:
                merges.append(value)
            else:
                self.add(found, key, value)
            self._separator("}")
        self.at += 1
        return self.merged(found, merges)

    def _skip_question(self) -> bool:
        """Skip the `?` of an explicit key; return whether there is one."""
        found = self._next() == "?" and self.text[self.at + 1] in " \t\n"
        self.at += found
        return found

    def _flow_value(self, end: str) -> Value:
        """Read what follows a key: a colon and a value, or nothing."""
        if self._next() != ":":
            return None
        self.at += 1
        return None if self._next() in (",", end) else self._flow_node()

    def _separator(self, end: str) -> None:
        """Skip the comma after an entry; the last one needs none."""
        here = self._next()
        if here == ",":
            self.at += 1
        elif here != end:
            raise Unreadable("a comma is missing")

    def _flow_node(self) -> Value:
        since, anchor = self.nodes, ""
        while self._next() in ("&", "!"):
            anchor = self.anchored() or anchor
        here = self._next()
        value: Value
        if here in ("[", "{"):
            value = self.flow()
        elif here in ('"', "'"):
            value = self.quoted()
        elif here == "*":
            value = self.alias()
        elif here in (",", "]", "}", ":") and self.text[self.at - 1] in " \t\n" and anchor:
            value = None  # an anchor or a tag without a value
        else:
            value = self._flow_plain()
        self.remember(anchor, value, since)
        return value

    def _flow_plain(self) -> Plain:
        if _PLAIN_BEGINS.match(self.text, self.at) is None:
            raise Unreadable("not a scalar")
        begin = self.at
        while True:
            found = _PLAIN_LINE.match(self.text, self.at)
            self.at = found.end() if found else self.at
            more = _GOES_ON.match(self.text, self.at)
            if more is None:
                break
            self.at = more.end()
        self._counter.count()
        return Plain(folded(self.text[begin : self.at].split("\n")))


def unquoted(double: str | None, single: str) -> str:
    """Return the text of a quoted scalar from what is between its quotes."""
    return double_quoted(double) if double is not None else single_quoted(single)
