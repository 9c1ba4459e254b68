"""Changes of one file of the shop, as most variants of this set are."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.fresh.shop import shop
from evaluation.place import Place
from evaluation.second.tools import commit


def edited(place: Place, path: str, before: str, after: str) -> Iterator[None]:
    """Commit a file beside the shop, yield, and write it again."""
    if before == after:
        raise RuntimeError(f"{path}: nothing was replaced")
    shop(place)
    place.write(path, before)
    commit(place, "files")
    yield
    place.write(path, after)


def added(place: Place, path: str, text: str, mode: int | None = None) -> Iterator[None]:
    """Make the shop, yield, and write a new file."""
    shop(place)
    yield
    place.write(path, text, mode)


def replaced(place: Place, path: str, text: str, *pairs: tuple[str, str]) -> Iterator[None]:
    """Commit a file, yield, and replace parts of it."""
    after = text
    for old, new in pairs:
        if old not in after:
            raise RuntimeError(f"{path}: no {old!r}")
        after = after.replace(old, new)
    yield from edited(place, path, text, after)
