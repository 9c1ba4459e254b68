from __future__ import annotations

from clew.detectors.security.certificates import Certificates
from clew.detectors.security.login_checks import LoginChecks
from tests.kit.moments import Moment, Thing, evidence, facts, file, findings, link

# as Debian 12 writes it
COMMON_AUTH = b"""# here are the per-package modules (the "Primary" block)
auth\t[success=1 default=ignore]\tpam_unix.so nullok
auth\trequisite\t\t\tpam_deny.so
auth\trequired\t\t\tpam_permit.so
"""
NSSWITCH = b"passwd:         files systemd\nshadow:         files\nhosts:          files dns\n"


def _login(old: Moment, new: Moment) -> list[tuple[str, tuple[str, ...]]]:
    return [(fact.severity, fact.marks) for fact in facts(LoginChecks(), old, new)]


def test_pam_that_lets_everybody_in_is_a_warning() -> None:
    path = "etc/pam.d/common-auth"
    weaker = {
        b"auth sufficient pam_permit.so\n" + COMMON_AUTH: "pam_permit.so lets everybody in",
        COMMON_AUTH + b"auth optional pam_exec.so /tmp/x\n": "pam_exec.so runs a program",
        COMMON_AUTH + b"auth optional /tmp/pam_x.so\n": "module /tmp/pam_x.so",
        COMMON_AUTH.replace(b"auth\trequisite\t\t\tpam_deny.so\n", b""): "pam_deny.so is gone",
    }
    for text, mark in weaker.items():
        assert _login({path: COMMON_AUTH}, {path: text}) == [("high", (mark,))]


def test_empty_passwords_are_a_warning_where_they_were_refused() -> None:
    path = "etc/pam.d/common-auth"
    strict = COMMON_AUTH.replace(b" nullok", b"")

    assert _login({path: strict}, {path: COMMON_AUTH}) == [
        ("high", ("empty passwords are accepted",))
    ]
    assert [severity for severity, _ in _login({}, {path: COMMON_AUTH})] == ["note"]


def test_a_harmless_rule_is_a_note_and_a_comment_nothing() -> None:
    path = "etc/pam.d/common-auth"

    assert _login({path: COMMON_AUTH}, {path: COMMON_AUTH + b"auth optional pam_cap.so\n"}) == [
        ("note", ("pam_cap.so",))
    ]
    assert (
        _login({path: COMMON_AUTH}, {path: b"# new\n" + COMMON_AUTH.replace(b"\t\t", b" ")}) == []
    )
    lines = COMMON_AUTH.splitlines(keepends=True)
    assert _login({path: COMMON_AUTH}, {path: b"".join([*lines[2:], lines[1]])}) == [
        ("note", ("another order",))
    ]


def test_what_a_package_registers_with_pam_warns_nobody() -> None:
    path, module = "etc/pam.d/common-session", "usr/lib/x86_64-linux-gnu/security/pam_systemd.so"
    found = evidence(
        {path: b"session required pam_unix.so\n"},
        {
            path: b"session required pam_unix.so\nsession optional pam_systemd.so\n",
            module: b"\x7fELF",
        },
    )
    found.own([module], "libpam-systemd")

    assert findings(LoginChecks(), found) == []


def test_a_module_that_no_package_ships_is_a_warning() -> None:
    module = "lib/x86_64-linux-gnu/security/pam_unix.so"

    assert _login({module: b"a"}, {module: b"b"}) == [("high", ("a module that no package ships",))]
    assert _login({}, {"src/security/pam_notes.txt": b"x"}) == []


def test_an_unknown_service_for_accounts_is_a_warning_and_a_known_one_a_note() -> None:
    path = "etc/nsswitch.conf"

    assert _login({path: NSSWITCH}, {path: NSSWITCH.replace(b"systemd", b"systemd evil")}) == [
        ("high", ("passwd: evil",))
    ]
    assert _login({path: NSSWITCH}, {path: NSSWITCH.replace(b"dns", b"mdns4 dns")}) == [
        ("note", ("hosts: mdns4",))
    ]
    assert _login({path: NSSWITCH}, {path: NSSWITCH.replace(b"files dns", b"files  dns # x")}) == []


def test_shells_and_login_defaults() -> None:
    assert _login({"etc/shells": b"/bin/sh\n"}, {"etc/shells": b"/bin/sh\n/usr/bin/zsh\n"}) == []
    assert _login({"etc/shells": b""}, {"etc/shells": b"/tmp/sh\n"}) == [("note", ("+/tmp/sh",))]
    assert _login(
        {"etc/login.defs": b"UMASK 022"}, {"etc/login.defs": b"UMASK 022\nENCRYPT_METHOD MD5"}
    ) == [("high", ("ENCRYPT_METHOD is weak",))]


def test_hostile_files_cost_no_more_than_a_line() -> None:
    for text in (b"\xff\x00\n" * 1000, b"auth " + b"x" * (10 << 20), b":" * 100_000):
        for path in ("etc/pam.d/x", "etc/nsswitch.conf", "etc/shells", "etc/login.defs"):
            assert len(_login({path: b"a"}, {path: text})) <= 1


# Certificates


def _pem(body: bytes) -> bytes:
    return b"-----BEGIN CERTIFICATE-----\n" + body + b"\n-----END CERTIFICATE-----\n"


BUNDLE = "etc/ssl/certs/ca-certificates.crt"
SHIPPED = "usr/share/ca-certificates/mozilla/A.crt"
STORE: dict[str, bytes | Thing] = {
    SHIPPED: _pem(b"QQ=="),
    "etc/ssl/certs/A.pem": link("/usr/share/ca-certificates/mozilla/A.crt"),
    "etc/ssl/certs/0123abcd.0": link("A.pem"),
    BUNDLE: _pem(b"QQ=="),
}


def test_an_authority_put_down_by_hand_is_one_warning_with_all_its_copies() -> None:
    new = {
        **STORE,
        "usr/local/share/ca-certificates/evil.crt": _pem(b"RVZJTA=="),
        "etc/ssl/certs/evil.pem": link("/usr/local/share/ca-certificates/evil.crt"),
        "etc/ssl/certs/deadbeef.0": link("evil.pem"),
        "etc/ssl/certs/copy-of-evil.pem": _pem(b"RVZJTA=="),
        BUNDLE: _pem(b"QQ==") + _pem(b"RVZJTA=="),
    }

    (finding,) = findings(Certificates(), evidence(STORE, new))

    assert finding.facts[0].subject == "usr/local/share/ca-certificates/evil.crt"
    assert finding.facts[0].severity == "high"
    assert set(finding.claims) == set(new) - {*STORE} | {BUNDLE}


def test_the_package_of_authorities_warns_nobody() -> None:
    found = evidence({}, STORE)
    found.own([SHIPPED], "ca-certificates")

    (finding,) = findings(Certificates(), found)

    assert (finding.facts, finding.text) == ((), "certificate store renewed")
    assert set(finding.claims) == {*STORE} - {SHIPPED}


def test_a_bundle_edited_by_hand_is_a_warning() -> None:
    (fact,) = facts(Certificates(), STORE, {**STORE, BUNDLE: _pem(b"QQ==") + _pem(b"RVZJTA==")})

    assert (fact.subject, fact.marks) == (BUNDLE, ("1 certificate from nowhere",))


def test_a_file_or_a_link_put_into_the_store_itself_is_a_warning() -> None:
    for thing in (
        file(_pem(b"RQ==")),
        link("/tmp/evil.pem"),
        link("../../../tmp/evil.pem"),
        link("/usr/local/share/ca-certificates-evil/x"),
    ):
        found = facts(Certificates(), STORE, {**STORE, "etc/ssl/certs/evil.pem": thing})
        assert [(fact.subject, fact.severity) for fact in found] == [
            ("etc/ssl/certs/evil.pem", "high")
        ]


def test_removing_an_authority_is_no_danger() -> None:
    path = "usr/local/share/ca-certificates/evil.crt"

    assert [(f.kind, f.severity) for f in facts(Certificates(), {path: _pem(b"RQ==")}, {})] == [
        ("config.removed", "none")
    ]


def test_the_certificate_a_package_makes_for_this_machine_warns_nobody() -> None:
    path = "etc/ssl/certs/ssl-cert-snakeoil.pem"
    found = evidence({}, {path: _pem(b"RQ=="), "usr/sbin/make-ssl-cert": b"x"})
    found.own(["usr/sbin/make-ssl-cert"], "ssl-cert")

    assert [finding.facts for finding in findings(Certificates(), found)] == [()]
