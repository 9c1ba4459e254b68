"""Clocks and locales: a wrong clock, one that jumps between and during commands, and each locale.

What is saved is restorable whatever the clock says, `latest` is what was saved last, no manual
checkpoint is pruned, and the log is the same in every locale.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

from torture import edits
from torture.client import UTF8
from torture.oracle import differences, read_tree
from torture.protocol import CHANGES, COUNT, Clock, Fault
from torture.rounds import Bench
from torture.scene import Problem, Scene

_DAY = 86_400 * 10**9
_OFFSETS = (
    -60 * 365 * _DAY, -10 * 365 * _DAY, -400 * _DAY, -_DAY, -3600 * 10**9, -(10**9), -1,
    0, 1, 10**9, 3600 * 10**9, _DAY, 400 * _DAY, 30 * 365 * _DAY,
)  # fmt: skip
_LOCALES: tuple[dict[str, str], ...] = (
    {"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"LC_ALL": "tr_TR.UTF-8"}, {"LC_ALL": "tr_TR.ISO-8859-9"}, {}, {"LANG": "xx_XX.nonsense"},
)  # fmt: skip


class Clocks:
    """Rounds of clocks and locales, in turn."""

    units = "commands"

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._locale_path = _turkish(bench.place / "locales")

    def run(self, rng: random.Random, number: int) -> int:
        scene = self._bench.scene()
        scene.guard()
        if number % 2 and self._bench.shim:
            self._clocks(scene, rng)
        else:
            self._locales(scene, rng, number // 2)
        scene.check_known()
        scene.check_store()
        scene.check_outside()
        return len(scene.commands)

    def close(self) -> None: ...

    def _clocks(self, scene: Scene, rng: random.Random) -> None:
        """Save, restore, undo and prune with another clock for each command."""
        for _ in range(4):
            edits.edit(scene.project, rng)
            now = scene.tree()
            saved = scene.run("save", "at another time", clock=_clock(rng), fault=_COUNTING)
            _require(saved.code == 0, f"save exits with {saved.code}: {saved.err[-300:]}")
            scene.acknowledge_current(now)
            if rng.random() < 0.5:
                pruned = scene.run("prune", clock=_clock(rng))
                _require(pruned.code == 0, f"prune exits with {pruned.code}: {pruned.err[-300:]}")
        newest = list(scene.acknowledged)[-1]
        edits.edit(scene.project, rng)
        ran = scene.run("restore", "latest", "--yes", clock=_clock(rng), fault=_COUNTING)
        _require(ran.code == 0, f"restore exits with {ran.code}: {ran.err[-300:]}")
        if found := differences(scene.acknowledged[newest], read_tree(str(scene.project))):
            raise Problem(f"`latest` is not what was saved last: {found[:3]}")
        ran = scene.run("undo", "--yes", clock=_clock(rng))
        _require(ran.code == 0, f"undo exits with {ran.code}: {ran.err[-300:]}")
        scene.check_restorable(rng.choice(list(scene.acknowledged)))

    def _locales(self, scene: Scene, rng: random.Random, number: int) -> None:
        locale = dict(_LOCALES[number % len(_LOCALES)])
        if "LC_ALL" in locale and locale["LC_ALL"].startswith("tr_TR") and self._locale_path:
            locale["LOCPATH"] = self._locale_path
        server = self._bench.server(locale)
        for name in (b"I\xc4\xb1i\xc4\xb0", b"\xff\xfe", b"caf\xe9", b"new\nline"):
            path = Path(scene.project, *[_decoded(name)])
            path.write_bytes(name)
        edits.edit(scene.project, rng)
        now = scene.tree()
        ran = scene.run("save", "İstanbul ıi", server=server, env=locale)
        _require(ran.code == 0, f"save in {locale} exits with {ran.code}: {ran.err[-300:]}")
        scene.acknowledge_current(now)
        saved = list(scene.acknowledged)[-1]
        edits.edit(scene.project, rng)
        for other, server_of_other in ((UTF8, None), (locale, server)):
            ran = scene.run("restore", saved, "--yes", server=server_of_other, env=other)
            _require(ran.code == 0, f"restore in {other} exits with {ran.code}: {ran.err[-300:]}")
            if found := differences(now, read_tree(str(scene.project))):
                raise Problem(f"restored in {other}: {found[:3]}", is_loss=True)
            edits.edit(scene.project, rng)
        here, there = (scene.json("log", server=one) for one in (None, server))
        _require(here == there, f"the log in {locale} is another one")


_COUNTING = Fault(COUNT, 0, CHANGES)


def _clock(rng: random.Random) -> Clock:
    if rng.random() < 0.5:
        return Clock(rng.choice(_OFFSETS))
    return Clock(rng.choice(_OFFSETS), rng.randint(1, 120), rng.choice(_OFFSETS))


def _require(holds: bool, text: str) -> None:
    if not holds:
        raise Problem(text)


def _decoded(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _turkish(place: Path) -> str:
    """Compile the Turkish locales, whose `i` has another capital; empty if they cannot be."""
    tool = shutil.which("localedef")
    if tool is None:
        return ""
    place.mkdir(exist_ok=True)
    for charmap in ("UTF-8", "ISO-8859-9"):
        subprocess.run(
            [tool, "-i", "tr_TR", "-f", charmap, "--no-archive", place / f"tr_TR.{charmap}"],
            capture_output=True,
        )
    return str(place) if any(place.iterdir()) else ""
