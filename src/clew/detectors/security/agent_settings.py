"""Changes in agent settings that widen what the agent or others may do.

Programs that run automatically (hooks, servers, helpers), rights (permissions, sandbox), and the
URL that everything is sent to.  The removal of one is a note, unless it was a safeguard: a deny
rule, or clew's own hook.
Only names from the tables in this module are returned, never one from the settings.
"""

from __future__ import annotations

import json

from clew.detectors.files.loose_json import as_list, as_object
from clew.detectors.security.agent_rights import is_broad, is_wide
from clew.model.fact import Severity

_Object = dict[str, object]

_SERVERS = ("mcpServers", "mcp_servers", "mcp", "servers")
_SERVER_SWITCHES = ("enableAllProjectMcpServers", "enabledMcpjsonServers")
_RIGHTS = (
    "allowedTools", "autoAccept", "tools", "security", "approvals",
    "sandbox_workspace_write", "bypassPermissionsModeAccepted", "skipDangerousModePermissionPrompt",
    "trust", "autoApprove", "allowManagedHooksOnly", "approvalMode", "yolo",
)  # fmt: skip
_PROGRAMS = (
    "statusLine", "apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh",
    "otelHeadersHelper", "fileSuggestion", "notify", "toolDiscoveryCommand", "toolCallCommand",
    "plugin", "enabledPlugins", "extraKnownMarketplaces", "setup-worktree", "install", "start",
    "terminals", "experimental_hooks", "disableAllHooks",
)  # fmt: skip
_ADDRESSES = (
    "model_providers", "openai_base_url", "chatgpt_base_url", "baseUrl", "apiBase", "provider",
    "shell_environment_policy", "otel", "telemetry",
)  # fmt: skip
_SCALES = {
    "approval_policy": ("untrusted", "on-request", "on-failure", "never"),
    "sandbox_mode": ("read-only", "workspace-write", "danger-full-access"),
}
"""Values from strict to lax; an unset value ranks lowest."""

_SEVERE_VARIABLES = (
    "BASE_URL", "API_BASE", "ENDPOINT", "PROXY", "LD_", "NODE_OPTIONS", "NODE_TLS", "BASH_ENV",
    "PROMPT_COMMAND", "GIT_", "PYTHON", "AUTH_TOKEN", "API_KEY", "CUSTOM_HEADERS",
    "NODE_EXTRA_CA_CERTS", "SSL_CERT",
)  # fmt: skip
_ORDINARY_MODES = (None, "default", "plan", "acceptEdits", "dontAsk", "auto")
"""Modes in which a person or a check still decides what an agent runs."""


class Parts:
    """Names of changed parts, by severity."""

    def __init__(self) -> None:
        self.severe: dict[str, None] = {}
        self.others: dict[str, None] = {}

    def add(self, part: str, *, is_severe: bool) -> None:
        (self.severe if is_severe else self.others)[part] = None

    @property
    def severity(self) -> str:
        return Severity.HIGH if self.severe else Severity.NOTE if self.others else Severity.NONE

    @property
    def marks(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.severe, *self.others)))


def changed_parts(old: _Object, new: _Object) -> Parts:
    """Return the relevant parts of settings that differ."""
    parts = Parts()
    if old.get("hooks") != new.get("hooks"):
        _hooks(old.get("hooks"), new.get("hooks"), parts)
    if old.get("permissions") != new.get("permissions"):
        _permissions(as_object(old.get("permissions")), as_object(new.get("permissions")), parts)
    for key in _SERVERS:
        if old.get(key) != new.get(key):
            parts.add("mcpServers", is_severe=_has_more(old.get(key), new.get(key)))
    for key in _SERVER_SWITCHES:
        if old.get(key) != new.get(key):
            parts.add("mcpServers", is_severe=bool(new.get(key)))
    if old.get("env") != new.get("env"):
        _environment(as_object(old.get("env")), as_object(new.get("env")), parts)
    if old.get("sandbox") != new.get("sandbox"):
        is_on = as_object(new.get("sandbox")).get("enabled") is True and not old.get("sandbox")
        parts.add("sandbox", is_severe=not is_on)
    _others(old, new, parts)
    return parts


def merged_projects(settings: _Object) -> _Object:
    """Return the controlling part of `.claude.json`: servers and rights of all projects."""
    servers: _Object = dict(as_object(settings.get("mcpServers")))
    allowed: list[object] = []
    enabled: list[object] = []
    for path, project in as_object(settings.get("projects")).items():
        held = as_object(project)
        for name, server in as_object(held.get("mcpServers")).items():
            servers[f"{path}\0{name}"] = server
        allowed += [f"{path}\0{tool}" for tool in as_list(held.get("allowedTools"))]
        enabled += [f"{path}\0{name}" for name in as_list(held.get("enabledMcpjsonServers"))]
    remaining = {
        key: settings[key] for key in ("env", "hooks", *_RIGHTS, *_PROGRAMS) if key in settings
    }
    return {
        **remaining,
        "mcpServers": servers,
        "permissions": {"allow": allowed},
        "enabledMcpjsonServers": enabled,
    }


def _hooks(old: object, new: object, parts: Parts) -> None:
    lost_watcher = "clew" in _text(old) and "clew" not in _text(new)
    if lost_watcher:
        parts.add("clew's hook is gone", is_severe=True)
    parts.add("hooks", is_severe=_has_more(old, new) or lost_watcher)


def _permissions(old: _Object, new: _Object, parts: Parts) -> None:
    remaining = _texts(new.get("deny")) | _texts(new.get("ask"))
    has_gained = any(map(is_broad, _gained(old, new, "allow"))) or any(
        map(is_wide, _gained(old, new, "additionalDirectories"))
    )
    has_lost_guard = bool((_texts(old.get("deny")) | _texts(old.get("ask"))) - remaining)
    is_laxer = bool(_texts(old.get("deny")) & _texts(new.get("ask")) - _texts(new.get("deny")))
    mode = new.get("defaultMode")
    is_lax_mode = mode not in _ORDINARY_MODES and mode != old.get("defaultMode")
    is_unlocked = (
        "disableBypassPermissionsMode" in old and "disableBypassPermissionsMode" not in new
    )
    parts.add(
        "permissions",
        is_severe=has_gained or has_lost_guard or is_laxer or is_lax_mode or is_unlocked,
    )


def _gained(old: _Object, new: _Object, key: str) -> list[object]:
    before = _texts(old.get(key))
    return [one for one in as_list(new.get(key)) if _text(one) not in before]


def _environment(old: _Object, new: _Object, parts: Parts) -> None:
    changed = [key for key, value in new.items() if key not in old or old[key] != value]
    is_severe = any(
        key == "PATH" or any(sign in key.upper() for sign in _SEVERE_VARIABLES) for key in changed
    )
    parts.add("env", is_severe=is_severe)
    if any("BASE_URL" in key.upper() for key in changed):
        parts.add("base URL", is_severe=True)


def _others(old: _Object, new: _Object, parts: Parts) -> None:
    for key in (*_RIGHTS, *_PROGRAMS, *_ADDRESSES):
        if old.get(key) != new.get(key):
            parts.add("permissions" if key in _RIGHTS else key, is_severe=bool(new.get(key)))
    if old.get("permission") != new.get("permission"):  # opencode: allow, ask or deny, by tool
        was, now = _text(old.get("permission")), _text(new.get("permission"))
        parts.add("permissions", is_severe=_is_laxer(was, now))
    for key, scale in _SCALES.items():
        if old.get(key) != new.get(key):
            parts.add(key, is_severe=_rank(scale, new.get(key)) > _rank(scale, old.get(key)))


def _is_laxer(was: str, now: str) -> bool:
    guards = [text.count('"ask"') + text.count('"deny"') for text in (was, now)]
    return now.count('"allow"') > was.count('"allow"') or guards[1] < guards[0]


def _rank(scale: tuple[str, ...], value: object) -> int:
    if value is None:
        return 0
    return scale.index(value) if isinstance(value, str) and value in scale else len(scale)


def _has_more(old: object, new: object) -> bool:
    """Return whether `new` has a value, one or two levels down, that `old` lacks."""
    return bool(_pieces(new) - _pieces(old))


def _pieces(value: object) -> set[str]:
    if not isinstance(value, dict):
        return {_text(value)} if value else set()
    found = set()
    for key, inner in value.items():
        for one in inner if isinstance(inner, list) else [inner]:
            found.add(f"{key}\0{_text(one)}")
    return found


def _texts(value: object) -> set[str]:
    return {_text(one) for one in as_list(value)}


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)
