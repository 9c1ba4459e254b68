"""Session scratch: exclusive access, any content, and no writes to other files."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from clew.store.session_scratch import LARGEST, SessionScratchFiles

ONE, TWO = bytes(range(16)), bytes(16)


@pytest.fixture
def desks(tmp_path: Path) -> SessionScratchFiles:
    return SessionScratchFiles(str(tmp_path / "desks"))


def content(desks: SessionScratchFiles, session: bytes = ONE) -> bytes:
    with desks.at(session) as (found, _):
        return found


def put(desks: SessionScratchFiles, what: bytes, session: bytes = ONE) -> None:
    with desks.at(session) as (_, leave):
        leave(what)


def test_what_is_left_is_found(desks: SessionScratchFiles) -> None:
    put(desks, b"a long note")
    put(desks, b"short")
    put(desks, b"another's", TWO)

    assert content(desks) == b"short"
    assert content(desks, TWO) == b"another's"


def test_a_desk_that_nobody_sat_at_is_empty(desks: SessionScratchFiles) -> None:
    assert content(desks) == b""


def test_what_goes_wrong_leaves_everything_as_it_was(desks: SessionScratchFiles) -> None:
    put(desks, b"before")
    with pytest.raises(RuntimeError), desks.at(ONE):
        raise RuntimeError

    assert content(desks) == b"before"


def test_desks_are_their_owners_alone(desks: SessionScratchFiles, tmp_path: Path) -> None:
    put(desks, b"x")
    (desk,) = (tmp_path / "desks").iterdir()

    assert desk.stat().st_mode & 0o777 == 0o600
    assert desk.parent.stat().st_mode & 0o777 == 0o700


def test_no_more_of_a_desk_is_read_than_anybody_leaves(desks: SessionScratchFiles) -> None:
    put(desks, b"x" * (2 * LARGEST))

    assert len(content(desks)) == LARGEST


def test_a_link_in_the_place_of_a_desk_is_not_followed(
    desks: SessionScratchFiles, tmp_path: Path
) -> None:
    precious = tmp_path / "precious"
    precious.write_text("precious")
    put(desks, b"x", TWO)
    (tmp_path / "desks" / ONE.hex()).symlink_to(precious)
    with pytest.raises(OSError, match="symbolic links"):
        put(desks, b"gone")

    assert precious.read_text() == "precious"


def test_whoever_sits_at_a_desk_has_it_alone(desks: SessionScratchFiles) -> None:
    def count() -> None:
        for _ in range(50):
            with desks.at(ONE) as (found, leave):
                leave(str(int(found or b"0") + 1).encode())

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert content(desks) == b"200"


def test_when_a_session_was_last_heard_of_is_known(
    desks: SessionScratchFiles, tmp_path: Path
) -> None:
    before = desks.last_seen()
    put(desks, b"x")
    os.utime(tmp_path / "desks" / ONE.hex(), ns=(5, 5))
    long_ago = desks.last_seen()
    content(desks)
    (tmp_path / "desks" / "somebody's notes").write_text("x")
    (tmp_path / "desks" / ("z" * 32)).mkdir()

    assert before == {}
    assert long_ago == {ONE: 5}
    assert desks.last_seen().get(ONE, 6) > 5
