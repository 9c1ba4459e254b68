"""Makes the recording, and replaces the fixture with it."""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
from pathlib import Path

from tests.recorded.recording import days, machine, packages, packing, project
from tests.recorded.recording.journal import Journal
from tests.recorded.recording.machine import Clock

_SOURCE = Path(__file__).resolve().parents[3]
_JOURNAL = machine.HOME / "journal.json"


def main() -> None:
    if sys.argv[1:]:
        _inside(*map(Path, sys.argv[1:]))
        return
    site_packages = sysconfig.get_path("purelib")
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        packages.fetch(Path(place))
        path = f"PYTHONPATH={_SOURCE / 'src'}:{_SOURCE}:{site_packages}"
        python = ["env", path, "/usr/bin/python3"]  # not one in a home that Ana may not read
        machine.enter([*python, "-m", "tests.recorded.recording", place, site_packages])


def _inside(brought: Path, site_packages: Path) -> None:
    machine.set_up(brought, _SOURCE, site_packages)
    child = os.fork()
    if not child:
        machine.become_ana()
        _record()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status:
        sys.exit("The recording failed")
    packing.pack(machine.STORE, _JOURNAL, packing.ARCHIVE)
    print(f"{packing.ARCHIVE}: {packing.ARCHIVE.stat().st_size:,} bytes")


def _record() -> None:
    clock = Clock()
    clock.at("2026-11-12 11:00")
    project.make()
    journal = Journal(clock)
    days.first(journal)
    days.second(journal)
    machine.run("clew", "check", "--read-data")
    journal.write(_JOURNAL)


if __name__ == "__main__":
    main()
