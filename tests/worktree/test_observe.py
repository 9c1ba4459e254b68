"""Process observation with real processes, on loopback only."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew.model.signals import Listening, Running, Signals
from clew.story.observed import observed_facts
from clew.worktree.observe import _pids, observe

_ENOUGH = 10.0
"""A budget in seconds that suffices on a busy machine."""

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a process that is ended after the test."""
    running: list[subprocess.Popen[bytes]] = []

    def start(*command: str, cwd: Path | None = None, own_group: bool = True) -> object:
        process = subprocess.Popen(
            command, cwd=cwd or tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=own_group,
        )  # fmt: skip
        running.append(process)
        return process

    yield start  # type: ignore[misc]
    for process in running:
        process.kill()
        process.wait()


def look(root: Path) -> Signals:
    return observe(os.fsencode(root), budget=_ENOUGH)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _ENOUGH
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def commands(signals: Signals) -> list[str]:
    return [one.command for one in signals.running]


def test_a_server_is_seen_with_command_directory_and_port_and_then_gone(
    tmp_path: Path, start: Start
) -> None:
    port = free_port()
    command = f"-m http.server --bind 127.0.0.1 {port}"
    server = start(sys.executable, *command.split())
    program = f"{os.path.basename(sys.executable)} {command}"
    expected = Listening("tcp", "127.0.0.1", port, program, str(tmp_path))
    until(lambda: expected in look(tmp_path).listening)

    assert Running(program, str(tmp_path)) in look(tmp_path).running

    server.kill()
    server.wait()
    after = look(tmp_path)

    assert not [one for one in after.listening if one.port == port]
    assert program not in commands(after)
    assert after.complete


def test_a_process_outside_the_root_is_not_running_in_it(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, start: Start
) -> None:
    start("sleep", "3001", cwd=tmp_path_factory.mktemp("elsewhere"))
    (tmp_path / "deep").mkdir()
    start("sleep", "3002", cwd=tmp_path / "deep")
    until(lambda: "sleep 3002" in commands(look(tmp_path)))

    assert "sleep 3001" not in commands(look(tmp_path))
    assert "sleep 3001" in commands(look(Path("/")))


def test_a_directory_that_only_begins_the_same_is_outside(tmp_path: Path, start: Start) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project-2").mkdir()
    start("sleep", "3003", cwd=tmp_path / "project-2")
    until(lambda: "sleep 3003" in commands(look(tmp_path)))

    assert commands(look(tmp_path / "project")) == []


def test_a_secret_in_a_command_line_is_left_out(tmp_path: Path, start: Start) -> None:
    code = "import time; time.sleep(3000)"
    start(sys.executable, "-c", code, "--password", "canary", "TOKEN=canary")
    until(lambda: bool(commands(look(tmp_path))))

    (found,) = commands(look(tmp_path))
    assert "canary" not in found
    assert "--password [redacted]" in found


def test_a_long_command_line_is_cut_after_its_secrets_are_gone(
    tmp_path: Path, start: Start
) -> None:
    code = "import time; time.sleep(3000)"
    start(sys.executable, "-c", code, "x" * 120, f"token={'canary' * 40}")
    until(lambda: bool(commands(look(tmp_path))))

    (found,) = commands(look(tmp_path))
    assert len(found) <= 200
    assert "canary" not in found


_ASK = (
    "import os; from clew.worktree.observe import observe;"
    "print([one.command for one in observe(os.getcwdb(), budget=10).running])"
)


@pytest.mark.parametrize(
    "line",
    [
        f'"$0" -c "{_ASK}"; true',
        f'"$0" -c "{_ASK}" | cat',
        f'("$0" -c "{_ASK}"; true) | cat',
    ],
    ids=["its ancestors", "its pipeline", "a pipeline with a subshell"],
)
def test_whoever_asks_and_what_belongs_to_it_is_not_observed(tmp_path: Path, line: str) -> None:
    """All of them have the workspace as their working directory."""
    done = subprocess.run(
        ["sh", "-c", line, sys.executable],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert done.stdout == "[]\n"


def test_a_shell_that_somebody_sits_at_is_no_news(tmp_path: Path, start: Start) -> None:
    reading, writing = os.pipe()
    shell = subprocess.Popen(["sh", "-i"], cwd=tmp_path, stdin=reading, stderr=subprocess.DEVNULL)
    try:
        start("sleep", "3004")
        until(lambda: "sleep 3004" in commands(look(tmp_path)))

        assert commands(look(tmp_path)) == ["sleep 3004"]
    finally:
        os.close(writing)
        os.close(reading)
        shell.kill()
        shell.wait()


def test_a_clew_in_the_background_is_not_observed(tmp_path: Path, start: Start) -> None:
    (tmp_path / "clew").mkdir()
    (tmp_path / "clew" / "__init__.py").touch()
    (tmp_path / "clew" / "waiting.py").write_text(
        "import time; print(1, flush=True); time.sleep(100)"
    )
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "clew.waiting"],
        cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == b"1\n"
    other = start(sys.executable, "-c", "import time; time.sleep(100)")
    until(lambda: bool(commands(look(tmp_path))))

    assert other.poll() is None
    assert not [one for one in commands(look(tmp_path)) if "waiting" in one]
    process.kill()
    process.communicate()


def test_who_did_not_have_the_time_says_so(tmp_path: Path) -> None:
    signals = observe(os.fsencode(tmp_path), budget=0)

    assert not signals.complete
    assert signals.running == ()


def test_what_listens_is_seen_even_in_no_time(tmp_path: Path) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        signals = observe(os.fsencode(tmp_path), budget=0)

    assert Listening("tcp", "127.0.0.1", port, "", "") in signals.listening


@pytest.mark.parametrize(
    ("address", "family"), [("::1", socket.AF_INET6), ("127.0.0.1", socket.AF_INET)]
)
def test_addresses_are_as_people_write_them(
    tmp_path: Path, address: str, family: socket.AddressFamily
) -> None:
    with socket.socket(family) as server:
        try:
            server.bind((address, 0))
        except OSError:
            pytest.skip(f"there is no {address} here")
        server.listen()
        port = server.getsockname()[1]
        found = [one.address for one in look(tmp_path).listening if one.port == port]

    assert found == [address]


def test_a_socket_that_only_talks_is_not_listening(tmp_path: Path) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        with socket.create_connection(server.getsockname()) as client:
            port = client.getsockname()[1]
            assert port not in [one.port for one in look(tmp_path).listening]


def test_the_same_moment_gives_the_same_bytes(tmp_path: Path, start: Start) -> None:
    start("sleep", "3005")
    start("sleep", "3005")
    until(lambda: "sleep 3005" in commands(look(tmp_path)))

    assert commands(look(tmp_path)) == ["sleep 3005"]
    assert look(tmp_path)._replace(listening=()) == look(tmp_path)._replace(listening=())


def test_a_server_elsewhere_is_named_and_does_not_run_here(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, start: Start
) -> None:
    port = free_port()
    start(
        sys.executable, "-m", "http.server", "--bind", "127.0.0.1", str(port),
        cwd=tmp_path_factory.mktemp("elsewhere"),
    )  # fmt: skip
    until(lambda: any(one.port == port for one in look(tmp_path).listening))
    signals = look(tmp_path)

    assert [str(port) in one.command for one in signals.listening if one.port == port] == [True]
    assert signals.running == ()


def test_what_was_started_last_is_looked_at_first() -> None:
    assert _pids() == sorted(_pids(), reverse=True)


def test_of_two_real_servers_only_the_one_in_the_workspace_is_told(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, start: Start
) -> None:
    before = look(tmp_path)
    ports = free_port(), free_port()
    for port, cwd in zip(ports, (tmp_path, tmp_path_factory.mktemp("elsewhere")), strict=True):
        start(sys.executable, "-m", "http.server", "--bind", "127.0.0.1", str(port), cwd=cwd)
    until(lambda: {one.port for one in look(tmp_path).listening} >= set(ports))

    facts = observed_facts(before, look(tmp_path), str(tmp_path))

    assert [fact.subject for fact in facts] == [f"127.0.0.1:{ports[0]}"]
