"""Save, restore, fork and read stories from threads and asyncio at once; run as a program.

usage: stress.py DIRECTORY SECONDS

A watchdog prints every thread's stack and exits with 1 when the time is up.
"""

from __future__ import annotations

import asyncio
import faulthandler
import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import clew
from clew.agents.serial_executor import SerialExecutor
from clew.worktree.child_process import kernel_threads

ROUNDS = 2
WORKSPACES = 3

problems: list[str] = []
headlines: list[str] = []


def audit(event: str, _: Any) -> None:
    """Record every fork of this process while it has several threads."""
    if event == "os.fork" and kernel_threads() > 1:
        problems.append("forked with several threads")


@contextmanager
def opened(place: Path, number: int) -> Iterator[clew.Workspace]:
    workspace = clew.open(place / f"workspace {number}", place / "store")
    try:
        yield workspace
    finally:
        workspace.close()


def save_and_restore(workspace: clew.Workspace, file: Path, who: str) -> None:
    """Save two contents of a file, restore the first, and check every answer."""
    first, second = f"FIRST={who}\n", f"SECOND={who}\n"
    file.write_text(first)
    saved = workspace.save(f"first {who}")
    file.write_text(second)
    workspace.save(f"second {who}")
    first_id = saved.checkpoint.id.hex()
    workspace.restore(first_id, paths=[str(file)], confirm=lambda _: True)
    if file.read_text() != first:
        problems.append(f"{who}: the file was not restored")
    story = workspace.diff(first_id, story=True).story
    headlines.append(story.headline if story is not None else "none")


def saver(place: Path, number: int, thread: int) -> None:
    with opened(place, number) as workspace:
        for round_ in range(ROUNDS):
            who = f"{number}-{thread}-{round_}"
            save_and_restore(workspace, place / f"workspace {number}" / f"{thread}.env", who)


def reader(place: Path, number: int) -> None:
    with opened(place, number) as workspace:
        for round_ in range(ROUNDS):
            workspace.log(limit=5)
            workspace.diff(story=True)
            fork = workspace.forks.create("here", name=f"fork {number} {round_}")
            workspace.forks.discard(fork.fork.name, force=True)


async def tasks(place: Path, number: int) -> None:
    """Several coroutines use one workspace, as the adapters do."""
    with opened(place, number) as workspace:
        executor = SerialExecutor(workspace, "stress")

        async def one(task: int) -> None:
            file = place / f"workspace {number}" / f"task {task}.env"
            for round_ in range(ROUNDS):
                who = f"{number}-task-{task}-{round_}"
                await executor.run(lambda: save_and_restore(workspace, file, who))  # noqa: B023

        await asyncio.gather(*(one(task) for task in range(3)))


def guarded(do: Callable[[], None]) -> Callable[[], None]:
    def run() -> None:
        try:
            do()
        except BaseException as error:
            problems.append(f"{type(error).__name__}: {error}")
            raise

    return run


def main(place: Path, seconds: float) -> None:
    faulthandler.dump_traceback_later(seconds, exit=True)
    for number in range(WORKSPACES + 1):
        root = place / f"workspace {number}"
        root.mkdir()
        for file in range(20):
            (root / f"file {file}").write_text(f"{number} {file}")
        workspace, _ = clew.init(root, place / "store")
        workspace.save("start")
        workspace.close()
    sys.addaudithook(audit)
    work: list[Callable[[], None]] = [
        *(
            lambda number=number, thread=thread: saver(place, number, thread)
            for number in range(WORKSPACES)
            for thread in range(2)
        ),
        *(lambda number=number: reader(place, number) for number in range(WORKSPACES)),
        lambda: asyncio.run(tasks(place, WORKSPACES)),
    ]
    threads = [threading.Thread(target=guarded(one)) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    checked = clew.check_store(place / "store")
    found = {
        "problems": problems,
        "headlines": headlines,
        "check": [str(damage) for damage in checked.damages],
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
