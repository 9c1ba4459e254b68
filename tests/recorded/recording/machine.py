"""The machine of the recording: namespaces of its own, a clock that can be moved, neutral paths."""

from __future__ import annotations

import os
import struct
import subprocess
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

HOME = Path("/home/ana")
SHOP = Path("/srv/shop")
FORK = Path("/srv/shop-search")
STORE = HOME / ".local/share/clew"
BROUGHT = Path("/opt/brought")
"""What was fetched before."""

_ANA = 1000
_TOOLS = Path("/opt/clew")
_AHEAD = Path("/opt/clock/ahead")
_PRELOADED = Path("/opt/clock/clock.so")
_NAMESPACES = ("--mount", "--net", "--pid", "--uts", "--ipc", "--fork", "--mount-proc")


def enter(command: Sequence[str | Path]) -> None:
    """Run a command as root in namespaces of its own, and wait for it."""
    subprocess.run(["unshare", *_NAMESPACES, "--propagation", "private", *command], check=True)


def set_up(brought: Path, source: Path, site_packages: Path) -> None:
    """Make the namespaces look like the machine of one developer: /home/ana, /srv, no network."""
    _run("hostname", "ana-laptop")
    _run("ip", "link", "set", "lo", "up")
    _run("mount", "-o", "remount,hidepid=2", "/proc")  # nobody sees the processes of others
    _run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/mnt")
    for name, origin in (("brought", brought), ("source", source), ("site", site_packages)):
        (Path("/mnt") / name).mkdir()
        _run("mount", "--bind", origin, Path("/mnt") / name)
    for place in ("/opt", "/srv", "/home", "/usr/local/bin"):
        _run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", place)
    _run("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", "/tmp")
    BROUGHT.mkdir()
    _run("mount", "--rbind", "/mnt/brought", BROUGHT)
    for own in (HOME, SHOP, _AHEAD.parent):
        own.mkdir(parents=True)
        os.chown(own, _ANA, _ANA)
    os.chown("/srv", _ANA, _ANA)
    _AHEAD.write_bytes(bytes(8))
    os.chown(_AHEAD, _ANA, _ANA)
    _run("gcc", "-shared", "-fPIC", "-O", "-o", _PRELOADED, Path(__file__).with_name("clock.c"))
    _install_clew()
    bundled = Path("/mnt/site/claude_agent_sdk/_bundled/claude")
    _program("claude", f'exec {bundled} "$@"')
    _program("pip", f'exec {_TOOLS}/bin/python -m pip "$@"')


def _install_clew() -> None:
    _run("/usr/bin/python3", "-m", "venv", "--without-pip", _TOOLS)
    (site,) = _TOOLS.glob("lib/python3*/site-packages")
    (site / "clew.pth").write_text("/mnt/source/src\n/mnt/site\n")
    program = _TOOLS / "bin/clew"
    program.write_text(
        f"#!{_TOOLS}/bin/python\nimport sys\nfrom clew.app import main\nsys.exit(main())\n"
    )
    program.chmod(0o755)
    Path("/usr/local/bin/clew").symlink_to(program)


def _program(name: str, line: str) -> None:
    path = Path("/usr/local/bin") / name
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


def become_ana() -> None:
    """Give up root for good."""
    os.setgroups([])
    os.setgid(_ANA)
    os.setuid(_ANA)
    os.umask(0o022)


def environment(**extra: str) -> dict[str, str]:
    """Return the environment of a shell in the shop, with the clock."""
    return {
        "HOME": str(HOME),
        "USER": "ana",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "TZ": "UTC",
        "PATH": f"{SHOP}/.venv/bin:/usr/local/bin:/usr/bin:/bin",
        "CLEW_BACKGROUND": "off",
        "PIP_PYTHON": str(SHOP / ".venv"),
        "PIP_NO_INDEX": "1",
        "PIP_NO_COMPILE": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_FIND_LINKS": str(BROUGHT / "wheels"),
        "npm_config_offline": "true",
        "npm_config_cache": str(HOME / ".npm"),
        "LD_PRELOAD": str(_PRELOADED),
        "RECORDING_CLOCK": str(_AHEAD),
        **extra,
    }


def run(*command: str | Path, cwd: Path = SHOP, fails: bool = False) -> str:
    """Run a command in the shop that works, or that fails; return its output."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if bool(done.returncode) != fails:
        raise RuntimeError(f"{command} gave {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def works(*command: str) -> bool:
    """Tell whether a command ends well in the shop."""
    return not subprocess.run(command, cwd=SHOP, env=environment(), capture_output=True).returncode


class Clock:
    """The time of the recording, which only goes forward."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def now(self) -> datetime:
        return datetime.fromtimestamp(time.time() + self._ahead, UTC)

    def at(self, text: str) -> None:
        """Go on to a time: `2026-11-16 09:00`."""
        wanted = datetime.fromisoformat(text).replace(tzinfo=UTC)
        if self._ahead and wanted < self.now():
            raise ValueError(f"{text} is over: it is {self.now()}")
        self._set(wanted.timestamp() - time.time())

    def on(self, seconds: float) -> None:
        """Let some seconds pass."""
        self._set(self._ahead + seconds)

    def _set(self, ahead: float) -> None:
        self._ahead = ahead
        with _AHEAD.open("r+b") as file:  # in place: programs have it mapped
            file.write(struct.pack("=q", int(ahead * 1e9)))


def _run(*command: str | Path) -> None:
    subprocess.run(command, check=True)
