"""Scopes of packages in a directory: `npm:web`, `cargo:root`; the root is `.`."""

from __future__ import annotations


def inside(directory: str, *names: str) -> str:
    """Return a path in a directory; the empty directory is the root."""
    return "/".join((directory, *names) if directory else names)


def scope_of(manager: str, directory: str) -> str:
    """Return the scope of packages of a manager in a directory."""
    return f"{manager}:{directory or '.'}"


def label_of(manager: str, directory: str) -> str:
    """Return the label of packages of a manager in a directory."""
    return f"{manager} in {directory}" if directory else manager
