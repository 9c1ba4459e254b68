"""From findings to a story: lines, each changed path in exactly one of them, and a headline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from clew.detectors.detector import Evidence, Finding
from clew.model.amount import counted
from clew.model.fact import SEVERITY_RANK, Fact, Severity
from clew.model.ids import ObjectId
from clew.model.story import Story, StoryLine
from clew.model.vocabulary import HEADINGS, WARNINGS, family_of
from clew.story.analyse import DetectorResult
from clew.story.headline import Candidate, headline, score
from clew.story.rollup import Group, roll_up
from clew.story.snapshot import SnapshotTree
from clew.story.words import phrase

_Key = tuple[str, ...]

_ALONE = frozenset(("security",))
"""Families whose facts each deserve a line."""
_TOGETHER = frozenset(
    (
        "port",
        "process",
        "executable",
        "source",
        "generated",
        "log",
        "config",
        "group",
        "data",
        "detector",
    )
)
"""Families whose facts share one line, whatever their scope."""

_NOISE = frozenset(("log", "generated"))

_ROLLED_UP = 2.0
_BOOKKEEPING = 0.1
_COUNT_LIMIT = 2_000
"""Files that are counted below one directory before it is called large."""
_COUNT_BUDGET = 20_000
"""Entries that are looked at in all."""


def compose(
    evidence: Evidence, results: Iterable[DetectorResult], live: Sequence[Fact] = ()
) -> Story:
    """Return the story that detectors' results tell; `live` are facts that no path shows."""
    lines: dict[_Key, _Draft] = {}
    home: dict[str, _Draft] = {}
    findings = [finding for result in results for finding in _with_problems(result)]
    findings.extend(Finding((fact,)) for fact in live)
    for finding in findings:
        draft = None
        for fact in finding.facts:
            own = lines.setdefault(_key(fact), _Draft())
            own.facts.append(fact)
            draft = draft or own
        if draft is None and finding.claims:
            draft = lines.setdefault(("", finding.text), _Draft(finding.text))
        for path in finding.claims:
            if draft is not None and path in evidence.changes and path not in home:
                home[path] = draft
                draft.paths.append(path)
    _settle_directories(evidence, home)
    left = [change for path, change in evidence.changes.items() if path not in home]
    drafts = list(lines.values())
    drafts += [_Draft.of(group) for group in roll_up(left, _Counter(evidence))]
    told = [draft.told(evidence) for draft in drafts if draft.facts or draft.paths]
    told.sort(key=_order)
    facts = tuple(fact for draft in drafts for fact in draft.facts)
    return Story(
        headline([candidate for candidate, _ in told]),
        tuple(sorted(facts, key=_loudest_first)),
        tuple(line for _, line in told),
        len(evidence.changes),
    )


def compose_observed(facts: Sequence[Fact]) -> Story:
    """Return a story in which no path changed."""
    nothing = SnapshotTree(None, _no_objects, lambda _, __: iter(()))
    return compose(Evidence(nothing, nothing, {}), (), facts)


def _no_objects(identifier: ObjectId) -> bytes:
    raise KeyError(identifier)


class _Draft:
    """A line in the making."""

    def __init__(self, text: str = "", points: float = _BOOKKEEPING) -> None:
        self._text = text
        self._points = points
        self.facts: list[Fact] = []
        self.paths: list[str] = []

    @classmethod
    def of(cls, group: Group) -> _Draft:
        draft = cls(_describe(group), _ROLLED_UP)
        draft.paths = list(group.paths)
        return draft

    def told(self, evidence: Evidence) -> tuple[Candidate, StoryLine]:
        number = len(self.paths)
        files = sum(not evidence.changes[path].is_directory for path in self.paths)
        if not self.facts:
            candidate = Candidate(self._text, self._points, Severity.NONE, files, True)
            return candidate, StoryLine(
                "Files", self._text, Severity.NONE, tuple(self.paths), number
            )
        family = family_of(self.facts[0].kind)
        words = phrase(family.name, self.facts)
        severity = max((fact.severity for fact in self.facts), key=SEVERITY_RANK.__getitem__)
        heading = WARNINGS if severity == Severity.HIGH else family.heading
        candidate = Candidate(
            words.short, score(self.facts), severity, files, is_noise=family.name in _NOISE
        )
        return candidate, StoryLine(heading, words.text, severity, tuple(self.paths), number)


def _key(fact: Fact) -> _Key:
    family = family_of(fact.kind).name
    loud = "!" if fact.severity == Severity.HIGH else ""
    if family in _ALONE:
        return family, fact.kind, fact.scope, fact.subject
    if family in _TOGETHER:
        return family, loud
    return family, loud, fact.scope


def _with_problems(result: DetectorResult) -> list[Finding]:
    failed = tuple(
        Fact("detector.failed", result.name, path, after=why, evidence=(path,) if path else ())
        for path, why in result.problems
    )
    return [*result.findings, *([Finding(failed)] if failed else [])]


def _settle_directories(evidence: Evidence, home: dict[str, _Draft]) -> None:
    """Give a changed directory to the line of the first thing in it that has one."""
    waiting = {
        path: change
        for path, change in evidence.changes.items()
        if change.is_directory and path not in home
    }
    for path, draft in list(home.items()):
        above = path.rpartition("/")[0]
        while above in waiting:
            home[above] = draft
            draft.paths.append(above)
            del waiting[above]
            above = above.rpartition("/")[0]


def _describe(group: Group) -> str:
    name = group.directory or "."
    if group.is_single:
        word = "added" if group.added else "removed" if group.deleted else "changed"
        return f"{name} {word}"
    number = len(group.paths)
    if group.whole == "new":
        return f"{name}/ new directory, {counted(group.added, 'file')}"
    if group.whole == "gone":
        return f"{name}/ removed, {counted(group.deleted, 'file')}"
    parts = [
        f"{amount:,} {word}"
        for amount, word in (
            (group.added, "added"),
            (group.changed, "changed"),
            (group.deleted, "removed"),
        )
        if amount
    ]
    of = f" of {group.total:,}" if group.changed == number and group.total < _COUNT_LIMIT else ""
    return f"{name}/ {', '.join(parts)}{of}"


class _Counter:
    """Counts the files under a directory, before and now together, up to a limit."""

    def __init__(self, evidence: Evidence) -> None:
        self._tree = evidence.new
        self._known: dict[str, int] = {}
        self._budget = _COUNT_BUDGET
        self._deleted: dict[str, int] = {}
        for path, change in evidence.changes.items():
            if change.is_deleted and not change.is_directory:
                parent = path.rpartition("/")[0]
                self._deleted[parent] = self._deleted.get(parent, 0) + 1

    def __call__(self, directory: str) -> int:
        """Return the count; asked for the deepest first, it looks at each directory once."""
        number = 0
        waiting = [directory]
        while waiting and number < _COUNT_LIMIT and self._budget > 0:
            path = waiting.pop()
            known = self._known.get(path)
            if known is not None:
                number += known
                continue
            number += self._deleted.get(path, 0)
            for name, entry in self._tree.entries(path).items():
                self._budget -= 1
                if entry.is_directory:
                    waiting.append(f"{path}/{name}" if path else name)
                else:
                    number += 1
        number = _COUNT_LIMIT if waiting else number
        self._known[directory] = number
        return number


def _order(told: tuple[Candidate, StoryLine]) -> tuple[int, int, float, str]:
    candidate, line = told
    rank = SEVERITY_RANK[line.severity]
    return -(rank // 2), HEADINGS.index(line.heading), -candidate.score, line.text


def _loudest_first(fact: Fact) -> tuple[int, int, str, str, str]:
    heading = HEADINGS.index(family_of(fact.kind).heading)
    return -SEVERITY_RANK[fact.severity], heading, fact.kind, fact.scope, fact.subject
