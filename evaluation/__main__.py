"""Play real changes and print how accurately clew described them.

python -m evaluation                the scenarios and the three sets of variants
python -m evaluation 1 8 24         some scenarios, by number
python -m evaluation --scenarios    the scenarios, whose truth comes from the tools' own databases
python -m evaluation --freeze DIR   the scenarios, and write each recording, for the tests
python -m evaluation --fresh        the variants in words (`variant.py`), all of them
python -m evaluation --fresh git    those whose group or name contains a word
python -m evaluation --second       the second set of variants, held out; words select as with --fresh
python -m evaluation --third        the third set, an attack on finished detectors; words select too
python -m evaluation --large        large changes, with the worker of a save; --busy beside busy processes
python -m evaluation --blind        questions about timelines, answered from the headlines alone; numbers select
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from evaluation import fresh, second, third
from evaluation import scenarios as package
from evaluation.blind.run import run_blind
from evaluation.hear_all import hear_all
from evaluation.judge import Verdict, judge
from evaluation.large.run import run_large
from evaluation.recording import freeze
from evaluation.scenario import SCENARIOS
from evaluation.selection import NothingSelected
from evaluation.table import scenario_lines, totals

_VARIANTS = {"fresh": fresh, "second": second, "third": third}


def main(arguments: list[str]) -> int:
    """Run what was selected; return 1 if a fact was missed, invented or leaked, 2 for a wrong call."""
    try:
        chosen = choose(arguments)
        if os.environ.get("CLEW_EVAL_APART") != "yes":
            _set_apart(arguments)
        return _run(chosen)
    except NothingSelected as error:
        print(f"evaluation: {error}", file=sys.stderr)
        return 2


def choose(arguments: list[str]) -> argparse.Namespace:
    """Return the set of the arguments, and the words that select from it."""
    parser = argparse.ArgumentParser(
        prog="python -m evaluation",
        usage="python -m evaluation [--SET] [WORD ...]",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    sets = parser.add_mutually_exclusive_group()
    for name in ("scenarios", "fresh", "second", "third", "large", "blind"):
        sets.add_argument(f"--{name}", dest="set", action="store_const", const=name)
    parser.add_argument("--busy", action="store_true", help="with --large")
    parser.add_argument("--freeze", type=Path, metavar="DIR", help="with scenarios")
    parser.add_argument("words", nargs="*", metavar="WORD")
    chosen = parser.parse_args(arguments)
    if chosen.busy and chosen.set != "large":
        parser.error("--busy needs --large")
    if chosen.freeze and chosen.set not in (None, "scenarios"):
        parser.error("--freeze needs scenarios")
    chosen.is_all = chosen.set is None and not chosen.words and not chosen.freeze
    chosen.set = chosen.set or "scenarios"
    if chosen.set in ("scenarios", "blind") and not all(word.isdigit() for word in chosen.words):
        parser.error(f"--{chosen.set} takes numbers")
    return chosen


def _run(chosen: argparse.Namespace) -> int:
    words: list[str] = chosen.words
    if chosen.is_all:
        return max(run_scenarios([], None), *(hear_all(one, []) for one in _VARIANTS.values()))
    if chosen.set in _VARIANTS:
        return hear_all(_VARIANTS[chosen.set], words)
    if chosen.set == "large":
        return run_large(words, is_busy=chosen.busy)
    numbers = [int(word) for word in words]
    return run_blind(numbers) if chosen.set == "blind" else run_scenarios(numbers, chosen.freeze)


def run_scenarios(numbers: list[int], target: Path | None) -> int:
    """Run the selected scenarios; return 1 if one was not described as it should be."""
    for module in iter_modules(package.__path__):
        import_module(f"{package.__name__}.{module.name}")
    wanted = [one for one in SCENARIOS if not numbers or one.number in numbers]
    unknown = set(numbers) - {one.number for one in wanted}
    if unknown:
        raise NothingSelected(f"No scenario has the number {min(unknown)}")
    verdicts: list[Verdict] = []
    broken: list[str] = []
    for scenario in sorted(wanted, key=lambda one: (one.number, one.name)):
        print(f"running {scenario.number} {scenario.name}", file=sys.stderr, flush=True)
        try:
            verdict = judge(scenario)
        except (RuntimeError, OSError, ValueError, subprocess.SubprocessError) as error:
            broken.append(f"✘ {scenario.number:>2}  {scenario.name}: could not be played: {error}")
            continue
        verdicts.append(verdict)
        print("\n".join(scenario_lines(verdict)), flush=True)
        if target is not None:
            name = f"{scenario.number:02}-{_slug(scenario.name)}.json.xz"
            freeze(verdict.recording, target / name)
    print("\n".join([*broken, *totals(verdicts)]), flush=True)
    return 0 if not broken and all(verdict.is_clean for verdict in verdicts) else 1


def _set_apart(words: list[str]) -> None:
    """Start again in a new mount namespace, so that no mount outlives this process."""
    os.environ["CLEW_EVAL_APART"] = "yes"
    command = ["unshare", "--mount", sys.executable, "-m", "evaluation", *words]
    os.execvp(command[0], command)


def _slug(name: str) -> str:
    return "".join(char if char.isalnum() else "-" for char in name.lower())[:40].strip("-")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
