"""Words for tests and checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clew.model.amount import counted
from clew.model.fact import Fact
from clew.story.words.code import fitted
from clew.story.words.phrases import NAMED_ON_CARD, Phrase, arrow, base, some


def tests(facts: Sequence[Fact]) -> Phrase:
    """Return the words for tests: those of one kind together, the files in brackets."""
    groups: dict[tuple[str, str], list[Fact]] = {}
    for fact in facts:
        word = fact.kind.partition(".")[2]
        groups.setdefault((word, "" if word == "added" else fact.scope), []).append(fact)
    short = [_tests(found, base, 2) for found in groups.values()]
    texts = [_tests(found, str, NAMED_ON_CARD) for found in groups.values()]
    shortest = [_tests(found, base, 1) for found in groups.values()]
    brief = [
        text if len(text) <= _SHORT else less for text, less in zip(short, shortest, strict=True)
    ]
    return Phrase(_first(brief), "; ".join(texts[:NAMED_ON_CARD]), _first(shortest))


def _first(parts: Sequence[str]) -> str:
    """Return as many parts as fit in a headline, and the number of the others."""
    found = parts[0]
    for number, part in enumerate(parts[1:], 1):
        if len(found) + len(part) + 2 > _SHORT:
            return f"{found} (+{len(parts) - number:,} more)"
        found += f", {part}"
    return found


_SHORT = 64
_VALUE = 32

_STATES = {
    "skip": "{what} skipped",
    "xfail": "{what} expected to fail: xfail",
    "only": "{what} no longer run{s}: only others do",
    "condition": "{what} skipped on a condition",
    "no cases": "{what} without cases",
    "commented out": "{what} commented out",
    "renamed": "{what} no longer run{s}: renamed",
    "not collected": "{what} no longer run{s}: not collected",
    "doctest": "{what} skipped: doctest",
}


def _tests(facts: Sequence[Fact], say: Callable[[str], str], most: int) -> str:
    """Return the words for facts of one kind."""
    kind, how = facts[0].kind.partition(".")[2], facts[0].scope
    number = sum(_affected(fact) for fact in facts)
    places = dict.fromkeys(_place(fact.subject, say) for fact in facts)
    same = len(places) < len(facts)  # `test_page.py` of three directories
    files = f"{len(facts):,} files" if same else some(list(places), most, "files")
    names = [name for fact in facts for name in fact.marks]
    what = _named(names[0]) if number == 1 and len(names) == 1 else counted(number, "test")
    listed = f": {', '.join(names[:most])}" if say is str and number > 1 and names else ""
    match kind:
        case "skipped" if how == "file renamed":
            return some(
                [
                    f"{say(fact.subject)} → {say(fact.marks[0] if fact.marks else 'elsewhere')}: {counted(_affected(fact), 'test')} no longer run"
                    for fact in facts
                ],
                most,
            )
        case "skipped":
            words = _STATES.get(how, "{what} no longer run{s}: {how}")
            said = words.format(what=what, s="s" if number == 1 else "", how=how)
            return f"{said} ({files}{listed})"
        case "removed" if any(fact.after is None for fact in facts):
            return some([_deleted(fact, say) for fact in facts], most)
        case "removed":
            noun = what if how != "cases" else f"{counted(number, 'case')} of {some(names, 1)}"
            why = f" {how}" if how in _REASONS else ""
            return f"{noun} removed{why} from {files}{listed}"
        case "weakened":
            return f"{files}: {_weakened(how, number, names, most if say is str else 1)}"
        case "enabled":
            return f"{what} run{'s' if number == 1 else ''} again ({files}{listed})"
        case "renamed":
            return f"{some(names, most)} ({files})" if names else f"tests renamed ({files})"
        case _:
            return f"{what} added ({files}{listed})"


def _place(subject: str, say: Callable[[str], str]) -> str:
    return subject if subject.endswith("/") else say(subject)


def _named(name: str) -> str:
    """Return the name of one test, such that it can be seen that it is one."""
    if name.lower().startswith("test"):
        return name
    return f'test "{name}"' if " " in name else f"test {name}"


_REASONS = ("with their code", "another branch", "edit undone")


def _affected(fact: Fact) -> int:
    return abs(int(fact.before or 0) - int(fact.after or 0))


def _deleted(fact: Fact, say: Callable[[str], str]) -> str:
    """Return the words for a file or directory that is gone."""
    name = _place(fact.subject, say)
    why = f" {fact.scope}" if fact.scope == "with their code" else ""
    why = f", {fact.scope}" if fact.scope in ("another branch", "edit undone") else why
    more = "more than " if "not all were read" in fact.marks else ""
    return f"{name} deleted ({more}{counted(_affected(fact), 'test')}{why})"


def _weakened(how: str, number: int, names: Sequence[str], most: int) -> str:
    where = f" ({some(names, most)})" if names and (most > 1 or len(names) == 1) else ""
    match how:
        case "empty":
            return f"{some(names, most)} check{'s' if len(names) == 1 else ''} nothing"
        case "constant":
            return f"{counted(number, 'assert')} always hold{'s' if number == 1 else ''}{where}"
        case "hidden":
            return f"failures of {counted(number, 'assert')} ignored{where}"
        case "weaker":
            return f"{counted(number, 'assert')} weaker{where}"
        case _:
            return f"{counted(number, 'assert')} removed{where}"


def checks(facts: Sequence[Fact]) -> Phrase:
    """Return the words for one check of one file."""
    texts = [_check(fact, fact.scope) for fact in facts]
    short = [_check(_brief(fact), base(fact.scope)) for fact in facts]
    shortest = [_check(fact, base(fact.scope), is_brief=True) for fact in facts]
    return Phrase(fitted(short, _SHORT), "; ".join(texts[:NAMED_ON_CARD]), fitted(shortest, 0))


def _check(fact: Fact, name: str, *, is_brief: bool = False) -> str:
    match fact.kind.partition(".")[2]:
        case "removed":
            return _removed_check(fact, name)
        case "added":
            return f"{name}: {_setting(fact) or 'check'}{'' if fact.before else ' added'}"
        case _:
            return _weaker_check(fact, name, is_brief)


def _brief(fact: Fact) -> Fact:
    """Return a fact with values that fit in a headline."""
    return fact._replace(before=_cut(fact.before), after=_cut(fact.after))


def _cut(value: str | None) -> str | None:
    """Return a value, or its first word and its end."""
    if value is None or len(value) <= _VALUE:
        return value
    word = value.partition(" ")[0]
    word = word if len(word) <= _VALUE // 2 else ""
    return f"{word} …{value[len(word) + 1 - _VALUE :]}".strip()


def _removed_check(fact: Fact, name: str) -> str:
    ran = fact.before or ""
    if fact.subject == "file":
        return f"{name} deleted (ran {ran})" if ran else f"{name} deleted"
    if fact.subject.startswith("hook"):
        return f"{name}: {fact.subject} {ran} removed".replace("  ", " ")
    return f"{name}: {ran or fact.subject} removed" + (f" ({fact.subject})" if ran else "")


def _weaker_check(fact: Fact, name: str, is_brief: bool) -> str:
    effect = fact.marks[0] if fact.marks else ""
    values = arrow(fact) if fact.before and fact.after else fact.after or fact.before or ""
    match effect:
        case "failures ignored" | "no longer runs":
            said = f"{name}: {fact.subject} {effect}"
        case "runs fewer tests":
            said = f"{name}: fewer tests run"
            values = f"{fact.subject}: {values}" if values else fact.subject
        case "" | "less strict":
            return f"{name}: {_setting(fact)}"
        case _ if effect.startswith("no longer run"):
            return f"{name}: {fact.subject} {effect}"
        case _:
            said = f"{name}: {fact.subject} {effect}"
    return said if is_brief or not values else f"{said} ({values})"


def _setting(fact: Fact) -> str:
    if fact.before and fact.after:
        return f"{fact.subject} {arrow(fact)}"
    if fact.before:
        return f"{fact.subject} {fact.before} removed"
    return f"{fact.subject} {fact.after}" if fact.after else fact.subject
