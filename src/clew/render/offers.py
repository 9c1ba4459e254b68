"""Text of what a shell offers: a word and its meaning on each line, with a tab between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.shorten import shorten_to_width
from clew.render import checkpoint_title, timestamps
from clew.render.safe import safe_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clew.model.checkpoint import Checkpoint
    from clew.model.offer import Offer
    from clew.render.style import Style

_WIDTH = 90


def lines(found: Iterable[Offer], look: Style) -> Iterator[tuple[str, str]]:
    """Yield each word with its meaning, on one line; a word that a line cannot hold is left out."""
    for offer in found:
        if offer.word.isprintable():
            meaning = (
                _described(offer, offer.checkpoint, look) if offer.checkpoint else offer.meaning
            )
            yield offer.word, shorten_to_width(safe_line(meaning), _WIDTH)


def _described(offer: Offer, checkpoint: Checkpoint, look: Style) -> str:
    """Return `10:27 ✔ discounts work; shop.db: products +column discount`."""
    verdict = checkpoint_title.verdict(checkpoint.verdict)[:1] if checkpoint.verdict else ""
    parts = (timestamps.short(checkpoint.record.time_ns, look), verdict, _text(offer, checkpoint))
    return " ".join(part for part in parts if part)


def _text(offer: Offer, checkpoint: Checkpoint) -> str:
    labels = checkpoint.labels
    is_said = offer.word == labels.name and labels.intent  # the name is the word itself
    title = safe_line(labels.intent) if is_said else checkpoint_title.title(checkpoint)
    return f"{title}; {safe_line(checkpoint.headline)}" if checkpoint.headline else title
