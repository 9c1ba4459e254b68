"""Words for environment files and settings."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clew.model.amount import counted
from clew.model.fact import Fact
from clew.story.words.phrases import NAMED_ON_CARD, Phrase, base, some


def env(facts: Sequence[Fact]) -> Phrase:
    keys = [_signed(fact) for fact in facts]
    name = base(facts[0].scope)
    emptied = [fact.subject for fact in facts if "emptied" in fact.marks]
    if emptied:
        rest = [_signed(fact) for fact in facts if "emptied" not in fact.marks]
        more = f"; {some(rest, 12)}" if rest else ""
        return Phrase(
            f"{name}: {some(emptied, 2)} emptied",
            f"{facts[0].scope}: {some(emptied, 12)} emptied{more}",
            f"{name}: {some(emptied, 1)} emptied",
        )
    if all("file deleted" in fact.marks for fact in facts):
        return Phrase(
            f"{name} deleted ({some(keys, 2)})",
            f"{facts[0].scope} deleted ({some(keys, 12)})",
            f"{name} deleted",
        )
    return Phrase(
        f"{name} {some(keys, 2)}", f"{facts[0].scope}: {some(keys, 12)}", f"{name} {some(keys, 1)}"
    )


def _signed(fact: Fact) -> str:
    sign = {"added": "+", "removed": "−", "changed": "~"}[fact.kind.partition(".")[2]]
    return sign + fact.subject


def configs(facts: Sequence[Fact]) -> Phrase:
    ordered = sorted(facts, key=_says_little)
    if len(facts) == 1:
        return _one_config(facts[0])
    words = {_word(fact) for fact in facts}
    number = counted(len(facts), "config file")
    if len(words) == 1:
        word = words.pop()
        number = f"{len(facts):,} new config files" if word == "new" else f"{number} {word}"
    names = list(dict.fromkeys(_setting(fact.subject) for fact in ordered))
    return Phrase(
        f"{number}: {_first_with_detail(ordered[0], names)}",
        some([_config(fact, fact.subject, NAMED_ON_CARD) for fact in ordered], NAMED_ON_CARD),
        f"{number}: {some(names, 1)}",
    )


def _one_config(fact: Fact) -> Phrase:
    name = _setting(fact.subject)
    forms = [_config(fact, name, most, names) for most, names in _FORMS]
    forms += [_keys(fact, name, most) for most in (3, 2, 1)]
    forms.append(f"{name} {_word(fact)}")
    short = next((form for form in forms if len(form) <= _SHORT), forms[-1])
    shortest = next((form for form in forms if len(form) <= _SHORTEST), forms[-1])
    return Phrase(short, _config(fact, fact.subject, NAMED_ON_CARD), shortest)


_ALL = 99
_FORMS = ((2, _ALL), (2, 2), (2, 1), (1, _ALL), (1, 2), (1, 1))
"""How many marks, and how many names of a path in each; the best first."""
_SHORT, _SHORTEST = 72, 44


def _config(fact: Fact, name: str, most: int, names: int = _ALL) -> str:
    """Return a file and the first of its changes: `app.toml: log_level 1 → 25, +workers 8 …`."""
    more = " …" if len(fact.marks) > most else ""
    detail = ", ".join(_brief_mark(mark, names) for mark in fact.marks[:most]) + more
    if fact.kind == "config.changed" and detail and not _is_aside(fact.marks[0]):
        return f"{name}: {detail}"
    return f"{name} {_word(fact)}" + (f" ({detail})" if detail else "")


def _keys(fact: Fact, name: str, most: int) -> str:
    """Return a file and the names of its changed settings, whose values are too long."""
    if fact.kind != "config.changed" or not fact.marks or _is_aside(fact.marks[0]):
        return f"{name} {_word(fact)}"
    keys = [_brief_mark(mark, 1).partition(" ")[0] for mark in fact.marks[:most]]
    signed = [key if key[:1] in "+−~" else f"~{key}" for key in keys]
    return f"{name}: {', '.join(signed)}" + (" …" if len(fact.marks) > most else "")


def _first_with_detail(fact: Fact, names: Sequence[str]) -> str:
    """Return the first file with its change, if that is short, and how many others there are."""
    first = fact.marks[0] if fact.marks and not _is_aside(fact.marks[0]) else ""
    forms = [_brief_mark(first, number) for number in (2, 1)]
    mark = next((form for form in forms if len(form) <= _BRIEF), "")
    if not mark or len(names) < 2:
        return some(names, 2)
    rest = names[1] if len(names) == 2 else f"{len(names) - 1:,} more"
    return f"{names[0]} ({mark}) and {rest}"


_BRIEF = 32


def _word(fact: Fact) -> str:
    words = {"added": "new", "changed": "changed", "removed": "removed"}
    return words[fact.kind.partition(".")[2]]


def _brief_mark(mark: str, most: int) -> str:
    """Return a mark with only the last names of its path."""
    path, space, rest = mark.partition(" ")
    names = path.split(".")
    if len(names) <= most or _is_aside(mark):
        return mark
    sign = path[0] if path[0] in "+−~" else ""
    return f"{sign}{'.'.join(names[-most:])}{space}{rest}"


_ASIDE = re.compile(
    r"[+−][\d,]+ (?:[+−][\d,]+ )?lines?|attributes|lock file|conffile of .*|not as .* ships it"
    r"|→ .*|no setting changed|formatting only"
)
"""Marks that say how much is different, not what."""


def _is_aside(mark: str) -> bool:
    return _ASIDE.fullmatch(mark) is not None


def _says_little(fact: Fact) -> tuple[bool, bool]:
    """Sort key: files with changed settings first, those without an effect last."""
    is_vague = not fact.marks or _is_aside(fact.marks[0])
    return not fact.direct, is_vague and fact.kind == "config.changed"


def _setting(path: str) -> str:
    """Return the usual name of a file that has its own configuration tool."""
    if path.startswith("etc/alternatives/"):
        return f"alternative {base(path)}"
    above = path.split("/")[-2:-1]
    if above and (above[0] == ".git" or above[0].endswith((".d", "-enabled", "-available"))):
        return f"{above[0]}/{base(path)}"
    return _SETTINGS.get(path) or base(path)


_SETTINGS = {
    "var/cache/debconf/config.dat": "debconf answers",
    "var/cache/debconf/passwords.dat": "debconf passwords",
    "var/lib/dpkg/arch": "dpkg architectures",
    "var/lib/dpkg/diversions": "dpkg diversions",
    "var/lib/dpkg/statoverride": "dpkg statoverride",
}
