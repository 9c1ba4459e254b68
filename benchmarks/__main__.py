"""`make bench`: measure, print the table, report which targets are met.

Exit code 0 if all targets are met, 1 if one is missed or something failed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.bisects import COPIES, bisect_rows
from benchmarks.cases import Workload, WrongResult, measure, measure_start_up
from benchmarks.forks import COPY, GIT, fork_rows
from benchmarks.hooks import PYTHON, hook_rows
from benchmarks.measure import CommandFailed, middle, run
from benchmarks.peers import ALL, Clew, Peer, Restic
from benchmarks.sessions import WITHOUT, ZSTD, session_rows
from benchmarks.stories import SAVE, story_rows
from benchmarks.table import Row, rows, start_up_rows, table

MIB = 1 << 20
NEEDED_BYTES = {"small": 4 << 30, "large": 14 << 30}

SMALL = Workload("50,000 small files", "small", 50_000, 20, 3, 5, take_turns=True)
LARGE = Workload("one 1 GiB file", "large", 1 << 30, 5, 3, 3, take_turns=False)
QUICK_SMALL = Workload("5,000 small files", "small", 5_000, 20, 3, 5, take_turns=True)
QUICK_LARGE = Workload("one 64 MiB file", "large", 64 * MIB, 5, 3, 3, take_turns=False)


def main() -> int:
    options = _options()
    parent = options.dir or Path.cwd()
    base = Path(tempfile.mkdtemp(prefix=".clew-bench-", dir=parent))
    try:
        return _bench(options, base)
    except (CommandFailed, WrongResult) as error:
        print(f"The benchmark stopped: {error}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _bench(options: argparse.Namespace, base: Path) -> int:
    asked = [kind for kind in ALL if not options.peers or kind.name in options.peers.split(",")]
    kinds = [kind for kind in asked if kind.is_installed()]
    for missing in [kind.name for kind in asked if kind not in kinds]:
        print(f"Not installed, so not measured: {missing}")
    _describe(kinds, base)

    report: dict[str, object] = {}
    everything: list[Row] = []
    notes: dict[str, None] = {}
    small, large = (QUICK_SMALL, QUICK_LARGE) if options.quick else (SMALL, LARGE)
    for workload in (small, large):
        if options.only not in (None, workload.kind) or not _has_room(workload, base, options):
            continue
        peers = [kind(base) for kind in kinds]
        measured = measure(peers, workload, base, _say)
        lines = rows(workload, measured)
        print("\n" + table(workload.title, lines, [peer.name for peer in peers]), flush=True)
        everything += lines
        report[workload.kind] = measured.as_json()
        notes |= dict.fromkeys(note for peer in peers for note in peer.notes)

    if options.only in (None, "stories"):
        lines = story_rows(base, small.amount, _say)
        print("\n" + table("stories", lines, ["clew", SAVE]), flush=True)
        everything += lines

    if options.only in (None, "forks"):
        lines = fork_rows(base, small.amount, _say)
        print("\n" + table("forks", lines, ["clew", COPY, GIT]), flush=True)
        everything += lines

    if options.only in (None, "bisect"):
        lines = bisect_rows(base, small.amount, _say)
        print("\n" + table("bisect", lines, ["clew", COPIES]), flush=True)
        everything += lines

    if options.only in (None, "sessions"):
        lines = session_rows(base, _say)
        print("\n" + table("sessions", lines, ["clew", ZSTD, WITHOUT]), flush=True)
        everything += lines

    if options.only in (None, "hooks"):
        lines = hook_rows(base, _say)
        print("\n" + table("hooks", lines, ["clew", PYTHON]), flush=True)
        everything += lines

    if options.only in (None, "startup") and Clew.is_installed():
        measured = measure_start_up(base, 20, _say)
        lines = start_up_rows(measured)
        print("\n" + table("start-up", lines, ["clew", "python"]), flush=True)
        everything += lines
        report["startup"] = measured.as_json()

    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    return _conclude(everything, list(notes))


def _conclude(lines: Sequence[Row], notes: Sequence[str]) -> int:
    print("\nMedians; sizes are after each tool's own gc.")
    print("Ratios are clew's figure divided by the peer's: below 1, clew is faster or smaller.")
    for note in notes:
        print(f"Note: {note}")
    verdicts = [reached for row in lines for _, reached in row.verdicts()]
    print(f"Targets met: {sum(verdicts)} of {len(verdicts)}")
    return 0 if all(verdicts) else 1


def _describe(kinds: Sequence[type[Peer]], base: Path) -> None:
    versions = []
    for kind in kinds:
        peer = kind(base)
        peer.workspace.mkdir()
        versions.append(peer.version())
        if isinstance(peer, Restic):
            peer.create()
            seconds = middle([run(peer.nothing()) for _ in range(3)])
            versions[-1] += f" (of which {seconds:.2f} s a command go into deriving its key)"
        shutil.rmtree(peer.base)
    processors, kernel = os.cpu_count(), platform.release()
    print(f"Python {platform.python_version()}, Linux {kernel}, {processors} processors")
    print("; ".join(versions), flush=True)


def _has_room(workload: Workload, base: Path, options: argparse.Namespace) -> bool:
    needed = NEEDED_BYTES[workload.kind] // (10 if options.quick else 1)
    free = shutil.disk_usage(base).free
    if free < needed:
        figures = f"{needed / 1e9:.1f} GB, and there are {free / 1e9:.1f}"
        print(f"Not measured, {workload.title}: needs {figures}; name another place with --dir")
    return free >= needed


def _say(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text[:100]}", end="", file=sys.stderr, flush=True)
    else:
        print(text, file=sys.stderr, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="5,000 files and a 64 MiB file")
    parser.add_argument(
        "--only",
        choices=["small", "large", "stories", "forks", "bisect", "sessions", "hooks", "startup"],
        help="one part only",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every run to FILE")
    parser.add_argument("--dir", type=Path, help="where to work (default: here)")
    parser.add_argument("--peers", help="names, with commas between them (default: all installed)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
