"""The words of a comparison: references, or paths where a word names no checkpoint."""

from __future__ import annotations

import os
from collections.abc import Sequence

from clew.diff.trees import lookup
from clew.errors import BadReference, OutsideWorkspace, UnknownReference
from clew.model.checkpoint import Checkpoint
from clew.model.named_tuple import NamedTuple
from clew.monitor import Monitor
from clew.operations.access import Access


class ComparedWords(NamedTuple):
    """What the words of a comparison mean."""

    old: Checkpoint | None
    """*Here* if none is named."""
    new: Checkpoint | None
    """None is the live workspace."""
    paths: tuple[bytes, ...] = ()


def read_words(access: Access, words: Sequence[str], monitor: Monitor) -> ComparedWords:
    """Return the two states that up to two words name, and the paths that the other words are.

    A word that is both is a reference, which is reported.
    """
    checkpoints: list[Checkpoint] = []
    paths: list[bytes] = []
    for word in words:
        try:
            found = access.look_up(word, monitor)
        except (BadReference, UnknownReference):
            path = _existing(access, word, checkpoints)
            if path is None:
                raise
            paths.append(path)
            continue
        if paths:  # references come first
            raise UnknownReference(words[0])
        checkpoints.append(found)
        if _is_live(access, word):
            monitor.notice(
                f"{word!r} names a checkpoint and a path; comparing the checkpoint:"
                f" `-- {word}` limits the comparison to the path"
            )
    old = checkpoints[0] if checkpoints else access.context.here
    new = checkpoints[1] if len(checkpoints) > 1 else None
    return ComparedWords(old, new, tuple(paths))


def _existing(access: Access, word: str, checkpoints: Sequence[Checkpoint]) -> bytes | None:
    """Return the path that a word is, now or in one of the checkpoints; None if it is none."""
    if not word:
        return None
    try:
        path = access.relative(word)
    except (OutsideWorkspace, ValueError):
        return None
    if _is_live(access, word):
        return path
    context = access.context
    compared = checkpoints or ([context.here] if context.here is not None else [])
    trees = (one.record.tree for one in compared)
    get = context.store.objects.get
    return path if any(lookup(tree, path, get) is not None for tree in trees) else None


def _is_live(access: Access, word: str) -> bool:
    try:
        path = access.relative(word)
    except (OutsideWorkspace, ValueError):
        return False
    return bool(path) and os.path.lexists(os.path.join(access.context.root, path))
