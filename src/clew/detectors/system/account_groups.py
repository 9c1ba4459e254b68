"""Group membership changes, and whether they grant rights."""

from __future__ import annotations

from collections.abc import Iterator

from clew.detectors.system.account_files import SCOPE, AccountChanges, AccountDatabase, Group
from clew.model.fact import Fact, Severity

POWERFUL = frozenset(
    ("sudo", "wheel", "docker", "adm", "root", "lxd", "disk", "shadow", "admin", "incus-admin")
)
"""Groups whose members are root, can become root, or can read root's files."""
_GIVEN_BY_PACKAGES = frozenset(("adm", "shadow"))
"""Groups that a package may add its daemon's account to."""
_SHOWN = 12


def group_facts(accounts: AccountChanges) -> Iterator[Fact]:
    """Yield changed members, and added and removed groups."""
    for name in sorted({*accounts.old.groups, *accounts.new.groups}):
        was, now = accounts.old.groups.get(name), accounts.new.groups.get(name)
        marks = _group_marks(accounts, was, now)
        if not marks:
            continue
        yield Fact(
            "group.changed", SCOPE, name, _members(was), _members(now),
            direct=not _is_indirect(accounts, was, now),
            severity=Severity.HIGH if _gains_power(accounts, was, now) else Severity.NONE,
            evidence=accounts.paths,
            marks=tuple(marks[:_SHOWN]),
        )  # fmt: skip


def _group_marks(accounts: AccountChanges, was: Group | None, now: Group | None) -> list[str]:
    if now is None:
        return ["group removed"]
    marks = [] if was else ["new group"]
    before, after = _effective_members(accounts.old, was), _effective_members(accounts.new, now)
    marks += [f"+{name}" for name in sorted(after - before)]
    marks += [f"-{name}" for name in sorted(before - after)]
    if was and was.gid != now.gid:
        marks.append(f"gid {was.gid} → {now.gid}")
    if now.has_password and not (was and was.has_password):
        marks.append("password set")
    ruling = now.administrators - (was.administrators if was else frozenset())
    return marks + [f"administrator {name}" for name in sorted(ruling)]


def _effective_members(database: AccountDatabase, group: Group | None) -> frozenset[str]:
    """Return the members of a group; for a powerful one including its primary members.

    Accounts with uid 0 need no group, and are reported separately.
    """
    if group is None:
        return frozenset()
    if not _is_powerful(database, group):
        return group.members
    return group.members | {name for name in group.primary if database.users[name].uid != 0}


def _is_powerful(database: AccountDatabase, group: Group) -> bool:
    """Return whether a group grants rights, by its name or its number."""
    if group.name in POWERFUL:
        return True
    others = (database.groups[name].gid for name in POWERFUL if name in database.groups)
    return group.gid is not None and group.gid in (0, *others)


def _gains_power(accounts: AccountChanges, was: Group | None, now: Group | None) -> bool:
    if now is None or not _is_powerful(accounts.new, now):
        return False
    before = (
        _effective_members(accounts.old, was)
        if was and _is_powerful(accounts.old, was)
        else frozenset[str]()
    )
    joined = _effective_members(accounts.new, now) - before - {"root"}
    ruling = now.administrators - (was.administrators if was else frozenset())
    if accounts.packages and now.name in _GIVEN_BY_PACKAGES and not ruling:
        joined = frozenset(name for name in joined if not _is_daemon(accounts.new, name))
    return bool(joined or ruling or (now.has_password and not (was and was.has_password)))


def _is_daemon(database: AccountDatabase, name: str) -> bool:
    user = database.users.get(name)
    return user is not None and user.is_system and user.uid != 0


def _is_indirect(accounts: AccountChanges, was: Group | None, now: Group | None) -> bool:
    """Return whether a group changed only because of an account or a package."""
    group = now or was
    if group is None:
        return False
    if was and now:
        moved = was.members ^ now.members
        is_same = (was.gid, was.administrators, was.has_password) == (
            now.gid, now.administrators, now.has_password
        )  # fmt: skip
        return is_same and all(
            (name in accounts.old.users) != (name in accounts.new.users) for name in moved
        )
    user = (accounts.new if now else accounts.old).users.get(group.name)
    is_private = user is not None and user.gid == group.gid
    return is_private or (accounts.packages and group.is_system)


def _members(group: Group | None) -> str | None:
    if group is None:
        return None
    names = sorted(group.members)
    return ", ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")
