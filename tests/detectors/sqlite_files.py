"""SQLite databases as found on disk: at rest, in use, and after a crash."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

from clew.detectors.databases.sqlite_limits import SqliteLimits
from clew.detectors.detector import Detector, Evidence
from clew.model.fact import Fact
from clew.model.story import Story
from clew.story.analyse import DetectorResult, analyse, ask
from clew.story.compose import compose
from tests.kit.moments import Moment, evidence

PATIENT = SqliteLimits(seconds=20, all_seconds=100)
"""For tests that do not measure time, on slow machines."""

USERS = "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT)"
THREE = (USERS, "INSERT INTO users(name) VALUES ('a'), ('b'), ('c')")

_KILLED = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size=2")
connection.execute("PRAGMA cache_spill=1")
connection.execute("BEGIN IMMEDIATE")
connection.execute("DELETE FROM users WHERE id > 500")
connection.execute("UPDATE users SET name = 'torn' || name")
os.kill(os.getpid(), signal.SIGKILL)
"""


def database(directory: Path, *statements: str, base: dict[str, bytes] | None = None) -> bytes:
    """Return the bytes of a database after running statements on `base`."""
    path = directory / "made.db"
    path.unlink(missing_ok=True)
    if base is not None:
        path.write_bytes(base["app.db"])
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()
    return path.read_bytes()


def in_use(directory: Path, *statements: str) -> dict[str, bytes]:
    """Return a database in WAL mode, copied while it is open and before any checkpoint."""
    path = directory / "app.db"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    for statement in statements:
        connection.execute(statement)
    found = {file.name: file.read_bytes() for file in directory.glob("app.db*")}
    connection.close()
    return found


def crashed(directory: Path, base: bytes) -> dict[str, bytes]:
    """Return a database whose writer was killed in a transaction that had reached the file."""
    path = directory / "app.db"
    path.write_bytes(base)
    done = subprocess.run([sys.executable, "-c", _KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    return {file.name: file.read_bytes() for file in directory.glob("app.db*")}


def fact_rows(facts: list[Fact]) -> list[tuple[str, str, str | None, str | None, tuple[str, ...]]]:
    return [
        (fact.kind.partition(".")[2], fact.subject, fact.before, fact.after, fact.marks)
        for fact in facts
    ]


def run_detector(
    detector: Detector, old: Moment, new: Moment, scratch: Path | None
) -> DetectorResult:
    """Return all findings of a detector about two trees."""
    found = evidence(old, new, scratch=str(scratch) if scratch else None)
    return next(iter(analyse(found, [detector], [], ask)), DetectorResult(detector.name))


def full_story(detector: Detector, old: Moment, new: Moment, scratch: Path) -> Story:
    found: Evidence = evidence(old, new, scratch=str(scratch))
    return compose(found, list(analyse(found, [detector], [], ask)))
