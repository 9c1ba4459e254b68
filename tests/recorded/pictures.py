"""Pictures of a terminal for the documentation, from the recorded session.

    make pictures     writes docs/pictures/*.svg again

The same recording and the same clew give the same bytes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.recorded.opening import Shop, opened
from tests.recorded.svg import picture
from tests.recorded.widths import settled

PLACE = Path(__file__).parents[2] / "docs" / "pictures"
COLUMNS = 100
_LINES = 40

_COMMANDS = {
    "log": ("log",),
    "status": ("status",),
    "show": ("show", "{drop-orders}"),
    "diff": ("diff", "ready"),
    "restore": ("restore", "ready"),
}
_QUESTION = "[y/N] "
"""It is answered with no, so nothing is written; the picture ends with it."""


def pictures(shop: Shop) -> Iterator[tuple[str, str]]:
    """Yield the name and the content of each file; the shop has work that is not saved."""
    for name, command in _COMMANDS.items():
        words = shop.words(command)
        asks = name == "restore"
        ran = shop.run(*words, width=COLUMNS, tty=True, answer="n\n" if asks else None)
        printed = settled(ran.out + ran.err).partition(_QUESTION)
        lines = [f"\x1b[1m$ clew {' '.join(words)}\x1b[0m", *"".join(printed[:2]).splitlines()]
        if len(lines) > _LINES:
            lines = [*lines[: _LINES - 1], "\x1b[2m…\x1b[0m"]
        yield f"{name}.svg", picture("\n".join(lines), COLUMNS)


def main() -> None:
    with tempfile.TemporaryDirectory() as place, opened(Path(place)) as shop:
        shop.work_on()
        found = dict(pictures(shop))
    PLACE.mkdir(exist_ok=True)
    for name, content in found.items():
        (PLACE / name).write_text(content)


if __name__ == "__main__":
    main()
