"""A check says what it says; the capture stands whatever it does."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from clew.monitor import Monitor
from clew.operations.sandbox.verdicts import OUTPUT_KEPT
from clew.workspace import Workspace
from tests.operations.moments import checked, save


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
    found = checked(ws, command)

    assert (found.exit_code, found.status) == (code, status)
    assert found.command == command
    assert found.ran_in == "workspace"


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
    assert checked(ws, "cat; echo done").output == "done\n"


def test_only_the_tail_of_the_output_is_kept(ws: Workspace) -> None:
    found = checked(ws, "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo the end")

    assert len(found.output) == OUTPUT_KEPT
    assert found.output.endswith("x\nthe end\n")


def test_secrets_are_not_kept(ws: Workspace) -> None:
    found = checked(ws, "export API_TOKEN=abcdefghijklmnop; env | grep API_")

    assert "abcdefghijklmnop" not in found.output + found.command
    assert "API_TOKEN=" in found.output


def test_a_secret_at_the_cut_is_not_kept_in_half(ws: Workspace) -> None:
    secret = "ghp_" + "a1B2" * 9
    filler = OUTPUT_KEPT - 20
    found = checked(ws, f"printf %s {secret}; echo; head -c {filler} /dev/zero | tr '\\0' '\\n'")

    assert "a1B2a1B2" not in found.output


def test_the_half_of_a_line_that_is_left_of_long_output_is_not_kept(ws: Workspace) -> None:
    secret = f"export API_TOKEN={'a1B2' * 300}\\n"
    found = checked(ws, f"yes \"$(printf '{secret}')\" | head -n 500; echo the end")

    assert "a1B2a1B2" not in found.output
    assert found.output.endswith("the end\n")


def test_output_that_is_no_text_is_kept_as_text(ws: Workspace) -> None:
    found = checked(ws, "printf '\\377\\000\\033[31m'")

    assert found.output.startswith("\ufffd")


def test_a_command_that_is_no_text_is_run_and_kept(ws: Workspace) -> None:
    found = checked(ws, "true \udcff")

    assert found.status == "passing"
    assert found.command.startswith("true ")


def test_a_server_left_running_is_not_waited_for(ws: Workspace, tmp_path: Path) -> None:
    found = checked(ws, f"echo started; sleep 600 & echo $! > {tmp_path}/pid; exit 0")
    server = int((tmp_path / "pid").read_text())
    try:
        assert Path(f"/proc/{server}").exists()
    finally:
        os.kill(server, signal.SIGKILL)

    assert (found.exit_code, found.output) == (0, "started\n")


def test_a_chatty_server_left_running_is_not_listened_to_for_ever(ws: Workspace) -> None:
    def give_up(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(120)
    try:
        found = checked(ws, "yes & yes & yes & yes & exit 3")
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)

    assert found.exit_code == 3


def test_a_check_that_closes_its_output_is_waited_for(ws: Workspace) -> None:
    assert checked(ws, "exec >&- 2>&-; sleep 0.2; exit 5").exit_code == 5


def test_an_interrupted_check_is_unknown_and_nothing_of_it_runs_on(
    ws: Workspace, project: Path
) -> None:
    found = checked(ws, "sleep 30 & echo $! > pid; kill -INT $PPID; wait")

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


def test_several_runs_and_several_commands_are_kept(ws: Workspace) -> None:
    for command in ("true", "false", "true"):
        last = save(ws, verify=command)

    assert [found.command for found in ws.show(last).verdicts] == ["true", "false", "true"]


def test_runs_of_one_command_that_disagree_on_one_state_are_flaky(
    ws: Workspace, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    runs = [ws.save(verify=f"test -e {outside}")]
    outside.touch()
    runs.append(ws.save(verify=f"test -e {outside}"))
    assert len(ws.log(verdict="flaky").checkpoints) == 2
    runs.append(ws.save(verify="true"))

    statuses = [run.verdict.status for run in runs if run.verdict is not None]
    assert statuses == ["failing", "flaky", "passing"]
    assert len(ws.log(verdict="passing").checkpoints) == 3  # by the latest check of their state


def test_a_check_that_takes_too_long_is_unknown(ws: Workspace) -> None:
    found = ws.save(verify="sleep 60", timeout=0.2).verdict

    assert found is not None
    assert (found.status, found.exit_code, found.end_reason) == ("unknown", None, "timeout")


def test_other_commands_may_run_while_a_check_does(
    ws: Workspace, project: Path, store: Path
) -> None:
    (project / "file").write_text("x")
    save_again = f"{sys.executable} -m clew --store {store} save inner"

    found = ws.save(verify=save_again, timeout=120).verdict

    assert found is not None
    assert found.exit_code == 0, found.output
    assert ws.resolve("@").labels.intent == "inner"


def test_a_verdict_that_cannot_be_kept_is_a_notice(ws: Workspace) -> None:
    class Wrecker(Monitor):
        def notice(self, text: str) -> None:
            ws._access.store.database.execute("DROP TABLE verdicts")

    result = ws.save("kept", verify="exit 3", monitor=Wrecker())

    assert result.created
    assert any(text.startswith("Cannot record the check result: ") for text in result.notices)
    assert result.verdict is not None
    assert result.verdict.exit_code == 3
