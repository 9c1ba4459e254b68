"""Settings of a Debian system: configuration files, time, names, languages, alternatives."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.debs import deb
from evaluation.place import Place
from evaluation.scenario import scenario
from evaluation.truth import EnabledUnits, Users
from evaluation.truths.debian import Alternatives, Dpkg, DpkgSettings, Etc, Groups

_SYSTEM = (Dpkg(), Users(), Groups(), EnabledUnits())
_INSTALL = "apt-get install -y -qq --no-install-recommends"


@scenario(
    22, "three lines of nginx.conf, a file of a package", *_SYSTEM, Etc(),
    machine=True, benign=True, headline=("nginx.conf", "worker_connections 768 → 2048"),
)  # fmt: skip
def edit_nginx(place: Place) -> Iterator[None]:
    place.run(f"{_INSTALL} nginx-light")
    yield
    place.run(
        "sed -i 's/worker_connections 768/worker_connections 2048/; s/# multi_accept on/multi_accept on/;"
        " s/# server_tokens off/server_tokens off/' /etc/nginx/nginx.conf"
    )


@scenario(
    22, "a site enabled, a module's settings removed, a password in redis.conf", *_SYSTEM, Etc(),
    machine=True, benign=True, headline=("config files",),
)  # fmt: skip
def several_settings(place: Place) -> Iterator[None]:
    place.run(f"{_INSTALL} nginx-light redis-server")
    yield
    place.write(
        "etc/nginx/sites-available/shop", "server {\n  listen 8080;\n  root /srv/shop;\n}\n"
    )
    place.run(
        "ln -s ../sites-available/shop /etc/nginx/sites-enabled/shop; rm /etc/nginx/sites-enabled/default;"
        f" echo 'requirepass {place.canary()}' >> /etc/redis/redis.conf; rm /etc/logrotate.d/redis-server"
    )


@scenario(
    22, "a conffile edited, then kept at an upgrade", *_SYSTEM, Etc(),
    machine=True, benign=True, headline=("wharf.conf", "1.0 → 2.0"),
    stands_in="packages built here, as mirrors keep one version only",
)  # fmt: skip
def keep_at_upgrade(place: Place) -> Iterator[None]:
    place.run(f"dpkg -i {deb(place, 'wharf', '1.0')}")
    newer = deb(place, "wharf", "2.0")
    yield
    place.run("sed -i 's/port = 80/port = 8080/' /etc/wharf/wharf.conf")
    place.run(f"dpkg --force-confold -i {newer}")


@scenario(
    22, "time zone and name of the machine", *_SYSTEM, Etc(),
    machine=True, benign=True, headline=("config files changed",),
)  # fmt: skip
def zone_and_name(place: Place) -> Iterator[None]:
    yield
    place.run("ln -sf /usr/share/zoneinfo/Europe/Berlin /etc/localtime")
    place.write("etc/timezone", "Europe/Berlin\n")
    place.write("etc/hostname", "web-7\n")


@scenario(
    22, "locale-gen and update-locale", *_SYSTEM, Etc("etc/default/locale"),
    expected={("env.added", "etc/default/locale", "LANG", None, None)},
    machine=True, benign=True, headline=("locale.gen", "LANG"),
)  # fmt: skip
def languages(place: Place) -> Iterator[None]:
    place.run(f"{_INSTALL} locales")
    yield
    place.run("sed -i 's/# de_DE.UTF-8/de_DE.UTF-8/' /etc/locale.gen && locale-gen")
    place.run("update-locale LANG=de_DE.UTF-8")


@scenario(
    22, "an alternative chosen by hand", *_SYSTEM, Etc(), Alternatives(),
    machine=True, benign=True, headline=("editor", "vim.tiny"),
)  # fmt: skip
def choose_editor(place: Place) -> Iterator[None]:
    place.run(f"{_INSTALL} nano vim-tiny")
    yield
    place.run("update-alternatives --set editor /usr/bin/vim.tiny")


@scenario(
    22, "an alternative of one's own", *_SYSTEM, Etc(), Alternatives(),
    machine=True, benign=True, headline=("alternative db",),
)  # fmt: skip
def own_alternative(place: Place) -> Iterator[None]:
    yield
    place.run("update-alternatives --install /usr/bin/db db /usr/bin/sqlite3 10")


@scenario(
    22, "answers for debconf, a diversion, overridden rights", *_SYSTEM, Etc(), DpkgSettings(),
    expected={
        ("config.changed", "var/cache/debconf/passwords.dat", "var/cache/debconf/passwords.dat", None, None),
    },
    machine=True, benign=True,
)  # fmt: skip
def tools_of_dpkg(place: Place) -> Iterator[None]:
    place.run(f"echo 'man-db man-db/secret password {place.canary()}' | debconf-set-selections")
    yield
    place.run("echo 'man-db man-db/auto-update boolean false' | debconf-set-selections")
    place.run(f"echo 'man-db man-db/secret password {place.canary()}' | debconf-set-selections")
    place.run("dpkg-divert --local --no-rename --add /usr/share/doc/sudo/README.md")
    place.run("dpkg-statoverride --add root adm 0750 /var/log/apt")
