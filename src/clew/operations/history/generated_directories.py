"""Generated directories with an ambiguous name, found in the trees that a listing compares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clew.diff.trees import lookup
from clew.model.ids import ObjectId
from clew.model.path import parent_of
from clew.model.tree import Get, read_directory
from clew.policy.generated import GeneratedPlaces, ambiguous, is_explained

_MOST = 500
"""Ambiguous directories that are looked at; the files of others are listed as if written by hand."""


def generated_directories(
    paths: Iterable[bytes], trees: Iterable[ObjectId], get: Get
) -> tuple[bytes, ...]:
    """Return the directories at or above `paths` that something beside or in them explains.

    A deleted directory is explained by the older tree, so that all trees are read.
    """
    places = GeneratedPlaces()
    wanted = [one for one in ambiguous(paths) if places.of(one, is_directory=True) is None]
    candidates = sorted(wanted)[:_MOST]
    roots = list(dict.fromkeys(trees))
    return tuple(
        path
        for path in candidates
        if any(
            is_explained(
                path, set(_names(root, parent_of(path), get)), set(_names(root, path, get))
            )
            for root in roots
        )
    )


def _names(root: ObjectId, directory: bytes, get: Get) -> Iterator[bytes]:
    entry = lookup(root, directory, get)
    if entry is not None and entry.is_directory:
        for one in read_directory(entry.content, get):
            yield one.name
