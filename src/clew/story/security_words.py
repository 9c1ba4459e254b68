"""Sentences for the kinds of warnings."""

from __future__ import annotations

from clew.model.fact import Fact, Severity

_BRIEF_MARKS = 40
_BRIEF_PATH = 32
_FETCHES = "runs what it fetches"

_SENTENCES = {
    "setuid": "{subject} runs with more rights than whoever starts it",
    "capability": "{subject} gained {what}",
    "authorized_keys": "{subject}: who may log in by key changed",
    "private_key": "{subject} is a private key that others may read",
    "sudoers": "{subject}: who may become root changed",
    "account": "account {subject}: {what}",
    "preload": "{subject} loads a library into every program",
    "login": "{subject}: logins are checked differently",
    "certificate": "{subject} is trusted as a certificate authority",
    "git_hook": "git will run something new: {subject}",
    "agent": "{subject}: the agent's own controls changed",
    "editor": "{subject}: the editor may run something new",
    "ci": "{subject}: what the build server runs changed",
    "registry": "{subject}: a program runs around every package",
    "startup": "{subject}: what a shell runs at its start changed",
    "tampered": "{subject} is not what its package shipped",
    "network": "{subject}: where names lead changed",
    "secret": "{subject} holds what looks like a secret",
}


_BRIEF_SENTENCES = {
    "setuid": "{name}: {what}",
    "capability": "{name} gained {what}",
    "authorized_keys": "login by key: {name}",
    "private_key": "private key {name} is readable",
    "sudoers": "root for {what} ({name})",
    "account": "account {subject}: {what}",
    "preload": "{name} preloads a library",
    "login": "{name}: {what}",
    "certificate": "new trusted authority {name}",
    "git_hook": "git will run {name}",
    "agent": "agent's {what} changed ({name})",
    "editor": "{name}: {what}",
    "startup": "{name}: {what}",
    "network": "{name}: {what}",
    "secret": "{name} committed with a secret ({what})",
}
"""Short forms for the headline; the card has the full sentence."""

_MILD_SENTENCES = {
    "preload": "{subject}: libraries are looked for elsewhere",
    "agent": "{subject}: the agent's instructions changed",
    "ci": "{subject}: what is built or run changed",
    "git_hook": "{subject}: what git runs changed",
    "authorized_keys": "{subject}: fewer may log in by key",
}
"""Sentences for a severity below high."""


def security_brief(fact: Fact) -> str:
    """Return the short form of a warning."""
    word = fact.kind.partition(".")[2]
    marks = ", ".join(fact.marks[:2])
    what = marks if len(marks) <= _BRIEF_MARKS else ", ".join(fact.marks[:1])
    brief = _BRIEF_SENTENCES.get(word, "")
    first = fact.marks[0] if fact.marks else ""
    if (
        word == "ci"
        and first
        and (first[0] in "+−~" or " → " in first or first.startswith(_FETCHES))
        and not first.endswith(" lines")
    ):
        return f"{_last_names(fact.subject)}: {first}"
    if fact.severity != Severity.HIGH or not brief or ("{what}" in brief and not what):
        return security_sentence(fact._replace(marks=fact.marks[:1]))
    is_setting = word == "git_hook" and fact.subject.endswith("config")
    if ("/" in fact.subject and word == "account") or fact.scope == "clew" or is_setting:
        brief = "{name}: {what}"
    return brief.format(subject=fact.subject, name=_last_names(fact.subject), what=what)


def _last_names(path: str) -> str:
    """Return a path, shortened to its last two names if it is long."""
    if len(path) <= _BRIEF_PATH:
        return path
    return "…/" + "/".join(path.split("/")[-2:])


def security_sentence(fact: Fact) -> str:
    """Return the sentence of a warning."""
    what = ", ".join(fact.marks)
    word = fact.kind.partition(".")[2]
    sentence = _SENTENCES[word]
    if word == "preload" and fact.scope.startswith(("systemd", "supervisor", "cron")):
        sentence = "{subject} loads a library into what it starts"
    elif word == "account" and "/" in fact.subject:
        sentence = "{subject}: {what}"
    elif word == "startup" and fact.scope != "shell":
        sentence = "{subject}: something new runs by itself"
    elif word == "agent" and fact.severity != Severity.HIGH and "instructions" not in fact.marks:
        sentence = "{subject}: the agent's settings changed"
    elif word == "ci" and what.startswith(("+step", "+job", "−", "~", _FETCHES)):
        sentence = "{subject}: {what}"
    elif fact.severity != Severity.HIGH:
        sentence = _MILD_SENTENCES.get(word, sentence)
    elif word == "secret":
        sentence = "{subject} was committed with what looks like a secret"
    text = sentence.format(subject=fact.subject, what=what or "changed")
    return text if "{what}" in sentence or not what else f"{text} ({what})"
