"""Canonical form of effects described in prose.

Case, whitespace, polite words and the attempt number do not matter; the order of the words does,
because `from a to b` is not `from b to a`.  A text that is a command line is handled by `commands`.
"""

from __future__ import annotations

import re
from functools import cache

from clew.policy.effects.commands import NormalizedCommand
from clew.policy.effects.noise import Noise, quiet
from clew.policy.effects.spelling import digest_of, plain_number
from clew.policy.effects.values import LONGEST_SCANNED
from clew.policy.shell.options import is_known_program
from clew.policy.shell.wrappers import is_wrapper

_FILLER_WORDS = frozenset(
    ("please", "the", "again", "now", "retry", "retrying", "redo", "then", "just")
)
_CURRENCIES = {"€": "eur", "$": "usd", "£": "gbp", "¥": "jpy"}


def is_command_line(text: str) -> bool:
    """Return whether a text is a command line, not prose."""
    start = text.lstrip()[:200]
    if not start:
        return False
    first = start.split(None, 1)[0]
    if first.startswith(("./", "/", "~/", "(")) or _pattern("assignment").match(first):
        return True
    if is_known_program(first) or is_wrapper(first):
        return True
    return _pattern("shell").search(text[:LONGEST_SCANNED]) is not None


def written_sentence(text: str) -> NormalizedCommand:
    """Return a sentence in canonical form."""
    if len(text) > LONGEST_SCANNED:
        return NormalizedCommand(f"<{digest_of(text)}>", ())
    noise: list[Noise] = []
    text = quiet(" ".join(text.split()), noise).lower()
    text = _pattern("bracketed").sub(" ", text)
    text = _pattern("attempt").sub(" ", text)
    text = _pattern("labelled").sub(" ", text)
    text = _pattern("money before").sub(lambda found: _money(found[2], found[1]), text)
    text = _pattern("money after").sub(lambda found: _money(found[1], found[2]), text)
    text = _pattern("addresses").sub(_sorted_addresses, text)
    words = (word.strip("\"'`.,;:!?()[]") for word in text.split())
    return NormalizedCommand(
        " ".join(word for word in words if word and word not in _FILLER_WORDS), tuple(noise)
    )


def _money(number: str, unit: str) -> str:
    return f"{plain_number(number)} {_CURRENCIES.get(unit, unit)}"


def _sorted_addresses(found: re.Match[str]) -> str:
    return " and ".join(sorted(_pattern("address").findall(found[0])))


_AMOUNT = r"(\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,4})?|\d{1,15}(?:\.\d{1,4})?)"
_UNIT = r"(€|\$|£|¥|eur|usd|gbp|chf|jpy|cad|aud|inr|euros?|dollars?)"
_ADDRESS = r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
_LABELS = (
    r"(?:(?:at|on|with|using|requested|created|issued|submitted|started|triggered|generated|sent"
    r"|reported|queued"
    r"|request|req|id|key|ref|reference|run|trace|nonce|idempotency|session"
    r"|correlation|timestamp|time|as|of|build|job|no|token)[\s:=#]{1,3}|[:=#,;–-]\s?){0,6}"
)


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern, compiled on first use to keep the import fast."""
    return re.compile(
        {
            "assignment": r"[A-Za-z_]\w{0,100}=",
            "shell": r"(?:^|\s)--?[A-Za-z][\w-]*+(?:[=\s]|$)|&&|\|\||\s\|\s|\$\(|<<|(?:^|\s)\d?>{1,2}\s?[\w./]",
            "bracketed": rf"[(\[]\s?{_LABELS}<(?:id|time)>\s?[)\]]",
            "labelled": rf"(?<!\S){_LABELS}<(?:id|time)>",
            "attempt": r"[,(\[]?\s?\b(?:attempt|try|retry)\s?(?:no\.?\s?|#\s?)?\d{1,4}\b[)\]]?",
            "money before": rf"(?<![\w.]){_UNIT}\s?{_AMOUNT}(?![\w.,]\d|\w)",
            "money after": rf"(?<![\w.,]){_AMOUNT}\s?{_UNIT}(?!\w)",
            "addresses": rf"{_ADDRESS}(?:\s?(?:,|;|&|\sand\s)\s?{_ADDRESS}){{1,50}}",
            "address": _ADDRESS,
        }[name]
    )
