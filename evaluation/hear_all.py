"""Run the variants, and print by group how much of what must be told was told."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from evaluation.hear import Heard, hear
from evaluation.selection import select
from evaluation.variant import VARIANTS, Variant


def hear_all(package: ModuleType, words: list[str]) -> int:
    """Run the selected variants of a package; return 1 if one was not told as it should be."""
    results: list[Heard] = []
    broken: list[str] = []
    variants = {f"{one.group}: {one.name}": one for one in _variants(package)}
    for name in select(list(variants), words):
        variant = variants[name]
        print(f"running {name}", file=sys.stderr, flush=True)
        try:
            result = hear(variant)
        except (RuntimeError, OSError, ValueError, subprocess.SubprocessError) as error:
            broken.append(f"✘ {name}: could not be played: {error}")
            continue
        results.append(result)
        print("\n".join(_lines(result)), flush=True)
    print("\n".join([*broken, *_totals(results)]))
    return 0 if not broken and all(result.is_right for result in results) else 1


def _variants(package: ModuleType) -> list[Variant]:
    """Return the variants of a package, and not those of another whose helpers it uses."""
    for module in iter_modules(package.__path__):
        import_module(f"{package.__name__}.{module.name}")
    own = [one for one in VARIANTS if one.act.__module__.startswith(f"{package.__name__}.")]
    return sorted(own, key=lambda one: (one.group, one.name))


def _lines(result: Heard) -> Iterator[str]:
    yield f"{'✔' if result.is_right else '✘'} {result.variant.group}: {result.variant.name}"
    yield f"        clew      {result.story.headline}"
    yield (
        f"        {len(result.told)} told, {len(result.missed)} missed, {len(result.false)} false;"
        f" {result.story.changed_paths} paths, {result.seconds * 1000:.0f} ms"
    )
    if result.variant.stands_in:
        yield f"        stand-in  {result.variant.stands_in}"
    for word, groups in (("missed", result.missed), ("unwarned", result.unwarned)):
        for words in groups:
            yield f"        {word:<9} {', '.join(words)}"
    for text in result.headline_lacks:
        yield f"        headline lacks {text!r}"
    for text in result.false:
        yield f"        false     {text}"
    for text in result.leaks:
        yield f"        LEAK      {text}"


def _totals(results: Sequence[Heard]) -> Iterator[str]:
    yield ""
    yield f"{'group':<20}{'variants':>9}{'right':>7}{'told':>6}{'missed':>8}{'false':>7}{'precision':>11}{'recall':>8}{'warnings':>12}{'headlines':>11}"
    for group in sorted({one.variant.group for one in results}):
        yield _row(group, [one for one in results if one.variant.group == group])
    yield _row("all", results)
    paths = sum(one.story.changed_paths for one in results)
    seconds = sum(one.seconds for one in results)
    yield ""
    benign = [one for one in results if one.variant.benign]
    yield f"warnings on benign ones   {sum(len(one.false) for one in benign)} in {len(benign)} variants"
    yield f"canaries told             {sum(len(one.leaks) for one in results)}"
    yield f"processor time            {seconds / max(paths, 1) * 1e6:.0f} µs for a changed path"


def _row(name: str, results: Sequence[Heard]) -> str:
    due = sum(len(one.warned) + len(one.unwarned) for one in results)
    warned = sum(len(one.warned) for one in results)
    right = warned + sum(len(one.told) for one in results)
    false = sum(len(one.false) for one in results)
    missed = due - warned + sum(len(one.missed) for one in results)
    return (
        f"{name:<20}{len(results):>9}{sum(one.is_right for one in results):>7}"
        f"{sum(len(one.told) for one in results):>6}{sum(len(one.missed) for one in results):>8}"
        f"{false:>7}{_share(right, false):>11.3f}{_share(right, missed):>8.3f}{f'{warned} of {due}':>12}"
        f"{sum(not one.headline_lacks for one in results):>11}"
    )


def _share(right: int, wrong: int) -> float:
    return right / (right + wrong) if right + wrong else 1.0
