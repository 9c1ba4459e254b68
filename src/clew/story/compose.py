"""Story composition: findings become lines and a headline; each path is in exactly one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange
from clew.detectors.repositories.git_places import GIT_BOOKKEEPING, is_inside_git
from clew.model.fact import SEVERITY_RANK, Fact, Severity
from clew.model.ids import ObjectId
from clew.model.story import Story, StoryLine
from clew.model.vocabulary import HEADINGS, WARNINGS, Lines, family_of, tier_of
from clew.policy.redaction.redact import redact_name
from clew.policy.redaction.story import redacted_fact
from clew.story.analyse import DetectorResult
from clew.story.census import Census
from clew.story.headline import HeadlineCandidate, headline, score
from clew.story.rollup import PathGroup, roll_up
from clew.story.snapshot import SnapshotTree
from clew.story.words import phrase
from clew.story.words.rolled_up import describe

_Key = tuple[str, ...]

_NOISE = frozenset(("log", "generated"))

_ROLLED_UP = 2.0
_BOOKKEEPING = 0.1


def compose(
    evidence: Evidence, results: Iterable[DetectorResult], live: Sequence[Fact] = ()
) -> Story:
    """Return the story of the detectors' results; `live` are facts without a changed path."""
    lines: dict[_Key, _Draft] = {}
    home: dict[str, _Draft] = {}
    findings = [finding for result in results for finding in _with_problems(result)]
    findings.extend(Finding((fact,)) for fact in live)
    for finding in findings:
        draft = None
        for fact in map(redacted_fact, finding.facts):
            own = lines.setdefault(_key(fact), _Draft())
            own.facts.append(fact)
            draft = draft or own
        if draft is None and finding.claims:
            text = redact_name(finding.text)
            draft = lines.setdefault(("", text), _Draft(text))
        for path in finding.claims:
            if draft is not None and path in evidence.changes and path not in home:
                home[path] = draft
                draft.paths.append(path)
    _assign_git_files(evidence, home, lines)
    _assign_directories(evidence, home)
    left = [change for path, change in evidence.changes.items() if path not in home]
    drafts = list(lines.values())
    drafts += [_Draft.of(group, evidence.changes) for group in roll_up(left, Census(evidence))]
    rendered = [draft.rendered(evidence) for draft in drafts if draft.facts or draft.paths]
    rendered.sort(key=_order)
    facts = tuple(fact for draft in drafts for fact in draft.facts)
    story = Story(
        "",
        tuple(sorted(facts, key=_by_severity)),
        tuple(line for _, line in rendered),
        len(evidence.changes),
    )
    told = headline([candidate for candidate, _ in rendered], is_cut=story.is_cut)
    return story._replace(headline=told)


def compose_observed(facts: Sequence[Fact]) -> Story:
    """Return a story without changed paths."""
    nothing = SnapshotTree(None, _no_objects, lambda _, __: iter(()))
    return compose(Evidence(nothing, nothing, {}), (), facts)


def _no_objects(identifier: ObjectId) -> bytes:
    raise KeyError(identifier)


class _Draft:
    """A line under construction."""

    def __init__(self, text: str = "", points: float = _BOOKKEEPING) -> None:
        self._text = text
        self._points = points
        self.facts: list[Fact] = []
        self.paths: list[str] = []

    @classmethod
    def of(cls, group: PathGroup, changes: Mapping[str, PathChange]) -> _Draft:
        draft = cls(redact_name(describe(group, changes)), _ROLLED_UP)
        draft.paths = list(group.paths)
        return draft

    def rendered(self, evidence: Evidence) -> tuple[HeadlineCandidate, StoryLine]:
        number = len(self.paths)
        files = sum(not evidence.changes[path].is_directory for path in self.paths)
        if not self.facts:
            candidate = HeadlineCandidate(self._text, self._points, Severity.NONE, files, True)
            return candidate, StoryLine(
                "Files", self._text, Severity.NONE, tuple(self.paths), number
            )
        family = family_of(self.facts[0].kind)
        words = phrase(family.name, self.facts)
        severity = max((fact.severity for fact in self.facts), key=SEVERITY_RANK.__getitem__)
        heading = WARNINGS if severity == Severity.HIGH else family.heading
        candidate = HeadlineCandidate(
            words.short,
            score(self.facts),
            severity,
            files,
            is_noise=family.name in _NOISE,
            shortest=words.shortest,
            tier=min(tier_of(fact.kind, fact.severity) for fact in self.facts),
        )
        return candidate, StoryLine(heading, words.text, severity, tuple(self.paths), number)


def _key(fact: Fact) -> _Key:
    family = family_of(fact.kind)
    loud = "!" if fact.severity == Severity.HIGH else ""
    match family.lines:
        case Lines.EACH:
            return family.name, fact.kind, fact.scope, fact.subject
        case Lines.SHARED:
            return family.name, loud
        case _:
            return family.name, loud, fact.scope


def _with_problems(result: DetectorResult) -> list[Finding]:
    failed = tuple(
        Fact("detector.failed", result.name, path, after=why, evidence=(path,) if path else ())
        for path, why in result.problems
    )
    return [*result.findings, *([Finding(failed)] if failed else [])]


def _assign_git_files(
    evidence: Evidence, home: dict[str, _Draft], lines: dict[_Key, _Draft]
) -> None:
    """Assign git's own files to one line if the git detector failed or had no time."""
    left = [path for path in evidence.changes if path not in home and is_inside_git(path)]
    if left:
        draft = lines.setdefault(("", GIT_BOOKKEEPING), _Draft(GIT_BOOKKEEPING))
        draft.paths += left
        home.update(dict.fromkeys(left, draft))


def _assign_directories(evidence: Evidence, home: dict[str, _Draft]) -> None:
    """Assign a changed directory to the line of the first entry in it that has one."""
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


def _order(rendered: tuple[HeadlineCandidate, StoryLine]) -> tuple[int, int, int, float, str]:
    candidate, line = rendered
    rank = SEVERITY_RANK[line.severity]
    heading = HEADINGS.index(line.heading)
    return -(rank // 2), heading, candidate.tier, -candidate.score, line.text


def _by_severity(fact: Fact) -> tuple[int, int, str, str, str]:
    heading = HEADINGS.index(family_of(fact.kind).heading)
    return -SEVERITY_RANK[fact.severity], heading, fact.kind, fact.scope, fact.subject
