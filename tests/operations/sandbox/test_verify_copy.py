"""A check of a moment runs in a private copy of it: the workspace is neither touched nor seen."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.kit import walker
from tests.kit.tools import require
from tests.kit.trying import NO_NAMESPACES, Place, place_for, wait_for


@pytest.fixture(params=["root", "ordinary"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    with place_for(request.param) as found:
        yield found


@pytest.fixture
def roots() -> Iterator[Place]:
    with place_for("root") as found:
        yield found


def verify(place: Place, ref: str, *words: str) -> tuple[int, Any]:
    """Run a check and return its exit code and what was said about it."""
    ran = place.clew.run("--json", "verify", ref, *words)
    return ran.code, json.loads(ran.out or "null")


def verdict(place: Place, ref: str, *words: str) -> Any:
    return verify(place, ref, *words)[1]["verdict"]


def test_a_check_sees_the_moment_at_the_workspaces_own_path(place: Place) -> None:
    place.write("file", "then\n")
    saved = place.clew.save("then")
    place.write("file", "now\n")
    place.write("new", "")

    found = verdict(place, saved, "--", "pwd; cat file; ls; id -u")

    assert found["output"] == f"{place.project}\nthen\nfile\n{place.project.stat().st_uid}\n"
    assert (found["status"], found["ran_in"], found["network"]) == (
        "passing",
        "private copy",
        "own",
    )
    assert (place.project / "file").read_text() == "now\n"


def test_the_worst_that_a_check_does_is_gone_with_it(place: Place) -> None:
    place.write("deep/down/file", "x")
    saved = place.clew.save("before")
    before, tree = walker.look(place.project), place.tree()
    beside = Path(os.environ.get("TMPDIR", "/tmp"), place.mark)

    code, found = verify(
        place, saved, "--",
        f"rm -rf {place.project}/* ; touch new {beside};"
        " (setsid sh -c 'sleep 600 & sleep 600' >/dev/null 2>&1 &); exit 0",
    )  # fmt: skip

    assert (code, found["verdict"]["status"]) == (0, "passing")
    assert walker.differences(before, walker.look(place.project)) == []
    assert place.tree() == tree
    assert not beside.exists()
    assert place.marked_processes() == []
    assert place.mounts() == []
    assert place.copies() == []


def test_a_copy_is_as_new_for_every_check(place: Place) -> None:
    place.write("file", "x")
    saved = place.clew.save()

    for _ in range(3):
        found = verdict(place, saved, "--", "cat file; echo changed > file; touch made; ls | wc -l")

        assert found["output"] == "x2\n"


def test_a_script_with_its_own_path_in_it_runs_the_copys_files(place: Place) -> None:
    """As the scripts of a virtualenv do."""
    place.write("venv/bin/python", f"#!/bin/sh\ncat {place.project}/venv/lib\n", mode=0o755)
    place.write("venv/bin/tool", f"#!{place.project}/venv/bin/python\n", mode=0o755)
    place.write("venv/lib", "the old one\n")
    saved = place.clew.save()
    place.write("venv/lib", "the new one\n")
    (place.project / "venv/bin/python").unlink()

    assert verdict(place, saved, "--", "venv/bin/tool")["output"] == "the old one\n"


def test_the_verdict_belongs_to_the_state(place: Place) -> None:
    place.write("file", "1")
    first = place.clew.save()
    (place.project / "file").touch()
    second = place.clew.save()
    verify(place, first, "--", "grep", "-q", "1", "file")

    shown = place.clew.json("show", second)["checkpoint"]["verdict"]

    assert (shown["status"], shown["command"]) == ("passing", "grep -q 1 file")


@pytest.mark.parametrize(
    ("words", "code", "status"),
    [
        (("true",), 0, "passing"),
        (("sh", "-c", "exit 9"), 4, "failing"),
        (("exit 125",), 4, "failing"),
        (("no-such-command", "at", "all"), 1, "unknown"),
    ],
)
def test_the_exit_code_says_what_the_check_said(
    roots: Place, words: tuple[str, ...], code: int, status: str
) -> None:
    saved = roots.clew.save()
    found = verify(roots, saved, "--", *words)

    assert (found[0], found[1]["verdict"]["status"]) == (code, status)


def test_words_are_run_as_they_are_and_one_text_by_the_shell(roots: Place) -> None:
    saved = roots.clew.save()

    assert verdict(roots, saved, "--", "echo", "$HOME; ls")["output"] == "$HOME; ls\n"
    assert verdict(roots, saved, "--", "echo $((1+2))")["output"] == "3\n"
    assert verdict(roots, saved, "--", "echo", "a b")["command"] == "echo 'a b'"


def test_the_configured_check_is_the_default(roots: Place) -> None:
    saved = roots.clew.save()

    code, error = roots.clew.error("verify", saved)
    assert (code, error["kind"]) == (2, "no-check-configured")

    roots.clew.ok("config", "set", "verify", "test -e file")
    assert verify(roots, saved)[0] == 4
    roots.write("file", "")
    roots.clew.save()
    assert verify(roots, "@")[0] == 0
    assert roots.clew.json("good")["checkpoint"]["id"] == roots.clew.ids()[0]


def test_a_check_that_hangs_is_no_pass(place: Place) -> None:
    saved = place.clew.save()
    code, found = verify(place, saved, "--timeout", "0.5s", "--", "echo begun; sleep 600")

    assert code == 1
    assert found["verdict"]["status"] == "unknown"
    assert found["verdict"]["end_reason"] == "timeout"
    assert found["verdict"]["output"] == "begun\n"
    assert place.marked_processes() == []


def test_an_interrupted_check_is_unknown_and_leaves_nothing(place: Place) -> None:
    place.write("file", "x")
    saved = place.clew.save()
    flag = place.root / "home" / "begun"
    process = place.start("verify", saved, "--json", "--", f"touch {flag}; sleep 600")
    wait_for(flag.exists, "the check never began")
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)

    assert process.returncode == 130
    assert json.loads(out)["verdict"]["end_reason"] == "interrupted"
    assert place.marked_processes() == []
    assert place.mounts() == []
    assert place.copies() == []


class _Live(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"the live one")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def live_port() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Live)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


ASK = """\
import sys, urllib.request
print(urllib.request.urlopen("http://127.0.0.1:" + sys.argv[1], timeout=60).read().decode())
"""


def test_a_live_server_does_not_answer_for_the_past(place: Place, live_port: int) -> None:
    place.write("ask.py", ASK)
    saved = place.clew.save()
    ask = ("--", sys.executable, "ask.py", str(live_port))

    alone, shared = verify(place, saved, *ask), verify(place, saved, "--network", "host", *ask)

    assert alone[0] == 4
    assert "Connection refused" in alone[1]["verdict"]["output"]
    assert shared[0] == 0
    assert shared[1]["verdict"]["output"] == "the live one\n"
    assert (alone[1]["verdict"]["network"], shared[1]["verdict"]["network"]) == ("own", "host")


SERVE = """\
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(int(open("status").read()))
        self.end_headers()
HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def test_an_address_is_asked_of_the_server_of_that_moment(place: Place, live_port: int) -> None:
    place.write("serve.py", SERVE)
    place.write("status", "204")
    well = place.clew.save()
    place.write("status", "500")
    ill = place.clew.save()
    serve = f"{sys.executable} serve.py {live_port}"
    asked = f"http://127.0.0.1:{live_port}/health"

    good = verify(place, well, "--serve", serve, "--", asked)
    bad = verify(place, ill, "--serve", serve, "--timeout", "5s", "--", asked)

    assert (good[0], good[1]["verdict"]["command"]) == (0, asked)
    assert bad[0] == 4
    assert "500" in bad[1]["verdict"]["output"]
    assert place.marked_processes() == []


@pytest.mark.parametrize(
    "words",
    [
        ("--", "http://127.0.0.1:1/"),
        ("--serve", "true", "--", "true"),
        ("--network", "none", "--", "true"),
        ("--timeout", "soon", "--", "true"),
        ("--timeout", "0s", "--", "true"),
        ("--", ""),
        ("--", "http://"),
    ],
)
def test_what_makes_no_sense_is_refused(roots: Place, words: tuple[str, ...]) -> None:
    saved = roots.clew.save()

    assert roots.clew.error("verify", saved, *words)[0] == 2


def test_what_the_moment_did_not_hold_is_said(place: Place) -> None:
    place.write("left-out/file", "x")
    place.write("kept", "x")
    place.clew.ok("init", "--exclude", "left-out")
    saved = place.clew.save()
    found = verdict(place, saved, "--", "ls")

    assert found["output"] == "kept\n"
    assert "Not in the checkpoint: left-out (excluded)" in found["notes"]
    assert any("home directory" in note for note in found["notes"])


def test_a_git_repository_around_the_workspace_is_said_beforehand(roots: Place) -> None:
    saved = roots.clew.save()
    line = f"git's index is the live one in {roots.root}"
    assert line not in roots.clew.run("verify", saved, "--", "true").err

    (roots.root / ".git").mkdir()
    assert line in roots.clew.run("verify", saved, "--", "true").err

    (roots.project / ".git").mkdir()
    assert line not in roots.clew.run("verify", saved, "--", "true").err


def test_the_rest_of_the_disk_is_the_live_one(place: Place) -> None:
    saved = place.clew.save()
    verify(place, saved, "--", f"echo seen > {place.root}/home/proof")

    assert (place.root / "home" / "proof").read_text() == "seen\n"


def test_a_workspace_whose_directory_is_gone_can_be_checked(place: Place) -> None:
    place.write("file", "still known\n")
    saved = place.clew.save()
    shutil.rmtree(place.project)
    ran = place.clew.run("-C", str(place.project), "verify", saved, "--json", "--", "cat file")

    assert json.loads(ran.out)["verdict"]["output"] == "still known\n"
    assert not place.project.exists()


def test_secrets_are_left_out_of_the_verdict(roots: Place) -> None:
    saved = roots.clew.save()
    found = verdict(roots, saved, "--", "export API_TOKEN=abcdefghijklmnop; env | grep API_")

    assert "abcdefghijklmnop" not in found["output"] + found["command"]


def test_without_namespaces_a_plain_copy_has_to_do_and_that_is_said(roots: Place) -> None:
    require("unshare")
    roots.write("file", "then\n")
    saved = roots.clew.save()
    roots.write("file", "now\n")
    roots.clew.prefix = list(NO_NAMESPACES)
    ran = roots.clew.run("verify", saved, "--json", "--", "cat file; pwd; touch made")
    found = json.loads(ran.out)["verdict"]

    assert ran.code == 0
    assert "using a plain copy" in ran.err
    assert found["ran_in"] == "plain copy"
    assert found["network"] == "host"
    assert found["output"].startswith("then\n")
    assert str(roots.project) not in found["output"]
    assert "another path" in found["notes"][0]
    assert sorted(os.listdir(roots.project)) == ["file"]


def test_without_namespaces_no_address_is_asked(roots: Place) -> None:
    require("unshare")
    saved = roots.clew.save()
    roots.clew.prefix = list(NO_NAMESPACES)
    words = ("--serve", "true", "--", "http://127.0.0.1:1/")

    assert roots.clew.error("verify", saved, *words)[1]["kind"] == "sandbox-unavailable"
