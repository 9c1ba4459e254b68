"""Whatever is done to a copy, the next one is exact; the oracle is the project itself."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew import opening
from clew.model.checkpoint import Checkpoint
from clew.workspace import Workspace
from tests.kit.removing import remove
from tests.kit.walker import Tree, differences, look
from tests.operations.copies.copying import copy_of, saved

NAMES = ("a", "b", "c", "linked", "twin")
ACTS = (
    *("write", "write", "write", "write", "append", "delete", "mkdir", "rename", "link", "link"),
    *("link", "symlink", "chmod", "touch", "fifo"),
)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, list[Moment]]]:
    """Three moments of one small project, each unlike the others."""
    place = tmp_path_factory.mktemp("copies")
    project = place / "project"
    project.mkdir()
    with opening.open(project, store=place / "store", create=True) as ws:
        moments = []
        for number in range(3):
            muddle(project, random.Random(number), 150)
            entwine(project)
            moments.append((saved(ws), look(project)))
        yield ws, moments


Moment = tuple[Checkpoint, Tree]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 1 << 32), acts=st.integers(0, 30), number=st.integers(0, 2))
def test_a_copy_is_exact_whatever_was_done_to_the_one_before(
    scene: tuple[Workspace, list[Moment]], seed: int, acts: int, number: int
) -> None:
    ws, moments = scene
    checkpoint, then = moments[number]
    with copy_of(ws, checkpoint) as copy:
        muddle(copy, random.Random(seed), acts)
    with copy_of(ws, checkpoint) as copy:
        assert differences(then, look(copy)) == []


def entwine(root: Path) -> None:
    """Make two names at the top, and one below, of one file."""
    for path in (root / "linked", root / "twin", root / "below"):
        remove(path)
    (root / "below").mkdir()
    (root / "linked").write_text("one inode, three names")
    for path in (root / "twin", root / "below" / "third"):
        os.link(root / "linked", path)


def muddle(root: Path, chance: random.Random, acts: int) -> None:
    """Do some of everything to a tree."""
    for _ in range(acts):
        path, other = _somewhere(root, chance), _somewhere(root, chance)
        with suppress(OSError):  # what cannot be done is not done
            _act(chance.choice(ACTS), path, other, chance)


def _somewhere(root: Path, chance: random.Random) -> Path:
    return root.joinpath(*(chance.choice(NAMES) for _ in range(chance.randint(1, 3))))


def _act(act: str, path: Path, other: Path, chance: random.Random) -> None:
    match act:
        case "write":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            path.write_bytes(chance.randbytes(chance.randint(0, 40)))
        case "append":
            if path.is_file():  # a fifo would wait for its reader for ever
                with open(path, "ab") as file:
                    file.write(b"more")
        case "delete":
            remove(path)
        case "mkdir":
            path.mkdir(parents=True)
        case "rename":
            path.rename(other)
        case "link":
            os.link(path, other, follow_symlinks=False)
        case "symlink":
            path.symlink_to(chance.choice(NAMES))
        case "chmod":
            path.chmod(chance.choice((0o700, 0o755, 0o500)))
        case "touch":
            os.utime(path, ns=(0, chance.randint(1, 10**18)))
        case _:
            os.mkfifo(path)
