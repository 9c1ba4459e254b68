"""Bodies of tests that run in a forked process: cut short, or as somebody who is not root.

A fork is a hundred times quicker than a new interpreter, and a monkeypatch made inside it is gone
with it.  Everything that touches a store must be opened in the child: a database connection does
not cross a fork.
"""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from clew import opening

NOBODY = 65534
CUT = 42
"""The exit code of a process that ended in the middle of its work."""

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may do this")

_T = TypeVar("_T")


class Died(Exception):
    """The child ended without an answer."""


def forked(body: Callable[[], _T], *, uid: int | None = None) -> _T:
    """Run `body` in a forked process, as `uid` if given, and return or raise what it did."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(reading)
        _answer(body, uid, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        answer = file.read()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if not answer:
        raise Died(code)
    result, error = pickle.loads(answer)
    if error is not None:
        raise error
    found: _T = result
    return found


def cut_short(body: Callable[[], object]) -> None:
    """Run `body` in a forked process that must end by `cut`."""
    with pytest.raises(Died) as died:
        forked(body)
    assert died.value.args == (CUT,)


def cut(*_: object) -> None:
    """End this process as a SIGKILL would: no clean-up, no goodbye."""
    os._exit(CUT)


def _answer(body: Callable[[], object], uid: int | None, writing: int) -> None:
    try:
        try:
            if uid is not None and os.geteuid() == 0:
                _load_everything()
                os.setgroups([])
                os.setresgid(uid, uid, uid)
                os.setresuid(uid, uid, uid)
            answer = pickle.dumps((body(), None))
        except BaseException as error:  # noqa: BLE001 - whatever it is, the parent must hear of it
            answer = _pickled(error)
        view = memoryview(answer)
        while view:
            view = view[os.write(writing, view) :]
    finally:
        os._exit(0)


def _pickled(error: BaseException) -> bytes:
    try:
        answer = pickle.dumps((None, error))
        pickle.loads(answer)  # some errors can be written and not read
    except Exception:  # noqa: BLE001 - then its words must do
        answer = pickle.dumps((None, AssertionError(f"{type(error).__name__}: {error}")))
    return answer


def _load_everything() -> None:
    """Import all that a save and a restore import: the interpreter may lie where only root may go."""
    place = Path(tempfile.mkdtemp())
    try:
        (place / "project").mkdir()
        (place / "project" / "large").write_bytes(b"x" * (2 << 20))
        with opening.open(place / "project", store=place / "store", create=True) as ws:
            first = ws.save("x", verify="true").checkpoint.id.hex()
            (place / "project" / "large").unlink()
            list(ws.patch(ws.diff()))
            ws.restore(first, confirm=lambda _: True)
            ws.undo()
            ws.redo()
            ws.log()
    finally:
        shutil.rmtree(place)
