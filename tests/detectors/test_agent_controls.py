from __future__ import annotations

import json

import pytest

from clew.detectors.security.agent_controls import AgentControls
from clew.model.entry import Entry, EntryKind, Reason
from tests.kit.moments import Moment, Thing, evidence, facts, file, findings, link, story

SETTINGS = ".claude/settings.json"
GUARD = {
    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "clew hook"}]}]
}


def _json(**values: object) -> bytes:
    return json.dumps(values).encode()


def _said(old: Moment, new: Moment) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(fact.subject, fact.severity, fact.marks) for fact in facts(AgentControls(), old, new)]


@pytest.mark.parametrize(
    ("settings", "marks"),
    [
        ({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}, ("hooks",)),
        ({"permissions": {"allow": ["Bash(*)"]}}, ("permissions",)),
        ({"permissions": {"defaultMode": "bypassPermissions"}}, ("permissions",)),
        ({"mcpServers": {"x": {"command": "x"}}}, ("mcpServers",)),
        ({"enableAllProjectMcpServers": True}, ("mcpServers",)),
        ({"env": {"ANTHROPIC_BASE_URL": "https://canary"}}, ("env", "base URL")),
        ({"env": {"LD_PRELOAD": "canary"}}, ("env",)),
        ({"apiKeyHelper": "canary"}, ("apiKeyHelper",)),
        ({"statusLine": {"command": "canary"}}, ("statusLine",)),
    ],
)
def test_what_runs_code_or_grants_rights_is_a_warning_also_in_a_new_file(
    settings: dict[str, object], marks: tuple[str, ...]
) -> None:
    text = _json(model="x", **settings)

    assert _said({SETTINGS: _json(model="x")}, {SETTINGS: text}) == [(SETTINGS, "high", marks)]
    assert _said({}, {SETTINGS: text}) == [(SETTINGS, "high", marks)]
    assert "canary" not in repr(story([AgentControls()], {}, {SETTINGS: text}))


def test_losing_rights_and_programs_is_a_note() -> None:
    full = _json(
        hooks={"Stop": [{"hooks": []}]}, permissions={"allow": ["A", "B"]}, mcpServers={"x": {}}
    )
    less = _json(permissions={"allow": ["A"], "deny": ["C"]})

    assert _said({SETTINGS: full}, {SETTINGS: less}) == [
        (SETTINGS, "note", ("hooks", "permissions", "mcpServers"))
    ]


def test_losing_a_guard_or_the_watcher_is_a_warning() -> None:
    assert _said({SETTINGS: _json(permissions={"deny": ["Read(.env)"]})}, {}) == [
        (SETTINGS, "high", ("permissions",))
    ]
    assert _said({SETTINGS: _json(hooks=GUARD)}, {SETTINGS: _json(hooks={})}) == [
        (SETTINGS, "high", ("clew's hook is gone", "hooks"))
    ]


def test_a_theme_is_nobodys_business_and_a_new_file_is_a_note() -> None:
    assert _said({SETTINGS: _json(model="a")}, {SETTINGS: _json(model="b")}) == []
    assert _said({}, {SETTINGS: b"{}"}) == [(SETTINGS, "note", ("new",))]


def test_settings_that_only_their_agent_can_read_are_a_warning() -> None:
    deep = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    for text in (b"{", b"[1]", b"\xff\xfe", deep, b"x" * (10 << 20)):
        assert _said({}, {SETTINGS: text}) == [(SETTINGS, "high", ("unreadable",))]
    assert _said({}, {SETTINGS: file(size=1 << 30)})[0][1] == "high"
    assert _said({}, {SETTINGS: link("/tmp/x.json")})[0][1] == "high"


def test_values_of_the_wrong_type_break_nothing() -> None:
    values: list[object] = [None, 1, "x", [], [[]], {"a": 1}, {"allow": {"a": [1]}, "deny": 3}]
    for value in values:
        text = _json(hooks=value, permissions=value, mcpServers=value, env=value, projects=value)
        for path in (SETTINGS, ".mcp.json", ".claude.json"):
            assert len(_said({path: b"{}"}, {path: text})) <= 1


def test_servers_of_every_agent_are_warnings() -> None:
    text = _json(mcpServers={"x": {"command": "x"}})
    for path in (".mcp.json", "app/.cursor/mcp.json", ".gemini/settings.json", "root/.claude.json"):
        assert _said({}, {path: text}) == [(path, "high", ("mcpServers",))]
    assert _said({}, {".vscode/mcp.json": _json(servers={"x": {}})})[0][1] == "high"
    toml = b'[mcp_servers.x]\ncommand = "x"\n'
    assert _said({}, {".codex/config.toml": toml}) == [
        (".codex/config.toml", "high", ("mcpServers",))
    ]


def test_the_sandbox_of_codex_has_an_order() -> None:
    path = ".codex/config.toml"
    strict, lax = b'sandbox_mode = "read-only"\n', b'sandbox_mode = "danger-full-access"\n'

    assert _said({path: strict}, {path: lax}) == [(path, "high", ("sandbox_mode",))]
    assert _said({path: lax}, {path: strict}) == [(path, "note", ("sandbox_mode",))]
    assert _said({path: strict}, {path: strict + b'model = "x"\n'}) == []


def test_comments_in_json_hide_nothing() -> None:
    text = b'{ // "none"\n "hooks": {"Stop": [{"command": "a // b"}],}, /* x */ }'

    assert _said({}, {SETTINGS: text}) == [(SETTINGS, "high", ("hooks",))]


def test_instructions_are_notes() -> None:
    paths = ("AGENTS.md", "a/CLAUDE.md", ".cursor/rules/x.mdc", ".claude/commands/x.md",
             ".github/copilot-instructions.md", ".cursorrules", ".claude/skills/x/SKILL.md")  # fmt: skip
    for path in paths:
        assert _said({path: b"a\n"}, {path: b"a\nb\n"}) == [
            (path, "note", ("instructions", "+1 −0 lines"))
        ]
        assert _said({path: b"a\n"}, {}) == []


def test_a_hook_script_is_a_warning() -> None:
    assert _said({}, {".claude/hooks/x.sh": b"x"}) == [(".claude/hooks/x.sh", "high", ("hooks",))]


def test_sessions_and_caches_are_claimed_in_one_quiet_line() -> None:
    paths = (
        "root/.claude/projects/-a/1.jsonl", "root/.claude/todos/1.json", "root/.claude/history.jsonl",
        "root/.claude/statsig/x", "root/.claude/shell-snapshots/s.sh", "root/.codex/sessions/1/r.jsonl",
        "root/.codex/history.jsonl", "root/.codex/auth.json", "root/.gemini/tmp/x", ".aider.chat.history.md",
    )  # fmt: skip
    new: Moment = dict.fromkeys(paths, b"{}")

    (finding,) = findings(AgentControls(), evidence({}, new))

    assert (finding.facts, finding.text) == ((), "agents' own sessions and caches")
    assert set(finding.claims) == {*new}


def test_the_file_that_mixes_settings_and_memories_warns_of_settings_only() -> None:
    path = "root/.claude.json"
    old = _json(
        numStartups=1, mcpServers={"a": {}}, projects={"/p": {"history": [1], "allowedTools": []}}
    )
    used = _json(
        numStartups=2, mcpServers={"a": {}}, projects={"/p": {"history": [2], "allowedTools": []}}
    )
    freed = _json(numStartups=2, mcpServers={"a": {}}, projects={"/p": {"allowedTools": ["Bash"]}})

    (finding,) = findings(AgentControls(), evidence({path: old}, {path: used}))
    assert (finding.facts, finding.claims) == ((), [path])
    assert _said({path: old}, {path: freed}) == [(path, "high", ("permissions",))]


def test_packages_and_fresh_clones_bring_no_notes() -> None:
    clone: Moment = {
        "x/.git/HEAD": b"", "x/.git/refs/remotes/origin/HEAD": b"", "x/AGENTS.md": b"a",
        "x/node_modules/y/AGENTS.md": b"a", "x/node_modules/y/.claude/settings.json": _json(hooks={"a": [1]}),
    }  # fmt: skip
    assert _said({}, clone) == []
    assert _said({}, {**clone, "x/.mcp.json": _json(mcpServers={"a": {}})})[0][1] == "high"


def test_copies_of_a_project_are_no_memories() -> None:
    assert findings(AgentControls(), evidence({}, {".claude/worktrees/x/src/a.py": b"x"})) == []
    path = ".claude/worktrees/x/.claude/settings.json"
    assert _said({}, {path: _json(hooks={"a": [1]})})[0][1] == "high"


def test_the_loss_of_clews_own_history_is_a_warning() -> None:
    path = "root/.local/share/clew"
    store = Thing(Entry(b"", EntryKind.UNCOVERED, reason=Reason.STORE))

    assert _said({path: store}, {"root/.local/share/x": b""}) == [
        (path, "high", ("clew's history is gone",))
    ]
    assert _said({f"{path}/packs/1": b""}, {})[0][:2] == (path, "high")
    assert _said({}, {"src/clew/a.py": b"x"}) == []


@pytest.mark.parametrize(
    "rule",
    [
        "Bash(npm run test:*)", "Bash(git diff:*)", "Bash(python -m pytest:*)", "Bash(bash run.sh)",
        "WebFetch(domain:docs.python.org)", "Read(src/**)", "Edit(src/**)", "mcp__github__search",
        "Bash(make:*)", "Bash(FOO=1 npm test)",
    ],
)  # fmt: skip
def test_a_narrow_rule_that_people_allow_every_day_is_a_note(rule: str) -> None:
    text = _json(permissions={"allow": [rule], "defaultMode": "acceptEdits"})

    assert _said({}, {SETTINGS: text}) == [(SETTINGS, "note", ("permissions",))]


@pytest.mark.parametrize(
    "rule",
    [
        "*", "Bash", "Bash(*)", "Bash(:*)", "Bash( * )", "Bash(sudo apt-get:*)", "Bash(bash:*)",
        "Bash(/bin/sh -c:*)", "Bash(python3:*)", "Bash(python3 -c:*)", "Bash(X=1 node -e *)",
        "Bash(npx:*)", "Edit(.claude/**)", "Write(//**)", "Write(~/.ssh/**)", "Shell(*)", 7,
    ],
)  # fmt: skip
def test_a_rule_as_good_as_all_of_them_is_a_warning(rule: object) -> None:
    old = {SETTINGS: _json(permissions={"allow": ["Bash(ls:*)"]})}
    new = {SETTINGS: _json(permissions={"allow": ["Bash(ls:*)", rule]})}

    assert _said(old, new) == [(SETTINGS, "high", ("permissions",))]


def test_another_directory_to_work_in_is_a_note_unless_it_is_everything() -> None:
    def added(directory: str) -> str:
        text = _json(permissions={"additionalDirectories": [directory]})
        return _said({}, {SETTINGS: text})[0][1]

    assert [added(one) for one in ("../docs", "/srv/data")] == ["note", "note"]
    assert [added(one) for one in ("/", "~/", "/root", "~/.ssh")] == ["high"] * 4


def test_opencode_is_laxer_with_more_allowed_or_less_asked() -> None:
    path = "opencode.json"
    strict = {path: _json(permission={"bash": "ask", "edit": "deny"})}

    assert _said({}, strict) == [(path, "note", ("permissions",))]
    assert (
        _said(strict, {path: _json(permission={"bash": "allow", "edit": "deny"})})[0][1] == "high"
    )
    assert _said(strict, {path: _json(permission={"edit": "deny"})})[0][1] == "high"
