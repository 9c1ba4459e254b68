"""Vocabulary of facts: a closed list, from which docs/facts.md is generated.

A family is the part of a kind before the dot.
It defines how early its facts come in a headline, and the heading under which they are listed.
"""

from __future__ import annotations

from clew.model.fact import Severity
from clew.model.named_tuple import NamedTuple


class Tier:
    """What a person needs to know first; the order of the parts of a headline."""

    LOST = 0
    """Data that nothing can make again."""
    BROKEN = 1
    """A state that is broken or half finished."""
    SECURITY = 2
    TESTS = 3
    PACKAGES = 4
    """Packages, services, accounts, running programs."""
    SETTINGS = 5
    """Schemas, settings and data."""
    CODE = 6
    REST = 7


class Lines:
    """Which facts of a family share a line."""

    EACH = "each"
    """One line for each subject."""
    SCOPE = "scope"
    """One line for each scope."""
    SHARED = "shared"
    """One line for all."""


class Family(NamedTuple):
    """Kinds about the same subject."""

    name: str
    heading: str
    """The heading under which it is listed."""
    tier: int
    """How early it comes in a headline."""
    lines: str
    """Which of its facts share a line."""
    weight: float
    """Its weight among lines of the same tier; 5 is an edit of source files."""
    scope: str
    """The meaning of a fact's scope."""
    subject: str
    before_after: str
    kinds: tuple[tuple[str, str], ...]
    """The part after the dot, and when it applies."""


FAMILIES: tuple[Family, ...] = (
    Family(
        "loss", "Lost", Tier.LOST, Lines.SHARED, 20,
        "what it is: `directory`, `files`, `file`, `repository`, `history`, `terraform`, …",
        "the file, directory or resource", "how much there was and is: `301 files, 4.2 MB`, `20,000 rows`",
        (
            ("deleted", "data is gone that nothing can make again: no git history, no lock file, no build"),
            ("emptied", "a file that held data is empty, or was cut short"),
            ("shrunk", "data has far fewer records than before"),
        ),
    ),
    Family(
        "broken", "Unfinished", Tier.BROKEN, Lines.SCOPE, 10,
        "what is unfinished, and where: `git:.`, `pip:.venv`, `npm:web`, …",
        "the file, package, environment or operation",
        "what it was and is",
        (
            ("conflict", "a file has unresolved conflict markers"),
            ("operation", "git has not finished what it began: a merge, a rebase, a clone; or a crash damaged it"),
            ("install", "an installation did not complete"),
            ("download", "a download or a copy did not complete"),
            ("migration", "a migration of a database was applied in part, and is not recorded"),
            ("transaction", "a database is in the middle of a transaction: its program was killed, or writes"),
            ("environment", "an environment does not fit its interpreter, or lacks it"),
            ("syntax", "a file that could be parsed no longer can"),
        ),
    ),
    Family(
        "security", "Worth a look", Tier.SECURITY, Lines.EACH, 7, "where the danger lies: `setuid`, `ssh`, `agent`, …",
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
            ("registry", "packages, or repositories of git, come from another host, or through a proxy"),
            ("startup", "what a shell, a session or Python runs at its start changed in a way that deserves a look"),
            ("tampered", "a file that a package ships is not what the package shipped"),
            ("network", "where names lead changed: hosts, resolver"),
            ("secret", "something that looks like a secret stands where git will take it along"),
            ("install_script", "an installation runs a program that it did not: of a package, or of the project"),
            ("integrity", "a package is no longer checked against a hash or signature, or against another one"),
            ("tls", "certificates are no longer verified"),
            ("dependency", "a package, submodule, action or image comes from a place of its own, or from another"),
        ),
    ),
    Family(
        "test", "Tests", Tier.TESTS, Lines.SHARED, 9, "the directory or file of the tests", "the test, or the file",
        "how many tests there were and are",
        (
            ("removed", "tests are gone"),
            ("skipped", "tests are no longer run, or may fail"),
            ("weakened", "tests check less than before: assertions are gone or always hold"),
            ("enabled", "tests that were skipped run again"),
            ("added", "tests are new"),
            ("renamed", "a test has another name"),
        ),
    ),
    Family(
        "check", "Tests", Tier.TESTS, Lines.EACH, 8, "the file", "the step, setting or rule",
        "what it was and is",
        (
            ("weakened", "a check no longer fails when it should: `|| true`, a lower limit, a rule switched off"),
            ("removed", "a step that ran checks is gone"),
            ("added", "a check is new, or stricter"),
        ),
    ),
    Family(
        "package", "Packages", Tier.PACKAGES, Lines.SCOPE, 8, "`apt`, `pip:<environment>`, `npm:<directory>`, …",
        "the package's canonical name", "versions",
        (
            ("added", "it is installed and was not"),
            ("removed", "it was installed and is not"),
            ("changed", "its versions, its state (a hold), or where it comes from are others"),
        ),
    ),
    Family(
        "lock", "Packages", Tier.PACKAGES, Lines.SCOPE, 6, "the lock file or manifest",
        "the package, action or base image",
        "versions, as locked or required: what is wanted, not what is installed",
        (
            ("added", "it is locked or required and was not"),
            ("removed", "it was locked or required and is not"),
            ("changed", "another version is locked or required"),
        ),
    ),
    Family(
        "service", "Services", Tier.PACKAGES, Lines.SCOPE, 6, "`systemd`, `systemd-user`, `sysv`, `openrc`, `supervisor`, `runit`, `s6`",
        "the unit's name", "its state, or how it is started",
        (
            ("enabled", "it will start by itself"),
            ("disabled", "it will not start by itself any more"),
            ("masked", "it cannot be started"),
            ("added", "a unit that no package ships is new"),
            ("changed", "a unit or a drop-in that no package ships is different"),
            ("removed", "a unit is gone: nobody's, or with its package"),
        ),
    ),
    Family(
        "cron", "Services", Tier.PACKAGES, Lines.SCOPE, 6, "the table: `etc/cron.d/backup`, `user:alice`, `at`", "the job's command, shortened",
        "its schedule",
        (
            ("added", "something will run by the clock"),
            ("changed", "it will run at other times"),
            ("removed", "it will not run any more"),
        ),
    ),
    Family(
        "user", "Accounts", Tier.PACKAGES, Lines.SCOPE, 5, "`accounts`", "the account's name", "what is different: uid, shell, home, groups",
        (
            ("added", "an account is new"),
            ("changed", "an account is different"),
            ("removed", "an account is gone"),
        ),
    ),
    Family(
        "group", "Accounts", Tier.PACKAGES, Lines.SHARED, 3, "`accounts`", "the group's name", "its members",
        (("changed", "who is in a group changed, or the group came or went"),),
    ),
    Family(
        "executable", "Tools", Tier.PACKAGES, Lines.SHARED, 5, "the directory in PATH", "the program's name", "what can be read of it",
        (("added", "a program in PATH is new, and no package ships it"),),
    ),
    Family(
        "toolchain", "Tools", Tier.PACKAGES, Lines.SCOPE, 6, "the manager: `pyenv`, `nvm`, `rustup`, …", "the tool", "versions",
        (
            ("added", "a version of a toolchain is new"),
            ("changed", "another version is the default"),
            ("removed", "a version of a toolchain is gone"),
        ),
    ),
    Family(
        "source", "Packages", Tier.PACKAGES, Lines.SHARED, 8, "`apt`, `apk`", "the address or the key's file", "nothing, or the file",
        (("added", "packages may come from a place that is new"),),
    ),
    Family(
        "env", "Configuration", Tier.SETTINGS, Lines.SCOPE, 5, "the file", "the key; values never", "nothing",
        (
            ("added", "a key is new"),
            ("changed", "a key has another value"),
            ("removed", "a key is gone"),
        ),
    ),
    Family(
        "config", "Configuration", Tier.SETTINGS, Lines.SHARED, 4, "the file", "the file", "the key paths, or how many lines",
        (
            ("added", "a configuration file is new"),
            ("changed", "settings in it are different"),
            ("removed", "a configuration file is gone"),
        ),
    ),
    Family(
        "resource", "Deployment", Tier.SETTINGS, Lines.SCOPE, 7,
        "format and file: `compose:compose.yaml`, `kubernetes:deploy.yaml`, `terraform:main.tf`, …",
        "the kind and name: `service mailer`, `Deployment web`", "its image, replicas, version or size",
        (
            ("added", "it is declared and was not"),
            ("changed", "its declaration is different"),
            ("removed", "it was declared and is not"),
        ),
    ),
    Family(
        "link", "Files", Tier.SETTINGS, Lines.SHARED, 5, "`symlink`", "the link", "its targets",
        (
            ("added", "a symbolic link is new"),
            ("changed", "a symbolic link leads elsewhere, or nowhere, because its target was deleted"),
            ("removed", "a symbolic link is gone"),
        ),
    ),
    Family(
        "move", "Data", Tier.SETTINGS, Lines.SHARED, 7, "`files`", "the old place", "old and new place",
        (("moved", "files are somewhere else, with the same content"),),
    ),
    Family(
        "table", "Databases", Tier.SETTINGS, Lines.SCOPE, 9,
        "`sqlite:<path>`, `postgres:<data directory>:<database>`, `mysql:<data directory>:<database>`",
        "the table", "its number of rows; `~` marks an estimate",
        (
            ("added", "a table is new"),
            ("removed", "a table is gone"),
            ("changed", "its rows, columns or indexes are different"),
        ),
    ),
    Family(
        "git", "Git", Tier.REST, Lines.SCOPE, 6, "the repository's directory", "the branch, remote or hook", "commits, entries of the stash, or an address",
        (
            ("commit", "a branch has new commits"),
            ("branch", "a branch or tag came or went, another is checked out, or a bisection is under way"),
            ("reset", "a branch was moved back or aside"),
            ("rebase", "a branch was rebased"),
            ("stash", "work was put on or taken off the stash"),
            ("remote", "a remote came, went or leads elsewhere, or was pushed to or fetched from"),
            ("hook", "a hook came, went, or is different"),
            ("discarded", "changes that were never committed are gone from the files"),
            ("worktree", "a linked worktree came or went"),
            ("sparse", "a sparse checkout leaves files out of the working tree, or has them again"),
            ("lfs", "files became pointers of git LFS, or contents again, or lead to other contents"),
            ("submodule", "a submodule came, went, or is at another commit"),
        ),
    ),
    Family(
        "code", "Files", Tier.CODE, Lines.SCOPE, 5, "the repository or directory",
        "the same; for `symbols` the file", "how many files, and lines added and removed",
        (
            ("edited", "source files have other lines, or another mode or owner"),
            ("added", "source files are new"),
            ("deleted", "source files are gone"),
            ("renamed", "source files moved"),
            ("symbols", "functions or classes of a file are new, gone or different"),
        ),
    ),
    Family(
        "directory", "Files", Tier.CODE, Lines.SHARED, 6, "`directory`", "the directory", "the size of its changed files",
        (
            ("added", "a directory with very many files is new"),
            ("changed", "very many files of a directory are new, different or gone"),
            ("removed", "a directory with very many files is gone"),
        ),
    ),
    Family(
        "generated", "Files", Tier.REST, Lines.SHARED, 1, "what it is: `build`, `cache`, `ignored`, `code`", "the directory", "how many files",
        (("changed", "what programs write and can write again is different"),),
    ),
    Family(
        "log", "Files", Tier.REST, Lines.SHARED, 0.2, "`log`", "the file", "its size, and how many lines are new",
        (("grew", "a log has more lines"),),
    ),
    Family(
        "data", "Data", Tier.SETTINGS, Lines.SHARED, 5, "what it is: `postgres`, `redis`, `notebook`, `weights`, …", "the file or directory",
        "what can be said of it",
        (("changed", "data is different, new or gone"),),
    ),
    Family(
        "container", "Data", Tier.SETTINGS, Lines.SCOPE, 5, "`docker`", "the image, container or volume", "its state",
        (
            ("added", "it is new"),
            ("changed", "it is different"),
            ("removed", "it is gone"),
        ),
    ),
    Family(
        "port", "Running", Tier.PACKAGES, Lines.SHARED, 5, "the protocol", "address and port", "the program that listens",
        (
            ("opened", "something listens that did not"),
            ("closed", "nothing listens there any more"),
        ),
    ),
    Family(
        "process", "Running", Tier.REST, Lines.SHARED, 3, "the directory it runs in", "the command, secrets left out", "its process id",
        (
            ("started", "it runs and did not"),
            ("stopped", "it ran and does not"),
        ),
    ),
    Family(
        "detector", "Not analysed", Tier.REST, Lines.SHARED, 0.2, "the detector", "what it could not read", "why",
        (("failed", "this part of the story is missing"),),
    ),
)  # fmt: skip

FAMILY = {family.name: family for family in FAMILIES}

KINDS = frozenset(f"{family.name}.{word}" for family in FAMILIES for word, _ in family.kinds)

WARNINGS = "Warnings"
"""The heading for facts of high severity, of any family."""

HEADINGS = (
    WARNINGS, "Lost", "Unfinished", "Worth a look", "Tests", "Packages", "Services", "Accounts",
    "Tools", "Configuration", "Deployment", "Databases", "Git", "Files", "Data", "Running",
    "Not analysed",
)  # fmt: skip
"""In display order."""


def family_of(kind: str) -> Family:
    """Return the family of a kind."""
    return FAMILY[kind.partition(".")[0]]


_WARNING_TIERS = {
    "table": Tier.LOST, "data": Tier.LOST, "container": Tier.LOST, "git": Tier.LOST,
    "package": Tier.BROKEN, "lock": Tier.SECURITY, "code": Tier.LOST,
    "link": Tier.BROKEN,
}  # fmt: skip
"""Tiers of facts of high severity, where they differ: a dropped table is lost data."""


def tier_of(kind: str, severity: str) -> int:
    """Return how early a fact comes in a headline."""
    family = family_of(kind)
    if severity == Severity.HIGH:
        return _WARNING_TIERS.get(family.name, family.tier)
    # What deserves a look is no alarm: it does not precede what was installed.
    return Tier.PACKAGES if family.tier == Tier.SECURITY else family.tier
