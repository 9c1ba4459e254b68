"""Words for source files: what was edited, named by its functions and classes where they are known.

app/main.py: +limit(), ~orders()
main.py: +limit(); mail.py: +Mailer
edited 13 source files in app (+limit(), −Mailer, ~orders() and 9 more)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from clew.model.fact import Fact
from clew.story.words.phrases import Phrase, base, joined, near, place, summed

_NAMED_FILES = 2
"""Up to this many files are named, more are counted."""
_SHORT = 60
_SHORTEST = 36
_ROOM = 24
"""What the names of definitions may take after a count of files, at least."""
_CARD = 200

Symbols = dict[str, tuple[str, ...]]
"""What happened to the definitions of each file."""


def code(facts: Sequence[Fact]) -> Phrase:
    counts = [fact for fact in facts if fact.kind != "code.symbols"]
    symbols = {fact.subject: fact.marks for fact in facts if fact.kind == "code.symbols"}
    number = sum(_number(fact) for fact in counts)
    if number <= _NAMED_FILES and all(fact.evidence for fact in counts):
        return _named(counts, symbols)
    return _counted(counts, symbols, number)


def _number(fact: Fact) -> int:
    return int(fact.after or fact.before or 0)


def _named(counts: Sequence[Fact], symbols: Symbols) -> Phrase:
    """Return the words for one or two files."""
    detail, brief = _detail(counts)
    text = _files(counts, symbols, str, _CARD)
    forms = [_files(counts, symbols, say, room) for say, room in _FORMS]
    short = next((one for one in forms[:2] if len(one) <= _SHORT), forms[-1])
    return Phrase(short + brief, f"{text}{detail}", forms[-1] + brief)


def _files(counts: Sequence[Fact], symbols: Symbols, say: Callable[[str], str], room: int) -> str:
    """Return what happened to each file, those with definitions first."""
    told: list[str] = []
    plain: list[str] = []
    room //= max(1, len(symbols))
    for fact in counts:
        names = []
        for path, name in _pairs(fact, say):
            marks = symbols.get(path, ())
            if not marks:
                names.append(name)
            elif _verb(fact) == "edited":
                told.append(f"{name}: {fitted(marks, room - len(name))}")
            else:
                are_new = fact.kind in ("code.added", "code.deleted")
                listed = [mark.lstrip("+−") if are_new else mark for mark in marks]
                told.append(f"{_verb(fact)} {name} ({fitted(listed, room - len(name))})")
        if names:
            plain.append(f"{_verb(fact)} {joined(names)}")
    known = {path for fact in counts for path, _ in _pairs(fact, say)}
    told += [f"{say(path)}: {fitted(symbols[path], room)}" for path in symbols if path not in known]
    return "; ".join([*told, ", ".join(plain)] if plain else told)


def _counted(counts: Sequence[Fact], symbols: Symbols, number: int) -> Phrase:
    """Return the words for many files."""
    detail, brief = _detail(counts)
    noun = "document" if all("documents" in fact.marks for fact in counts) else "source file"
    numbers = ", ".join(f"{_verb(fact)} {_number(fact):,}" for fact in counts)
    said = f"{numbers} {noun}{'' if number == 1 else 's'}"
    where = _common_place(counts)
    marks = _ranked(symbols)
    if not marks or brief:
        return Phrase(said + where + brief, said + where + detail, said + brief)
    short = f"{said}{where} ({fitted(marks, max(_ROOM, _SHORT - len(said + where)))})"
    files = [f"{base(path)} {fitted(names, _CARD // 3)}" for path, names in symbols.items()]
    listed = fitted(files, _CARD - len(said + where + detail), "; ", "files")
    return Phrase(short, f"{said}{where}{detail}: {listed}", said + where)


def fitted(names: Sequence[str], room: int, sign: str = ", ", more: str = "") -> str:
    """Return the first names, as many as there is room for, and the number of the others."""
    found = "changed"
    for number in range(len(names), 0, -1):
        left = len(names) - number
        found = sign.join(names[:number])
        found += f" and {left:,} more{' ' + more if more else ''}" if left else ""
        if len(found) <= room:
            break
    return found


def _ranked(symbols: Symbols) -> list[str]:
    """Return what happened to functions and classes, once for each, the most important first."""
    numbers = Counter(mark for marks in symbols.values() for mark in marks if _is_telling(mark))
    return [
        mark if numbers[mark] == 1 else f"{mark} in {numbers[mark]:,} files"
        for mark in sorted(numbers, key=_rank)
    ]


def _is_telling(mark: str) -> bool:
    """Return whether a mark is about a function or a class, not about a constant."""
    name = mark.lstrip("+−~")
    return "(" in name or " " in name or (name[:1].isupper() and not name.isupper())


def _rank(mark: str) -> int:
    """Order definitions: added, removed, changed, others."""
    return "+−~".find(mark[:1]) % 4


_FORMS: tuple[tuple[Callable[[str], str], int], ...] = (
    (near, _SHORT),
    (base, _SHORT),
    (base, _SHORTEST),
)


def _detail(counts: Sequence[Fact]) -> tuple[str, str]:
    """Return the marks for the card, and the one that a headline needs."""
    marks = summed([mark for fact in counts for mark in fact.marks if not _is_aside(mark)])
    only = [
        mark
        for mark in marks
        if (mark.endswith(" only") and mark != "layout only") or mark == "made executable"
    ]
    return f" ({', '.join(marks)})" if marks else "", f" ({only[0]})" if only else ""


def _is_aside(mark: str) -> bool:
    """Return whether the line already contains a mark of code elsewhere."""
    return mark == "documents" or mark.startswith(("in ", "from "))


def _verb(fact: Fact) -> str:
    whole = f"{_number(fact):,} reverted"
    if whole in fact.marks:
        return "brought back" if fact.kind == "code.added" else "reverted"
    if not {"mode only", "owner only", "made executable"}.isdisjoint(fact.marks):
        return "changed"
    if "layout only" in fact.marks:
        return "reformatted"
    return fact.kind.partition(".")[2]


def _pairs(fact: Fact, say: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Yield each file with its name; a renamed one has both."""
    if fact.kind != "code.renamed":
        yield from ((path, say(path)) for path in fact.evidence)
        return
    for old, new in zip(fact.evidence[::2], fact.evidence[1::2], strict=False):
        yield new, f"{say(old)} → {_moved_to(old, new, say)}"


def _moved_to(old: str, new: str, say: Callable[[str], str]) -> str:
    return say(new) if say(old) != say(new) else f"{new.rpartition('/')[0] or '.'}/"


def _common_place(facts: Sequence[Fact]) -> str:
    """Return the common directory of all files, else that of their repository."""
    if len(facts) == 1 and any(mark.startswith("from ") for mark in facts[0].marks):
        return " " + " to ".join(mark.removeprefix("in ") for mark in facts[0].marks[-2:])
    found = {mark for fact in facts for mark in fact.marks if mark.startswith("in ")}
    if len(found) == 1 and all(not found.isdisjoint(fact.marks) for fact in facts):
        return f" {found.pop()}"
    where = place(facts[0].scope) if facts else ""
    return f" in {where}" if where else ""
