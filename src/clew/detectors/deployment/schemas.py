"""Schema dialects: types of GraphQL, messages of Protocol Buffers, models of Prisma.

A light reader: a block with a keyword and a name, and in it one field per line.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from clew.detectors.deployment.declared import Declared, Resources
from clew.detectors.files.key_names import shown_name
from clew.detectors.formats.values import NodeCounter, Shown, Unreadable, Value
from clew.model.fact import Severity

_COMMENT = re.compile(r"\"\"\"(?:[^\"]|\"(?!\"\"))*+\"\"\"|\"(?:[^\"\\\n]|\\.)*+\"|#[^\n]*+")
_C_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/))*+\*/|//[^\n]*+|\"(?:[^\"\\\n]|\\.)*+\"")
_GRAPHQL = re.compile(
    r"\b(?:extend\s++)?(type|input|interface|enum|union|scalar|schema|directive)\b[ \t]*+@?(\w{0,100}+)([^{}\n=]{0,300}+)"
)
_PROTO = re.compile(r"\b(message|service|enum|oneof|extend)[ \t]++([\w.]{1,100}+)\s*+(?=\{)")
_PRISMA = re.compile(
    r"^(model|enum|type|view|datasource|generator)[ \t]++(\w{1,100}+)[ \t]*+(?=\{)", re.M
)
_GRAPHQL_FIELD = re.compile(
    r"(\w{1,100}+)\s*+(\([^()]{0,2000}+\))?\s*+(?::\s*+([\w!\[\] ]{1,120}+))?"
)
_PROTO_FIELD = re.compile(
    r"(?:(?:optional|required|repeated)\s++)?(map\s*+<[^<>]{1,120}>|[\w.]{1,100}+)\s++(\w{1,100}+)\s*+=\s*+(\d{1,10})"
    r"|rpc\s++(\w{1,100}+)\s*+\(([^()]{0,120}+)\)\s*+returns\s*+\(([^()]{0,120}+)\)|(\w{1,100}+)\s*+=\s*+(-?\d{1,10})"
)
_PRISMA_FIELD = re.compile(r"^[ \t]*+(\w{1,100}+)(?:[ \t]++([\w\[\]?()\"]{1,100}+))?[^\n]*+", re.M)
_MAX_DEPTH = 8
_LIMIT = 512 << 10


def schema_reader(name: str) -> Callable[[str], Resources] | None:
    """Return the reader for a file, by its suffix; None if it is no schema."""
    return _READERS.get(name[name.rfind(".") :].lower() if "." in name else "")


def graphql_resources(text: str) -> Resources:
    """Return the types of a GraphQL schema."""
    text = _COMMENT.sub(" ", _checked(text))
    found: Resources = {}
    for match in _GRAPHQL.finditer(text):
        kind, name = match[1], match[2] or "schema"
        body: dict[str, Value] = {}
        inner = _inner(text, match.end())
        for field in _GRAPHQL_FIELD.finditer(inner) if inner is not None else ():
            body[field[1]] = _shown("".join((field[3] or "").split()) or "value")
        if kind == "union":
            members = text[match.end() : match.end() + 2000].partition("=")[2]
            body = {
                one: Shown("member") for one in re.findall(r"\w{1,100}", members.split("\n\n")[0])
            }
        _add(found, kind, name, body)
    return found


def proto_resources(text: str) -> Resources:
    """Return the messages, enums and services of a Protocol Buffers file."""
    text = _C_COMMENT.sub(" ", _checked(text))
    found: Resources = {}
    for match in _PROTO.finditer(text):
        inner = _inner(text, match.end()) or ""
        body: dict[str, Value] = {}
        for field in _PROTO_FIELD.finditer(_flat(inner)):
            if field[2]:
                body[field[2]] = _shown(f"{' '.join(field[1].split())} = {field[3]}")
            elif field[4]:
                body[f"rpc {field[4]}"] = _shown(f"{field[5].strip()} → {field[6].strip()}")
            else:
                body[field[7]] = Shown(f"= {field[8]}")
        _add(found, match[1], match[2], body)
    return found


def prisma_resources(text: str) -> Resources:
    """Return the models and enums of a Prisma schema."""
    text = re.sub(r"//[^\n]*+", " ", _checked(text))
    found: Resources = {}
    for match in _PRISMA.finditer(text):
        inner = _inner(text, match.end()) or ""
        fields = _PRISMA_FIELD.finditer(inner)
        is_model = match[1] in ("model", "enum", "type", "view")
        body: dict[str, Value] = {
            field[1]: _shown(field[2] or "value") for field in fields if is_model
        }
        if not is_model:
            body = {"settings": inner}
        _add(found, match[1], match[2], body)
    return found


def _shown(text: str) -> Shown:
    """Return a type as it is shown, without words that look like a secret."""
    return Shown(" ".join(shown_name(word) for word in text.split(" ")))


def _add(found: Resources, kind: str, name: str, body: dict[str, Value]) -> None:
    """Add a type; several blocks of one name are one."""
    key = (kind, name)
    before = found[key].body if key in found else {}
    merged = {**(before if isinstance(before, dict) else {}), **body}
    if_removed = Severity.NOTE if kind == "model" else Severity.NONE
    found[key] = Declared(f"{kind} {name}", merged, if_removed=if_removed)


def _checked(text: str) -> str:
    if len(text) > _LIMIT:
        raise Unreadable("too large")
    NodeCounter().count(text.count("\n") // 2)
    return text


def _inner(text: str, at: int) -> str | None:
    """Return what is between the braces that open at a place; None if there are none."""
    begin = text.find("{", at, at + 400)
    if begin < 0 or text[at:begin].strip(" \t\n"):
        return None
    depth, place = 1, begin + 1
    for found in re.compile(r"[{}]").finditer(text, place):
        depth += 1 if found[0] == "{" else -1
        if depth > _MAX_DEPTH:
            raise Unreadable("nested too deeply")
        if depth == 0:
            return text[place : found.start()]
    raise Unreadable("a brace is missing")


def _flat(inner: str) -> str:
    """Return the text of a block without the blocks in it."""
    parts: list[str] = []
    depth = 0
    for part in re.split(r"([{}])", inner):
        if part in ("{", "}"):
            depth += 1 if part == "{" else -1
        elif depth == 0:
            parts.append(part)
    return " ".join(parts)


_READERS: dict[str, Callable[[str], Resources]] = {
    ".graphql": graphql_resources,
    ".graphqls": graphql_resources,
    ".gql": graphql_resources,
    ".proto": proto_resources,
    ".prisma": prisma_resources,
}
