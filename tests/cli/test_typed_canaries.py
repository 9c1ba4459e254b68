"""What is typed at any command reaches neither an output nor the store with a secret in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from clew import app
from clew.cli.commands import VERBS
from tests.kit.canaries import Canaries, kept_outside_packs

Type = Callable[[str], str]
"""Returns words with a secret in them, for a place that is named."""

EXEMPT = ("mcp",)
"""It serves until it is stopped, and is tested with the tools that it serves."""

LOOKING = (
    ("log",),
    ("show", "@"),
    ("show", "@~1", "--paths"),
    ("status",),
    ("diff", "@~1", "@"),
    ("session", "list"),
    ("session", "show"),
    ("task", "list"),
    ("resume",),
    ("effect", "list"),
    ("brief",),
    ("brief", "@~1"),
    ("forks",),
    ("config",),
    ("config", "get", "verify"),
    ("config", "get", "gate.rules"),
    ("doctor",),
    ("stats",),
    ("fsck",),
    ("compare", "@~1", "@"),
    ("restore", "@~1", "--dry-run"),
)


def typed_commands(say: Type) -> list[tuple[str, ...]]:
    """Return every command with each of the texts that it takes."""
    arguments = json.dumps({"token": say("effect --arguments"), "line": say("effect --arguments")})
    return [
        ("save", say("save")),
        ("checkpoint", say("checkpoint")),
        ("save", "x", "--description", say("save --description")),
        ("save", "x", "--name", say("save --name")),
        ("save", "x", "--meta", f"why={say('save --meta value')}"),
        ("save", "x", "--meta", f"{say('save --meta key')}=why"),
        ("save", "x", "--verify", f"true # {say('save --verify')}"),
        ("save", "x", "--verify", f"false # {say('save --verify, failing')}"),
        ("save", "x", "--timeout", say("save --timeout")),
        ("save", "x", say("save, an unexpected argument")),
        ("edit", "@", "--intent", say("edit --intent")),
        ("edit", "@", "--description", say("edit --description")),
        ("edit", "@", "--name", say("edit --name")),
        ("edit", "@", "--meta", f"why={say('edit --meta value')}"),
        ("edit", "@", "--note", say("edit --note")),
        ("edit", say("edit REF"), "--pin"),
        ("verdict", say("verdict REF"), "passing"),
        ("verdict", "@", say("verdict STATUS")),
        ("verdict", "@", "failing", "--note", say("verdict --note")),
        ("init", say("init")),
        ("log", "--grep", say("log --grep")),
        ("log", "--session", say("log --session")),
        ("log", "--since", say("log --since")),
        ("status", say("status")),
        ("show", say("show")),
        ("good", say("good")),
        ("bisect", "--good", say("bisect --good")),
        ("bisect", "--", f"true # {say('bisect')}"),
        ("diff", say("diff"), "@"),
        ("diff", "--", say("diff PATH")),
        ("blame", say("blame")),
        ("ls", "@", say("ls")),
        ("cat", "@", say("cat")),
        ("search", say("search")),
        ("search", "x", "--in", say("search --in")),
        ("grep", say("grep")),
        ("grep", f"({say('grep, no expression')}"),
        ("grep", "x", say("grep PATH")),
        ("grep", "x", "--at", say("grep --at")),
        ("workspaces", say("workspaces")),
        ("log", "-w", say("-w")),
        ("restore", say("restore"), "--yes"),
        ("restore", "@", say("restore PATH"), "--yes"),
        ("undo", say("undo")),
        ("redo", say("redo")),
        ("verify", "@", "--", f"true # {say('verify')}"),
        ("verify", say("verify REF"), "--", "true"),
        ("exec", "@", "--", f"true # {say('exec')}"),
        ("exec", "@", "--", "true", *say("exec, words").split()),
        ("enter", say("enter")),
        ("drill", say("drill")),
        ("fork", "@", "--name", say("fork --name")),
        ("fork", "@", "--at", say("fork --at")),
        ("forks", say("forks")),
        ("try", "--attempt", f"one=echo x > made # {say('try --attempt')}", "--verify", "true"),
        ("try", "--attempt", f"{say('try --attempt name')}=true"),
        ("try", "--attempt", "two=true", "--verify", f"true # {say('try --verify')}"),
        ("compare", say("compare"), "@"),
        ("adopt", say("adopt")),
        ("discard", say("discard")),
        ("enable", say("enable")),
        ("disable", say("disable")),
        ("hook", say("hook")),
        ("doctor", say("doctor")),
        ("session", "attach", "--agent", say("session --agent"), "--name", say("session --name")),
        ("session", "attach", "--agent", "a", "--agent-version", say("session --agent-version")),
        ("session", "attach", say("session attach")),
        ("session", "show", say("session show")),
        ("session", "migrate", "--to", say("session --to"), "--with", f"false # {say('--with')}"),
        ("session", say("session")),
        ("task", "add", say("task add")),
        ("task", "add", say("task add")),
        ("task", "start", "1", "--note", say("task --note")),
        ("task", "fail", "2", "--note", say("task fail --note")),
        ("task", "done", say("task done")),
        ("task", say("task")),
        ("resume", "--session", say("resume --session")),
        ("effect", "record", say("effect record"), "--undo", say("effect --undo")),
        ("effect", "record", "x", "--tool", say("effect --tool"), "--arguments", arguments),
        ("effect", "record", "x", "--arguments", say("effect --arguments, no JSON")),
        ("effect", "settle", "1", "done", say("effect settle")),
        ("effect", "settle", say("effect settle N"), "done"),
        ("effect", "settle", "1", say("effect settle STATUS")),
        ("effect", say("effect")),
        ("brief", say("brief")),
        ("repl", f"/checkpoint create {say('repl create')}"),
        ("repl", f"/checkpoint restore {say('repl restore')}"),
        ("repl", f"/undo {say('repl undo')}"),
        ("repl", say("repl")),
        ("delete", say("delete"), "--yes"),
        ("prune", "--keep-last", say("prune --keep-last")),
        ("gc", say("gc")),
        ("fsck", say("fsck")),
        ("stats", say("stats")),
        ("config", "set", "verify", say("config verify")),
        ("config", "set", "story.writer", say("config story.writer")),
        ("config", "set", "gate.rules", f"ask {say('config gate.rules')}"),
        ("config", "set", "max-bytes", say("config max-bytes")),
        ("config", "set", say("config KEY"), "x"),
        ("config", "get", say("config get")),
        ("completion", say("completion")),
        (say("an unknown command"),),
        ("log", f"--{say('an unknown option')}"),
        ("help", say("help")),
        ("-C", f"/nowhere/{say('-C').replace('/', '_')}", "log"),
        ("prompt", "--format", say("prompt --format")),
    ]


class Typing:
    """The command line in this process, and all that it said."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.said: list[str] = []

    def run(self, *words: str) -> str:
        app.run(list(words))
        captured = self._capsys.readouterr()
        self.said.append(captured.out + captured.err)
        return self.said[-1]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "project").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "project" / "start").write_text("x")
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "store"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    return tmp_path


@pytest.fixture
def typing(place: Path, capsys: pytest.CaptureFixture[str]) -> Typing:
    found = Typing(capsys)
    found.run("save", "start")
    found.run("session", "attach", "--agent", "example", "--name", "run 1")
    return found


def test_every_command_is_typed_at() -> None:
    assert {words[0] for words in typed_commands(lambda where: "x")} >= {*VERBS} - {*EXEMPT}


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_nothing_typed_leaves_or_stays_with_a_secret(
    typing: Typing, place: Path, as_json: bool
) -> None:
    canaries = Canaries()
    options = ["--json"] if as_json else []
    for number, words in enumerate(typed_commands(canaries.typed)):
        (place / "project" / "work").write_text(str(number))  # so that there is something to save
        typing.run(*options, *words)
    for words in LOOKING:
        typing.run(*words, *options)

    assert canaries.found_in(*typing.said) == {}
    assert canaries.found_in(*kept_outside_packs(place / "store")) == {}
    home = [path.read_bytes() for path in (place / "home").rglob("*") if path.is_file()]
    assert canaries.found_in(*home) == {}


def test_secrets_of_every_kind_stay_out_of_every_label(typing: Typing, place: Path) -> None:
    canaries = Canaries()
    say = canaries.every_way
    typing.run("save", say("intent"), "--description", say("description"))
    typing.run("save", "x", "--meta", f"why={say('meta')}", "--verify", "true # " + say("verify"))
    typing.run("task", "add", say("title"))
    typing.run("task", "fail", "1", "--note", say("note"))
    typing.run("effect", "record", say("what"), "--undo", say("undo"))
    typing.run("effect", "settle", "1", "failed", say("outcome"))
    typing.run("edit", "@~1", "--intent", say("edited"), "--description", say("edited, too"))
    typing.run("edit", "@~1", "--meta", f"why={say('edited meta')}", "--note", say("edited note"))
    typing.run("verdict", "@~1", "failing", "--note", say("verdict note"))
    for words in LOOKING:
        typing.run(*words)
        typing.run(*words, "--json")

    assert canaries.found_in(*typing.said) == {}
    assert canaries.found_in(*kept_outside_packs(place / "store")) == {}


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("save", "{}"), "intent"),
        (("save", "x", "--description", "{}"), "description"),
        (("save", "{}", "--description", "{}"), "intent and description"),
        (("save", "x", "--meta", "a={}"), "metadata"),
        (("edit", "@", "--description", "{}"), "description"),
        (("edit", "@", "--meta", "a={}"), "metadata"),
        (("edit", "@", "--note", "{}"), "notes"),
        (("verdict", "@", "passing", "--note", "{}"), "note"),
        (("task", "add", "{}"), "title"),
        (("effect", "record", "{}"), "effect"),
        (("session", "attach", "--agent", "{}"), "agent"),
    ],
)
def test_whoever_typed_it_is_told_once(typing: Typing, words: tuple[str, ...], named: str) -> None:
    said = typing.run(*(word.format("curl -u me:hunter2 https://x.org") for word in words))

    assert said.count("Redacted what looks like a secret") == 1
    assert f"Redacted what looks like a secret from the {named}\n" in said


def test_what_is_no_secret_is_not_told_of(typing: Typing) -> None:
    said = typing.run("save", "fix the password reset form", "--description", "docker run -p 80:80")

    assert "Redacted" not in said


def test_the_traceback_of_a_bug_holds_no_secret(
    typing: Typing, monkeypatch: pytest.MonkeyPatch
) -> None:
    canaries = Canaries()
    monkeypatch.setenv("CLEW_DEBUG", "1")
    said = typing.run("show", canaries.typed("show"))

    assert "Traceback" in said
    assert canaries.found_in(said) == {}
