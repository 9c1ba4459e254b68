"""Words for where packages come from, how they are checked, and what they run."""

from __future__ import annotations

from collections.abc import Callable

from clew.model.fact import Fact, Severity
from clew.story.words.phrases import NAMED_ON_CARD, Phrase, base, joined, near, some

_ALSO = frozenset((
    "extra-index-url", "PIP_EXTRA_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_INDEX", "find-links",
    "PIP_FIND_LINKS", "index", "source", "repository", "repositories", "package-source", "channels",
    ":sources",
))  # fmt: skip
"""Settings that add a place and leave the others."""


_COMMON_NAMES = frozenset((
    "config", "config.toml", "config.json", "env", "settings.xml", "daemon.json", "registries.conf",
    "package.json", "environment",
))  # fmt: skip
"""File names that say little without their directory."""


def _name(path: str) -> str:
    """Return the name of a file, with its directory if the name is common."""
    return "/".join(path.split("/")[-2:]) if base(path) in _COMMON_NAMES else base(path)


def supply_phrase(fact: Fact) -> Phrase | None:
    """Return the words for a fact about packages; None for one about something else."""
    say = _KINDS.get(fact.kind)
    return say(fact) if say is not None else None


def _registry(fact: Fact) -> Phrase | None:
    if fact.scope == "apt":  # a program that apt runs
        return None
    name, settings = _name(fact.subject), some(fact.marks, NAMED_ON_CARD)
    if fact.scope == "lock":
        what, which = _counted(fact)
        now = "now from" if fact.before else "from"
        before = f", before from {fact.before}" if fact.before else ""
        return Phrase(
            f"{name}: {what} {now} {fact.after}",
            f"{fact.subject}: {what} {now} {fact.after}{before}{which}",
            f"{what} {now} {fact.after}",
        )
    if fact.scope == "git":
        return Phrase(
            f"{name}: git fetches from {fact.after} instead of {fact.before}",
            f"{fact.subject}: git fetches from {fact.after} instead of {fact.before} ({settings})",
            f"git fetches from {fact.after}",
        )
    if fact.scope == "proxy":
        through = f"packages go through proxy {fact.after}" if fact.after else "another proxy"
        return Phrase(f"{name}: {through}", f"{fact.subject}: {through} ({settings})")
    if fact.scope == "program":
        return Phrase(
            f"{name}: runs another program ({settings})",
            f"{fact.subject}: runs another program ({settings})",
        )
    if not fact.after:
        lost = (
            f"packages no longer come from {fact.before}"
            if fact.before
            else "other package settings"
        )
        return Phrase(f"{name}: {lost}", f"{fact.subject}: {lost} ({settings})")
    word = "also" if fact.marks and _ALSO.issuperset(fact.marks) else "now"
    before = f", before from {fact.before}" if fact.before else ""
    return Phrase(
        f"{name}: packages {word} from {fact.after}",
        f"{fact.subject}: packages {word} come from {fact.after}{before} ({settings})",
        f"packages {word} from {fact.after}",
    )


def _counted(fact: Fact) -> tuple[str, str]:
    """Return the packages of a fact, counted, and which they are."""
    names = list(fact.marks)
    more = 0
    if names and names[-1].endswith(" more"):
        more = int(names.pop().split()[0].replace(",", ""))
    number = len(names) + more
    if number == 1:
        return names[0], ""
    listed = f"{', '.join(names)} and {more:,} more" if more else joined(names)
    return f"{number:,} packages", f" ({listed})"


def _tls(fact: Fact) -> Phrase:
    name = _name(fact.subject)
    if fact.scope == "lock":
        what, which = _counted(fact)
        are = "is" if not which else "are"
        return Phrase(
            f"{name}: {what} {are} fetched without encryption",
            f"{fact.subject}: {what} {are} fetched without encryption{which}",
            f"{what} fetched without TLS",
        )
    settings = some(fact.marks, NAMED_ON_CARD)
    if fact.severity != Severity.HIGH:
        return Phrase(
            f"{name}: certificates are verified again",
            f"{fact.subject}: certificates are verified again ({settings})",
        )
    return Phrase(
        f"{name}: certificates no longer verified ({some(fact.marks, 1)})",
        f"{fact.subject}: certificates are no longer verified ({settings})",
        f"certificates not verified ({name})",
    )


def _install_script(fact: Fact) -> Phrase:
    name, settings = _name(fact.subject), some(fact.marks, NAMED_ON_CARD)
    if fact.scope == "project":
        word = "another" if fact.before else "new"
        runs = f" runs {fact.after}" if fact.after else ""
        return Phrase(
            f"{name}: {word} {settings} script runs at installation",
            f"{fact.subject}: {word} {settings} script{runs} at each installation",
            f"{name}: {word} {settings} script",
        )
    if fact.scope == "program":
        word = "another program runs" if fact.before else "a program runs"
        return Phrase(
            f"{name}: {word} at each installation",
            f"{fact.subject}: {word} at each installation",
            f"{name}: {word} at installation",
        )
    if fact.scope == "setting":
        what = "install scripts of packages run again"
        if fact.after:
            what = f"install scripts of {fact.after} may run"
        return Phrase(f"{name}: {what}", f"{fact.subject}: {what} ({settings})", f"{name}: {what}")
    version = f" {fact.after}" if fact.after else ""
    return Phrase(
        f"{fact.subject}{version} has a new install script",
        f"{fact.subject}{version} runs a program when it is installed: install script ({settings})",
        f"{fact.subject}: new install script",
    )


def _integrity(fact: Fact) -> Phrase:
    name = _name(fact.subject)
    if fact.after == "unchecked":
        settings = some(fact.marks, NAMED_ON_CARD)
        said = "packages are no longer checked"
        return Phrase(
            f"{name}: {said} ({settings})",
            f"{fact.subject}: {said} ({settings})",
            f"{name}: {said}",
        )
    what, which = _counted(fact)
    is_one = not which
    says = {
        "another hash": "has another hash than before"
        if is_one
        else "have other hashes than before",
        "no hash": f"{'is' if is_one else 'are'} no longer checked against a hash",
        "a weaker hash": f"{'is' if is_one else 'are'} only checked against a weak hash",
        "one more hash": f"may have {'one more' if is_one else 'more'} hash"
        + ("" if is_one else "es"),
    }
    said = says.get(fact.after or "", "has another hash than before")
    same = ", same version" if fact.after == "another hash" and not is_one else ""
    return Phrase(
        f"{name}: {what} {said}", f"{fact.subject}: {what} {said}{same}{which}", f"{what} {said}"
    )


def _dependency(fact: Fact) -> Phrase:
    name = _name(fact.scope)
    if fact.marks[:1] in (("action",), ("base image",), ("image",), ("hook",)):
        what = fact.marks[0]
        instead = f" instead of {fact.before}" if fact.before else ""
        details = f" ({', '.join(fact.marks[1:])})" if fact.marks[1:] else ""
        return Phrase(
            f"{name}: {what} {fact.after}{instead}",
            f"{fact.scope}: {what} {fact.after}{instead}{details}",
            f"{name}: {what} {fact.after}",
        )
    subject = (
        f"{fact.marks[0]} {fact.subject}" if fact.marks[:1] == ("submodule",) else fact.subject
    )
    verb = "comes" if "new" in fact.marks else "now comes"
    before = f", before from {fact.before}" if fact.before else ""
    now = "" if "new" in fact.marks else "now "
    return Phrase(
        f"{near(subject)} {now}from {fact.after or 'elsewhere'} ({name})",
        f"{subject} {verb} from {fact.after or 'elsewhere'}{before} ({fact.scope})",
        f"{near(subject)} {now}from {_host(fact.after or 'elsewhere')}",
    )


def _host(words: str) -> str:
    """Return `git at git.example.net` for `git at git.example.net/fork/urllib3`."""
    head, at, place = words.partition(" at ")
    return f"{head} at {place.partition('/')[0]}" if at else words


_KINDS: dict[str, Callable[[Fact], Phrase | None]] = {
    "security.registry": _registry,
    "security.tls": _tls,
    "security.install_script": _install_script,
    "security.integrity": _integrity,
    "security.dependency": _dependency,
}
