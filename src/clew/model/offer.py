"""Offers: what may come next on a command line, for the completion of a shell."""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint
from clew.model.named_tuple import NamedTuple


class OfferKind:
    """What is offered; the scripts of `clew completion` name it."""

    CHECKPOINT = "checkpoint"
    PATH = "path"
    SESSION = "session"
    FORK = "fork"
    SETTING = "setting"
    ALL = (CHECKPOINT, PATH, SESSION, FORK, SETTING)


class Offer(NamedTuple):
    """One word that may come next."""

    word: str
    meaning: str = ""
    """From the store, so neither escaped nor shortened."""
    checkpoint: Checkpoint | None = None
    """The checkpoint that the word names."""
