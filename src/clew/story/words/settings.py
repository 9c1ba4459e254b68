"""Words for environment files and settings."""

from __future__ import annotations

from collections.abc import Sequence

from clew.model.amount import counted
from clew.model.fact import Fact
from clew.story.words.phrases import NAMED_ON_CARD, Phrase, base, some


def env(facts: Sequence[Fact]) -> Phrase:
    keys = [_signed(fact) for fact in facts]
    if all("file deleted" in fact.marks for fact in facts):
        return Phrase(
            f"{base(facts[0].scope)} deleted ({some(keys, 2)})",
            f"{facts[0].scope} deleted ({some(keys, 12)})",
        )
    return Phrase(f"{base(facts[0].scope)} {some(keys, 2)}", f"{facts[0].scope}: {some(keys, 12)}")


def _signed(fact: Fact) -> str:
    sign = {"added": "+", "removed": "−", "changed": "~"}[fact.kind.partition(".")[2]]
    return sign + fact.subject


def configs(facts: Sequence[Fact]) -> Phrase:
    words = {"added": "new", "changed": "changed", "removed": "removed"}
    parts = []
    for fact in facts:
        detail = ", ".join(fact.marks[:6]) + (" …" if len(fact.marks) > 6 else "")
        word = words[fact.kind.partition(".")[2]]
        parts.append(f"{fact.subject} {word}" + (f" ({detail})" if detail else ""))
    first = facts[0]
    few = ", ".join(first.marks[:2]) + (" …" if len(first.marks) > 2 else "")
    detail = f" ({few})" if few else ""
    names = list(dict.fromkeys(_setting(fact.subject) for fact in facts))
    word = words[first.kind.partition(".")[2]]
    if len(facts) == 1:
        return Phrase(f"{names[0]} {word}{detail}", parts[0])
    number = counted(len(facts), "config file")
    if len({fact.kind for fact in facts}) == 1:
        number = f"{len(facts):,} new config files" if word == "new" else f"{number} {word}"
    return Phrase(f"{number}: {some(names, 2)}", some(parts, NAMED_ON_CARD))


def _setting(path: str) -> str:
    """Return the usual name of a file that has its own configuration tool."""
    if path.startswith("etc/alternatives/"):
        return f"alternative {base(path)}"
    above = path.split("/")[-2:-1]
    if above and above[0].endswith(".d"):
        return f"{above[0]}/{base(path)}"
    return _SETTINGS.get(path) or base(path)


_SETTINGS = {
    "var/cache/debconf/config.dat": "debconf answers",
    "var/cache/debconf/passwords.dat": "debconf passwords",
    "var/lib/dpkg/arch": "dpkg architectures",
    "var/lib/dpkg/diversions": "dpkg diversions",
    "var/lib/dpkg/statoverride": "dpkg statoverride",
}
