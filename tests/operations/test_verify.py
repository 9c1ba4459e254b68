"""A check says what it says; the capture stands whatever it does."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from clew.model.verdict import Verdict
from clew.operations.verify import OUTPUT_KEPT
from clew.workspace import Workspace
from tests.operations.moments import save


def verdict(ws: Workspace, command: str) -> Verdict:
    found = ws.save(verify=command).checkpoint.verdict
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("command", "code", "status"),
    [
        ("true", 0, "passing"),
        ("exit 7", 7, "failing"),
        ("no-such-command-at-all", 127, "failing"),
        ("kill -TERM $$", 143, "failing"),
    ],
)
def test_the_exit_code_is_the_verdict(ws: Workspace, command: str, code: int, status: str) -> None:
    found = verdict(ws, command)

    assert (found.exit_code, found.status) == (code, status)
    assert found.command == command
    assert found.where == "workspace"


def test_the_check_runs_in_the_workspace_after_the_capture(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("x")
    saved = ws.save(verify="pwd; touch made-by-the-check; echo oops >&2").checkpoint

    assert saved.verdict is not None
    assert saved.verdict.output == f"{project}\noops\n"
    assert [change.path for change in ws.status().changes] == [b"made-by-the-check"]


def test_a_check_that_fails_leaves_the_capture(ws: Workspace) -> None:
    saved = ws.save("kept", verify="false")

    assert saved.created
    assert [found.id for found in ws.log().checkpoints] == [saved.checkpoint.id]


def test_a_check_reads_nothing_from_us(ws: Workspace) -> None:
    assert verdict(ws, "cat; echo done").output == "done\n"


def test_only_the_tail_of_the_output_is_kept(ws: Workspace) -> None:
    found = verdict(ws, "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo the end")

    assert len(found.output) == OUTPUT_KEPT
    assert found.output.endswith("x\nthe end\n")


def test_secrets_are_not_kept(ws: Workspace) -> None:
    found = verdict(ws, "export API_TOKEN=abcdefghijklmnop; env | grep API_")

    assert "abcdefghijklmnop" not in found.output + found.command
    assert "API_TOKEN=" in found.output


def test_a_secret_at_the_cut_is_not_kept_in_half(ws: Workspace) -> None:
    secret = "ghp_" + "a1B2" * 9
    filler = OUTPUT_KEPT - 20
    found = verdict(ws, f"printf %s {secret}; echo; head -c {filler} /dev/zero | tr '\\0' '\\n'")

    assert "a1B2a1B2" not in found.output


def test_output_that_is_no_text_is_kept_as_text(ws: Workspace) -> None:
    found = verdict(ws, "printf '\\377\\000\\033[31m'")

    assert found.output.startswith("\ufffd")


def test_a_command_that_is_no_text_is_run_and_kept(ws: Workspace) -> None:
    found = verdict(ws, "true \udcff")

    assert found.status == "passing"
    assert found.command.startswith("true ")


def test_a_server_left_running_is_not_waited_for(ws: Workspace) -> None:
    started = time.monotonic()

    found = verdict(ws, "echo started; sleep 30 & exit 0")

    assert time.monotonic() - started < 10
    assert (found.exit_code, found.output) == (0, "started\n")


def test_a_chatty_server_left_running_is_not_listened_to_for_ever(ws: Workspace) -> None:
    def give_up(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(10)
    try:
        found = verdict(ws, "yes & yes & yes & yes & exit 3")
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)

    assert found.exit_code == 3


def test_a_check_that_closes_its_output_is_waited_for(ws: Workspace) -> None:
    assert verdict(ws, "exec >&- 2>&-; sleep 0.2; exit 5").exit_code == 5


def test_an_interrupted_check_is_unknown_and_nothing_of_it_runs_on(
    ws: Workspace, project: Path
) -> None:
    found = verdict(ws, "sleep 30 & echo $! > pid; kill -INT $PPID; wait")

    assert (found.exit_code, found.status) == (None, "unknown")
    assert not _is_running((project / "pid").read_text().strip())


def _is_running(pid: str) -> bool:
    """Tell whether a process runs; one that is dead and not yet buried does not."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return False
        if state in "ZX":
            return False
        time.sleep(0.01)
    return True


def test_a_verdict_belongs_to_the_state_and_not_to_the_moment(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("1")
    first = save(ws, verify="true")
    (project / "file").touch()
    second = save(ws)
    (project / "file").write_text("2")
    third = save(ws)

    assert [ws.resolve(ref).verdict is not None for ref in (first, second, third)] == [
        True, True, False,
    ]  # fmt: skip


def test_a_root_that_the_check_deletes_is_no_failure_of_ours(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("x")

    found = verdict(ws, f"rm -rf {project}")

    assert found.exit_code == 0
