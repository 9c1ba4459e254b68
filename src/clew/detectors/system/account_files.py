"""Account databases: passwd, group, shadow, gshadow, subuid and subgid.

Of a password only its presence, its lock, and a value for comparison are stored while both files
are read.  No part of it leaves this module.
"""

from __future__ import annotations

from collections.abc import Iterator

from clew.detectors.detector import Tree
from clew.model.named_tuple import NamedTuple

SCOPE = "accounts"
"""The scope of every account fact."""

_SIZE_LIMIT = 2 << 20
"""Enough for tens of thousands of accounts; larger sites use a directory service."""
_NUMBER_LENGTH = 20
_MAX_ID = 0xFFFFFFFF


class Password:
    """State of an account's password."""

    NONE = "no password"
    LOCKED = "locked"
    SET = "password set"
    UNKNOWN = "unknown"


class Account(NamedTuple):
    """One line of passwd, with its shadow entry."""

    name: str
    uid: int | None
    gid: int | None
    comment: str
    home: str
    shell: str
    password: str
    """One of `Password`."""
    secret: bytes
    """For comparison only, never shown."""
    ages: bytes
    """Expiry of the password and the account; for comparison only."""
    is_duplicate: bool = False
    """Whether the name occurs again in the file."""

    @property
    def is_system(self) -> bool:
        return self.uid is not None and self.uid < 1000

    @property
    def may_log_in(self) -> bool:
        return not self.shell.endswith(("/nologin", "/false", "/sync"))


class Group(NamedTuple):
    """One line of group, with its gshadow entry."""

    name: str
    gid: int | None
    members: frozenset[str]
    primary: frozenset[str]
    """Users with this primary group, by their line in passwd."""
    administrators: frozenset[str]
    has_password: bool

    @property
    def is_system(self) -> bool:
        return self.gid is not None and self.gid < 1000


class AccountDatabase(NamedTuple):
    """The accounts and groups of one tree."""

    users: dict[str, Account]
    groups: dict[str, Group]
    ranges: dict[str, frozenset[tuple[str, int | None]]]
    """Subordinate ids by owner: the file, and the first id."""


class AccountChanges(NamedTuple):
    """The accounts before and after."""

    old: AccountDatabase
    new: AccountDatabase
    packages: bool
    """Whether packages changed, which create accounts."""
    paths: tuple[str, ...]
    """The changed databases."""


def read_accounts(tree: Tree) -> AccountDatabase:
    """Return the accounts and groups of a tree."""
    users = _users(tree)
    return AccountDatabase(users, _groups(tree, users), _ranges(tree))


def _users(tree: Tree) -> dict[str, Account]:
    shadow = {fields[0]: fields for fields in reversed(list(_lines(tree, "etc/shadow", 2)))}
    entry = tree.entry("etc/shadow")
    has_shadow = entry is not None and entry.is_file
    found: dict[str, Account] = {}
    for fields in _lines(tree, "etc/passwd", 4):
        name = fields[0].decode("utf-8", "surrogateescape")
        if name in found:  # the first line takes precedence
            found[name] = found[name]._replace(is_duplicate=True)
            continue
        texts = [field.decode("utf-8", "surrogateescape") for field in (*fields, b"", b"", b"")]
        hidden = shadow.get(fields[0])
        secret, ages = fields[1], b""
        if secret == b"x":
            nothing = b"!" if has_shadow else b"x"  # without a shadow line, no login
            secret, ages = (hidden[1], b":".join(hidden[3:])) if hidden else (nothing, b"")
        found[name] = Account(
            name, _number(fields[2]), _number(fields[3]), texts[4], texts[5], texts[6],
            _password(secret), secret, ages,
        )  # fmt: skip
    return found


def _password(secret: bytes) -> str:
    if not secret:
        return Password.NONE
    if secret == b"x":
        return Password.UNKNOWN  # it is in shadow, which cannot be read
    return Password.LOCKED if secret[:1] in (b"!", b"*") else Password.SET


def _groups(tree: Tree, users: dict[str, Account]) -> dict[str, Group]:
    primary: dict[int, set[str]] = {}
    for user in users.values():
        if user.gid is not None:
            primary.setdefault(user.gid, set()).add(user.name)
    shadow = {fields[0]: fields for fields in reversed(list(_lines(tree, "etc/gshadow", 3)))}
    found: dict[str, Group] = {}
    for fields in _lines(tree, "etc/group", 4):
        name = fields[0].decode("utf-8", "surrogateescape")
        hidden = shadow.get(fields[0], [b"", b"!", b""])
        secret = hidden[1] if fields[1] == b"x" else fields[1]
        gid = _number(fields[2])
        mine = frozenset(primary.get(gid, ())) if gid is not None else frozenset[str]()
        if name not in found:
            found[name] = Group(
                name, gid, _names(fields[3]), mine, _names(hidden[2]),
                bool(secret) and secret[:1] not in (b"!", b"*"),
            )  # fmt: skip
    return found


def _ranges(tree: Tree) -> dict[str, frozenset[tuple[str, int | None]]]:
    found: dict[str, set[tuple[str, int | None]]] = {}
    for path in ("etc/subuid", "etc/subgid"):
        for fields in _lines(tree, path, 3):
            name = fields[0].decode("utf-8", "surrogateescape")
            found.setdefault(name, set()).add((path, _number(fields[1])))
    return {name: frozenset(starts) for name, starts in found.items()}


def _lines(tree: Tree, path: str, fewest: int) -> Iterator[list[bytes]]:
    """Yield the fields of each line that has enough of them."""
    content = tree.read(path, _SIZE_LIMIT) or b""
    for line in content.split(b"\n"):
        fields = line.lstrip().split(b":", 12)
        if len(fields) >= fewest and fields[0] and fields[0][:1] != b"#":
            yield fields


def _names(field: bytes) -> frozenset[str]:
    text = field.decode("utf-8", "surrogateescape")
    return frozenset(name for part in text.split(",") if (name := part.strip()))


def _number(field: bytes) -> int | None:
    """Return an id as the C library parses it: ` 0`, `00` and `-0` are root's, too."""
    text = field.strip()[:_NUMBER_LENGTH]
    digits = text[1:] if text[:1] in (b"+", b"-") else text
    if not digits.isdigit():
        return None
    number = int(digits)
    return _MAX_ID if number and text[:1] == b"-" else min(number, _MAX_ID)
