"""clew and its peers, one class each with the same interface, called as a user would.

A *label* names a checkpoint in every peer's own way.  What a peer cannot do is in its `notes`.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.measure import Command, run


class Peer:
    """A tool with its own store and workspace, both below `base`."""

    name = ""
    program = ""
    notes: Sequence[str] = ()
    deletes_on_restore = True
    """Whether a restore also removes what was not there."""

    def __init__(self, base: Path) -> None:
        self.base = base / self.name
        self.workspace = self.base / "workspace"
        self.store = self.base / "store"
        (self.base / "home").mkdir(parents=True)
        self._ids: dict[str, str] = {}
        self._environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.base / "home"),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            **self.settings(),
        }

    @classmethod
    def is_installed(cls) -> bool:
        return shutil.which(cls.program) is not None

    def settings(self) -> Mapping[str, str]:
        """Return the environment variables that point the tool at its store."""
        return {}

    def version(self) -> str:
        """Return the version of the tool."""
        return self.run(self.program, "--version").decode().strip().splitlines()[0]

    def create(self) -> None:
        """Make an empty store; not timed."""

    def save(self, label: str) -> list[Command]:
        raise NotImplementedError

    def remember(self, label: str) -> None:
        """Look up the tool's name for the checkpoint just made; not timed."""
        self._ids[label] = label

    def diff(self, old: str, new: str) -> list[Command]:
        raise NotImplementedError

    def restore(self, label: str) -> list[Command]:
        raise NotImplementedError

    def compact(self) -> None:
        """Compact the store, if the tool has a command for it; not timed."""

    def stored_bytes(self) -> int:
        return directory_bytes(self.store)

    def wipe(self) -> None:
        """Delete everything but the workspace."""
        for entry in self.base.iterdir():
            if entry != self.workspace:
                shutil.rmtree(entry)
        self._ids.clear()
        (self.base / "home").mkdir()

    def command(self, *argv: str) -> Command:
        return Command(argv, self.workspace, self._environ)

    def run(self, *argv: str) -> bytes:
        """Run one command without timing it."""
        cwd = self.workspace if self.workspace.exists() else self.base
        return run([Command(argv, cwd, self._environ)]).output


class Clew(Peer):
    """The whole process is timed, the making of the store included."""

    name = "clew"
    program = str(Path(sys.executable).with_name("clew"))
    notes = (
        "clew: a first save makes the store too",
        "clew: a restore first saves what is there, and reads again what it wrote",
        "clew: the size leaves out the 64 MiB it keeps in reserve for a full disk",
    )

    def settings(self) -> Mapping[str, str]:
        return {"CLEW_HOME": str(self.store)}

    def save(self, label: str) -> list[Command]:
        return [self.command(self.program, "save", f"benchmark, {label}", "--name", label)]

    def diff(self, old: str, new: str) -> list[Command]:
        return [self.command(self.program, "diff", old, new, "--name-status")]

    def restore(self, label: str) -> list[Command]:
        return [self.command(self.program, "restore", label, "--yes")]

    def compact(self) -> None:
        self.run(self.program, "gc")

    def log(self) -> list[Command]:
        return [self.command(self.program, "log")]

    def help(self) -> list[Command]:
        return [self.command(self.program, "--help")]

    def stored_bytes(self) -> int:
        reserve = self.store / "reserve"
        return super().stored_bytes() - (reserve.stat().st_size if reserve.exists() else 0)


class Git(Peer):
    """A shadow repository: its own git directory, everything added by force."""

    name = "git"
    program = "git"
    notes = ("git: holds no empty directories, owners, times, or modes but the executable bit",)

    def settings(self) -> Mapping[str, str]:
        return {
            "GIT_DIR": str(self.store),
            "GIT_WORK_TREE": str(self.workspace),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_AUTHOR_NAME": "benchmark",
            "GIT_AUTHOR_EMAIL": "benchmark@localhost",
            "GIT_COMMITTER_NAME": "benchmark",
            "GIT_COMMITTER_EMAIL": "benchmark@localhost",
        }

    def create(self) -> None:
        self.run("git", "init", "--quiet", "--initial-branch=main")
        self.run("git", "config", "gc.auto", "0")

    def save(self, label: str) -> list[Command]:
        commit = ("git", "commit", "--quiet", "--allow-empty", "--message", label)
        return [self.command("git", "add", "--all", "--force"), self.command(*commit)]

    def remember(self, label: str) -> None:
        self._ids[label] = self.run("git", "rev-parse", "HEAD").decode().strip()

    def diff(self, old: str, new: str) -> list[Command]:
        ids = self._ids[old], self._ids[new]
        return [self.command("git", "--no-pager", "diff", "--name-status", *ids)]

    def restore(self, label: str) -> list[Command]:
        return [
            self.command("git", "checkout", "--quiet", "--force", "--detach", self._ids[label]),
            self.command("git", "clean", "--quiet", "-ffdx"),
        ]

    def compact(self) -> None:
        self.run("git", "gc", "--quiet")


_OLD_RESTIC = (
    "restic: this version has no --overwrite and no --delete, "
    "so a restore writes every file again and leaves new ones"
)


class Restic(Peer):
    """A local repository, with the encryption that restic always has."""

    name = "restic"
    program = "restic"

    def settings(self) -> Mapping[str, str]:
        return {
            "RESTIC_REPOSITORY": str(self.store),
            "RESTIC_PASSWORD": "benchmark",
            "RESTIC_CACHE_DIR": str(self.base / "cache"),
        }

    def version(self) -> str:
        words = self.run("restic", "version").decode().split()
        return " ".join(words[:2])

    def create(self) -> None:
        self.run("restic", "init", "--quiet")
        if self._can_overwrite():
            self._how: tuple[str, ...] = ("--overwrite", "if-changed", "--delete")
            self.deletes_on_restore = True
        else:
            self._how = ()
            self.deletes_on_restore = False
            self.notes = (_OLD_RESTIC,)

    def save(self, label: str) -> list[Command]:
        return [self.command("restic", "backup", "--quiet", "--tag", label, ".")]

    def remember(self, label: str) -> None:
        found = json.loads(self.run("restic", "snapshots", "--json", "--tag", label))
        self._ids[label] = found[-1]["id"]

    def diff(self, old: str, new: str) -> list[Command]:
        return [self.command("restic", "diff", self._ids[old], self._ids[new])]

    def restore(self, label: str) -> list[Command]:
        target = ("--target", str(self.workspace))
        restore = ("restic", "restore", "--quiet", self._ids[label], *target, *self._how)
        return [self.command(*restore)]

    def nothing(self) -> list[Command]:
        """Return a command that does next to nothing: it measures deriving the key."""
        return [self.command("restic", "cat", "config")]

    def _can_overwrite(self) -> bool:
        return b"--overwrite" in self.run("restic", "restore", "--help")


class Borg(Peer):
    """A local repository without encryption."""

    name = "borg"
    program = "borg"
    deletes_on_restore = False
    notes = ("borg: a restore writes every file again and leaves new ones",)

    def settings(self) -> Mapping[str, str]:
        return {
            "BORG_REPO": str(self.store),
            "BORG_BASE_DIR": str(self.base / "home"),
            "BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK": "yes",
        }

    def create(self) -> None:
        self.run("borg", "init", "--encryption", "none")

    def save(self, label: str) -> list[Command]:
        return [self.command("borg", "create", f"::{label}", ".")]

    def diff(self, old: str, new: str) -> list[Command]:
        return [self.command("borg", "diff", f"::{old}", new)]

    def restore(self, label: str) -> list[Command]:
        return [self.command("borg", "extract", f"::{label}")]

    def compact(self) -> None:
        self.run("borg", "compact")


ALL: tuple[type[Peer], ...] = (Clew, Git, Restic, Borg)


def directory_bytes(root: Path) -> int:
    """Return the sum of the sizes of all files below `root`."""
    total = 0
    for directory, _, files in os.walk(root):
        total += sum(os.lstat(os.path.join(directory, name)).st_size for name in files)
    return total
