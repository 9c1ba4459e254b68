"""Values of untrusted JSON, TOML and YAML: text, or nothing where the type is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping


def text_of(value: object) -> str:
    """Return a text; empty for anything else."""
    return value if isinstance(value, str) else ""


def items_of(value: object) -> list[object]:
    """Return a list; empty for anything else."""
    return value if isinstance(value, list) else []


def mappings_in(value: object) -> Iterator[Mapping[str, object]]:
    """Yield the objects in a list."""
    for one in items_of(value):
        if isinstance(one, dict):
            yield one


def texts_in(value: object) -> list[str]:
    """Return the texts in a list."""
    return [one for one in items_of(value) if isinstance(one, str)]
