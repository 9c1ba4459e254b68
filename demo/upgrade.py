"""Second part: a test fails after a dozen steps; clew finds the step and the package, and tries fixes."""

from __future__ import annotations

import json
import shlex

from demo import till
from demo.stage import Stage

TESTS = "./test"
PIN = ".venv/bin/pip install -q --no-index --find-links wheels moneyfmt==1.4.0"
PORT = "sed -i 's|show(cents|show(cents / 100|' till.py"


def play(stage: Stage) -> None:
    """Run the second part."""
    _begin(stage)
    good = _work(stage)
    broken = stage.fingerprint()
    _find(stage, broken)
    _go_back(stage, good)
    stage.run("clew undo --yes")
    stage.claim("the dozen steps are all there again", stage.fingerprint() == broken)
    _try_two_ways(stage, broken)


def _begin(stage: Stage) -> None:
    till.create(stage.project)
    stage.say("Another project: a till, with a virtualenv and a database. Its tests pass.")
    stage.run("python3 -m venv .venv")
    stage.run(PIN)
    stage.run(f"clew init && clew config set verify {TESTS}")
    stage.run('clew save "a till that works" --check')


def _work(stage: Stage) -> str:
    """Let the agent work, and return the fingerprint of the last good state."""
    stage.say("The agent works, saves at every step, and runs no test.")
    good = ""
    for intent, step in till.steps():
        if intent == till.CULPRIT:
            good = stage.fingerprint()
        step(stage.project)
        if intent == till.CULPRIT:
            stage.run(till.UPGRADE)
        stage.ask(shlex.join(["clew", "save", intent]))
    stage.run("clew log")
    stage.say("Then it does.")
    stage.run(TESTS, codes=(1,))
    return good


def _find(stage: Stage, broken: str) -> None:
    stage.say("Which step broke it? Bisect runs the tests in private copies of a few checkpoints.")
    stage.run("clew bisect")
    found = json.loads(stage.ask("clew bisect --json"))
    packages = [fact for fact in found["facts"] if fact["kind"] == "package.changed"]
    stage.claim(
        "it is the step that upgraded moneyfmt; the story reports it, although the intent does not",
        found["first_bad"]["intent"] == till.CULPRIT
        and [(one["subject"], one["before"], one["after"]) for one in packages]
        == [("moneyfmt", "1.4.0", "2.0.0")],
    )
    stage.claim("run again, it needs no test run: verdicts are stored", found["run_count"] == 0)
    stage.claim("nothing in the project was touched", stage.fingerprint() == broken)


def _go_back(stage: Stage, good: str) -> None:
    stage.say("You could restore the last good state ...")
    stage.run("clew restore good --yes")
    stage.claim("this is the state before the upgrade", stage.fingerprint() == good)
    stage.run(TESTS)
    stage.say(
        "... but that would drop the later work. Return to the latest state and try two fixes there."
    )


def _try_two_ways(stage: Stage, broken: str) -> None:
    stage.run(f'clew try @ --attempt pin="{PIN}" --attempt port="{PORT}"')
    ways = {way["name"]: way for way in json.loads(stage.ask("clew forks --json"))["forks"]}
    verdicts = {name: way["checkpoint"]["verdict"]["status"] for name, way in ways.items()}
    stage.claim("one fails, one passes", verdicts == {"pin": "failing", "port": "passing"})
    stage.claim("nothing in the project was touched", stage.fingerprint() == broken)
    stage.say("With the old package the euros fail; the port passes. Adopt the port.")
    stage.run("clew adopt port --yes")
    stage.run(TESTS)
    version = stage.ask(".venv/bin/python -c 'import moneyfmt; print(moneyfmt.show(1, \"€\"))'")
    stage.claim("the tests pass, with the new package", version == "1.00 €\n")
    stage.run("clew log -n 3")
