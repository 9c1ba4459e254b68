"""Translation readers: the texts of gettext, Apple, Android, XLIFF, Qt and .NET files by key."""

from __future__ import annotations

import re

from clew.detectors.formats.values import NodeCounter, Unreadable, Value
from clew.detectors.formats.xml_reader import TEXT, read_xml

_PO_LINE = re.compile(
    r"(msgctxt|msgid_plural|msgid|msgstr(?:\[\d{1,2}\])?)?\s*+\"((?:[^\"\\]|\\.)*+)\""
)
_STRINGS_ENTRY = re.compile(
    r"\s*+(?:/\*(?:[^*]|\*(?!/))*+\*/|//[^\n]*+\n|"
    r"(?:\"((?:[^\"\\]|\\.)*+)\"|([A-Za-z_][\w.-]{0,200}+))\s*+=\s*+\"((?:[^\"\\]|\\.)*+)\"\s*+;)",
    re.S,
)

Texts = dict[str, str]


def read_po(text: str) -> Texts:
    """Return the translations of a gettext catalogue by message; its header is left out."""
    found: Texts = {}
    entry: dict[str, str] = {}
    counter = NodeCounter()
    last = ""
    for line in [*text.splitlines(), ""]:
        line = line.strip()
        if line.startswith("#"):
            continue
        match = _PO_LINE.fullmatch(line)
        if match is None and line:
            raise Unreadable("not a catalogue")
        word = match[1] if match else None
        if entry and (not line or word in ("msgctxt", "msgid")) and "msgid" in entry:
            if word != "msgid" or "msgstr" in " ".join(entry):
                _add_message(found, entry)
                entry = {}
        if match is None:
            continue
        counter.count()
        last = word or last
        entry[last] = entry.get(last, "") + match[2]
    return found


def _add_message(found: Texts, entry: dict[str, str]) -> None:
    key = "\x04".join(entry[word] for word in ("msgctxt", "msgid") if word in entry)
    if key:
        texts = [text for word, text in sorted(entry.items()) if word.startswith("msgstr")]
        found[key] = "\0".join(texts)


def read_strings(text: str) -> Texts:
    """Return the texts of an Apple strings file."""
    found: Texts = {}
    counter = NodeCounter()
    at = 0
    while match := _STRINGS_ENTRY.match(text, at):
        counter.count()
        at = match.end()
        if match[3] is not None:
            found[match[1] if match[1] is not None else match[2]] = match[3]
    if text[at:].strip():
        raise Unreadable("not a strings file")
    return found


def read_translation_xml(content: bytes) -> Texts:
    """Return the texts of an Android, XLIFF, Qt or .NET file."""
    root = read_xml(content)
    found: Texts = {}
    if not isinstance(root, dict) or len(root) != 1:
        raise Unreadable("not a translation")
    (name,) = root
    kind = _KINDS.get(name)
    if kind is None:
        raise Unreadable("not a translation")
    _collect(root[name], kind, found)
    return found


_KINDS: dict[str, dict[str, tuple[str, str]]] = {
    "resources": {"string": ("@name", TEXT), "plurals": ("@name", "item"), "string-array": ("@name", "item")},
    "root": {"data": ("@name", "value")},
    "xliff": {"trans-unit": ("@id", "target"), "unit": ("@id", "segment")},
    "TS": {"message": ("source", "translation")},
}  # fmt: skip
"""For each root element, the elements that hold a text, with the places of their key and text."""


def _collect(value: Value, kind: dict[str, tuple[str, str]], found: Texts) -> None:
    """Add the texts of an element and of those in it."""
    if not isinstance(value, dict):
        return
    for name, inner in value.items():
        for one in inner if isinstance(inner, list) else [inner]:
            if name in kind and isinstance(one, dict):
                key, text = kind[name]
                found[_text(one.get(key))] = _text(one.get(text))
            else:
                _collect(one, kind, found)


def _text(value: Value) -> str:
    return value if isinstance(value, str) else repr(value)
