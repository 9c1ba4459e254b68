"""First part: an agent works on a shop and breaks it; clew restores the good state."""

from __future__ import annotations

import json
import os
import shutil

from demo import shop
from demo.stage import Stage

TESTS = "python3 -m unittest -q"


def play(stage: Stage) -> None:
    """Run the first part."""
    shop.create(stage.project)
    stage.say("A project: code in git; and, ignored by git, a database, a secret, a build.")
    stage.run('git init -q && git add . && git commit -q -m "a little shop" && ls -A')

    stage.say("Before the agent starts, save everything, and record whether the tests pass.")
    stage.run(f'clew save "clean start" --verify "{TESTS}"')
    stage.claim("clew's history is outside the project", ".clew" not in os.listdir(stage.project))

    stage.say("The agent adds discounts: some code, a test, a new column in the database.")
    shop.add_discounts(stage.project)
    stage.run(f'clew save "discounts work" --verify "{TESTS}"')
    good = stage.fingerprint()

    stage.say("Then it tidies up: renames a table, drops the column, deletes what git ignores.")
    shop.tidy_up(stage.project)
    stage.run(f'clew save "tidy up" --verify "{TESTS}"', codes=(0, 4))
    (stage.project / "notes.txt").write_text("Tests are broken. Trying something else ...\n")

    stage.say("Git shows a part of it. Neither the database nor the secret is in git.")
    status = stage.run("git status --short")
    stage.claim("git status names neither", ".env" not in status and "shop.db" not in status)

    stage.say("Which state was good? The timeline shows it.")
    stage.run("clew log")
    verdicts = {
        checkpoint["intent"]: (checkpoint["verdict"] or {}).get("status")
        for checkpoint in json.loads(stage.ask("clew log --json"))["checkpoints"]
    }
    stage.claim(
        "the tests passed at “discounts work” and failed at “tidy up”",
        verdicts["discounts work"] == "passing" and verdicts["tidy up"] == "failing",
    )

    stage.say("What changed since? `good` is the newest checkpoint that passed.")
    changes = stage.run("clew diff good --name-status")
    named = ["prices.py", ".env", "shop.db", "build/report.html", "deploy.sh", "notes.txt"]
    stage.claim(
        "every change is listed, ignored by git or not", all(name in changes for name in named)
    )

    broken = stage.fingerprint()
    stage.say("Preview the restore, then run it.")
    stage.run("clew restore good --dry-run")
    stage.claim("a preview changes nothing", stage.fingerprint() == broken)
    stage.run("clew restore good --yes")
    stage.claim(
        "every byte, mode and file time is what it was then: code, database, secret, build",
        stage.fingerprint() == good,
    )
    stage.run(TESTS)

    stage.say("Nothing was lost: undo brings the broken state back, and redo the good one.")
    stage.run("clew undo --yes")
    stage.claim("the broken state is back, unsaved notes included", stage.fingerprint() == broken)
    stage.run("clew redo --yes")
    stage.claim("and the good one again", stage.fingerprint() == good)

    stage.say("Delete the whole project.")
    shutil.rmtree(stage.project)
    print(f"\n$ rm -rf {stage.project.name}")
    stage.claim("the project is gone, its .git too", not stage.project.exists())
    stage.run("clew -C shop restore good --yes")
    stage.claim("the project is back, its .git too", stage.fingerprint() == good)
    stage.run(f"{TESTS} && git log --oneline")
