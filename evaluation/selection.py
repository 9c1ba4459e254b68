"""Selection of what is played, by words in names."""

from __future__ import annotations


class NothingSelected(Exception):
    """A word of the command line selects nothing."""


def select(names: list[str], words: list[str]) -> list[str]:
    """Return the names that contain any of the words, all of them without words.

    A word that no name contains is an error: a run that plays nothing must not look like a success.
    """
    for word in words:
        if not any(word in name for name in names):
            raise NothingSelected(f"Nothing is called {word!r}")
    return [name for name in names if not words or any(word in name for word in words)]
