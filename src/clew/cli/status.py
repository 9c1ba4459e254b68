"""`clew status`."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from clew.cli.declare import ALL, HOW_TO_LIST_ALL, REVEAL, Command
from clew.cli.exits import ExitCode
from clew.render import changes, drill, json

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "status",
    "Show what changed since the last checkpoint",
    """\
The last checkpoint is the one last saved or restored, marked ← here in `clew log`.
Facts come first, then the files that a person would have written, deletions first; then one line for
each generated or vendored directory, with the number of files added (+), changed (~) and deleted (−)
and their bytes. Where there are too many files, whole directories are one line; --all lists
everything.
Generated are, by name: installed packages (`node_modules`, `.venv`, `site-packages`), caches
(`__pycache__`, `.cache`), build output (`dist`, `.next`, `*.o`) and the internals of `.git`; names
that people use too only if something beside them explains them: `build`, `out` and `coverage` with
the manifest of a build tool, `target` with Cargo.toml, `vendor` with go.mod or composer.json, `env`
with pyvenv.cfg in it.
The last restore drill (`clew drill`) is shown at the end.""",
    options=(ALL, REVEAL),
    pages=True,
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        difference = workspace.status(story=context.as_json, monitor=context.monitor)
        pending = workspace.interrupted_restore()
        drilled = workspace.last_drill()
        look = context.look()
        context.emit(
            lambda: json.status(difference, pending, drilled),
            lambda: chain(
                changes.with_story(
                    difference, look, HOW_TO_LIST_ALL, everything=args.given("--all"),
                    told=lambda: workspace.story(difference),
                ),
                drill.last(drilled, look),
            ),
        )  # fmt: skip
    return ExitCode.DONE
