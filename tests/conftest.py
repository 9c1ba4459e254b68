"""Fixtures that any test may ask for: filesystems, and the command line in a fresh place."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from hypothesis import settings

from clew.worktree import child_process
from clew.worktree.namespaces import NEW_NETWORK, raise_loopback, unshare
from tests.kit import background, cheap_forks
from tests.kit.cpu_times import CpuTimes
from tests.kit.everything import release
from tests.kit.filesystems import Filesystems
from tests.kit.fork_server import import_all
from tests.kit.refusing import Refusal, while_refused
from tests.kit.removing import remove
from tests.kit.running import Clew

settings.register_profile(
    "clew", deadline=None
)  # a test must not depend on the load of the machine
settings.load_profile("clew")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cpu-times", action="store_true", help="print the processor time of tests")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("cpu_times"):
        config.pluginmanager.register(CpuTimes())
    # A shell starts what runs in the background deaf to Ctrl-C, and some tests send one.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _leave_the_network()
    os.environ.update(background.OFF)
    # A story is told in a fork, which would import its detectors anew for each of thousands.
    import_all(("clew.story", "clew.detectors"))
    # The watchdog of `faulthandler_timeout`, and the receiver of xdist, hold no lock of ours.
    child_process.known_threads = child_process.kernel_threads() + 1
    config.addinivalue_line("markers", "refuses(call, error): the kernel refuses a system call")
    config.addinivalue_line("markers", "slow: takes more than ten seconds; run by default")


def pytest_runtest_teardown() -> None:
    # A hook that fails ignores it until it ends, and some tests run hooks in this process.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def pytest_collection() -> None:
    cheap_forks.begin_collection()


def pytest_collection_finish() -> None:
    cheap_forks.end_collection()


def _leave_the_network() -> None:
    """Take a network of our own, where we may: what others listen on would be in our stories."""
    with suppress(OSError):
        unshare(NEW_NETWORK, "the network")
        raise_loopback()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test of a kernel that refuses system calls in a process of its own."""
    refusals = [Refusal(*mark.args) for mark in pyfuncitem.iter_markers("refuses")]
    if not refusals:
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    while_refused(lambda: pyfuncitem.obj(**arguments), *refusals)
    return True


@pytest.fixture(scope="session")
def all_filesystems() -> Iterator[Filesystems]:
    with ExitStack() as stack:
        yield Filesystems(stack)


@pytest.fixture(params=["ext4", "xfs", "btrfs"])
def filesystem(request: pytest.FixtureRequest, all_filesystems: Filesystems) -> Iterator[Path]:
    """A fresh directory on each of the filesystems that a workspace is likely to be on."""
    yield from _fresh(all_filesystems.get(request.param), request.node.name)


@pytest.fixture
def on_ext4(request: pytest.FixtureRequest, all_filesystems: Filesystems) -> Iterator[Path]:
    """A fresh directory on ext4."""
    yield from _fresh(all_filesystems.get("ext4"), request.node.name)


@pytest.fixture
def scratch(request: pytest.FixtureRequest, all_filesystems: Filesystems) -> Iterator[Path]:
    """A fresh directory, in memory where we may mount one: for tests that mostly wait for disks."""
    yield from _fresh(all_filesystems.scratch(), request.node.name)


@pytest.fixture
def clew(tmp_path: Path) -> Clew:
    """The command line with an empty project and a store that does not exist yet."""
    (tmp_path / "project").mkdir()
    return Clew(tmp_path / "project", tmp_path / "store")


def _fresh(mount: Path, name: str) -> Iterator[Path]:
    number = sum(1 for _ in mount.iterdir())
    place = mount / f"{number}-{name.split('[')[0][:80]}"
    place.mkdir()
    yield place
    release(place)
    remove(place)
