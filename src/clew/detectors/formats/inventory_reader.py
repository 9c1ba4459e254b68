"""Inventory reader: the hosts and groups of Ansible, one host per line.

The hosts of a group are a list; their variables are beside it, by host.
"""

from __future__ import annotations

import re
from shlex import shlex

from clew.detectors.formats.values import NodeCounter, Unreadable, Value

_SECTION = re.compile(r"\[([\w.:-]{1,100})\]")
_HOST = re.compile(r"[\w.:\[\]-]{1,120}")
_VARIABLE = re.compile(r"([A-Za-z_]\w{0,80})\s*+=\s*+(.*+)")
_UNGROUPED = "ungrouped"


def read_inventory(text: str) -> dict[str, Value]:
    """Return hosts and variables by group; raises `Unreadable`."""
    groups: dict[str, list[Value]] = {}
    variables: dict[str, dict[str, Value]] = {}
    counter = NodeCounter()
    group = _UNGROUPED
    for line in text.splitlines():
        bare = line.strip()
        if not bare or bare[0] in "#;":
            continue
        counter.count()
        if section := _SECTION.fullmatch(bare.partition(" #")[0].strip()):
            group = section[1]
            groups.setdefault(group, [])
        elif group.endswith(":vars"):
            variables.setdefault(group, {}).update((_variable(bare),))
        else:
            name, own = _host(bare)
            groups.setdefault(group, []).append(name)
            if own:
                variables.setdefault(name, {}).update(own)
    if not groups and not variables:
        raise Unreadable("no hosts")
    lists: dict[str, Value] = {name: hosts for name, hosts in groups.items() if hosts}
    return lists | {
        name if name.endswith(":vars") else f"host {name}": own for name, own in variables.items()
    }


def _variable(text: str) -> tuple[str, Value]:
    found = _VARIABLE.fullmatch(text)
    if found is None:
        raise Unreadable("not a variable")
    return found[1], found[2].strip("\"'")


def _host(text: str) -> tuple[str, dict[str, Value]]:
    """Return a host and its variables."""
    try:
        lexer = shlex(text[:4_000], posix=True, punctuation_chars=False)
        lexer.whitespace_split = True
        name, *rest = lexer
    except ValueError:
        raise Unreadable("an open quote") from None
    if not _HOST.fullmatch(name):
        raise Unreadable("not a host")
    return name, dict(_variable(word) for word in rest)
