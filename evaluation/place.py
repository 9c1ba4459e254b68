"""Places for scenarios: a disposable project or a disposable machine.

A machine is a Debian system built once by debootstrap and cached; each scenario gets an
overlay over it, in memory, and a chroot.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_BASE = "root-3"
"""Increase it when the packages below change."""
_PACKAGES = (
    "ca-certificates", "cron", "adduser", "passwd", "systemd", "sudo", "openssh-server", "sqlite3",
    "git", "python3-venv", "python3-pip", "dpkg-dev", "man-db", "libcap2-bin",
)  # fmt: skip
_SECONDS = 300


class Place:
    """A root in which commands run."""

    machine = False

    def __init__(self, root: Path, around: Path) -> None:
        self.root = root
        self.around = around
        """A directory beside the root, for what clew must not see."""
        self.canaries: list[str] = []
        self._started: list[subprocess.Popen[bytes]] = []

    def run(self, command: str, *, check: bool = True) -> str:
        """Run a shell command in the root and return what it prints."""
        done = subprocess.run(
            self._wrapped(command), capture_output=True, text=True, errors="surrogateescape",
            timeout=_SECONDS, env=self._environment(), check=False,
        )  # fmt: skip
        if check and done.returncode:
            raise RuntimeError(f"{command!r} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def start(self, *words: str, directory: str = "") -> int:
        """Start a background program in the root, and return its process id."""
        process = subprocess.Popen(
            words, cwd=self.root / directory, env=self._environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        self._started.append(process)
        return process.pid

    def stop(self) -> None:
        """Stop a background program, and wait for its end."""
        while self._started:
            process = self._started.pop()
            process.terminate()
            process.wait(_SECONDS)

    def write(self, path: str, content: str | bytes, mode: int | None = None) -> None:
        """Write a file below the root, creating its directories."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        if mode is not None:
            target.chmod(mode)

    def canary(self) -> str:
        """Return a secret that must never be disclosed."""
        value = f"canary{secrets.token_hex(12)}"
        self.canaries.append(value)
        return value

    def _wrapped(self, command: str) -> list[str]:
        return ["sh", "-c", f"cd {self.root} && {command}"]

    def _environment(self) -> dict[str, str]:
        home = self.around / "home"
        home.mkdir(exist_ok=True)
        kept = {
            key: value
            for key, value in os.environ.items()
            if key.startswith(("PATH", "PIP_", "NPM_", "npm_", "SSL_", "NODE_", "UV_"))
        }
        return {**kept, "HOME": str(home), "LANG": "C.UTF-8", **_GIT, **_QUIET}


_GIT = {
    "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "init.defaultBranch", "GIT_CONFIG_VALUE_0": "main",
}  # fmt: skip
_QUIET = {
    "DEBIAN_FRONTEND": "noninteractive",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "npm_config_update_notifier": "false",
    "npm_config_fund": "false",
    "npm_config_audit": "false",
}


class Machine(Place):
    """A whole Debian system, changed by its root user."""

    machine = True

    def _wrapped(self, command: str) -> list[str]:
        return ["chroot", str(self.root), "sh", "-c", command]

    def _environment(self) -> dict[str, str]:
        path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        return {"PATH": path, "HOME": "/root", "LANG": "C.UTF-8", **_GIT, **_QUIET}


@contextmanager
def project() -> Iterator[Place]:
    """Yield an empty directory."""
    with tempfile.TemporaryDirectory(prefix="clew-eval-") as name:
        around = Path(name)
        (around / "project").mkdir()
        place = Place(around / "project", around)
        try:
            yield place
        finally:
            place.stop()


@contextmanager
def machine() -> Iterator[Machine]:
    """Yield a fresh Debian system, deleted afterwards."""
    base = _base()
    with tempfile.TemporaryDirectory(prefix="clew-eval-") as name:
        around = Path(name)
        memory, root = around / "memory", around / "root"
        for directory in (memory, root):
            directory.mkdir()
        _mount("-t", "tmpfs", "-o", "mode=0755", "clew-eval", memory)
        for part in ("upper", "work"):
            (memory / part).mkdir()
        layers = f"lowerdir={base},upperdir={memory}/upper,workdir={memory}/work"
        _mount("-t", "overlay", "-o", layers, "clew-eval", root)
        _mount("-t", "proc", "proc", root / "proc")
        _mount("--rbind", "/dev", root / "dev")
        try:
            yield Machine(root, around)
        finally:
            for mounted in (root / "dev", root / "proc", root, memory):
                subprocess.run(["umount", "-R", "-l", str(mounted)], check=True)


def _base() -> Path:
    """Return the base system of every machine, built on first use."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "clew-eval"
    base = cache / _BASE
    if base.exists():
        return base
    cache.mkdir(parents=True, exist_ok=True)
    making = cache / f"{_BASE}.making"
    shutil.rmtree(making, ignore_errors=True)
    subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={','.join(_PACKAGES)}", "bookworm", str(making)],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    # no service starts inside a chroot, and apt asks nothing
    policy = making / "usr" / "sbin" / "policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)
    shutil.copy("/etc/resolv.conf", making / "etc" / "resolv.conf")
    subprocess.run(["chroot", str(making), "apt-get", "update", "-qq"], check=True)
    making.rename(base)
    return base


def _mount(*words: str | Path) -> None:
    subprocess.run(["mount", *map(str, words)], check=True)
