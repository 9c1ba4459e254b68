"""`enable` and `disable`: what is written, what is preserved, and that nothing remains."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import clew
from clew.agents import setup
from clew.agents.setup import catalogue, receipts
from clew.agents.setup.catalogue import AGENTS
from clew.errors import BadAgentSettings, BadOption, ExplicitPathRequired
from clew.model.setup_results import Left, SettingsChange
from tests.agents_setup.conftest import Place

SCOPES = ("project", "user")
SETTINGS = ".claude/settings.json"
LOCAL = ".claude/settings.local.json"

OTHERS = {
    ".claude/settings.json": '{\r\n\t"permissions": {"allow": []},\r\n\t"hooks": {}\r\n}',
    ".codex/hooks.json": '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}\n',
    ".codex/config.toml": 'model = "x"\n\n[tui]\n# mine\nnotifications = true',
    ".gemini/settings.json": '{\n    "theme": "x"\n}\n\n',
    ".qwen/settings.json": "\ufeff{ }",
    "opencode.json": '{"$schema": "https://opencode.ai/config.json", "mcp": {"a": {}}}',
    ".config/opencode/opencode.json": "{}",
    ".mcp.json": '{\n  "mcpServers": {\n  }\n}',
    "AGENTS.md": "# Mine\n",
    "CLAUDE.md": "no line end",
    "GEMINI.md": "",
}


def everything(agent: str, scope: str) -> None:
    setup.enable(agent, scope=scope, skill=True, instructions=True, mcp=True)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("agent", AGENTS)
def test_what_was_not_there_is_gone_again(place: Place, agent: str, scope: str) -> None:
    before = place.everything()
    everything(agent, scope)
    between = place.everything()
    setup.disable(agent, scope=scope)

    assert len(between) > len(before)
    assert place.everything() == before


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("agent", AGENTS)
def test_what_was_there_is_what_it_was(place: Place, agent: str, scope: str) -> None:
    for root in (place.project, place.home):
        for name, text in OTHERS.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(text.encode())
            (root / name).chmod(0o640)
    before = place.everything()
    everything(agent, scope)
    once = place.everything()
    everything(agent, scope)
    twice = place.everything()
    setup.disable()

    assert before != once == twice
    assert place.everything() == before


def test_all_agents_at_once_leave_nothing_behind(place: Place) -> None:
    before = place.everything()
    for agent in AGENTS:
        everything(agent, "project")
        everything(agent, "user")
    result = setup.disable()

    assert place.everything() == before
    assert result.left == ()


def test_the_first_checkpoint_is_made_before_anything_is_written(place: Place) -> None:
    result = setup.enable("claude-code")

    with clew.open(place.project) as workspace:
        newest, first = workspace.log().checkpoints
        assert first.labels.intent == "before Claude Code was enabled"
        assert result.saved is not None
        assert result.saved.checkpoint.id == first.id
        assert [entry.name for entry in workspace.ls(first.id.hex()).entries] == [b"a.txt"]
        assert newest.labels.intent == "Claude Code enabled"
        assert b"".join(workspace.cat("@", LOCAL)) == (place.project / LOCAL).read_bytes()
    assert result.workspace is not None
    assert result.workspace.path == os.fsencode(place.project)


def test_enabled_twice_changes_nothing(place: Place) -> None:
    setup.enable("gemini", mcp=True)
    before = place.everything()
    again = setup.enable("gemini", mcp=True)

    assert place.everything() == before
    assert [one.change for one in again.files] == [SettingsChange.UNCHANGED]
    assert again.saved is not None
    assert not again.saved.created


def test_what_others_wrote_in_between_stays(place: Place) -> None:
    settings = place.project / SETTINGS
    settings.parent.mkdir()
    settings.write_text('{\n  "model": "opus"\n}\n')
    setup.enable("claude-code", shared=True)
    text = settings.read_text()
    text = text.replace('"model": "opus"', '"model": "sonnet",\n  "env": {"A": "1"}')
    text = text.replace('"Stop": [', '"Stop": [\n      {"hooks": []},', 1)
    settings.write_text(text)
    setup.disable("claude-code")

    assert settings.read_text() == (
        '{\n  "model": "sonnet",\n  "env": {"A": "1"},\n  "hooks": {\n    "Stop": [\n'
        '      {"hooks": []}\n    ]\n  }\n}\n'
    )


def test_a_file_that_others_added_to_is_not_removed(place: Place) -> None:
    setup.enable("claude-code")
    settings = place.project / LOCAL
    settings.write_text(settings.read_text().replace("{", '{\n  "model": "opus",', 1))
    setup.disable("claude-code")

    assert settings.read_text() == '{\n  "model": "opus"\n}\n'


def test_a_teammate_without_a_receipt_takes_it_out_too(place: Place) -> None:
    settings = place.project / SETTINGS
    settings.parent.mkdir()
    settings.write_text('{"model": "opus"}')
    setup.enable("claude-code", shared=True, skill=True, instructions=True, mcp=True)
    for receipt in (place.home / ".local/state/clew/enabled").iterdir():
        receipt.unlink()
    setup.disable("claude-code")

    assert settings.read_text() == '{"model": "opus"}'
    assert not (place.project / ".mcp.json").exists()
    assert not (place.project / "CLAUDE.md").exists()


def test_older_entries_of_ours_are_replaced_where_they_are(place: Place) -> None:
    settings = place.project / SETTINGS
    settings.parent.mkdir()
    old = {"hooks": [{"type": "command", "command": "clew hook claude-code", "timeout": 5}]}
    other = {"hooks": [{"type": "command", "command": "make lint"}]}
    shared = {"hooks": [*other["hooks"], *old["hooks"]]}
    hooks = {"PreCompact": [old], "Stop": [old, other, old], "SessionEnd": [shared]}
    settings.write_text(json.dumps({"hooks": hooks}, indent=1))
    setup.enable("claude-code")
    found = json.loads(settings.read_text())["hooks"]
    command = catalogue.hook_command(AGENTS["claude-code"], "project", ("clew",), False)
    wanted = catalogue.hooks_of(AGENTS["claude-code"], command)

    assert found["PreCompact"] == []
    assert found["Stop"] == [*wanted["Stop"], other]
    assert [one["command"] for one in found["SessionEnd"][0]["hooks"]] == ["make lint", command]
    assert found["PreToolUse"] == wanted["PreToolUse"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{\n  // mine\n  "a": 1\n}', "comment at line 2, column 3"),
        ('{"a": [1, 2,]}', "trailing comma at line 1, column 13"),
        ('{"a": 1', "unexpected end of file at line 1, column 8"),
        ("", "unexpected end of file at line 1, column 1"),
        ('{"a": 1, "a": 2}', "duplicate key at line 1, column 10"),
        ('{"hooks": []}', "hooks is not an object at line 1, column 11"),
        ('{"hooks": {"Stop": {}}}', "hooks.Stop is not a list at line 1, column 20"),
        ("[]", "not a JSON object at line 1, column 1"),
        ("{\"a\": 'b'}", "value expected at line 1, column 7"),
        ("[" * 1000, "nesting too deep at line 1, column 202"),
        ("{} {}", "text after the end of the document at line 1, column 4"),
        (b'{"a": "\xff"}', "not UTF-8"),
    ],
)
def test_settings_that_are_not_plain_json_are_refused_untouched(
    place: Place, text: str | bytes, why: str
) -> None:
    settings = place.project / SETTINGS
    settings.parent.mkdir()
    settings.write_bytes(text if isinstance(text, bytes) else text.encode())
    before = place.everything()

    with pytest.raises(BadAgentSettings) as caught:
        setup.enable("claude-code", skill=True)

    assert caught.value.reason == why
    assert place.everything() == before
    with clew.open(place.project) as workspace:
        assert workspace.log().checkpoints == ()


def test_what_is_no_file_of_ours_is_refused(place: Place, tmp_path: Path) -> None:
    settings = place.project / SETTINGS
    settings.parent.mkdir()
    os.mkfifo(settings)
    _refused("not a regular file")
    settings.unlink()
    settings.symlink_to("nowhere")
    _refused("symbolic link to a missing file")
    settings.unlink()
    settings.write_text('{"a": "' + "x" * 10_000_000 + '"}')
    _refused("larger than 10 MB")
    settings.unlink()
    settings.parent.rmdir()
    settings.parent.write_text("a file")
    _refused("its parent is not a directory")


def test_files_that_are_somebodys_own_are_refused(place: Place) -> None:
    plugin = place.project / ".opencode/plugins/clew.js"
    plugin.parent.mkdir(parents=True)
    plugin.write_text("export const Mine = 1\n")
    with pytest.raises(BadAgentSettings, match="not created by clew"):
        setup.enable("opencode")
    (place.project / ".mcp.json").write_text('{"mcpServers": {"clew": {"command": "mine"}}}')
    with pytest.raises(BadAgentSettings, match="another server is named clew"):
        setup.enable("claude-code", mcp=True)
    (place.project / ".codex").mkdir()
    (place.project / ".codex/config.toml").write_text("[mcp_servers.clew]\ncommand = 'mine'\n")
    with pytest.raises(BadAgentSettings, match="another server is named clew"):
        setup.enable("codex", mcp=True)

    assert setup.disable().files == ()


def test_a_link_stays_a_link_and_a_mode_a_mode(place: Place, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o600)
    link = place.home / SETTINGS
    link.parent.mkdir()
    link.symlink_to(real)
    setup.enable("claude-code", scope="user")
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
    assert "hooks" in json.loads(real.read_text())
    setup.disable("claude-code", scope="user")

    assert link.is_symlink()
    assert real.read_text() == "{}"


@pytest.mark.skipif(os.geteuid() != 0, reason="Only root can become another user")
def test_settings_of_another_user_are_refused() -> None:
    with TemporaryDirectory() as directory:  # pytest's own is for its user alone
        settings = Path(directory, "settings.json")
        settings.write_text("{}")
        settings.chmod(0o666)
        Path(directory).chmod(0o777)
        code = (
            "import os\n"
            "from clew.agents.setup import files\n"
            "os.seteuid(65534)\n"
            f"files.require_writable({str(settings)!r})\n"
        )
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert "owned by another user" in ran.stderr


def test_a_skill_that_two_agents_use_goes_with_the_second(place: Place) -> None:
    skill = place.project / ".agents/skills/clew/SKILL.md"
    setup.enable("codex", skill=True, instructions=True)
    setup.enable("opencode", skill=True)
    first = setup.disable("codex")
    assert skill.exists()
    assert first.left == (Left(str(skill), "needed by opencode", needed=True),)
    assert not (place.project / "AGENTS.md").exists()
    setup.disable("opencode")

    assert not (place.project / ".agents").exists()


def test_disabling_another_agent_leaves_what_it_never_asked_for(place: Place) -> None:
    setup.enable("codex", instructions=True)
    result = setup.disable("opencode")

    assert result == ((), ())
    assert "clew:start" in (place.project / "AGENTS.md").read_text()


def test_nothing_there_is_no_error(place: Place) -> None:
    assert setup.disable() == ((), ())


def test_what_cannot_be_read_is_left_and_told(place: Place) -> None:
    setup.enable("claude-code")
    setup.enable("gemini")
    settings = place.project / LOCAL
    settings.write_text(settings.read_text() + "// mine")
    before = settings.read_text()
    result = setup.disable()

    assert settings.read_text() == before
    assert [(one.path, one.needed) for one in result.left] == [(str(settings), False)]
    assert not (place.project / ".gemini").exists()


def test_the_whole_machine_is_a_workspace_of_its_own(place: Place, tmp_path: Path) -> None:
    machine = tmp_path / "machine"
    (machine / "etc").mkdir(parents=True)
    (machine / "etc/hosts").write_text("127.0.0.1 localhost\n")
    result = setup.enable("codex", machine=True, machine_root=str(machine))
    hooks = json.loads((place.project / ".codex/hooks.json").read_text())["hooks"]

    assert result.workspace is not None
    assert result.workspace.machine
    assert result.workspace.path == os.fsencode(machine)
    assert hooks["Stop"][0]["hooks"][0]["command"].endswith(
        "exec clew hook codex --machine;; esac'"
    )


def test_machine_and_back_again_replaces_the_command(place: Place, tmp_path: Path) -> None:
    (tmp_path / "machine").mkdir()
    for agent in ("codex", "opencode"):
        setup.enable(agent)
        before = place.everything()
        setup.enable(agent, machine=True, machine_root=str(tmp_path / "machine"))
        assert place.everything() != before
        setup.enable(agent)

        assert place.everything() == before


def test_settings_are_in_the_root_of_the_workspace(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    clew.init(place.project)[0].close()
    (place.project / "src").mkdir()
    monkeypatch.chdir(place.project / "src")
    result = setup.enable("gemini")

    assert [one.path for one in result.files] == [str(place.project / ".gemini/settings.json")]
    assert any(str(place.project) in need for need in result.needs)
    assert len(setup.disable("gemini").files) == 1


def test_home_is_no_project_unless_it_was_named(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place.home)
    before = place.everything()
    with pytest.raises(ExplicitPathRequired):
        setup.enable("claude-code")

    assert place.everything() == before


def test_a_users_settings_need_no_workspace(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.home)
    result = setup.enable("claude-code", scope="user", gate=True)

    assert result.workspace is None
    assert not result.gate
    assert any("clew config set gate on" in need for need in result.needs)
    assert result.saved is None
    assert any("clew save" in need for need in result.needs)


def test_the_gate_is_turned_on(place: Place) -> None:
    assert setup.enable("claude-code", gate=True).gate

    with clew.open(place.project) as workspace:
        assert workspace.settings.all()["gate"] == "on"


def test_what_makes_no_sense_is_refused(place: Place) -> None:
    with pytest.raises(BadOption, match="not one of claude-code, codex"):
        setup.enable("cursor")
    with pytest.raises(BadOption, match="scope"):
        setup.enable("codex", scope="team")
    with pytest.raises(BadOption, match="AGENT"):
        setup.disable("cursor")


def test_without_clew_on_the_path_it_says_so(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")

    assert any("not on the PATH" in need for need in setup.enable("gemini").needs)


def test_settings_elsewhere_are_found(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    for agent in ("claude-code", "codex", "opencode"):
        setup.enable(agent, scope="user")

    assert (tmp_path / "CLAUDE_CONFIG_DIR/settings.json").exists()
    assert (tmp_path / "CODEX_HOME/hooks.json").exists()
    assert (tmp_path / "XDG_CONFIG_HOME/opencode/plugins/clew.js").exists()
    assert setup.disable().left == ()
    assert not (tmp_path / "XDG_CONFIG_HOME").exists()


@pytest.mark.parametrize("scope", SCOPES)
def test_a_hook_is_silent_where_clew_is_not(place: Place, scope: str) -> None:
    for agent in AGENTS.values():
        command = catalogue.hook_command(agent, scope, ("/no where/it's/clew",), False)
        ran = subprocess.run(
            ["/bin/sh", "-c", command], env={"PATH": "/nonexistent"}, capture_output=True
        )

        assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
        assert catalogue.is_ours(command, agent)


def test_a_hook_starts_this_clew(place: Place) -> None:
    program = place.home / "it's mine" / "clew"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    command = catalogue.hook_command(AGENTS["codex"], "user", (str(program),), True)
    ran = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True)

    assert ran.stdout == "hook codex --machine\n"
    assert catalogue.is_ours(command, AGENTS["codex"])


@pytest.mark.parametrize(
    "command",
    ["make lint", "clew save", "clew hook codex", "echo clew hook claude-code", "a; clew hook x"],
)
def test_what_others_run_is_not_ours(command: str) -> None:
    assert not catalogue.is_ours(command, AGENTS["claude-code"])


def test_a_receipt_that_somebody_spoilt_is_none(place: Place) -> None:
    setup.enable("claude-code")
    settings = place.project / SETTINGS
    (receipt,) = (place.home / ".local/state/clew/enabled").iterdir()
    value = json.loads(receipt.read_text())
    receipt.write_text(json.dumps({**value, "blanks": {"": '"evil": 1'}}))
    assert receipts.find(str(settings)) is None
    receipt.write_text("{")
    setup.disable("claude-code")

    assert not settings.exists()


def test_toml_that_is_none_and_broken_marks_are_refused(place: Place) -> None:
    config = place.project / ".codex/config.toml"
    config.parent.mkdir()
    config.write_text("model = \n")
    with pytest.raises(BadAgentSettings, match="not valid TOML"):
        setup.enable("codex", mcp=True)
    page = place.project / "AGENTS.md"
    page.write_text("<!-- clew:end -->\n<!-- clew:start -->\n")
    with pytest.raises(BadAgentSettings, match="end marker before its start marker"):
        setup.enable("codex", instructions=True)
    page.write_text("<!-- clew:start -->\n")
    with pytest.raises(BadAgentSettings, match="exactly one start and one end marker"):
        setup.enable("codex", instructions=True)

    assert page.read_text() == "<!-- clew:start -->\n"
    assert not (place.project / ".codex/hooks.json").exists()


def test_codex_reads_its_server_from_toml(place: Place) -> None:
    setup.enable("codex", mcp=True)
    config = tomllib.loads((place.project / ".codex/config.toml").read_text())

    server = {"command": "clew", "args": ["mcp"], "env": {"PYTHONPATH": ""}}
    assert config == {"mcp_servers": {"clew": server}}


def _refused(why: str) -> None:
    with pytest.raises(BadAgentSettings) as caught:
        setup.enable("claude-code")

    assert caught.value.reason == why
