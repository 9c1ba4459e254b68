"""Functions for a spawned child, which imports them by name."""

from __future__ import annotations

import os
import sys
import threading
from typing import NoReturn

from clew.worktree.wait_child import Interrupts


def answer(value: object, _: Interrupts) -> object:
    return value


def raise_it(kind: type[BaseException], args: tuple[object, ...], _: Interrupts) -> NoReturn:
    raise kind(*args)


def is_child_of(parent: int, _: Interrupts) -> bool:
    return os.getppid() == parent and os.getpid() != parent


def look_around(_: Interrupts) -> tuple[list[str], int]:
    return sys.path, threading.active_count()
