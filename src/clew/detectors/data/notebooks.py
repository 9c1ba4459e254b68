"""Jupyter notebook detector: added, deleted and edited cells, or changed outputs only.

Outputs may contain anything and are never shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from clew.detectors.data.data_facts import data_fact, split_crowds, unclaimed_files
from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.model.amount import counted
from clew.model.named_tuple import NamedTuple

_CELLS = 20_000


class Cell(NamedTuple):
    """The compared properties of a cell."""

    kind: str
    source: str
    outputs: object


class Notebooks:
    """Reports changed cells of a notebook."""

    name = "data/notebook"
    version = 1
    kinds: tuple[str, ...] = ("data.changed",)
    watch = WatchedPaths(suffixes=(".ipynb",))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        alone, crowded = split_crowds("notebook", unclaimed_files(evidence, changes))
        yield from crowded
        for change in alone:
            path = change.path
            if "/.ipynb_checkpoints/" in f"/{path}":
                yield Finding((), (path,), "notebook checkpoints changed")
                continue
            with evidence.guarded(path):
                old = cells_of(evidence.old.read(path))
                new = cells_of(evidence.new.read(path))
                yield _finding(path, old, new)


def cells_of(content: bytes | None) -> dict[str, Cell] | None:
    """Return the cells by id, or by position if one has no id."""
    if content is None:
        return None
    whole = json.loads(content)
    cells = whole.get("cells") if isinstance(whole, dict) else None
    if not isinstance(cells, list) or len(cells) > _CELLS:
        raise ValueError("not a notebook")
    found: dict[str, Cell] = {}
    for place, cell in enumerate(cells):
        if isinstance(cell, dict):
            own = cell.get("id")
            key = own if isinstance(own, str) and own not in found else f"#{place}"
            found[key] = Cell(
                str(cell.get("cell_type"))[:20],
                _text(cell.get("source")),
                (cell.get("outputs"), cell.get("execution_count")),
            )
    return found


def _finding(path: str, old: dict[str, Cell] | None, new: dict[str, Cell] | None) -> Finding:
    if old is None or new is None:
        before = counted(len(old), "cell") if old is not None else None
        after = counted(len(new), "cell") if new is not None else None
        return Finding((data_fact("notebook", path, before, after),), (path,))
    marks = tuple(_marks(old, new))
    if not marks:
        return Finding((), (path,), f"{path} saved again, same cells")
    return Finding((data_fact("notebook", path, marks=marks),), (path,))


def _marks(old: dict[str, Cell], new: dict[str, Cell]) -> Iterator[str]:
    if not _are_named(old) or not _are_named(new):
        old, new = _by_content(old, new)
    added = [key for key in new if key not in old]
    removed = [key for key in old if key not in new]
    both = [(old[key], new[key]) for key in new if key in old]
    edited = sum((was.kind, was.source) != (now.kind, now.source) for was, now in both)
    if added:
        yield f"+{counted(len(added), 'cell')}"
    if removed:
        yield f"−{counted(len(removed), 'cell')}"
    if edited:
        yield f"{counted(edited, 'cell')} edited"
    outputs = sum(was.outputs != now.outputs for was, now in both)
    if outputs and not (added or removed or edited):
        yield "outputs only"
    elif not outputs and [key for key in old if key in new] != [key for key in new if key in old]:
        yield "cells moved"


def _are_named(cells: dict[str, Cell]) -> bool:
    return not any(key.startswith("#") for key in cells)


def _by_content(
    old: dict[str, Cell], new: dict[str, Cell]
) -> tuple[dict[str, Cell], dict[str, Cell]]:
    """Pair cells without ids: common sources at the start and the end, the rest by position.

    Otherwise a cell inserted at the top would mark all cells below it as edited.
    """
    first, second = list(old.values()), list(new.values())
    shorter = min(len(first), len(second))
    head = 0
    while head < shorter and first[head].source == second[head].source:
        head += 1
    tail = 0
    while tail < shorter - head and first[-1 - tail].source == second[-1 - tail].source:
        tail += 1
    return _keyed(first, tail), _keyed(second, tail)


def _keyed(cells: list[Cell], tail: int) -> dict[str, Cell]:
    end = len(cells) - tail
    return {
        f"head {place}" if place < end else f"tail {len(cells) - place}": cell
        for place, cell in enumerate(cells)
    }


def _text(source: object) -> str:
    """Return a source, which is a string or a list of lines."""
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""
