"""Projects to start from: a git repository with a few files, all committed."""

from __future__ import annotations

from collections.abc import Mapping

from evaluation.place import Place


def repository(place: Place, files: Mapping[str, str]) -> None:
    """Write files into a new repository and commit them, before the first checkpoint."""
    for path, content in files.items():
        place.write(path, content)
    place.run("git init -q && git add -A && git commit -q -m first")
