"""Table of results: the figure of each peer, clew divided by each, and whether the target is met.

A ratio is always clew's figure divided by the peer's: below 1, clew is the faster or the smaller.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from benchmarks.cases import Measured, Workload

CLEW = "clew"


class Wanted(NamedTuple):
    """A ratio to stay under, or an absolute figure where there is no peer."""

    limit: float
    peer: str = ""
    strictly: bool = False

    def holds(self, value: float) -> bool:
        return value < self.limit if self.strictly else value <= self.limit


class Row(NamedTuple):
    """One line: a figure for each peer."""

    title: str
    unit: str
    """`s` or `B`."""
    figures: Mapping[str, float]
    wanted: Sequence[Wanted] = ()

    def ratio(self, peer: str) -> float | None:
        ours, theirs = self.figures.get(CLEW), self.figures.get(peer)
        return ours / theirs if ours is not None and theirs else None

    def verdicts(self) -> list[tuple[Wanted, bool]]:
        """Return the target and whether it is met, if it could be measured."""
        found = []
        for wanted in self.wanted:
            value = self.ratio(wanted.peer) if wanted.peer else self.figures.get(CLEW)
            if value is not None:
                found.append((wanted, wanted.holds(value)))
        return found


def rows(workload: Workload, measured: Measured) -> list[Row]:
    """Return the lines for one workload, in the order of a workspace's life."""
    few, edit = ("10 files", "10 changed files")
    if workload.kind == "large":
        few, edit = ("three 4 KiB blocks", "three 4 KiB edits, one append")
    timed = [
        ("first", "first save", [Wanted(1 / 4, "git"), Wanted(1 / 2, "restic")]),
        ("unchanged", "unchanged save", [Wanted(1.5, "git"), Wanted(1 / 4, "restic")]),
        ("edited", f"save, {edit}", []),
        ("diff", f"diff, {workload.rounds} checkpoints apart", [Wanted(0.1, "restic", True)]),
        # "no slower than restic" is the target for ten files; a large file is shown for comparison
        (
            "restore",
            f"restore, {few} differing",
            [Wanted(1, "restic")] * (workload.kind == "small"),
        ),
        ("restore all", "restore into an empty root", []),
    ]
    size = [Wanted(1.1, "git")]
    last = f"store, {workload.runs + workload.rounds + 1} checkpoints"
    return [
        *(Row(title, "s", measured.medians(step), wanted) for step, title, wanted in timed),
        Row("store, one checkpoint", "B", measured.sizes["first"], size),
        Row(last, "B", measured.sizes["last"], size),
        Row("peak memory", "B", measured.peaks, [Wanted(300e6, strictly=True)]),
    ]


def start_up_rows(measured: Measured) -> list[Row]:
    """Return the lines that compare clew with a Python that does nothing."""
    bare = measured.medians("python")[CLEW]
    wanted = [Wanted(7, "python")]
    titles = {"help": "clew --help", "log": "clew log"}
    return [
        Row(title, "s", {CLEW: measured.medians(step)[CLEW], "python": bare}, wanted)
        for step, title in titles.items()
    ]


def table(title: str, lines: Sequence[Row], peers: Sequence[str]) -> str:
    """Return the lines as text, ready to print."""
    others = [peer for peer in peers if peer != CLEW]
    head = [title, *peers, *(f"÷ {peer}" for peer in others), "wanted"]
    body = [
        [
            row.title,
            *(_figure(row.figures.get(peer), row.unit) for peer in peers),
            *(_ratio(row.ratio(peer)) for peer in others),
            ", ".join(_verdict(wanted, reached, row.unit) for wanted, reached in row.verdicts()),
        ]
        for row in lines
    ]
    widths = [max(len(line[column]) for line in [head, *body]) for column in range(len(head))]
    return "\n".join(
        _line(line, widths) for line in [head, ["-" * width for width in widths], *body]
    )


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *middle, last = cells
    padded = [cell.rjust(width) for cell, width in zip(middle, widths[1:-1], strict=True)]
    return "  ".join([first.ljust(widths[0]), *padded, last]).rstrip()


def _figure(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    if unit == "B":
        return f"{value / 1e6:.1f} MB"
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.2f} s"


def _ratio(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def _verdict(wanted: Wanted, reached: bool, unit: str) -> str:
    sign = "<" if wanted.strictly else "≤"
    limit = f"{wanted.limit:g} {wanted.peer}" if wanted.peer else _figure(wanted.limit, unit)
    return f"{sign} {limit}: {'met' if reached else 'MISSED'}"
