"""Words for lost and moved data.

Several losses share one line, the largest first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from clew.model.fact import Fact
from clew.story.words.phrases import NAMED_ON_CARD, NUMBERS, Phrase, base, near, some

_SHORT, _SHORTEST = 60, 36

_SERVERS = {"postgres": "PostgreSQL", "mysql": "MySQL", "redis": "Redis"}

Say = Callable[[str], str]


def losses(facts: Sequence[Fact]) -> Phrase:
    ordered = sorted(facts, key=_weight, reverse=True)
    short = _fitting([_brief(fact, _place) for fact in ordered], _SHORT)
    all_names = ", ".join(map(_tiny, ordered))
    is_shorter = short.endswith(" more") and len(all_names) <= _SHORT
    is_clear = near(ordered[0].subject) == base(ordered[0].subject)
    return Phrase(
        all_names if is_shorter and is_clear else short,
        _listed([_full(fact) for fact in ordered]),
        _fitting([_tiny(fact) for fact in ordered], _SHORTEST),
    )


def _weight(fact: Fact) -> tuple[int, int]:
    """Return how large a loss is: whole directories and databases first, then by number."""
    is_large = fact.scope in ("directory", "repository", "history", "terraform", *_SERVERS)
    return int(is_large), _number(fact.before)


def _number(amount: str | None) -> int:
    found = NUMBERS.search(amount or "")
    return int(found[0].replace(",", "")) if found and _counts(amount or "") else 1


def _counts(amount: str) -> bool:
    """Return whether an amount counts things, rather than bytes."""
    return not amount.endswith("B") or "," in amount


def _fitting(parts: Sequence[str], limit: int) -> str:
    """Return as many parts as fit, at least one, and how many there are more."""
    shown = 1
    while shown < len(parts) and len(_first(parts, shown + 1)) <= limit:
        shown += 1
    return _first(parts, shown)


def _first(parts: Sequence[str], number: int) -> str:
    more = f" and {len(parts) - number:,} more" if number < len(parts) else ""
    return ", ".join(parts[:number]) + more


_HASH = re.compile(r"[0-9a-f]{40,}")


def _place(path: str) -> str:
    """Return a path near its file; that of a hash with two directories, because it says nothing."""
    *above, name = path.split("/")
    return "/".join([*above[-2:], f"{name[:8]}…"]) if _HASH.fullmatch(name) else near(path)


def _listed(parts: Sequence[str]) -> str:
    more = len(parts) - NAMED_ON_CARD
    return "; ".join(parts[:NAMED_ON_CARD]) + (f"; and {more:,} more" if more > 0 else "")


def _full(fact: Fact) -> str:
    files, _, size = (fact.before or "").partition(", ")
    details = [*fact.marks]
    match fact.kind, fact.scope:
        case "loss.deleted", "directory" | "repository":
            what = _joined(fact.before or "", ", ".join(details), ": ")
            return f"{_slashed(fact.subject)} deleted" + _bracketed(what)
        case (("loss.deleted" | "loss.emptied"), "files"):
            verb = fact.kind.partition(".")[2]
            what = _joined(size, ", ".join(details), ": ")
            left = f", {fact.after} left" if fact.after else ""
            if fact.subject == ".":
                what = _joined(
                    some([base(path) for path in fact.evidence], NAMED_ON_CARD), what, "; "
                )
                return f"{files} {verb}{_bracketed(what)}{left}"
            return f"{_slashed(fact.subject)}: {files} {verb}{_bracketed(what)}{left}"
        case "loss.shrunk", "files":
            return f"{_slashed(fact.subject)}: {files} shrunk ({size} → {fact.after})"
        case "loss.deleted", "terraform":
            state = f", or removed from {details[0]}" if details else ""
            return f"{fact.subject} destroyed{state}"
        case "loss.deleted", "file":
            keys = f"with {some(fact.marks, NAMED_ON_CARD)}" if fact.marks else ""
            return f"{fact.subject} deleted{_bracketed(_joined(fact.before or '', keys, ' '))}"
        case _:
            aside = details if fact.scope not in _SERVERS else []
            return ", ".join([_brief(fact, str), *aside])


def _brief(fact: Fact, say: Say) -> str:
    files, _, size = (fact.before or "").partition(", ")
    name = say(fact.subject)
    match fact.kind, fact.scope:
        case "loss.deleted", "repository":
            return f"{_slashed(name)} deleted{_bracketed(_joined(_mark(fact), files, ', '))}"
        case "loss.deleted", "directory":
            matters = [one for one in fact.marks if len(one) <= 24 and one[:4] != "all "][:1]
            return f"{_slashed(name)} deleted{_bracketed(', '.join([files, *(matters or [size])]))}"
        case (("loss.deleted" | "loss.emptied"), "files"):
            verb = fact.kind.partition(".")[2]
            if fact.subject == "." and fact.evidence:
                return f"{files} {verb} ({base(fact.evidence[0])} …)"
            return f"{_slashed(name)}: {files} {verb}"
        case "loss.deleted", "terraform":
            return f"{fact.subject} destroyed"
        case "loss.deleted", scope if scope in _SERVERS:
            return f"{_SERVERS[scope]} in {name} deleted{_bracketed(_mark(fact))}"
        case "loss.shrunk", "files":
            return f"{_slashed(name)}: {files} shrunk ({size} → {fact.after})"
        case "loss.deleted", "file" if fact.marks:
            return f"{name} deleted ({some(fact.marks, 2)})"
        case "loss.shrunk", _:
            return f"{name}: {_arrow(fact)}"
        case "loss.emptied", _:
            is_counted = fact.after and not (fact.before or "").endswith("B")
            return f"{name} emptied{_bracketed(_arrow(fact) if is_counted else fact.before or '')}"
        case _:
            return f"{name} deleted{_bracketed(fact.before or '')}"


def _tiny(fact: Fact) -> str:
    name = base(fact.subject)
    match fact.kind, fact.scope:
        case "loss.deleted", "directory" | "repository":
            files = (fact.before or "").partition(", ")[0]
            return f"{_slashed(name)} deleted{_bracketed(files)}"
        case "loss.deleted", "history":
            return f"{name} deleted{_bracketed((fact.before or '').partition(', ')[0])}"
        case "loss.deleted", "file":
            return f"{name} deleted"
        case "loss.shrunk", "files":
            return f"{_slashed(name)}: {(fact.before or '').partition(', ')[0]} shrunk"
        case "loss.emptied", scope if scope != "files":
            return f"{name} emptied"
        case _:
            return _brief(fact, base)


def _arrow(fact: Fact) -> str:
    """Return `20,000 → 2,000 rows`."""
    before, after = fact.before or "", fact.after or ""
    number, _, noun = before.partition(" ")
    is_same = noun.rstrip("s") == after.partition(" ")[2].rstrip("s")
    if not before or not after:
        return before or after or "fewer than before"
    return f"{number if is_same and noun else before} → {after}"


def _mark(fact: Fact) -> str:
    return fact.marks[0] if fact.marks else ""


def _slashed(name: str) -> str:
    return name if name.endswith(("/", ".")) else f"{name}/"


def _bracketed(text: str) -> str:
    return f" ({text})" if text else ""


def _joined(first: str, second: str, between: str) -> str:
    return between.join(part for part in (first, second) if part)


def moves(facts: Sequence[Fact]) -> Phrase:
    brief = [_move(fact, near) for fact in facts]
    return Phrase(
        f"moved {some(brief, 1)}",
        f"moved {some([_move(fact, str) for fact in facts], NAMED_ON_CARD)}",
        f"moved {some([_move(fact, base) for fact in facts], 1)}",
    )


def _move(fact: Fact, say: Say) -> str:
    details = f" ({', '.join(fact.marks)})" if fact.marks else ""
    before, after = fact.before or fact.subject, fact.after or "elsewhere"
    if say(before) == say(after):
        say = near
    return f"{say(before)} → {say(after)}{details}"
