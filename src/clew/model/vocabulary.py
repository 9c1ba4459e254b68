"""Vocabulary of facts: a closed list, from which docs/facts.md is generated.

A family is the part of a kind before the dot.
It defines the weight of its facts in a headline, and the heading under which they are listed.
"""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple


class Family(NamedTuple):
    """Kinds about the same subject."""

    name: str
    heading: str
    """The heading under which it is listed."""
    weight: float
    """Its weight in a headline; 5 is an edit of source files."""
    scope: str
    """The meaning of a fact's scope."""
    subject: str
    before_after: str
    kinds: tuple[tuple[str, str], ...]
    """The part after the dot, and when it applies."""


FAMILIES: tuple[Family, ...] = (
    Family(
        "security", "Worth a look", 7, "where the danger lies: `setuid`, `ssh`, `agent`, …",
        "the file, account or key", "what it was and is, never a value that is secret",
        (
            ("setuid", "a file gained setuid or setgid, or one with them changed"),
            ("capability", "a file gained a capability"),
            ("authorized_keys", "who may log in by key changed"),
            ("private_key", "a private key appeared that others may read"),
            ("sudoers", "who may become root changed"),
            ("account", "an account became root's equal, or lost its password"),
            ("preload", "a library is loaded into every program"),
            ("login", "how logins are checked became weaker: sshd, PAM, name service"),
            ("certificate", "a certificate authority is trusted that was not"),
            ("git_hook", "git will run something that it did not: a hook, a hook path, a monitor"),
            ("agent", "an agent's own controls changed: settings, hooks, servers, instructions"),
            ("editor", "an editor will run something that it did not"),
            ("ci", "what a build server runs changed"),
            ("registry", "packages come from another place, or through a proxy"),
            ("startup", "what a shell, a session or Python runs at its start changed in a way that deserves a look"),
            ("tampered", "a file that a package ships is not what the package shipped"),
            ("network", "where names lead changed: hosts, resolver"),
            ("secret", "something that looks like a secret stands where git will take it along"),
            ("deleted", "a repository or a data directory is gone"),
        ),
    ),
    Family(
        "package", "Packages", 8, "`apt`, `pip:<environment>`, `npm:<directory>`, …",
        "the package's canonical name", "versions",
        (
            ("added", "it is installed and was not"),
            ("removed", "it was installed and is not"),
            ("changed", "its version, or where it comes from, is another"),
        ),
    ),
    Family(
        "service", "Services", 6, "`systemd`, `systemd-user`, `sysv`, `openrc`, `supervisor`, `runit`, `s6`",
        "the unit's name", "its state, or how it is started",
        (
            ("enabled", "it will start by itself"),
            ("disabled", "it will not start by itself any more"),
            ("masked", "it cannot be started"),
            ("added", "a unit that no package ships is new"),
            ("changed", "a unit or a drop-in that no package ships is different"),
            ("removed", "a unit that no package ships is gone"),
        ),
    ),
    Family(
        "cron", "Services", 6, "the table: `etc/cron.d/backup`, `user:alice`, `at`", "the job's command, shortened",
        "its schedule",
        (
            ("added", "something will run by the clock"),
            ("changed", "it will run at other times"),
            ("removed", "it will not run any more"),
        ),
    ),
    Family(
        "user", "Accounts", 5, "`accounts`", "the account's name", "what is different: uid, shell, home, groups",
        (
            ("added", "an account is new"),
            ("changed", "an account is different"),
            ("removed", "an account is gone"),
        ),
    ),
    Family(
        "group", "Accounts", 3, "`accounts`", "the group's name", "its members",
        (("changed", "who is in a group changed, or the group came or went"),),
    ),
    Family(
        "executable", "Tools", 5, "the directory in PATH", "the program's name", "what can be read of it",
        (("added", "a program in PATH is new, and no package ships it"),),
    ),
    Family(
        "toolchain", "Tools", 6, "the manager: `pyenv`, `nvm`, `rustup`, …", "the tool", "versions",
        (
            ("added", "a version of a toolchain is new"),
            ("changed", "another version is the default"),
            ("removed", "a version of a toolchain is gone"),
        ),
    ),
    Family(
        "source", "Packages", 8, "`apt`, `apk`", "the address or the key's file", "nothing, or the file",
        (("added", "packages may come from a place that is new"),),
    ),
    Family(
        "env", "Configuration", 5, "the file", "the key; values never", "nothing",
        (
            ("added", "a key is new"),
            ("changed", "a key has another value"),
            ("removed", "a key is gone"),
        ),
    ),
    Family(
        "config", "Configuration", 4, "the file", "the file", "the key paths, or how many lines",
        (
            ("added", "a configuration file is new"),
            ("changed", "settings in it are different"),
            ("removed", "a configuration file is gone"),
        ),
    ),
    Family(
        "table", "Databases", 9, "`sqlite:<path>`", "the table", "its number of rows",
        (
            ("added", "a table is new"),
            ("removed", "a table is gone"),
            ("changed", "its rows, columns or indexes are different"),
        ),
    ),
    Family(
        "git", "Git", 6, "the repository's directory", "the branch, remote or hook", "commits, entries of the stash, or an address",
        (
            ("commit", "a branch has new commits"),
            ("branch", "a branch, tag or worktree came or went, another is checked out, or something is under way"),
            ("reset", "a branch was moved back or aside"),
            ("rebase", "a branch was rebased"),
            ("stash", "work was put on or taken off the stash"),
            ("remote", "a remote came, went or leads elsewhere, or was pushed to or fetched from"),
            ("hook", "a hook came, went, or is different"),
        ),
    ),
    Family(
        "code", "Files", 5, "the repository or directory", "the same",
        "how many files, and lines added and removed",
        (
            ("edited", "source files have other lines, or another mode or owner"),
            ("added", "source files are new"),
            ("deleted", "source files are gone"),
            ("renamed", "source files moved"),
        ),
    ),
    Family(
        "generated", "Files", 1, "what it is: `build`, `cache`, `ignored`", "the directory", "how many files",
        (("changed", "what programs write and can write again is different"),),
    ),
    Family(
        "log", "Files", 0.2, "`log`", "the file", "its size, and how many lines are new",
        (("grew", "a log has more lines"),),
    ),
    Family(
        "data", "Data", 5, "what it is: `postgres`, `redis`, `notebook`, `weights`, …", "the file or directory",
        "what can be said of it",
        (("changed", "data is different, new or gone"),),
    ),
    Family(
        "container", "Data", 5, "`docker`", "the image, container or volume", "its state",
        (
            ("added", "it is new"),
            ("changed", "it is different"),
            ("removed", "it is gone"),
        ),
    ),
    Family(
        "port", "Running", 5, "the protocol", "address and port", "the program that listens",
        (
            ("opened", "something listens that did not"),
            ("closed", "nothing listens there any more"),
        ),
    ),
    Family(
        "process", "Running", 3, "the directory it runs in", "the command, secrets left out", "its process id",
        (
            ("started", "it runs and did not"),
            ("stopped", "it ran and does not"),
        ),
    ),
    Family(
        "detector", "Not analysed", 0.5, "the detector", "what it could not read", "why",
        (("failed", "this part of the story is missing"),),
    ),
)  # fmt: skip

FAMILY = {family.name: family for family in FAMILIES}

KINDS = frozenset(f"{family.name}.{word}" for family in FAMILIES for word, _ in family.kinds)

WARNINGS = "Warnings"
"""The heading for facts of high severity, of any family."""

HEADINGS = (WARNINGS, *dict.fromkeys(family.heading for family in FAMILIES))
"""In display order."""


def family_of(kind: str) -> Family:
    """Return the family of a kind."""
    return FAMILY[kind.partition(".")[0]]
