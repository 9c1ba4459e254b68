"""Skips a test, with the reason, where a tool that it needs is not installed."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess

import pytest

_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"


def require(*tools: str) -> None:
    """Skip the running test unless all these tools are there."""
    for tool in tools:
        if shutil.which(tool, path=_PATH) is None:
            pytest.skip(f"{tool} is not installed")


def require_root(why: str) -> None:
    """Skip the running test unless root runs it."""
    if os.geteuid() != 0:
        pytest.skip(f"{why} needs root")


def require_tracing() -> None:
    """Skip the running test where strace is missing or may not trace, as in some containers."""
    require("strace")
    if not _may_trace():
        pytest.skip("strace may not trace here")


@functools.cache
def _may_trace() -> bool:
    return (
        subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode == 0
    )
