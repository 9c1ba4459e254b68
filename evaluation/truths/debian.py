"""What Debian's own tools say: packages, configuration, groups, alternatives, sources."""

from __future__ import annotations

import posixpath
import re
from typing import NamedTuple, cast

from evaluation.place import Place
from evaluation.scenario import Told
from evaluation.truth import package_facts

_ABSENT = frozenset(("config-files", "not-installed"))


class DpkgState(NamedTuple):
    """What dpkg and apt know of packages."""

    versions: dict[str, str]
    marks: dict[str, tuple[str, ...]]
    """Whether each is held, asked for, and how far its installation came."""


class Dpkg:
    """What `dpkg-query` and `apt-mark` say is installed, held, and asked for."""

    kinds = ("package.added", "package.removed", "package.changed")

    def look(self, place: Place) -> DpkgState:
        native = place.run("dpkg --print-architecture").strip()
        lines = place.run(
            "dpkg-query -W -f '${binary:Package} ${db:Status-Status} ${db:Status-Eflag} ${Version}\\n'"
        )
        held = set(place.run("apt-mark showhold").split())
        manual = set(place.run("apt-mark showmanual").split())
        versions: dict[str, str] = {}
        marks: dict[str, tuple[str, ...]] = {}
        for line in lines.splitlines():
            name, state, flag, *rest = line.split()
            if state in _ABSENT:
                continue
            name = name.removesuffix(f":{native}")
            versions[name] = rest[0]
            is_whole = state in ("installed", "triggers-pending", "triggers-awaited")
            marks[name] = (
                str(name in held),
                str(name in manual),
                "whole" if is_whole and flag == "ok" else "broken",
            )
        return DpkgState(versions, marks)

    def facts(self, before: object, after: object) -> set[Told]:
        old, new = cast(DpkgState, before), cast(DpkgState, after)
        found = package_facts("apt", old.versions, new.versions)
        for name in old.versions.keys() & new.versions.keys():
            if old.versions[name] == new.versions[name] and old.marks[name] != new.marks[name]:
                version = new.versions[name]
                found.add(("package.changed", "apt", name, version, version))
        return found


class Groups:
    """What `getent` says of groups: those that came and went, and who is in them."""

    kinds = ("group.changed",)

    def look(self, place: Place) -> dict[str, str]:
        return {line.partition(":")[0]: line for line in place.run("getent group").splitlines()}

    def facts(self, before: object, after: object) -> set[Told]:
        old, new = cast(dict[str, str], before), cast(dict[str, str], after)
        return {
            ("group.changed", "accounts", name, None, None)
            for name in old.keys() | new.keys()
            if old.get(name) != new.get(name)
        }


class EtcFile(NamedTuple):
    """One file below /etc."""

    digest: str
    shipped: str
    """The MD5 that dpkg knows; `listed` for what a package ships otherwise; nothing for others."""
    is_as_shipped: bool
    is_leftover: bool
    """Whether the package that shipped it is not installed any more."""
    target: str
    """Where a link leads."""


class EtcState(NamedTuple):
    """All of them, and what packages ship anywhere."""

    files: dict[str, EtcFile]
    listed: frozenset[str]
    known: frozenset[str]
    """What dpkg still knows as configuration, there or not."""


class Etc:
    """What `find`, `md5sum`, `dpkg-query` and `ucfq` say of configuration files.

    A file that is new or different must be told, unless it is just what a package ships.
    Those that other truths judge are left out.
    """

    kinds = ("config.added", "config.changed", "config.removed")
    elsewhere = (
        # accounts, units, start links and alternatives have truths of their own
        "etc/passwd", "etc/group", "etc/shadow", "etc/gshadow", "etc/subuid", "etc/subgid",
        "etc/systemd/", "etc/rc", "etc/alternatives/", "etc/apt/sources.list", "etc/apt/keyrings/",
        # the trust store, which is made of what packages ship
        "etc/ssl/certs/", "etc/ca-certificates",
        # what programs write for themselves
        "etc/ld.so.cache", "etc/.pwd.lock", "etc/mailcap",
    )  # fmt: skip

    def __init__(self, *elsewhere: str) -> None:
        """`elsewhere` are more paths that somebody else judges."""
        self._elsewhere = (*self.elsewhere, *elsewhere)

    def look(self, place: Place) -> EtcState:
        sums = place.run("find /etc -type f -exec md5sum {} +").splitlines()
        links = place.run(r"find /etc -type l -printf '%l  %p\n'").splitlines()
        digests = {path[1:]: digest for digest, path in (line.split("  ", 1) for line in sums)}
        targets = {path[1:]: target for target, path in (line.split("  ", 1) for line in links)}
        listed = frozenset(place.run("cat /var/lib/dpkg/info/*.list").splitlines())
        known = {path[1:]: "listed" for path in listed}
        known |= self._from_ucf(place, [path for path in digests if path not in known])
        leftover = set()
        asked = "dpkg-query -W -f '${db:Status-Status} -\\n${Conffiles}\\n'"
        state = ""
        for line in place.run(asked).splitlines():
            words = line.split()
            if len(words) >= 2 and words[1] == "-":
                state = words[0]
            elif len(words) >= 2:
                known[words[0][1:]] = words[1]
                leftover |= {words[0][1:]} if state == "config-files" else set()
        files = {
            path: EtcFile(
                digest, known.get(path, ""), known.get(path) in (digest, "listed"),
                path in leftover, _resolved(path, targets.get(path, "")),
            )
            for path, digest in (digests | targets).items()
            if not path.startswith(self._elsewhere) and not path.endswith(_LEFT_ASIDE)
        }  # fmt: skip
        return EtcState(files, listed, frozenset(known))

    def _from_ucf(self, place: Place, paths: list[str]) -> dict[str, str]:
        if not (place.root / "usr/bin/ucfq").exists() or not paths:
            return {}
        found = {}
        for line in place.run(f"ucfq -w {' '.join('/' + path for path in paths)}").splitlines():
            path, package, exists, changed = line.split(":")[:4]
            if package and exists == "Yes" and changed == "No":
                found[path[1:]] = "listed"
        return found

    def facts(self, before: object, after: object) -> set[Told]:
        old, new = cast(EtcState, before), cast(EtcState, after)
        moved = old.listed ^ new.listed
        found: set[Told] = set()
        for path in old.files.keys() | new.files.keys():
            was, now = old.files.get(path), new.files.get(path)
            if any(one and one.target in moved for one in (was, now)):
                continue  # a link that came or went with what it leads to
            word = self._word(was, now)
            if was and not now and path in new.known:
                word = "removed"  # and not by its package
            if word:
                found.add((f"config.{word}", path, path, None, None))
        return found

    def _word(self, was: EtcFile | None, now: EtcFile | None) -> str:
        if was is None:
            return "" if now is None or now.is_as_shipped else "added"
        if now is None:
            return "" if was.shipped and not was.is_leftover else "removed"
        is_updated = now.is_as_shipped and (was.shipped != now.shipped or now.shipped == "listed")
        return "" if was.digest == now.digest or is_updated else "changed"


def _resolved(path: str, target: str) -> str:
    if not target:
        return ""
    return posixpath.normpath(posixpath.join("/" + posixpath.dirname(path), target))


_LEFT_ASIDE = (".dpkg-old", ".dpkg-dist", ".dpkg-new", ".ucf-old", ".ucf-dist")


class Alternatives:
    """What `update-alternatives` says of names that stand for a program."""

    kinds = ("toolchain.changed", "config.added", "config.removed")

    def look(self, place: Place) -> dict[str, str]:
        lines = place.run("update-alternatives --get-selections").splitlines()
        rows = [line.split() for line in lines]
        return {row[0]: row[2] for row in rows if len(row) > 2}

    def facts(self, before: object, after: object) -> set[Told]:
        old, new = cast(dict[str, str], before), cast(dict[str, str], after)
        found: set[Told] = set()
        for name in old.keys() | new.keys():
            was, now = old.get(name), new.get(name)
            path = f"etc/alternatives/{name}"
            if was and now and was != now:
                found.add(("toolchain.changed", "alternatives", name, was, now))
            elif was != now:
                found.add((f"config.{'added' if now else 'removed'}", path, path, None, None))
        return found


class DpkgSettings:
    """What `dpkg`, `dpkg-divert`, `dpkg-statoverride` and `debconf-show` say is set."""

    kinds = ("config.changed",)
    _asked = {
        "var/lib/dpkg/arch": "dpkg --print-foreign-architectures",
        "var/lib/dpkg/diversions": "dpkg-divert --list | grep '^local'",
        "var/lib/dpkg/statoverride": "dpkg-statoverride --list",
        "var/cache/debconf/config.dat": (
            "for owner in $(debconf-show --listowners); do debconf-show --db=configdb $owner; done | sort"
        ),
    }

    def look(self, place: Place) -> dict[str, str]:
        return {path: place.run(command, check=False) for path, command in self._asked.items()}

    def facts(self, before: object, after: object) -> set[Told]:
        old, new = cast(dict[str, str], before), cast(dict[str, str], after)
        return {
            ("config.changed", path, path, None, None)
            for path in self._asked
            if old[path] != new[path]
        }


class AptTargets:
    """What `apt-get indextargets` says of the places that packages may come from."""

    kinds = ("source.added",)

    def look(self, place: Place) -> set[tuple[str, str]]:
        rows = place.run(
            "apt-get indextargets --no-release-info --format '$(REPO_URI) $(RELEASE)'"
            " 'Created-By: Packages'"
        )
        found = (line.split() for line in rows.splitlines())
        return {(re.sub("//.*@", "//", site).rstrip("/"), release) for site, release in found}

    def facts(self, before: object, after: object) -> set[Told]:
        old, new = cast(set[tuple[str, str]], before), cast(set[tuple[str, str]], after)
        sites = {site for site, _ in old}
        return {
            ("source.added", "apt", f"{site} {release}" if site in sites else site, None, None)
            for site, release in new - old
        }


class PostgresClusters:
    """What `pg_lsclusters` says of data directories."""

    kinds = ("data.changed",)

    def look(self, place: Place) -> set[str]:
        if not (place.root / "usr/bin/pg_lsclusters").exists():
            return set()
        rows = [line.split() for line in place.run("pg_lsclusters -h").splitlines()]
        return {row[5].lstrip("/") for row in rows}

    def facts(self, before: object, after: object) -> set[Told]:
        old, new = cast(set[str], before), cast(set[str], after)
        return {("data.changed", "postgres", path, None, None) for path in old ^ new}
