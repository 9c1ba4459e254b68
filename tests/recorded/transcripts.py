"""Commands on the recorded session as they look at each width: files beside this one.

    make transcripts     writes them and `unanswered.txt` again; look at them before a commit

`test_transcripts.py` compares them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.recorded.opening import Shop, opened
from tests.recorded.readability import write_unanswered
from tests.recorded.widths import WIDTHS

PLACE = Path(__file__).with_name("pages")

COMMANDS = {
    "log": ("log",),
    "status": ("status",),
    "show": ("show", "{drop-orders}"),
    "show-mass-deletion": ("show", "{mass-deletion}"),
    "diff": ("diff", "{drop-orders}", "{schema}"),
    "preview": ("restore", "good", "--dry-run"),
}
"""Each as a page for every width; the name of a step in braces is its checkpoint."""


def pages(shop: Shop) -> Iterator[tuple[str, str]]:
    """Yield the name and the content of each file."""
    for name, command in COMMANDS.items():
        for width in WIDTHS:
            yield f"{name}-{width}.txt", page(shop, command, width)


def page(shop: Shop, command: tuple[str, ...], width: int) -> str:
    """Return what somebody types and sees, without colours."""
    words = shop.words(command)
    ran = shop.run(*words, width=width)
    assert ran.code == 0, ran.err
    return f"$ clew {' '.join(words)}\n{ran.out}{ran.err}"


def main() -> None:
    with tempfile.TemporaryDirectory() as place, opened(Path(place)) as shop:
        found = dict(pages(shop))
        shop.work_on()
        write_unanswered(shop)
    PLACE.mkdir(exist_ok=True)
    for old in PLACE.glob("*.txt"):
        if old.name not in found:
            old.unlink()
    for name, content in found.items():
        (PLACE / name).write_text(content)


if __name__ == "__main__":
    main()
