"""Parser for the tables of cron, anacron and at.

A table consists of comments, assignments and jobs.
A job is a schedule, in some tables a user, and a command; the command may contain secrets, so it
is compared here and shown only through `shown_command`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from clew.detectors.detector import Tree
from clew.detectors.system.shown_command import shown_command
from clew.detectors.system.unit_paths import target_of
from clew.model.entry import EntryKind
from clew.model.named_tuple import NamedTuple

SIZE_LIMIT = 1 << 20
MAX_JOBS = 2_000
"""How many lines of one table are parsed as jobs."""

_ASSIGNMENT = re.compile(r"[\"']?([A-Za-z_]\w{0,100})[\"']?\s{0,20}=")
_PERCENT = re.compile(r"(?<!\\)%")
_LOADERS = ("LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT")
_AT_NAME = re.compile(r"[a-zA-Z=]([0-9a-f]{5})([0-9a-f]{8})")
_AT_PREAMBLE = "Execution directory inaccessible"


class Shape:
    """Line formats of tables."""

    SYSTEM = "with a user"
    USER = "without a user"
    ANACRON = "anacron"


class Job(NamedTuple):
    """One scheduled job."""

    schedule: str
    user: str
    """Empty if the table belongs to one user."""
    command: str
    """The whole command, for comparison only, never shown."""

    @property
    def subject(self) -> str:
        """Its subject in a fact, without the text after `%`, which is its input."""
        return shown_command(_PERCENT.split(self.command, maxsplit=1)[0]) or "(nothing)"


class CronTable(NamedTuple):
    """Jobs of one table, and the loader variables that it sets."""

    jobs: tuple[Job, ...] = ()
    loads: frozenset[tuple[str, str]] = frozenset()


def read_table(tree: Tree, path: str, shape: str) -> CronTable:
    """Return the parsed table, also through a link; an empty one if there is none."""
    entry = tree.entry(path)
    if entry is not None and entry.kind == EntryKind.SYMLINK:
        path = target_of(path, entry)
    content = tree.read(path, SIZE_LIMIT)
    return CronTable() if content is None else parse_table(content, shape)


def parse_table(content: bytes, shape: str) -> CronTable:
    """Return the jobs of a table; lines that cron would reject are skipped."""
    jobs: list[Job] = []
    loads: set[tuple[str, str]] = set()
    for raw in content.decode("utf-8", "replace").split("\n"):
        line = raw.strip()
        if not line or line[0] == "#":
            continue
        if assigned := _ASSIGNMENT.match(line):
            if assigned[1] in _LOADERS:
                loads.add((assigned[1], line[assigned.end() :]))
        elif len(jobs) < MAX_JOBS and (job := _job(line, shape)):
            jobs.append(job)
    return CronTable(tuple(jobs), frozenset(loads))


def at_job(tree: Tree, path: str) -> Job | None:
    """Return an `at` job with its time; its file begins with a whole environment."""
    content = tree.read(path, SIZE_LIMIT)
    name = _AT_NAME.fullmatch(path.rpartition("/")[2])
    if content is None or name is None:
        return None
    when = datetime.fromtimestamp(int(name[2], 16) * 60, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return Job(when, "", next(_at_commands(content), f"job {int(name[1], 16)}"))


def _job(line: str, shape: str) -> Job | None:
    if shape == Shape.ANACRON:
        fields = line.split(None, 3)
        if len(fields) < 4:
            return None
        every = "every day" if fields[0] == "1" else f"every {fields[0][:20]} days"
        every = fields[0][:20] if fields[0][0] == "@" else every
        return Job(every, "", fields[3])
    timed = 1 if line[0] == "@" else 5
    named = 1 if shape == Shape.SYSTEM else 0
    fields = line.split(None, timed + named)
    if len(fields) <= timed + named:
        return None
    user = fields[timed] if named else ""
    return Job(" ".join(fields[:timed])[:100], user[:100], fields[-1])


def _at_commands(content: bytes) -> Iterator[str]:
    """Yield the lines that the user typed, after the preamble that `at` writes."""
    lines = content.decode("utf-8", "replace").split("\n")
    starts = [number for number, line in enumerate(lines) if _AT_PREAMBLE in line][:1]
    for number in starts:
        for line in lines[number + 3 :]:
            if line.strip() and "<< 'marcinDELIMITER" not in line:
                yield line.strip()
