"""The table that `make eval` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from clew.model.fact import Severity
from evaluation.judge import Verdict


def totals(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yield the figures for each kind of fact, then the sums."""
    yield ""
    yield from _kinds(verdicts)
    yield ""
    yield from _sums(verdicts)


def scenario_lines(verdict: Verdict) -> Iterator[str]:
    scenario = verdict.scenario
    mark = "✔" if verdict.is_clean else "✘"
    yield f"{mark} {scenario.number:>2}  {scenario.name}"
    yield f"        clew      {verdict.story.headline}"
    yield f"        git diff  {verdict.blog}"
    changed = verdict.story.changed_paths
    yield (
        f"        {len(verdict.right)} right, {len(verdict.missed)} missed, {len(verdict.invented)} invented;"
        f" {changed} paths, {verdict.explained} explained; {verdict.seconds * 1000:.0f} ms"
    )
    if scenario.stands_in:
        yield f"        stand-in  {scenario.stands_in}"
    for word, facts in (("missed", verdict.missed), ("invented", verdict.invented)):
        for fact in facts[:12]:
            yield f"        {word:<9} {' '.join(str(part) for part in fact if part is not None)}"
    for subject in verdict.unwarned:
        yield f"        unwarned  {subject}"
    if scenario.benign and verdict.warned:
        yield f"        warned    {', '.join(verdict.warned)}"
    for where in verdict.leaks:
        yield f"        LEAK      {where}"
    for word in scenario.headline:
        if word not in verdict.story.headline:
            yield f"        headline lacks {word!r}"


def _kinds(verdicts: Sequence[Verdict]) -> Iterator[str]:
    right = Counter(fact[0] for verdict in verdicts for fact in verdict.right)
    missed = Counter(fact[0] for verdict in verdicts for fact in verdict.missed)
    invented = Counter(fact[0] for verdict in verdicts for fact in verdict.invented)
    yield f"{'kind':<28}{'facts':>6}{'precision':>11}{'recall':>8}"
    for kind in sorted(right | missed | invented):
        hits = right[kind]
        precision = hits / (hits + invented[kind]) if hits + invented[kind] else 1.0
        recall = hits / (hits + missed[kind]) if hits + missed[kind] else 1.0
        yield f"{kind:<28}{hits + missed[kind]:>6}{precision:>11.3f}{recall:>8.3f}"


def _sums(verdicts: Sequence[Verdict]) -> Iterator[str]:
    right = sum(len(verdict.right) for verdict in verdicts)
    missed = sum(len(verdict.missed) for verdict in verdicts)
    invented = sum(len(verdict.invented) for verdict in verdicts)
    paths = sum(verdict.story.changed_paths for verdict in verdicts)
    misplaced = sum(verdict.misplaced for verdict in verdicts)
    explained = sum(verdict.explained for verdict in verdicts)
    hostile = [verdict for verdict in verdicts if verdict.scenario.warnings]
    benign = [verdict for verdict in verdicts if verdict.scenario.benign]
    yield f"scenarios                 {sum(v.is_clean for v in verdicts)} of {len(verdicts)} as they should be"
    yield f"facts                     {right} right, {missed} missed, {invented} invented"
    yield f"path coverage             {100 * (1 - misplaced / max(paths, 1)):.1f} % of {paths} paths, {100 * explained / max(paths, 1):.1f} % explained by a detector"
    yield f"warnings that were due    {sum(len(v.scenario.warnings) - len(v.unwarned) for v in hostile)} of {sum(len(v.scenario.warnings) for v in hostile)}"
    yield f"warnings on benign ones   {sum(len(v.warned) for v in benign)} in {len(benign)} scenarios"
    notes = sum(fact.severity == Severity.NOTE for v in benign for fact in v.story.facts)
    yield f"notes on benign ones      {notes}"
    yield f"canaries told             {sum(len(verdict.leaks) for verdict in verdicts)}"
    yield f"time                      {sum(v.seconds for v in verdicts) * 1000:.0f} ms in all, {max((v.seconds for v in verdicts), default=0) * 1000:.0f} ms at most"
