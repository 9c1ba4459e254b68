"""Short words for what tests of verbs say all the time."""

from __future__ import annotations

import subprocess
from pathlib import Path

from clew.model.verdict import Verdict
from clew.workspace import Workspace


def save(ws: Workspace, intent: str = "", **options: object) -> str:
    """Save and return the new checkpoint's id as text."""
    return ws.save(intent, **options).checkpoint.id.hex()  # type: ignore[arg-type]


def checked(ws: Workspace, command: str) -> Verdict:
    """Save, run a check, and return what it said."""
    found = ws.save(verify=command).verdict
    assert found is not None
    return found


def names(project: Path) -> list[str]:
    """Return everything below `project`, in order."""
    return sorted(str(path.relative_to(project)) for path in project.rglob("*"))


def trail(ws: Workspace) -> list[str]:
    """Return the trail, oldest first, with *here* between stars."""
    found = ws._access.store.trails.get(ws.info.uuid)
    return [
        f"*{item.hex()}*" if position == found.cursor else item.hex()
        for position, item in found.entries
    ]


def rescues(ws: Workspace) -> list[str]:
    """Return the rescues of the timeline, newest first."""
    return [found.id.hex() for found in ws.log().checkpoints if found.is_rescue]


def chattr(change: str, path: Path) -> None:
    subprocess.run(["chattr", change, str(path)], check=True, capture_output=True)


def lsattr(path: Path) -> str:
    """Return the letters of a path's inode flags."""
    done = subprocess.run(["lsattr", "-d", str(path)], check=True, capture_output=True, text=True)
    return done.stdout.split()[0].replace("-", "")
