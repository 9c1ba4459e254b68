"""Rounds: what the kinds of torture share."""

from __future__ import annotations

import ctypes
import random
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from torture.client import UTF8, Server, compile_shim
from torture.scene import Scene

_DEATH_SIGNAL = 1


def die_with_parent() -> None:
    """Kill this forked process when its parent ends, however it ends."""
    ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL)


class Skipped(Exception):
    """A kind that cannot run on this machine, with the reason."""


class Kind(Protocol):
    """One kind of torture; `units` are what its rounds count."""

    units: str

    def run(self, rng: random.Random, number: int) -> int:
        """Run one round and return how many units it had; `Problem` if a promise is broken."""

    def close(self) -> None: ...


class Bench:
    """The directory, shim and servers of one worker."""

    def __init__(self, place: Path, seed: str, cuts: int = 10) -> None:
        self.place = place
        self.cuts = cuts
        """Power cuts in one round; they are checked one after the other."""
        self.seed = seed
        self.scene_now: Scene | None = None
        """The scene of the current round, for the report of a fault."""
        self.shim = compile_shim(place)
        self._servers: dict[str, Server] = {}
        self._scene: Scene | None = None

    def server(self, locale: Mapping[str, str] = UTF8) -> Server:
        """Return the fork server with this locale; started at first use."""
        name = "-".join(f"{key}={value}" for key, value in sorted(locale.items())) or "none"
        if name not in self._servers:
            short = f"server-{len(self._servers)}"  # the name of a socket has at most 107 bytes
            self._servers[name] = Server(self.place, self.shim, locale, short)
        return self._servers[name]

    def scene(self) -> Scene:
        """Return the scene, reset."""
        if self._scene is None:
            scene = Scene(self.place / "scene", self.server())
            scene.place.mkdir()
            scene.build(self.seed)
            self._scene = scene
        self._scene.reset()
        self.scene_now = self._scene
        return self._scene

    def commands(self) -> list[str]:
        """Return the commands of the current round."""
        return list(self.scene_now.commands) if self.scene_now else []

    def cpu_seconds(self) -> float:
        """Return the processor time that this worker and its commands have used."""
        return time.process_time() + sum(one.cpu_seconds for one in self._servers.values())

    def require_shim(self) -> None:
        if self.shim is None:
            raise Skipped("no C compiler for torture/shim.c")

    def close(self) -> None:
        for server in self._servers.values():
            server.close()
