from __future__ import annotations

import pytest

from clew.detectors.os_packages.dpkg import Dpkg
from tests.kit.moments import Moment, evidence, file, findings, link

INFO = "var/lib/dpkg/info"
STATUS = "var/lib/dpkg/status"


def installed(*names: str) -> bytes:
    return "\n".join(
        f"Package: {name}\nStatus: install ok installed\nArchitecture: all\nVersion: 1\n"
        for name in names
    ).encode()


def claimed(old: Moment, new: Moment) -> set[str]:
    return {path for finding in findings(Dpkg(), evidence(old, new)) for path in finding.claims}


def beside_an_install() -> dict[str, bytes]:
    """Return a machine with the newly installed package `x`."""
    return {
        STATUS: installed("x"),
        f"{INFO}/x.list": b"/etc/x.conf\n/usr/lib/python3/x/main.py\n/etc/init.d/x\n",
        "etc/x.conf": b"x",
        "etc/init.d/x": b"x",
        "usr/lib/python3/x/main.py": b"x",
    }


@pytest.mark.parametrize(
    "path",
    [
        "etc/ld.so.cache",
        "etc/shadow-",
        "etc/x.conf.dpkg-old",
        "usr/lib/python3/x/__pycache__/main.cpython-311.pyc",
        "usr/lib/x86_64-linux-gnu/gdk-pixbuf-2.0/2.10.0/loaders.cache",
        "usr/share/icons/hicolor/icon-theme.cache",
        "usr/lib/modules/6.1.0-13-amd64/modules.dep",
        "var/cache/man/de/index.db",
        "var/cache/debconf/config.dat",
        "var/lib/systemd/deb-systemd-helper-enabled/x.service.dsh-also",
        "var/log/apt/history.log",
    ],
)
def test_what_scripts_and_triggers_write_is_put_down_to_the_install(path: str) -> None:
    assert path in claimed({}, {**beside_an_install(), path: b"written"})


@pytest.mark.parametrize(
    "path",
    [
        "etc/shadow",
        "etc/y.conf.dpkg-old",
        "etc/ld.so.preload",
        "usr/lib/python3/y/__pycache__/main.cpython-311.pyc",
        "usr/share/mime/packages/evil.xml",
        "usr/bin/icon-theme",
        "usr/lib/modules/6.1.0-13-amd64/kernel/drivers/evil/modules.ko",
        "home/a/loaders.cache",
        f"{INFO}/y.postinst",
    ],
)
def test_what_may_be_somebody_elses_is_not(path: str) -> None:
    assert path not in claimed({}, {**beside_an_install(), path: b"written"})


def test_start_links_of_shipped_and_of_unchanged_services_are_put_down_to_the_install() -> None:
    old = {"etc/init.d/old": b"x"}
    new: Moment = {
        **old,
        **beside_an_install(),
        "etc/rc2.d/S01x": link("../init.d/x"),
        "etc/rc2.d/S03old": link("../init.d/old"),
        "etc/init.d/evil": b"x",
        "etc/rc2.d/S01evil": link("../init.d/evil"),
        "etc/rc2.d/S02evil": link("../../tmp/evil"),
    }

    found = claimed(old, new)

    assert {"etc/rc2.d/S01x", "etc/rc2.d/S03old"} <= found
    assert found.isdisjoint({"etc/rc2.d/S01evil", "etc/rc2.d/S02evil", "etc/init.d/evil"})


def test_a_start_script_that_only_lost_rights_belongs_to_the_removal() -> None:
    old: Moment = {**beside_an_install(), "etc/init.d/x": file(b"x", mode=0o755)}
    removed = installed("x").replace(b"install ok installed", b"deinstall ok config-files")
    left = {**old, STATUS: removed}

    assert "etc/init.d/x" in claimed(old, {**left, "etc/init.d/x": file(b"x", mode=0o644)})
    assert "etc/init.d/x" not in claimed(old, {**left, "etc/init.d/x": file(b"x", mode=0o4755)})
    assert "etc/init.d/x" not in claimed(old, {**left, "etc/init.d/x": b"evil"})


def test_links_that_lead_in_a_circle_end() -> None:
    new: Moment = {
        **beside_an_install(),
        "etc/a": link("b"),
        "etc/b": link("a"),
        "etc/c": link("/../../" + "../" * 5000 + "etc/c"),
    }

    assert claimed({}, new).isdisjoint({"etc/a", "etc/b", "etc/c"})
