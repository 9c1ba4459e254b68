"""Login detector: PAM, the name service, and the list of valid shells.

Packages rewrite `/etc/pam.d/common-*` and `nsswitch.conf` on installation, and no file list
records it.  A module or service that a package installed in the same interval is therefore safe;
one at an unusual path is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.security.security_rules import (
    Alarm,
    content,
    examine,
    rules_between,
    rules_of,
    word,
)
from clew.model.fact import Severity

_USUAL_SERVICES = frozenset((
    b"files", b"compat", b"db", b"dns", b"nis", b"nisplus", b"systemd", b"sss", b"ldap",
    b"winbind", b"mymachines", b"myhostname", b"resolve", b"mdns4_minimal", b"mdns4", b"mdns",
    b"mdns_minimal", b"extrausers", b"altfiles", b"cache", b"hesiod",
))  # fmt: skip
_ACCOUNTS = (b"passwd", b"group", b"shadow", b"gshadow", b"initgroups", b"sudoers")
_WEAK_HASHES = (b"des", b"md5")
_SHELL_DIRECTORIES = (b"/bin/", b"/usr/bin/", b"/sbin/", b"/usr/sbin/")
_GUARDS = (b"pam_unix.so", b"pam_deny.so", b"pam_faillock.so", b"pam_tally2.so", b"pam_access.so")
_EMPTY_PASSWORDS = "empty passwords are accepted"
_SHOWN = 5
_UNREAD = Alarm("security.login", "login", "", Severity.HIGH)


class LoginChecks:
    """Reports changes of how logins are checked."""

    name = "security/login"
    version = 1
    kinds: tuple[str, ...] = ("security.login",)
    watch = WatchedPaths(
        paths=("etc/nsswitch.conf", "etc/shells", "etc/login.defs", "etc/pam.conf"),
        below=("etc/pam.d",),
        directories=("security",),
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield from examine(evidence, changes, _judge, _UNREAD)


def _judge(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    path = change.path
    if _is_module(path):
        if change.new is not None and change.is_content:
            yield _alarm(path, Severity.HIGH, ["a module that no package ships"])
        return
    read = _READERS.get(path) or (_pam if path.startswith("etc/pam.") else None)
    if read is not None:
        dangers, others = read(evidence, content(evidence.old, path), content(evidence.new, path))
        if dangers or others:
            yield _alarm(path, Severity.HIGH if dangers else Severity.NOTE, dangers or others)


def _is_module(path: str) -> bool:
    directory, _, name = path.rpartition("/")
    is_library = path.startswith(("lib/", "lib64/", "usr/lib/", "usr/lib64/"))
    return is_library and directory.endswith("/security") and name.startswith("pam_")


def _alarm(path: str, severity: str, marks: list[str]) -> Alarm:
    shown = list(dict.fromkeys(marks))
    return Alarm("security.login", "login", path, severity, tuple(shown[:_SHOWN]))


_Read = tuple[list[str], list[str]]
"""Dangers, and notes."""


def _pam(evidence: Evidence, old: bytes | None, new: bytes | None) -> _Read:
    before, after = _pam_dangers(old), _pam_dangers(new)
    if old is None:  # Debian itself writes it into new files
        after.discard(_EMPTY_PASSWORDS)
    dangers = sorted(after - before)
    dangers += [f"{word(name)} is gone" for name in _lost_guards(old, new)]
    rules = rules_between(old, new)
    modules = {_module(line) for line in (*rules.added, *rules.removed)} - {b""}
    installed = evidence.once(_installed_modules)
    others = [word(name) for name in sorted(modules) if word(name) not in installed]
    if not rules and old is not None and new is not None and rules_of(old) != rules_of(new):
        others = ["another order"]
    # pam-auth-update renumbers `success=1` to `success=2` for a new module
    has_new = any(word(name) in installed for name in modules)
    return dangers, [] if has_new or new is None else others


def _pam_dangers(text: bytes | None) -> set[str]:
    found = set()
    for line in rules_of(text):
        words = line.split(b" ")
        kind, module = words[0].lstrip(b"-"), _module(line)
        if module == b"pam_exec.so":
            found.add("pam_exec.so runs a program")
        if module.startswith(b"/"):
            found.add(f"module {word(module)}")
        if kind == b"auth" and module == b"pam_permit.so" and b"sufficient" in words[1:2]:
            found.add("pam_permit.so lets everybody in")
        if kind == b"auth" and b"nullok" in words:
            found.add(_EMPTY_PASSWORDS)
    return found


def _module(line: bytes) -> bytes:
    """Return the module of a rule, without its directory if that is the standard one."""
    for one in line.split(b" ")[1:12]:
        if one.endswith(b".so"):
            directory, _, name = one.rpartition(b"/")
            usual = directory.startswith((b"/lib", b"/usr/lib")) and directory.endswith(
                b"/security"
            )
            return name if usual else one
    return b""


def _lost_guards(old: bytes | None, new: bytes | None) -> list[bytes]:
    """Return the modules that can refuse a login and are no longer used."""
    if old is None or new is None:
        return []
    before, after = set(map(_module, rules_of(old))), set(map(_module, rules_of(new)))
    return [name for name in _GUARDS if name in before and name not in after]


def _installed_modules(evidence: Evidence) -> frozenset[str]:
    """Return the modules and services that packages installed in this interval."""
    names = (path.rpartition("/")[2] for path in evidence.owners)
    return frozenset(name for name in names if name.startswith(("pam_", "libnss_")))


def _name_service(evidence: Evidence, old: bytes | None, new: bytes | None) -> _Read:
    before, after = _services(old), _services(new)
    installed = evidence.once(_installed_modules)
    dangers: list[str] = []
    others: list[str] = []
    for database in sorted(after):
        for service in sorted(after[database] - before.get(database, frozenset())):
            if any(name.startswith(f"libnss_{word(service)}.") for name in installed):
                continue
            mark = f"{word(database)}: {word(service)}"
            is_usual = service in _USUAL_SERVICES or old is None
            (others if is_usual or database not in _ACCOUNTS else dangers).append(mark)
    return dangers, others


def _services(text: bytes | None) -> dict[bytes, frozenset[bytes]]:
    found = {}
    for line in rules_of(text):
        database, colon, rest = line.partition(b":")
        if colon:
            words = rest.partition(b"#")[0].split()
            found[database] = frozenset(one for one in words if not one.startswith((b"[", b"!")))
    return found


def _shells(evidence: Evidence, old: bytes | None, new: bytes | None) -> _Read:
    added = rules_between(old, new).added
    odd = [word(line) for line in added if not line.startswith(_SHELL_DIRECTORIES)]
    return [], [f"+{shell}" for shell in odd]


def _login_defaults(evidence: Evidence, old: bytes | None, new: bytes | None) -> _Read:
    if old is None or new is None:
        return [], []
    rules = rules_between(old, new)
    names = [word(line.partition(b" ")[0]) for line in (*rules.added, *rules.removed)]
    weak = any(
        line.upper().startswith(b"ENCRYPT_METHOD ") and line.lower().endswith(_WEAK_HASHES)
        for line in rules.added
    )
    return ["ENCRYPT_METHOD is weak"] if weak else [], sorted(set(names))


_READERS = {
    "etc/nsswitch.conf": _name_service,
    "etc/shells": _shells,
    "etc/login.defs": _login_defaults,
}
