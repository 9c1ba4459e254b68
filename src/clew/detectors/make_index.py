"""Generator of `index.py`: `python -m clew.detectors.make_index`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from clew.detectors.detector import WatchedPaths
from clew.detectors.loading import load
from clew.detectors.module_paths import DETECTORS, SORTERS

_HEAD = '''\
"""What each detector is called and watches; made by `make docs`, and a test keeps it so."""

from __future__ import annotations

from clew.detectors.detector import WatchedPaths

INDEX: dict[str, tuple[str, int, tuple[str, ...], WatchedPaths]] = {
'''


def page() -> Iterator[str]:
    """Yield the lines of `index.py`."""
    yield from _HEAD.splitlines()
    for place in (*DETECTORS, *SORTERS):
        found = load(place)
        yield f'    "{place}": ('
        yield f'        "{found.name}",'
        yield f"        {found.version},"
        yield f"        {tuple(found.kinds)!r},"
        yield f"        {_watch(found.watch)},"
        yield "    ),"
    yield "}  # fmt: skip"


def _watch(watch: WatchedPaths) -> str:
    shown = []
    for key, value in watch._asdict().items():
        if value:  # sorted: some detectors build theirs from sets
            shown.append(f"{key}={value if value is True else tuple(sorted(set(value)))!r}")
    return f"WatchedPaths({', '.join(shown)})"


if __name__ == "__main__":
    sys.stdout.write("".join(line + "\n" for line in page()))
