"""A function in a process of its own: what it returns and raises comes back, and nothing else."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NoReturn, TypeVar

import pytest

from clew.errors import AmbiguousReference, ClewError, NoSpaceForRestore, StoreFull
from clew.worktree.child_process import can_fork
from clew.worktree.run_in_child import run_in_child
from clew.worktree.wait_child import Interrupts
from tests.kit.in_child import answer, is_child_of, look_around, raise_it

T = TypeVar("T")


class Awkward(Exception):
    """Made from more than its message."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} and {second}")


def do(body: Callable[[], T]) -> T:
    with Interrupts() as interrupts:
        return run_in_child(lambda _: body(), interrupts)


def fail(error: BaseException) -> Callable[[], NoReturn]:
    def body() -> NoReturn:
        raise error

    return body


def test_what_it_returns_comes_back_whatever_its_size() -> None:
    assert do(lambda: {"a": (1, b"\xff", None)}) == {"a": (1, b"\xff", None)}
    assert len(do(lambda: b"x" * 5_000_000)) == 5_000_000


def test_it_runs_in_another_process() -> None:
    assert do(os.getpid) != os.getpid()
    assert do(os.getppid) == os.getpid()


@pytest.mark.parametrize(
    "error",
    [
        AmbiguousReference("ab", ["one", "two"]),
        NoSpaceForRestore(5, 3),
        StoreFull("/srv/x"),
        ClewError("words"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_our_errors_come_back_as_they_are(error: ClewError) -> None:
    with pytest.raises(type(error)) as raised:
        do(fail(error))

    assert type(raised.value) is type(error)
    assert str(raised.value) == str(error)
    assert vars(raised.value) == vars(error)


def test_errors_of_the_system_come_back_with_their_number() -> None:
    with pytest.raises(PermissionError) as raised:
        do(fail(PermissionError(13, "Permission denied", "/srv/x")))

    assert (raised.value.errno, raised.value.filename) == (13, "/srv/x")


def test_other_errors_come_back_with_their_trace() -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        do(lambda: 1 // 0)

    assert "test_run_in_child.py" in "".join(raised.value.__notes__)


def test_an_error_that_can_be_written_and_not_read_comes_back_in_words() -> None:
    with pytest.raises(ClewError, match=r"^Awkward: one and two$"):
        do(fail(Awkward("one", "two")))


def test_an_error_that_cannot_be_handed_over_comes_back_in_words() -> None:
    class Local(Exception):
        """Nobody outside knows it."""

    with pytest.raises(ClewError, match=r"^Local: some words$"):
        do(fail(Local("some words")))


def test_a_value_that_cannot_be_handed_over_is_an_error() -> None:
    with pytest.raises(Exception, match=r"(?i)pickle"):
        do(lambda: lambda: 1)


def test_who_leaves_is_heard_and_nothing_of_ours_is_run() -> None:
    with pytest.raises(SystemExit) as raised:
        do(lambda: sys.exit(3))

    assert raised.value.code == 3


def test_who_ends_without_a_word_is_an_error() -> None:
    with pytest.raises(ClewError, match="A child process was killed"):
        do(lambda: os._exit(0))


def test_what_waits_to_be_written_is_written_once(capfd: pytest.CaptureFixture[str]) -> None:
    sys.stdout.write("before ")
    do(lambda: sys.stdout.write("inside "))
    sys.stdout.write("after")
    sys.stdout.flush()

    assert capfd.readouterr().out == "before inside after"


# In a process with several threads


@contextmanager
def second_thread() -> Iterator[None]:
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def test_one_thread_may_fork_and_several_may_not() -> None:
    assert can_fork()
    with second_thread():
        assert not can_fork()
    assert can_fork()


def test_a_spawned_child_answers_as_a_forked_one() -> None:
    with second_thread(), Interrupts() as interrupts:
        assert run_in_child(partial(is_child_of, os.getpid()), interrupts)
        value = {"a": (1, b"\xff", None), "b": b"x" * 5_000_000}
        assert run_in_child(partial(answer, value), interrupts) == value
        with pytest.raises(NoSpaceForRestore) as raised:
            run_in_child(partial(raise_it, NoSpaceForRestore, (5, 3)), interrupts)
        assert vars(raised.value) == vars(NoSpaceForRestore(5, 3))
        with pytest.raises(PermissionError) as system:
            run_in_child(partial(raise_it, PermissionError, (13, "no", "/srv/x")), interrupts)
        assert (system.value.errno, system.value.filename) == (13, "/srv/x")


def test_a_spawned_child_imports_nothing_from_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pickle", "clew", "threading", "resource"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the workspace')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), *sys.path])

    with second_thread(), Interrupts() as interrupts:
        path, threads = run_in_child(look_around, interrupts)

    assert "" not in path
    assert path.index(str(tmp_path)) > path.index(os.path.dirname(os.__file__))
    assert threads == 1


def test_a_function_that_cannot_be_sent_is_an_error_and_leaves_nothing() -> None:
    before = set(os.listdir("/proc/self/fd"))
    with second_thread(), pytest.raises(Exception, match=r"(?i)pickle|local object"):
        do(lambda: 1)

    assert set(os.listdir("/proc/self/fd")) == before


def test_only_one_module_forks() -> None:
    source = Path(run_in_child.__code__.co_filename).parents[1]
    forking = [path.name for path in source.rglob("*.py") if "os.fork()" in path.read_text()]

    assert forking == ["child_process.py"]
