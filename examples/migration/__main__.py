"""An agent is upgraded in the middle of its work.

    python examples/migration

Version 1 does half of the work, its session is migrated, and version 2 does the rest.  Each claim (✓)
is checked, and a failed claim ends the example with exit code 1.
"""

from __future__ import annotations

import shlex
import sys
import tempfile
from pathlib import Path

import clew

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the repository

from examples.migration import agent_v1, agent_v2
from examples.ten_steps import ClaimFailed, claim, say, title

CONVERTER = Path(__file__).parent / "convert.py"


def play(place: Path) -> None:
    (place / "project").mkdir()
    with clew.open(place / "project", store=str(place / "store"), create=True) as workspace:
        title("Version 1 translates two words of four")
        agent_v1.work(workspace, 2)
        before = workspace.sessions.current()
        said = before.messages()
        say(f"its state: {before.state}")

        title("The session is migrated")
        command = f"{shlex.quote(sys.executable)} {shlex.quote(str(CONVERTER))}"
        workspace.sessions.migrate(version=agent_v2.VERSION, convert=command)
        after = workspace.sessions.current()
        say(f"its state: {after.state}")
        claim("the new session refers to the old one", after.info.origin == before.info.id)
        claim("the conversation is migrated", after.messages() == said)
        claim("the tasks are migrated", [task.is_incomplete for task in after.tasks()] == _HALF)

        title("Version 2 continues")
        entries = agent_v2.work(workspace)
        found = {entry["french"]: entry["english"] for entry in entries}
        claim("every word is translated once", found == agent_v1.WORDS)
        claim("the old conversation is unchanged", before.messages() == said)
        claim(
            "the old tasks are unchanged", [task.is_incomplete for task in before.tasks()] == _HALF
        )


_HALF = [False, False, True, True]


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="clew-migration-") as place:
        try:
            play(Path(place))
        except ClaimFailed as failed:
            print(f"\nThis should not have happened: {failed}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
