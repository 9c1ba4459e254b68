"""Account detector: added, removed and changed accounts, and gained rights.

Of passwords it reports that one was set, changed or locked.
The `-` files next to the databases are their previous versions; the same change explains them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.system.account_files import (
    SCOPE,
    Account,
    AccountChanges,
    AccountDatabase,
    Password,
    read_accounts,
)
from clew.detectors.system.account_groups import POWERFUL, group_facts
from clew.model.fact import Fact, Severity

_USER_FILES = ("etc/passwd", "etc/shadow", "etc/subuid", "etc/subgid")
_GROUP_FILES = ("etc/group", "etc/gshadow")
_LOCK = "etc/.pwd.lock"
_WATCHED = (
    *(path + end for path in (*_USER_FILES, *_GROUP_FILES) for end in ("", "-")),
    _LOCK,
)

_PACKAGE_DATABASES = (
    "var/lib/dpkg/status", "lib/apk/db/installed", "var/lib/rpm/rpmdb.sqlite",
    "usr/lib/sysimage/rpm/rpmdb.sqlite", "var/lib/pacman/local",
)  # fmt: skip
_MAX_FACTS = 2_000
_MAX_HOMES = 20
_SKELETON = "etc/skel"
_MAIL = ("var/mail", "var/spool/mail")


class Accounts:
    """Reports added, removed and changed accounts, and gained rights."""

    name = "system/accounts"
    version = 1
    kinds: tuple[str, ...] = (
        "user.added",
        "user.changed",
        "user.removed",
        "group.changed",
        "security.account",
    )
    watch = WatchedPaths(paths=_WATCHED)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        with evidence.guarded("etc/passwd"):
            warnings = [fact for change in changes for fact in _exposed(change)]
            paths = [change.path for change in changes if change.is_content]
            if paths:
                accounts = _account_changes(evidence, paths)
                warnings += _warnings(accounts)
                users = tuple(islice(_user_facts(accounts), _MAX_FACTS + 1))
                groups = tuple(islice(group_facts(accounts), _MAX_FACTS + 1))
                if max(len(users), len(groups)) > _MAX_FACTS:
                    evidence.problem("etc/passwd", f"more than {_MAX_FACTS:,} accounts changed")
                homes = [
                    path
                    for fact in users[:_MAX_HOMES]
                    for path in _copied(evidence, accounts, fact)
                ]
                yield from _findings(paths, users[:_MAX_FACTS], groups[:_MAX_FACTS], homes)
            for warning in warnings[:_MAX_FACTS]:
                yield Finding((warning,), warning.evidence)


def _account_changes(evidence: Evidence, paths: Sequence[str]) -> AccountChanges:
    packages = bool(evidence.owners) or any(path in evidence.changes for path in _PACKAGE_DATABASES)
    databases = tuple(path for path in paths if path in (*_USER_FILES, *_GROUP_FILES))
    return AccountChanges(
        read_accounts(evidence.old), read_accounts(evidence.new), packages, databases
    )


def _findings(
    paths: Sequence[str], users: tuple[Fact, ...], groups: tuple[Fact, ...], homes: list[str]
) -> Iterator[Finding]:
    of_groups = [path for path in paths if path.rstrip("-") in _GROUP_FILES]
    of_users = [path for path in paths if path.rstrip("-") not in _GROUP_FILES]
    if users and groups:
        yield Finding(users, of_users + homes)
        yield Finding(groups, of_groups)
    elif users or groups:
        yield Finding(users or groups, [*paths, *homes])
    else:
        yield Finding((), paths, "account databases rewritten, every account is as it was")


def _copied(evidence: Evidence, accounts: AccountChanges, fact: Fact) -> Iterator[str]:
    """Yield paths added or removed with an account: copies from `/etc/skel`, an empty mailbox."""
    if fact.kind not in ("user.added", "user.removed"):
        return
    is_new = fact.kind == "user.added"
    tree, database = (evidence.new, accounts.new) if is_new else (evidence.old, accounts.old)
    home = database.users[fact.subject].home.strip("/")
    for name, entry in tree.entries(_SKELETON).items():
        change = evidence.changes.get(f"{home}/{name}")
        copy = change and (change.new if is_new else change.old)
        if change and copy and change.is_added == is_new and copy.same_content(entry):
            yield change.path
    for directory in _MAIL:
        mailbox = evidence.changes.get(f"{directory}/{fact.subject}")
        if mailbox and mailbox.new and mailbox.is_added and not mailbox.new.size:
            yield mailbox.path


# Users


def _user_facts(accounts: AccountChanges) -> Iterator[Fact]:
    for name in sorted(
        {*accounts.old.users, *accounts.new.users, *accounts.old.ranges, *accounts.new.ranges}
    ):
        was, now = accounts.old.users.get(name), accounts.new.users.get(name)
        if now is not None and was is None:
            marks = [*_described(now), *_powers(accounts.new, name), *_renamed(accounts, now)]
            yield _user(accounts, "added", now, marks)
        elif was is not None and now is None:
            yield _user(accounts, "removed", was, [])
        elif was is not None and now is not None:
            marks = _differences(was, now)
            if accounts.old.ranges.get(name) != accounts.new.ranges.get(name):
                marks.append("subordinate ids")
            if marks:
                gains = was.is_system and now.may_log_in and not was.may_log_in
                severity = Severity.NOTE if gains else Severity.NONE
                yield _user(accounts, "changed", now, marks, severity)


def _user(
    accounts: AccountChanges,
    word: str,
    user: Account,
    marks: list[str],
    severity: str = Severity.NONE,
) -> Fact:
    return Fact(
        f"user.{word}", SCOPE, user.name,
        direct=word == "changed" or not (accounts.packages and user.is_system and user.uid != 0),
        severity=severity,
        evidence=accounts.paths,
        marks=tuple(mark[:200] for mark in marks),
    )  # fmt: skip


def _described(user: Account) -> list[str]:
    marks = [f"uid {user.uid}"]
    if user.shell:
        marks.append(f"shell {user.shell}")
    if user.home:
        marks.append(f"home {user.home}")
    return [*marks, Password.SET] if user.password == Password.SET else marks


def _renamed(accounts: AccountChanges, now: Account) -> list[str]:
    """Return the former name of an account, if renamed: `usermod -l` keeps number and home."""
    gone = accounts.old.users.keys() - accounts.new.users.keys() if now.uid else ()
    was = sorted(name for name in gone if accounts.old.users[name].uid == now.uid)
    return [f"was {was[0]}"] if was else []


def _powers(database: AccountDatabase, name: str) -> list[str]:
    return [
        f"in {group}"
        for group in sorted(POWERFUL)
        if group in database.groups
        and (name in database.groups[group].members or name in database.groups[group].primary)
    ]


def _differences(was: Account, now: Account) -> list[str]:
    pairs = (
        ("uid", was.uid, now.uid),
        ("gid", was.gid, now.gid),
        ("shell", was.shell, now.shell),
        ("home", was.home, now.home),
    )
    marks = [f"{what} {before} → {after}" for what, before, after in pairs if before != after]
    marks += _password_differences(was, now)
    if was.comment != now.comment:
        marks.append("comment")
    if was.ages and now.ages and was.ages != now.ages:
        marks.append("expiry")
    if was.is_duplicate != now.is_duplicate:
        marks.append("listed twice" if now.is_duplicate else "listed once")
    return marks


def _password_differences(was: Account, now: Account) -> list[str]:
    if was.secret == now.secret or Password.UNKNOWN in (was.password, now.password):
        return []
    if now.password == Password.NONE:
        return ["password removed"]
    if now.password == Password.LOCKED:
        return ["locked"] if was.password != Password.LOCKED else ["password changed, locked"]
    if was.password == Password.SET:
        return ["password changed"]
    is_same = was.password == Password.LOCKED and was.secret.lstrip(b"!") == now.secret
    return ["unlocked"] if is_same else [Password.SET]


# Warnings


def _warnings(accounts: AccountChanges) -> Iterator[Fact]:
    for name in sorted({*accounts.new.users, *accounts.new.ranges}):
        marks = list(_dangers(accounts, name))
        if marks:
            yield Fact(
                "security.account", SCOPE, name,
                severity=Severity.HIGH, evidence=accounts.paths, marks=tuple(marks),
            )  # fmt: skip


def _dangers(accounts: AccountChanges, name: str) -> Iterator[str]:
    was, now = accounts.old.users.get(name), accounts.new.users.get(name)
    starts = accounts.new.ranges.get(name, frozenset()) - accounts.old.ranges.get(name, frozenset())
    if name not in ("root", "0") and any(start == 0 for _, start in starts):
        yield "may use root's id"
    if now is None or name[:1] in ("+", "-"):  # `+` includes accounts from another source
        return
    if now.uid == 0 and name != "root" and (was is None or was.uid != 0):
        yield "uid 0, as root"
    if now.password == Password.NONE and (was is None or was.password != Password.NONE):
        yield "needs no password"
    if name == "root" and was is not None and was.shell != now.shell and _is_odd(now.shell):
        yield f"shell {was.shell} → {now.shell}"[:200]
    is_open = now.is_system and now.password == Password.SET
    if is_open and (was is None or was.password == Password.LOCKED):
        yield "a system account has a password now"


def _is_odd(shell: str) -> bool:
    """Return whether a shell is where no package installs one."""
    return not shell.startswith(("/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/"))


def _exposed(change: PathChange) -> Iterator[Fact]:
    """Yield a warning if everyone can read the passwords, or write the accounts."""
    if change.new is None or not change.new.is_file or change.path == _LOCK:
        return
    gained = change.new.mode & ~(change.old.mode if change.old else 0)
    is_secret = "shadow" in change.name
    if gained & 0o002 or (is_secret and gained & 0o004):
        word = "written" if gained & 0o002 else "read"
        yield Fact(
            "security.account", SCOPE, change.path,
            severity=Severity.HIGH, evidence=(change.path,), marks=(f"can be {word} by everybody",),
        )  # fmt: skip
