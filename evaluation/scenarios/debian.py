"""Packages of a Debian system: what apt and dpkg install, remove, upgrade, mark and leave broken."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.debs import deb, publish
from evaluation.place import Place
from evaluation.scenario import scenario
from evaluation.truth import EnabledUnits, Users
from evaluation.truths.debian import (
    AptTargets,
    Dpkg,
    DpkgSettings,
    Etc,
    Groups,
    PostgresClusters,
)

_SYSTEM = (Dpkg(), Users(), Groups(), EnabledUnits(), Etc())
_INSTALL = "apt-get install -y -qq --no-install-recommends"
_OLD_DEBS = "packages built here and a repository of them, as mirrors keep one version only"


@scenario(
    1, "apt-get install redis-server nginx-light", *_SYSTEM,
    machine=True, benign=True, headline=("redis-server", "nginx-light", "apt"),
)  # fmt: skip
def install_two_servers(place: Place) -> Iterator[None]:
    yield
    place.run(f"{_INSTALL} redis-server nginx-light")


@scenario(
    2, "apt-get install postgresql", *_SYSTEM, PostgresClusters(),
    machine=True, benign=True, headline=("postgresql",),
)  # fmt: skip
def install_a_database(place: Place) -> Iterator[None]:
    yield
    place.run(f"{_INSTALL} postgresql")


@scenario(
    3, "apt-get remove docker.io, its configuration left behind", *_SYSTEM,
    machine=True, benign=True, headline=("removed docker.io",),
)  # fmt: skip
def remove_docker(place: Place) -> Iterator[None]:
    place.run(f"{_INSTALL} docker.io")
    yield
    place.run("apt-get remove -y -qq docker.io")


@scenario(
    4, "apt-get purge --autoremove", *_SYSTEM,
    machine=True, benign=True, headline=("removed", "redis-server"),
)  # fmt: skip
def purge_with_dependencies(place: Place) -> Iterator[None]:
    place.run(f"{_INSTALL} redis-server nginx-light")
    yield
    place.run("apt-get purge -y -qq --autoremove redis-server nginx-light")


@scenario(
    4, "apt-get purge of what was removed before", *_SYSTEM,
    machine=True, benign=True, headline=("config files removed",),
)  # fmt: skip
def purge_leftovers(place: Place) -> Iterator[None]:
    place.run(f"{_INSTALL} redis-server && apt-get remove -y -qq redis-server")
    yield
    place.run("apt-get purge -y -qq redis-server")


@scenario(
    5, "apt-get install of a newer version", *_SYSTEM,
    machine=True, benign=True, headline=("wharf 1.0 → 2.0",), stands_in=_OLD_DEBS,
)  # fmt: skip
def upgrade_one(place: Place) -> Iterator[None]:
    deb(place, "wharf", "1.0")
    publish(place)
    place.run("apt-get install -y -qq wharf")
    deb(place, "wharf", "2.0")
    publish(place)
    yield
    place.run("apt-get install -y -qq wharf")


@scenario(
    5, "downgrade", *_SYSTEM,
    machine=True, benign=True, headline=("wharf 2.0 → 1.0", "downgrade"), stands_in=_OLD_DEBS,
)  # fmt: skip
def downgrade_one(place: Place) -> Iterator[None]:
    older = deb(place, "wharf", "1.0")
    place.run(f"dpkg -i {deb(place, 'wharf', '2.0')}")
    yield
    place.run(f"dpkg -i {older}")


@scenario(
    5, "apt-get dist-upgrade of several, one new, one gone", *_SYSTEM,
    machine=True, benign=True, headline=("installed pilot", "crane", "removed tugboat"), stands_in=_OLD_DEBS,
)  # fmt: skip
def upgrade_all(place: Place) -> Iterator[None]:
    for name in ("wharf", "crane", "ferry", "tugboat"):
        deb(place, name, "1.0")
    publish(place)
    place.run("apt-get install -y -qq wharf crane ferry tugboat")
    deb(place, "wharf", "2.0", fields="Depends: pilot\nConflicts: tugboat\n")
    deb(place, "crane", "1:0.9")
    deb(place, "ferry", "1.1~rc1+b2")
    deb(place, "pilot", "3")
    publish(place)
    yield
    place.run("apt-get dist-upgrade -y -qq")


@scenario(
    6, "dpkg -i of a local package", *_SYSTEM,
    machine=True, benign=True, headline=("installed wharf",), stands_in=_OLD_DEBS,
)  # fmt: skip
def install_local(place: Place) -> Iterator[None]:
    path = deb(
        place, "wharf", "1.0",
        postinst="adduser --system --group --quiet --home /var/lib/wharf wharf\n"
        "mkdir -p /var/log/wharf\necho id=1 > /etc/wharf/instance.conf",
    )  # fmt: skip
    yield
    place.run(f"dpkg -i {path}")


@scenario(
    6, "apt-mark hold, manual and auto", *_SYSTEM,
    machine=True, benign=True, headline=("marked manual",), stands_in=_OLD_DEBS,
)  # fmt: skip
def mark(place: Place) -> Iterator[None]:
    deb(place, "wharf", "1.0", fields="Depends: crane, ferry\n")
    for name in ("crane", "ferry"):
        deb(place, name, "1.0")
    publish(place)
    place.run("apt-get install -y -qq wharf")
    yield
    place.run("apt-mark hold wharf; apt-mark manual crane; apt-mark auto man-db")


@scenario(
    6, "a script that fails leaves a package half-configured", *_SYSTEM,
    machine=True, warnings={"wharf"}, headline=("half-configured",), stands_in=_OLD_DEBS,
)  # fmt: skip
def failing_script(place: Place) -> Iterator[None]:
    path = deb(place, "wharf", "1.0", postinst="exit 3")
    yield
    place.run(f"dpkg -i {path}", check=False)


@scenario(
    6, "dpkg interrupted between unpacking and configuring", *_SYSTEM,
    machine=True, warnings={"wharf"}, headline=("not configured",), stands_in=_OLD_DEBS,
)  # fmt: skip
def interrupted(place: Place) -> Iterator[None]:
    path = deb(place, "wharf", "1.0")
    yield
    place.run(f"dpkg --unpack {path}")


@scenario(
    6, "dpkg --force-depends, then dpkg --configure -a of another", *_SYSTEM,
    machine=True, headline=("wharf",), stands_in=_OLD_DEBS,
)  # fmt: skip
def forced(place: Place) -> Iterator[None]:
    path = deb(place, "wharf", "1.0", fields="Depends: nowhere-to-be-found\n")
    place.run(f"dpkg --unpack {deb(place, 'crane', '1.0')}")
    yield
    place.run(f"dpkg --configure -a; dpkg --force-depends -i {path}", check=False)


@scenario(
    7, "a new apt source and its signing key", *_SYSTEM, AptTargets(),
    expected={("source.added", "apt", "etc/apt/keyrings/acme.gpg", None, None)},
    machine=True, warnings={"etc/apt/keyrings/acme.gpg", "https://apt.example.org/debian"},
    headline=("signing key acme.gpg", "https://apt.example.org/debian"),
)  # fmt: skip
def new_source(place: Place) -> Iterator[None]:
    yield
    place.run(
        "install -D /usr/share/keyrings/debian-archive-keyring.gpg /etc/apt/keyrings/acme.gpg"
    )
    place.write(
        "etc/apt/sources.list.d/acme.sources",
        f"Types: deb\nURIs: https://me:{place.canary()}@apt.example.org/debian\nSuites: stable\n"
        "Components: main\nSigned-By: /etc/apt/keyrings/acme.gpg\n",
    )
    place.write(
        "etc/apt/preferences.d/acme",
        "Package: *\nPin: origin apt.example.org\nPin-Priority: 100\n",
    )


@scenario(
    7, "another suite of a known source, and a foreign architecture", *_SYSTEM, AptTargets(),
    DpkgSettings(),
    machine=True, benign=True, headline=("bookworm-backports", "i386"),
)  # fmt: skip
def new_suite(place: Place) -> Iterator[None]:
    yield
    place.write(
        "etc/apt/sources.list.d/backports.list",
        "deb http://deb.debian.org/debian bookworm-backports main\n",
    )
    place.run("dpkg --add-architecture i386")


@scenario(
    7, "a package of a foreign architecture", *_SYSTEM,
    machine=True, benign=True, headline=("zlib1g:i386",),
)  # fmt: skip
def foreign_package(place: Place) -> Iterator[None]:
    place.run("dpkg --add-architecture i386; apt-get update -qq")
    yield
    place.run(f"{_INSTALL} zlib1g:i386")


@scenario(34, "no change: apt-get update, git status, ls", *_SYSTEM, machine=True, benign=True)
def only_looks(place: Place) -> Iterator[None]:
    place.run("git init -q /srv/app && cd /srv/app && echo 1 > a && git add a && git commit -qm a")
    yield
    place.run(
        "apt-get update -qq; apt-cache policy > /dev/null; ls -R /etc > /dev/null; dpkg -l > /dev/null;"
        " git -C /srv/app status > /dev/null; python3 -c 'import json, sqlite3'; man -k apt > /dev/null",
        check=False,
    )


@scenario(
    34, "no change: reinstalled, rewritten, caches made anew", *_SYSTEM,
    expected={("generated.changed", "cache", "var/cache", None, None)},
    machine=True, benign=True, headline=("only logs and caches",),
)  # fmt: skip
def the_same_again(place: Place) -> Iterator[None]:
    yield
    place.run("apt-get install -y -qq --reinstall sudo cron libcap2-bin")
    place.run("ldconfig; mandb -q; cp -p /etc/fstab /tmp/h; cat /tmp/h > /etc/fstab; rm /tmp/h")
    place.run("apt-get clean; touch /etc/passwd /etc/sudoers; update-ca-certificates > /dev/null")


@scenario(
    1, "apt-get install openssh-server", *_SYSTEM,
    machine=True, benign=True, headline=("openssh-server",),
)  # fmt: skip
def install_ssh(place: Place) -> Iterator[None]:
    place.run("apt-get purge -y -qq openssh-server")
    yield
    place.run(f"{_INSTALL} openssh-server")
