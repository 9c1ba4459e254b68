"""Secrets whose name is on another line: tables, SQL rows, Kubernetes secrets, property lists.

`find_blocks` needs the whole text; everything else is found line by line as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from clew.policy.redaction.names import (
    assigns_secret,
    is_open,
    looks_made_up,
    names_password,
    names_secret,
)

Span = tuple[int, int]

_LONGEST_LINE = 4_000


def find_blocks(text: str) -> Iterator[Span]:
    """Yield the spans of values whose name is on a line above."""
    if "\n" in text:
        yield from _tables(text)
    small = text.lower()
    if "private-lines" in small:
        for found in _pattern("putty").finditer(text):
            yield found.span("lines")
            yield found.span("mac")
    if "<key>" in small:
        for found in _pattern("plist").finditer(text):
            if names_secret(found["name"]) and not is_open(found["value"]):
                yield found.span("value")
    if "value" in small:
        for found in _pattern("named value").finditer(text):
            if assigns_secret(found["name"]) and not is_open(found["value"]):
                yield found.span("value")
    if "default" in small:
        for found in _pattern("variable").finditer(text):
            if names_secret(found["name"]) and not is_open(found["value"]):
                yield found.span("value")
    for found in _pattern("scalar").finditer(text) if ">" in text or "|" in text else ():
        if names_secret(found["name"]):
            yield found.span("value")
    if "insert" in small:
        yield from _rows(text)
    if "stringdata" in small or "data:" in small:
        yield from _kubernetes(text)


# Tables: Markdown, the output of database clients, CSV


def _tables(text: str) -> Iterator[Span]:
    done = 0
    for found in _pattern("header").finditer(text):
        start = text.rfind("\n", 0, found.start()) + 1
        if start < done:
            continue
        done = _line_end(text, start)
        if done - start > _LONGEST_LINE:
            continue
        line = text[start:done]
        for sign in ("|", "\t", ",", ";"):
            columns = _secret_columns(line, sign) if sign in line else None
            if columns is not None:
                spans, done = _cells(text, done + 1, sign, columns)
                yield from spans
                break


class _Columns:
    """The secret columns of a table."""

    def __init__(self, names: Sequence[str]) -> None:
        self.count = len(names)
        self.secret = {
            at: names_password(name) or not names_secret(name)
            for at, name in enumerate(names)
            if assigns_secret(name)
        }
        """The number of each, and whether it is a password, which may be any word."""


def _secret_columns(line: str, sign: str) -> _Columns | None:
    """Return the columns of a table's first line; None if it is not one."""
    if sign in ",;" and (line[:1].isspace() or f"{sign} " in line):
        return None  # a list in code
    if sign in "|\t":  # inside the quotes of JSON
        line = line.rpartition('"')[2] if line.count('"') == 1 or '": "' in line else line
    cells = [cell.strip().strip("\"'*_ ") for cell in _split(line, sign)]
    if len(cells) < 2 or not any(map(assigns_secret, cells)):
        return None
    shape = _pattern("cell" if sign == "|" else "csv cell")
    if not all(shape.fullmatch(cell) for cell in cells):
        return None
    return _Columns(cells)


def _split(line: str, sign: str) -> list[str]:
    bare = line.strip()
    if sign == "|":
        bare = bare.rstrip('", ').strip("|")
    return bare.split(sign)


def _cells(text: str, at: int, sign: str, columns: _Columns) -> tuple[list[Span], int]:
    """Return the secret cells below a table's first line, and where the table ends."""
    spans: list[Span] = []
    is_ruled = sign != "|"
    while at < len(text):
        end = _line_end(text, at)
        line = text[at:end]
        if not line.strip() or end - at > _LONGEST_LINE:
            break
        if _pattern("rule").fullmatch(line):
            is_ruled = True
        elif not is_ruled or len(_split(line, sign)) != columns.count:
            break
        else:
            spans += _secret_cells(line, at, sign, columns)
        at = end + 1
    return spans, at


def _secret_cells(line: str, at: int, sign: str, columns: _Columns) -> Iterator[Span]:
    start = len(line) - len(line.lstrip())
    if sign == "|" and line[start : start + 1] == "|":
        start += 1
    for number, cell in enumerate(_split(line, sign)):
        bare = cell.strip().strip("\"'`").partition('"')[0]
        if number in columns.secret and bare and not is_open(bare):
            is_word = columns.secret[number] and not any(map(str.isspace, bare))
            if is_word or looks_made_up(bare):
                first = at + start + cell.index(bare)
                yield first, first + len(bare)
        start += len(cell) + 1


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


# SQL: `INSERT INTO users (name, password) VALUES ('anna', 'x')`


def _rows(text: str) -> Iterator[Span]:
    for found in _pattern("insert").finditer(text):
        names = [name.strip('`"[] \t\n') for name in found["names"].split(",")]
        secret = [names_secret(name) for name in names]
        if not any(secret):
            continue
        at = found.end()
        while row := _pattern("row").match(text, at):
            values = list(_pattern("sql value").finditer(text, row.start("row"), row.end("row")))
            for is_secret, value in zip(secret, values, strict=False):
                if is_secret and value["text"] and not is_open(value["text"]):
                    yield value.span("text")
            at = row.end()


# Kubernetes: every value of a Secret


def _kubernetes(text: str) -> Iterator[Span]:
    start = 0
    for document in _pattern("document").split(text):
        if _pattern("secret kind").search(document):
            for block in _pattern("data").finditer(document):
                for found in _pattern("entry").finditer(document, *block.span("body")):
                    yield start + found.start("value"), start + found.end("value")
        start += len(document) + len("\n---")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern, compiled on first use to keep the import fast."""
    return re.compile(
        {
            "header": r"(?i:pass|pwd|token|secret|api.?key|kennwort)",
            "cell": r"[\w .()/#%-]{0,60}",
            "csv cell": r"[\w.-]{1,60}",
            "rule": r"[ \t|+:=-]*+",
            "putty": (
                r"(?i:private-lines):[ \t]*\d{1,4}\s(?P<lines>(?:[A-Za-z0-9+/=]{1,80}\s){1,200})"
                r"(?i:private-mac):[ \t]*(?P<mac>[0-9a-fA-F]++)"
            ),
            "plist": (
                r"(?i:<key>)(?P<name>[^<>]{1,100}+)(?i:</key>)\s{0,40}(?i:<string>)(?P<value>[^<>]{1,4000}+)"
            ),
            # `- name: DB_PASSWORD`, and below it `value: x`
            "named value": (
                r"(?i:\b(?:name|key)[\"']?)[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?P<name>[\w.-]{1,100}+)[\"']?,?\s{1,40}"
                r"[\"']?(?i:value)[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?P<value>[^\s\"',}]{1,4000}+)"
            ),
            "variable": (
                r"\bvariable\s{1,4}\"(?P<name>[\w-]{1,100}+)\"\s{0,4}\{[^{}]{0,2000}?\bdefault\s{0,8}=\s{0,8}\"(?P<value>[^\"\n]{1,400}+)"
            ),
            "scalar": (
                r"(?m:^(?P<indent>[ \t]*+)[\"']?(?P<name>[\w.-]{1,100}+)[\"']?:[ \t]*[|>][-+0-9]{0,2}[ \t]*$)"
                r"\n(?:[ \t]*+\n)*+(?P<value>(?P=indent)[ \t]+\S[^\n]*+"
                r"(?:\n(?:(?P=indent)[ \t]+\S[^\n]*+|[ \t]*+(?=\n)))*+)"
            ),
            "insert": (
                r"(?i:insert\s{1,8}(?:ignore\s{1,8})?into)\s{1,8}[\w.`\"\[\]]{1,200}+\s{0,8}"
                r"\((?P<names>[\w\s,`\"\[\]]{1,2000}+)\)\s{0,8}(?i:values)"
            ),
            "row": r"[\s,]{0,40}\((?P<row>(?:'(?:[^'\\]|''|\\.)*+'|[^'()]|\([^()']{0,200}+\))*+)\)",
            "sql value": r"'(?P<text>(?:[^'\\]|''|\\.)*+)'|(?P<plain>[^\s,'()](?:[^,'()]|\([^()]*+\))*+)",
            "document": r"\n---(?=\s)",
            "secret kind": r"(?m:^[\"']?kind[\"']?[ \t]*:[ \t]*[\"']?Secret[\"']?[ \t]*,?$)",
            "data": r"(?m:^(?P<indent>[ \t]*+)(?:data|stringData):[ \t]*$)(?P<body>(?:\n(?P=indent)[ \t]+\S[^\n]*+|\n[ \t]*+(?=\n))*+)",
            "entry": r"(?m:^[ \t]+[\w./\"'-]{1,200}+[ \t]*:[ \t]*(?P<value>[^\s|>][^\n]*+|[|>][^\n]*+(?:\n[ \t]{3,}[^\n]*+)++))",
        }[name]
    )
