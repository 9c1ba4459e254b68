"""Play real changes and print how accurately clew described them.

python -m evaluation                the scenarios and both sets of variants
python -m evaluation 1 8 24         some scenarios, by number
python -m evaluation --scenarios    the scenarios, whose truth comes from the tools' own databases
python -m evaluation --freeze DIR   the scenarios, and write each recording, for the tests
python -m evaluation --fresh        the variants in words (`variant.py`), all of them
python -m evaluation --fresh git    those whose group or name contains a word
python -m evaluation --second       the second set of variants, held out; words select as with --fresh
python -m evaluation --large        large changes, with the worker of a save; --busy beside busy processes
python -m evaluation --blind        questions about timelines, answered from the headlines alone
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from evaluation import fresh, second
from evaluation import scenarios as package
from evaluation.blind.run import run_blind
from evaluation.hear_all import hear_all
from evaluation.judge import Verdict, judge
from evaluation.large.run import run_large
from evaluation.recording import freeze
from evaluation.scenario import SCENARIOS
from evaluation.table import scenario_lines, totals


def main(words: list[str]) -> int:
    """Run what was selected; return 1 if a fact was missed, invented or leaked."""
    if words in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if os.environ.get("CLEW_EVAL_APART") != "yes":
        _set_apart(words)
    if not words:
        return max(run_scenarios([]), hear_all(fresh, []), hear_all(second, []))
    for option, variants in (("--fresh", fresh), ("--second", second)):
        if option in words:
            return hear_all(variants, [word for word in words if word != option])
    if "--large" in words:
        return run_large([word for word in words if word != "--large"])
    if "--blind" in words:
        return run_blind(words)
    return run_scenarios(words)


def run_scenarios(words: list[str]) -> int:
    """Run the selected scenarios; return 1 if one was not described as it should be."""
    for module in iter_modules(package.__path__):
        import_module(f"{package.__name__}.{module.name}")
    target = Path(words.pop(words.index("--freeze") + 1)) if "--freeze" in words else None
    wanted = {int(word) for word in words if word.isdigit()}
    verdicts: list[Verdict] = []
    broken: list[str] = []
    for scenario in sorted(SCENARIOS, key=lambda one: (one.number, one.name)):
        if wanted and scenario.number not in wanted:
            continue
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
