"""The Docker environment: checkpoints and restores of a real container."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from clew.compat.chimera import CheckpointManager, CommandResult, DockerEnvironment
from clew.compat.chimera.docker import sandbox_options
from tests.compat.chimera.engine import IMAGE, docker, engine


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with engine() as found:
        yield found


@pytest.fixture
def env(address: str) -> Iterator[DockerEnvironment]:
    with DockerEnvironment(IMAGE, network="none", host=address) as made:
        yield made


def test_files_are_written_read_and_listed_inside(env: DockerEnvironment) -> None:
    env.write_file("deep/it's here.py", "x = 'ä'\r\n")
    env.write_file("b.txt", "")

    assert env.read_file("deep/it's here.py") == "x = 'ä'\r\n"
    assert env.list_files() == ["b.txt", "deep/it's here.py"]
    assert env.list_files("**/*.txt") == ["b.txt"]
    with pytest.raises(FileNotFoundError, match="File not found: nope"):
        env.read_file("nope")


def test_commands_run_inside(env: DockerEnvironment) -> None:
    ran = env.run_command("pwd; echo err >&2; exit 3")
    assert ran == CommandResult("/workspace\n", "err\n", 3)
    assert env.run_command("sleep 1000", timeout=1).exit_code == 124


def test_a_checkpoint_is_the_whole_container(env: DockerEnvironment) -> None:
    env.write_file("a", "old")
    env.run_command("echo system > /etc/setting; chmod 700 a")
    identifier = env.checkpoint()
    env.run_command("rm a /etc/setting; echo new > added")
    env.restore(identifier)

    assert env.list_files() == ["a"]
    assert env.read_file("a") == "old"
    assert env.run_command("cat /etc/setting").stdout == "system\n"
    assert env.run_command("find a -perm 700").stdout == "a\n"


def test_a_restore_leaves_one_container(address: str, env: DockerEnvironment) -> None:
    before = env.container
    env.restore(env.checkpoint())
    running = docker(address, "ps", "--all", "--quiet", "--no-trunc").split()

    assert env.container in running
    assert before not in running


@pytest.mark.parametrize("text", ["", "nope", "../..", "latest", "0" * 12, "--help"])
def test_an_unknown_id_is_refused_and_the_container_goes_on(
    env: DockerEnvironment, text: str
) -> None:
    env.write_file("a", "precious")

    with pytest.raises(ValueError, match="not found"):
        env.restore(text)
    assert env.read_file("a") == "precious"


def test_a_clone_goes_its_own_way(env: DockerEnvironment) -> None:
    env.write_file("a", "same")
    with env.clone() as twin:
        twin.write_file("a", "other")

        assert twin.container != env.container
        assert (env.read_file("a"), twin.read_file("a")) == ("same", "other")


def test_checkpoints_outlive_the_container_and_its_manager(address: str) -> None:
    def begin() -> DockerEnvironment:
        return DockerEnvironment(IMAGE, network="none", host=address, name="my container")

    with begin() as first:
        first.write_file("a", "kept")
        CheckpointManager(first).create("done")
    with begin() as second:
        assert CheckpointManager(second).undo() is not None
        assert second.read_file("a") == "kept"


def test_a_checkpoint_can_be_forgotten(env: DockerEnvironment) -> None:
    identifier = env.checkpoint()
    env.forget(identifier)

    with pytest.raises(ValueError, match="not found"):
        env.restore(identifier)


def test_an_image_that_is_not_there_is_said(address: str) -> None:
    env = DockerEnvironment("clew-test:nope", network="none", host=address)

    with pytest.raises(RuntimeError, match="docker run failed"):
        env.setup()
    env.cleanup()


def test_without_a_container_nothing_pretends_to_work() -> None:
    env = DockerEnvironment(working_dir="/elsewhere")

    assert (env.image, env.workdir, env.test_cmd) == (
        "python:3.11-slim", "/elsewhere", "python -m pytest",
    )  # fmt: skip
    with pytest.raises(RuntimeError, match="No container"):
        env.checkpoint()
    with pytest.raises(RuntimeError, match="No container"):
        env.read_file("a")


def test_a_machine_without_docker_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(RuntimeError, match="docker not found on the PATH"):
        DockerEnvironment().setup()


def test_a_sandbox_becomes_limits() -> None:
    deny, write = SimpleNamespace(allow=False), SimpleNamespace(access="write")
    policy = SimpleNamespace(
        network_rules=[deny], max_memory_mb=64, max_processes=10, path_rules=[write]
    )

    assert sandbox_options(None) == []
    assert sandbox_options(policy) == [
        "--network", "none", "--memory", "64m", "--pids-limit", "10",
    ]  # fmt: skip
    policy.path_rules = []
    assert "--read-only" in sandbox_options(policy)
