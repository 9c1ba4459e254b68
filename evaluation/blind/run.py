"""Run the blind test, and print the share of right answers."""

from __future__ import annotations

from collections import Counter

from evaluation.blind.answer import WIDTH
from evaluation.blind.timeline import Asked, ask_timeline
from evaluation.selection import NothingSelected

TIMELINES = 9


def run_blind(numbers: list[int]) -> int:
    """Ask all questions, or those about some timelines; return 1 below 0.95."""
    seeds = numbers or list(range(1, TIMELINES + 1))
    if max(seeds) > TIMELINES or min(seeds) < 1:
        raise NothingSelected(f"The timelines are 1 to {TIMELINES}")
    asked: list[Asked] = []
    for seed in seeds:
        found = ask_timeline(seed)
        asked += found
        print(f"timeline {seed}: {_right(found)} of {len(found)}", flush=True)
        for one in found:
            if one.given != one.right:
                said = one.headlines[one.right + one.question.before][:WIDTH]
                print(f"    {one.question.text}: the headline was {said!r}", flush=True)
    by_verb = Counter(one.question.verb for one in asked)
    for verb, count in sorted(by_verb.items()):
        right = _right([one for one in asked if one.question.verb == verb])
        print(f"{verb:<12}{right:>4} of {count}")
    share = _right(asked) / max(len(asked), 1)
    print(f"{_right(asked)} of {len(asked)} questions answered right: {share:.3f}")
    return 0 if share >= 0.95 else 1


def _right(asked: list[Asked]) -> int:
    return sum(one.given == one.right for one in asked)
