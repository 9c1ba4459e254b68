"""A check says what it says; the capture stands whatever it does."""

from __future__ import annotations

import signal
import socket
import sys
import time
from pathlib import Path

import pytest

from clew import opening
from clew.errors import BadOption, NoCheck
from clew.model.verdict import PATHS_KEPT, Verdict
from clew.monitor import Monitor
from clew.operations.verdicts import OUTPUT_KEPT
from clew.workspace import Workspace
from tests.kit.answering import answering, saying
from tests.operations.moments import save


def verdict(ws: Workspace, command: str) -> Verdict:
    found = ws.save(verify=command).verdict
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


def test_the_half_of_a_line_that_is_left_of_long_output_is_not_kept(ws: Workspace) -> None:
    secret = f"export API_TOKEN={'a1B2' * 300}\\n"
    found = verdict(ws, f"yes \"$(printf '{secret}')\" | head -n 500; echo the end")

    assert "a1B2a1B2" not in found.output
    assert found.output.endswith("the end\n")


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


def test_what_a_check_only_adds_was_generated_by_it(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("x")

    found = verdict(ws, "mkdir out && touch out/a out/b && touch file")

    assert found.details.generated == 3
    assert (found.changed_count, found.details.changed) == (0, ())
    assert found.is_good


@pytest.mark.parametrize(
    ("command", "changed"),
    [
        ("echo more >> file", b"file"),
        ("rm file", b"file"),
        ("chmod 700 file", b"file"),
        ("ln -sf nowhere file", b"file"),
        ("mv directory elsewhere", b"directory"),
        ("chmod 700 .", b""),
    ],
)
def test_a_check_whose_inputs_change_says_nothing_of_the_state(
    ws: Workspace, project: Path, command: str, changed: bytes
) -> None:
    project.chmod(0o755)
    (project / "file").write_text("x")
    (project / "file").chmod(0o644)
    (project / "directory").mkdir()

    found = verdict(ws, command)

    assert (found.status, found.is_telling, found.is_good) == ("passing", False, False)
    assert (found.changed_count, found.details.changed) == (1, (changed,))


def test_only_so_many_changed_inputs_are_named(ws: Workspace, project: Path) -> None:
    for number in range(PATHS_KEPT + 5):
        (project / f"{number:04}").touch()

    found = verdict(ws, "rm *")

    assert found.changed_count == PATHS_KEPT + 5
    assert len(found.details.changed) == PATHS_KEPT


def test_what_was_not_captured_is_no_input(ws: Workspace, project: Path) -> None:
    (project / "app.log").write_text("x")
    ws.set_config("exclude", "*.log")

    assert verdict(ws, "echo more >> app.log; touch other.log").is_good


def test_a_root_that_the_check_deletes_is_no_failure_of_ours(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("x")

    found = verdict(ws, f"rm -rf {project}")

    assert found.exit_code == 0
    assert (found.changed_count, found.details.changed) == (1, (b"",))


def test_a_check_that_takes_too_long_is_unknown(ws: Workspace) -> None:
    found = ws.save(verify="sleep 60", timeout=0.2).verdict

    assert found is not None
    assert (found.status, found.exit_code, found.ended) == ("unknown", None, "timeout")


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
            ws._store.database.execute("DROP TABLE verdicts")

    result = ws.save("kept", verify="exit 3", monitor=Wrecker())

    assert result.created
    assert any(text.startswith("The verdict could not be kept: ") for text in result.notices)
    assert result.verdict is not None
    assert result.verdict.exit_code == 3


def test_a_workspace_that_cannot_be_looked_at_afterwards_has_no_good_word(
    project: Path, store: Path
) -> None:
    (project / "file").write_text("x")
    with opening.open(project, store=store, create=True) as before:
        before.save()
    with opening.open(project, store=store) as ws:  # nothing of the store is in memory
        wreck = f"touch new; rm -rf {store}/packs"
        found = ws.save(verify=wreck, skip_unchanged=True).verdict

    assert found is not None
    assert (found.status, found.is_telling) == ("passing", False)
    assert found.details.notes[0].startswith("The workspace could not be looked at after the check")


# An address


@pytest.mark.parametrize(
    ("status", "expected"),
    [(b"200 OK", "passing"), (b"302 Found", "failing"), (b"503 Busy", "failing")],
)
def test_an_address_passes_if_it_answers_well(ws: Workspace, status: bytes, expected: str) -> None:
    with answering(saying(b"HTTP/1.1 " + status + b"\r\n\r\nhow it is")) as address:
        found = verdict(ws, address)

    assert (found.status, found.command) == (expected, address)
    assert found.output == f"GET {address} → {int(status[:3])}\nhow it is"


def test_an_address_where_nobody_answers_fails(ws: Workspace) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))  # taken, so that nobody else can answer there
        found = verdict(ws, f"http://127.0.0.1:{silent.getsockname()[1]}/")

    assert (found.status, found.exit_code) == ("failing", 1)
    assert "→ no answer\n" in found.output


def test_an_address_that_takes_too_long_is_unknown(ws: Workspace) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        found = ws.save(verify=address, timeout="0.2s").verdict

    assert found is not None
    assert (found.status, found.ended) == ("unknown", "timeout")


# Which check


def test_the_workspaces_own_check_is_run_where_asked_for(ws: Workspace) -> None:
    ws.set_config("verify", "exit 7")

    assert ws.save().verdict is None
    found = ws.save(check=True).verdict
    assert found is not None
    assert (found.command, found.exit_code) == ("exit 7", 7)


def test_without_a_check_of_its_own_nothing_is_captured(ws: Workspace) -> None:
    with pytest.raises(NoCheck):
        ws.save(check=True)

    assert ws.log().checkpoints == ()


@pytest.mark.parametrize(
    "options",
    [
        {"verify": ""},
        {"verify": " \n"},
        {"verify": "a\0b"},
        {"verify": "http://nobody:99999/"},
        {"verify": "true", "check": True},
        {"verify": "true", "timeout": "soon"},
        {"verify": "true", "timeout": "0s"},
        {"verify": "true", "timeout": -1},
        {"verify": "true", "timeout": float("nan")},
        {"timeout": 5},
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused_before_anything_is_captured(
    ws: Workspace, options: dict[str, object]
) -> None:
    with pytest.raises(BadOption):
        ws.save(**options)  # type: ignore[arg-type]

    assert ws.log().checkpoints == ()
