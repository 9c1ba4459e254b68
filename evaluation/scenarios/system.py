"""Accounts, services and jobs of a machine."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.place import Place
from evaluation.scenario import scenario
from evaluation.truths.system import Accounts, Crontabs, Units

_UNIT = "[Unit]\nDescription=Worker\n\n[Service]\nUser=www-data\nExecStart=/opt/app/worker --queue mail\n"
_INSTALL = "\n[Install]\nWantedBy=multi-user.target\n"


@scenario(
    18,
    "useradd -G sudo, usermod -s, userdel",
    Accounts(),
    machine=True,
    warnings={"sudo"},
    headline=("sudo",),
)
def accounts_change(place: Place) -> Iterator[None]:
    place.run("useradd -m bob && useradd -m carol")
    yield
    place.run("useradd -m -s /bin/bash -G sudo alice && usermod -s /usr/sbin/nologin bob")
    place.run("userdel carol")


@scenario(
    18, "chpasswd, usermod -L, gpasswd -a docker", Accounts(), machine=True, warnings={"docker"}
)
def passwords_change(place: Place) -> Iterator[None]:
    place.run("groupadd docker && useradd -m bob && useradd -m carol && useradd -m dave")
    place.run(f"echo carol:{place.canary()} | chpasswd")
    yield
    place.run(f"echo bob:{place.canary()} | chpasswd && usermod -L carol && gpasswd -a dave docker")


@scenario(
    18,
    "a second uid 0 and an empty password",
    Accounts(),
    machine=True,
    warnings={"toor", "bob"},
    headline=("toor",),
)
def accounts_without_a_lock(place: Place) -> Iterator[None]:
    place.run("useradd -m bob")
    yield
    place.run("useradd -o -u 0 -g 0 -M -d /root toor && passwd -d bob")


@scenario(
    18, "adduser of an ordinary user", Accounts(), machine=True, benign=True, headline=("alice",)
)
def ordinary_user(place: Place) -> Iterator[None]:
    yield
    place.run("adduser --disabled-password --gecos '' alice && usermod -aG cdrom alice")


@scenario(
    20,
    "a unit file of one's own, enabled",
    Units(),
    expected={("service.added", "systemd", "worker.service", None, "/opt/app/worker --queue mail")},
    machine=True,
    benign=True,
    headline=("worker",),
)
def own_unit(place: Place) -> Iterator[None]:
    yield
    place.write("etc/systemd/system/worker.service", _UNIT + _INSTALL)
    place.run("systemctl enable worker.service")


@scenario(
    20,
    "mask, disable, a drop-in and a timer",
    Units(),
    expected={
        ("service.added", "systemd", "backup.service", None, "/opt/backup --all"),
        ("service.added", "systemd", "backup.timer", None, "daily"),
        ("service.changed", "systemd", "cron.service", None, None),
    },
    machine=True,
    benign=True,
)
def units_of_all_sorts(place: Place) -> Iterator[None]:
    yield
    place.run("systemctl mask systemd-timesyncd.service systemd-networkd.socket")
    place.run("systemctl disable ssh.service")
    place.write("etc/systemd/system/cron.service.d/nice.conf", "[Service]\nNice=10\n")
    place.write(
        "etc/systemd/system/backup.service",
        "[Service]\nType=oneshot\nExecStart=/opt/backup --all\n",
    )
    place.write(
        "etc/systemd/system/backup.timer",
        "[Timer]\nOnCalendar=daily\n\n[Install]\nWantedBy=timers.target\n",
    )
    place.run("systemctl enable backup.timer")


@scenario(
    20,
    "unmask, another ExecStart, a unit removed",
    Units(),
    expected={
        ("service.changed", "systemd", "worker.service", None, None),
        ("service.removed", "systemd", "old.service", "/opt/old", None),
    },
    machine=True,
    benign=True,
)
def units_come_and_go(place: Place) -> Iterator[None]:
    place.run("systemctl mask systemd-timesyncd.service ssh.service")
    place.write("etc/systemd/system/worker.service", _UNIT)
    place.write("etc/systemd/system/old.service", "[Service]\nExecStart=/opt/old\n" + _INSTALL)
    place.run("systemctl enable old.service")
    yield
    place.run("systemctl unmask systemd-timesyncd.service ssh.service")
    place.write("etc/systemd/system/worker.service", _UNIT.replace("mail", "mail --threads 4"))
    place.run("systemctl disable old.service && rm /etc/systemd/system/old.service")


@scenario(
    21,
    "a file in cron.d, a user's crontab, a daily script",
    Crontabs("root", "alice"),
    expected={
        ("cron.added", "etc/cron.d/backup", "/opt/backup --all", None, "15 3 * * *"),
        ("cron.added", "etc/cron.daily", "rotate", None, "daily"),
    },
    machine=True,
    benign=True,
    headline=("cron",),
)
def jobs_are_added(place: Place) -> Iterator[None]:
    place.run("useradd -m alice")
    place.run("printf '%s\\n' '0 1 * * * /opt/nightly' '@reboot /opt/agent' | crontab -u alice -")
    yield
    place.write("etc/cron.d/backup", "MAILTO=root\n15 3 * * * root /opt/backup --all\n")
    place.write("etc/cron.daily/rotate", "#!/bin/sh\nexec /opt/rotate\n", 0o755)
    place.run(
        "printf '%s\\n' '# mine' '30 2 * * * /opt/nightly' '*/5 * * * * /opt/poll' | crontab -u alice -"
    )


@scenario(
    21,
    "a crontab whose command holds a password",
    expected={("cron.added", "user:root", "pg_dump postgres://db.example/app", None, "0 4 * * *")},
    machine=True,
    benign=True,
)
def job_with_a_password(place: Place) -> Iterator[None]:
    yield
    address = f"postgres://app:{place.canary()}@db.example/app"
    place.run(f"echo '0 4 * * * pg_dump {address}' | crontab -")


@scenario(18, "deluser with its home, usermod -l, groupadd", Accounts(), machine=True, benign=True)
def accounts_leave(place: Place) -> Iterator[None]:
    place.run("useradd -m -s /bin/bash bob && useradd -m carol && useradd -m dave")
    yield
    place.run("userdel -r bob && usermod -l karl -c 'Karl' carol && groupadd -r media")
    place.run("usermod -aG media dave")


@scenario(
    20,
    "a copy of a package's unit edited, an instance, another default target",
    Units(),
    expected={
        ("service.added", "systemd", "cron.service", None, None),
        ("service.changed", "systemd", "default.target", "graphical.target", "multi-user.target"),
        # list-unit-files names templates, not their instances
        ("service.enabled", "systemd", "serial-getty@ttyS0.service", None, None),
    },
    machine=True,
    benign=True,
)
def units_of_packages(place: Place) -> Iterator[None]:
    yield
    place.run(
        "sed 's/^ExecStart=.*/& -l/' /lib/systemd/system/cron.service > /etc/systemd/system/cron.service"
    )
    place.run(
        "systemctl enable serial-getty@ttyS0.service && systemctl set-default multi-user.target"
    )


@scenario(21, "crontab -r, and a line commented out", Crontabs("root", "alice"), machine=True, benign=True,
          expected={("cron.removed", "etc/cron.d/backup", "/opt/backup", "15 3 * * *", None)})  # fmt: skip
def jobs_are_removed(place: Place) -> Iterator[None]:
    place.run("useradd -m alice && echo '@daily /opt/nightly' | crontab -u alice -")
    place.run("echo '5 4 * * sun /opt/weekly' | crontab -")
    place.write("etc/cron.d/backup", "15 3 * * * root /opt/backup\n")
    yield
    place.run("crontab -r -u alice")
    place.write("etc/cron.d/backup", "# 15 3 * * * root /opt/backup\n")
