"""Offers for the completion of a command line, read from the catalogue as it is.

A person waits for them between two keys: nothing is scanned, derived or written, and no lock is
taken.  What is removed meanwhile is an error of the command, not of the completion.
"""

from __future__ import annotations

from collections.abc import Callable

from clew.diff.trees import lookup
from clew.errors import ClewError
from clew.model.checkpoint import Checkpoint
from clew.model.entry import EntryKind
from clew.model.ids import short
from clew.model.offer import Offer, OfferKind
from clew.model.tree import read_directory
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.history.references import resolve
from clew.policy.redaction.redact import redact_name, redact_words
from clew.render.units import size

MOST = 50
"""Checkpoints that are offered: more are found by typing some of the id or the name."""
_STEPS = 9
_SHORT = 8


def offers(
    context: Context, kind: str, word: str, ref: str | None, relative: Callable[[str], bytes]
) -> list[Offer]:
    """Return what may be meant by the beginning of a word; a path is one of checkpoint `ref`."""
    match kind:
        case OfferKind.CHECKPOINT:
            return _checkpoints(context, word)
        case OfferKind.PATH:
            return _paths(context, word, ref or "@", relative)
        case OfferKind.SESSION:
            return [
                Offer(found.id.hex()[:_SHORT], f"{found.agent} {found.native}".strip())
                for found in context.store.sessions.of(context.workspace)
                if found.id.hex().startswith(word.lower())
            ]
        case OfferKind.FORK:
            return [
                Offer(fork.name)
                for fork in context.store.forks.of(context.workspace)
                if fork.name.startswith(word)
            ]
        case OfferKind.SETTING:
            return _settings(context, word)
        case _:
            return []


def _checkpoints(context: Context, word: str) -> list[Offer]:
    """Return keywords, then names and ids, newest first; the name of one that has one."""
    headlines = context.store.stories.headlines(context.workspace)

    def described(checkpoint: Checkpoint) -> Checkpoint:
        kept = headlines.get(checkpoint.id)
        return checkpoint._replace(headline=kept.headline if kept else None)

    found = [
        Offer(keyword, checkpoint=described(checkpoint))
        for keyword in _keywords(word)
        if (checkpoint := _named_by(context, keyword)) is not None
    ]
    for checkpoint in context.store.checkpoints.beginning_with(context.workspace, word, MOST):
        digits = checkpoint.id.hex()
        name = checkpoint.labels.name if checkpoint.labels.named else ""
        if name.startswith(word) and name:
            found.append(Offer(name, checkpoint=described(checkpoint)))
        if digits.startswith(word.lower()) and (word or not name):
            offered = digits if len(word) > _SHORT else short(checkpoint.id)
            found.append(Offer(offered, checkpoint=described(checkpoint)))
    return found


def _keywords(word: str) -> list[str]:
    if word.startswith("@~"):
        return [step for number in range(1, _STEPS + 1) if (step := f"@~{number}").startswith(word)]
    return [keyword for keyword in ("@", "good", "latest") if keyword.startswith(word)]


def _named_by(context: Context, keyword: str) -> Checkpoint | None:
    try:
        return resolve(context, keyword, Monitor())
    except ClewError:
        return None


def _paths(context: Context, word: str, ref: str, relative: Callable[[str], bytes]) -> list[Offer]:
    """Return the entries of a directory; without names that a terminal or a secret forbids."""
    directory, slash, beginning = word.rpartition("/")
    tree = resolve(context, ref, Monitor()).record.tree
    get = context.store.objects.get
    above = lookup(tree, relative(directory + slash or "."), get)
    if above is None or not above.is_directory:
        return []
    found = []
    for entry in read_directory(above.content, get):
        name = entry.name.decode("utf-8", "surrogateescape")
        if not name.startswith(beginning) or not name.isprintable() or redact_name(name) != name:
            continue
        meaning = size(entry.size) if entry.is_file else EntryKind.NAMES[entry.kind]
        found.append(Offer(directory + slash + name + "/" * entry.is_directory, meaning))
    return found


def _settings(context: Context, word: str) -> list[Offer]:
    from clew.operations.maintenance.settings import DEFAULTS, in_force  # noqa: PLC0415  one kind only

    values = in_force(context)
    return [
        Offer(key, redact_words(values[key])) for key in sorted(DEFAULTS) if key.startswith(word)
    ]
