"""sshd settings that permit more logins.

A setting may occur several times in a file, and `Match` restricts one to some users; the weakest
value counts, wherever it is.  A removed setting has its default again.
"""

from __future__ import annotations

from clew.detectors.security.security_rules import rules_of, word

_STRENGTH: dict[str, tuple[str, dict[str, int]]] = {
    "permitrootlogin": (
        "prohibit-password",
        {"no": 0, "forced-commands-only": 1, "prohibit-password": 2, "without-password": 2, "yes": 3},
    ),
    "passwordauthentication": ("yes", {"no": 0, "yes": 1}),
    "kbdinteractiveauthentication": ("yes", {"no": 0, "yes": 1}),
    "challengeresponseauthentication": ("yes", {"no": 0, "yes": 1}),
    "permitemptypasswords": ("no", {"no": 0, "yes": 1}),
    "hostbasedauthentication": ("no", {"no": 0, "yes": 1}),
    "permituserenvironment": ("no", {"no": 0, "yes": 1}),
    "ignorerhosts": ("yes", {"yes": 0, "shosts-only": 1, "no": 2}),
    "strictmodes": ("yes", {"yes": 0, "no": 1}),
    "permituserrc": ("yes", {"no": 0, "yes": 1}),
}  # fmt: skip
"""By lower-case name: the default, and the rank of each value; higher is weaker."""

_DELEGATING = frozenset((
    "authorizedkeysfile", "authorizedkeyscommand", "authorizedkeyscommanduser",
    "authorizedprincipalsfile", "authorizedprincipalscommand", "trustedusercakeys",
    "forcecommand", "include", "authenticationmethods", "usepam",
))  # fmt: skip
"""Settings that delegate the decision; any changed value is a danger."""
_NOTED = frozenset((
    "allowusers", "allowgroups", "denyusers", "denygroups", "port", "listenaddress", "subsystem",
    "pubkeyauthentication", "gatewayports", "allowtcpforwarding", "permittunnel", "acceptenv",
))  # fmt: skip
"""Settings that are a note when they change."""

_Settings = dict[str, list[tuple[str, str]]]


def weaker_settings(
    old: bytes | None, new: bytes | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the settings that permit more logins, and others that are notes."""
    before, after = _settings(old), _settings(new)
    weaker: list[str] = []
    others: list[str] = []
    for key in sorted({*before, *after}):
        was, now = before.get(key, []), after.get(key, [])
        if was == now:
            continue
        name = (now or was)[0][0]
        if key in _STRENGTH:
            weakest = _weakest(key, now)
            found = weaker if weakest[0] > _weakest(key, was)[0] else others
            found.append(f"{name} {weakest[1]}")
        elif key in _DELEGATING:
            (weaker if now else others).append(name)
        elif key in _NOTED:
            others.append(name)
    return tuple(weaker), tuple(others)


def _settings(text: bytes | None) -> _Settings:
    """Return the settings by lower-case name: each name as written, with its value."""
    found: _Settings = {}
    for line in rules_of(text):
        name, _, value = line.replace(b"=", b" ", 1).partition(b" ")
        key = word(name).lower()
        if key in _STRENGTH or key in _DELEGATING or key in _NOTED:
            found.setdefault(key, []).append((word(name), word(value.strip().strip(b'"')).lower()))
    return found


def _weakest(key: str, settings: list[tuple[str, str]]) -> tuple[int, str]:
    default, worth = _STRENGTH[key]
    values = [value for _, value in settings if value in worth] or [default]
    return max((worth[value], value) for value in values)
