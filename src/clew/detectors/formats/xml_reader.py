"""XML reader: elements as values, without anything that a document type could add.

An element with attributes or children is a mapping; attributes are named `@name`.  Elements of the
same name are a list.  Documents that declare entities are unreadable.
"""

from __future__ import annotations

from typing import NoReturn
from xml.parsers import expat

from clew.detectors.formats.values import MAX_DEPTH, NodeCounter, Plain, Unreadable, Value

TEXT = "#text"


def read_xml(content: bytes) -> Value:
    """Return the root element of a file, by its name; raises `Unreadable`."""
    builder = _XmlBuilder()
    parser = expat.ParserCreate()
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.characters
    parser.EntityDeclHandler = builder.refuse
    parser.buffer_text = True
    try:
        parser.Parse(content, True)
    except expat.ExpatError:
        raise Unreadable("not XML") from None
    return builder.root


class _XmlBuilder:
    """Makes values from the events of the parser."""

    def __init__(self) -> None:
        self.root: dict[str, Value] = {}
        self._counter = NodeCounter()
        self._open: list[dict[str, Value]] = [self.root]
        self._texts: list[list[str]] = [[]]

    def refuse(self, *_: object) -> NoReturn:
        raise Unreadable("declares entities")

    def start(self, _name: str, attributes: dict[str, str]) -> None:
        self._counter.count(1 + len(attributes))
        if len(self._open) > MAX_DEPTH:
            raise Unreadable("nested too deeply")
        self._open.append({f"@{name}": value for name, value in attributes.items()})
        self._texts.append([])

    def characters(self, data: str) -> None:
        self._texts[-1].append(data)

    def end(self, name: str) -> None:
        element = self._open.pop()
        text = "".join(self._texts.pop()).strip()
        value: Value = element
        if not element:
            value = Plain(text)
        elif text:
            element[TEXT] = Plain(text)
        _add(self._open[-1], name, value)


def _add(parent: dict[str, Value], name: str, value: Value) -> None:
    before = parent.get(name)
    if name not in parent:
        parent[name] = value
    elif isinstance(before, list):
        before.append(value)
    else:
        parent[name] = [before, value]
