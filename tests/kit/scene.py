"""A workspace and its store that can be put back to where they were, again and again.

The workspace stays the same directory, because a store knows it by its inode.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from clew import opening
from clew.workspace import Workspace
from tests.kit.removing import remove
from tests.kit.running import Clew
from tests.kit.tools import require
from tests.kit.walker import Tree, look


class Scene:
    """One project, its store, and what they were when `keep` was called."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.project = place / "project"
        self.store = place / "store"
        self.clew = Clew(self.project, self.store)
        self.moments: dict[str, Tree] = {}
        """What the project was at each checkpoint that was acknowledged."""
        self.before = Tree({}, frozenset())
        """What the project was when it was kept."""
        self.project.mkdir(parents=True)

    def save(self, intent: str) -> str:
        with self.open() as clew:
            saved = clew.save(intent).checkpoint.id.hex()
        self.moments[saved] = look(self.project)
        return saved

    def open(self) -> Workspace:
        return opening.open(self.project, store=str(self.store), create=True)

    def keep(self) -> None:
        """Remember this moment."""
        require("rsync")
        self.before = look(self.project)
        for name in ("project", "store"):
            remove(self.place / f"kept-{name}")
            self._copy(self.place / name, self.place / f"kept-{name}")

    def reset(self) -> None:
        """Go back to it."""
        self.reset_store()
        subprocess.run(
            ["rsync", "-aHAXc", "--delete", "--modify-window=-1",
             f"{self.place / 'kept-project'}/", f"{self.project}/"],
            check=True,
        )  # fmt: skip

    def reset_store(self) -> None:
        remove(self.store)
        self._copy(self.place / "kept-store", self.store)

    def _copy(self, source: Path, target: Path) -> None:
        subprocess.run(["cp", "-a", "--sparse=always", source, target], check=True)


def populate(root: Path) -> None:
    """Fill a project with a little of everything that a restore treats differently."""
    (root / "src").mkdir()
    (root / "src" / "main.py").write_text("print('one')\n")
    (root / "src" / "util.py").write_text("x = 1\n")
    (root / "docs").mkdir()
    (root / "docs" / "guide.md").write_text("# guide\n")
    (root / "link").symlink_to("src/main.py")
    (root / "docs" / "hard").hardlink_to(root / "src" / "util.py")
    (root / "thing").mkdir()
    (root / "thing" / "inside").write_text("a directory now, a file later\n")
    (root / "mode").write_text("0600\n")
    (root / "mode").chmod(0o600)


def rework(root: Path) -> None:
    """Change it in each way: replaced, deleted, created, retyped, relinked, chmodded."""
    (root / "src" / "main.py").write_text("print('two, and longer')\n")
    remove(root / "docs")
    remove(root / "thing")
    (root / "thing").write_text("a file now\n")
    (root / "new").mkdir()
    (root / "new" / "one").write_text("1")
    (root / "new" / "two").write_text("2")
    remove(root / "link")
    (root / "link").symlink_to("src/util.py")
    (root / "mode").chmod(0o755)
