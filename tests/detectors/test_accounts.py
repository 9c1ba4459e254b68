from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from clew.detectors.system.accounts import Accounts
from clew.model.fact import Fact, Severity
from tests.kit.moments import Moment, evidence, facts, file, findings, problems, story

CANARY = "canary-7f3a"
HASH = "$6$canarysalt$canary7f3a"
TESTDATA = Path(__file__).parent / "testdata" / "accounts"

PASSWD = b"root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1::/:/usr/sbin/nologin\n"
SHADOW = b"root:*:1:0:99999:7:::\ndaemon:*:1:0:99999:7:::\n"
GROUP = b"root:x:0:\nsudo:x:27:\ndevs:x:1002:\n"
OLD = {"etc/passwd": PASSWD, "etc/shadow": SHADOW, "etc/group": GROUP}


def _after(**files: bytes) -> list[Fact]:
    return facts(Accounts(), OLD, {**OLD, **{f"etc/{name}": what for name, what in files.items()}})


def _loud(found: list[Fact]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [
        (fact.kind, fact.subject, fact.marks) for fact in found if fact.severity == Severity.HIGH
    ]


# Real useradd, usermod, gpasswd, passwd and userdel


class Step(NamedTuple):
    command: str
    old: Moment
    new: Moment
    truth: dict[str, tuple[dict[str, list[str]], list[str]]]
    """Differences in the output of `getent` and `passwd -S`."""


def _steps() -> list[Step]:
    tree: dict[str, tuple[str, int]] = {}
    steps: list[Step] = []
    for step in json.loads((TESTDATA / "shadow-4.13.json").read_text()):
        tree.update(step["there"])
        moment = {path: file(text.encode(), mode=mode) for path, (text, mode) in tree.items()}
        old = steps[-1].new if steps else {}
        steps.append(Step(step["command"], old, moment, step["truth"]))
    return steps[1:]


STEPS = {step.command: step for step in _steps()}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS.keys())
def test_users_and_groups_are_those_that_getent_lists(step: Step) -> None:
    found = facts(Accounts(), step.old, step.new)
    users = {fact.subject for fact in found if fact.kind.startswith("user.")}
    groups = {fact.subject for fact in found if fact.kind == "group.changed"}
    listed = {name for key in ("users", "status") for side in step.truth[key] for name in side}
    quiet = {"alice"} if step.command.startswith(("chage", "echo")) else set()
    # getent does not list primary members with the group
    own = {"userdel -r alice": "docker"}
    first = {group for word, group in own.items() if word in step.command}

    assert listed <= users <= listed | quiet
    assert groups == {name for side in step.truth["groups"] for name in side} | first


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS.keys())
def test_everything_that_the_tools_wrote_is_claimed(step: Step) -> None:
    found = evidence(step.old, step.new)
    claimed = [path for finding in findings(Accounts(), found) for path in finding.claims]

    assert {*claimed} == {*found.changes}


@pytest.mark.parametrize(
    ("command", "marks"),
    [
        ("useradd -m -s /bin/bash alice", ("uid 1001", "shell /bin/bash", "home /home/alice")),
        ("echo 'alice:canary-7f3a' | chpasswd", ("password set",)),
        ("passwd -l alice", ("locked",)),
        ("passwd -u alice", ("unlocked",)),
        ("echo 'alice:canary-7f3b' | chpasswd", ("password changed",)),
        ("usermod -s /bin/sh -c 'A B' alice", ("shell /bin/bash → /bin/sh", "comment")),
        ("passwd -d alice", ("password removed",)),
        ("chage -E 2030-01-01 alice", ("expiry",)),
        ("userdel -r alice", ()),
    ],
)
def test_what_is_different_about_a_user_is_said(command: str, marks: tuple[str, ...]) -> None:
    step = STEPS[command]
    (fact,) = [
        fact
        for fact in facts(Accounts(), step.old, step.new)
        if fact.kind.startswith("user.") and fact.subject == "alice"
    ]

    assert fact.marks == marks


def test_only_dangerous_steps_warn() -> None:
    loud = {
        command: _loud(facts(Accounts(), step.old, step.new)) for command, step in STEPS.items()
    }

    assert {command: found for command, found in loud.items() if found} == {
        "usermod -aG sudo alice": [("group.changed", "sudo", ("+alice",))],
        "useradd -o -u 0 -g 0 toor": [("security.account", "toor", ("uid 0, as root",))],
        "passwd -d alice": [("security.account", "alice", ("needs no password",))],
        "echo 'daemon:canary-7f3c' | chpasswd": [
            ("security.account", "daemon", ("a system account has a password now",))
        ],
        "usermod -g docker alice || (groupadd docker && usermod -g docker alice)": [
            ("group.changed", "docker", ("new group", "+alice"))
        ],
        "chmod 644 /etc/shadow": [
            ("security.account", "etc/shadow", ("can be read by everybody",))
        ],
        "chage -E 2030-01-01 alice": [
            ("security.account", "etc/shadow-", ("can be read by everybody",))
        ],
    }


def test_no_part_of_any_real_hash_is_told() -> None:
    for step in STEPS.values():
        result = repr(story([Accounts()], step.old, step.new))
        for line in step.new["etc/shadow"].content.split(b"\n"):  # type: ignore[union-attr]
            for part in line.split(b":")[1:2]:
                for piece in part.lstrip(b"!").split(b"$"):
                    assert len(piece) < 5 or piece.decode() not in result
        assert CANARY not in result


# Rights


@pytest.mark.parametrize("uid", [b"0", b" 0", b"00", b"-0", b"+0"])
def test_a_second_root_is_a_warning_however_its_number_is_written(uid: bytes) -> None:
    found = _after(passwd=PASSWD + b"eve:x:" + uid + b":9::/:/bin/sh\n")

    assert _loud(found) == [("security.account", "eve", ("uid 0, as root",))]


def test_an_empty_password_is_a_warning_in_either_file() -> None:
    line = ("security.account", "eve", ("needs no password",))

    assert _loud(_after(passwd=PASSWD + b"eve::1001:9::/:/bin/sh\n")) == [line]
    assert _loud(
        _after(passwd=PASSWD + b"eve:x:1001:9::/:/bin/sh\n", shadow=SHADOW + b"eve::1::::::\n")
    ) == [line]


def test_a_line_that_begins_with_blanks_counts_as_it_does_for_the_system() -> None:
    assert _loud(_after(passwd=PASSWD + b"  eve::0:0\n")) == [
        ("security.account", "eve", ("uid 0, as root", "needs no password")),
    ]


def test_a_password_that_was_moved_into_shadow_is_the_same_password() -> None:
    old = {"etc/passwd": f"al:{HASH}:1001:9::/h:/bin/sh\n".encode()}
    new: Moment = {
        "etc/passwd": b"al:x:1001:9::/h:/bin/sh\n",
        "etc/shadow": file(f"al:{HASH}:1::::::\n".encode(), mode=0o640),
    }

    result = story([Accounts()], old, new)

    assert [fact.kind for fact in result.facts] == []
    assert "canary" not in repr(result)


def test_accounts_of_a_tree_without_shadow_have_unknown_passwords() -> None:
    passwd = {"etc/passwd": PASSWD}
    new = {"etc/passwd": PASSWD.replace(b"nologin", b"false")}

    (fact,) = facts(Accounts(), passwd, new)

    assert fact.marks == ("shell /usr/sbin/nologin → /usr/sbin/false",)


def test_another_name_for_a_powerful_group_is_as_powerful() -> None:
    found = _after(group=GROUP + b"games2:x:27:eve\n")

    assert _loud(found) == [("group.changed", "games2", ("new group", "+eve"))]


def test_leaving_a_powerful_group_warns_nobody() -> None:
    old = {"etc/group": b"sudo:x:27:al,bob\n"}
    (fact,) = facts(Accounts(), old, {"etc/group": b"sudo:x:27:al\n"})

    assert (fact.marks, fact.severity, fact.before, fact.after) == (
        ("-bob",), Severity.NONE, "al, bob", "al",
    )  # fmt: skip


def test_subordinate_ids_that_begin_with_root_are_a_warning() -> None:
    user = b"eve:x:1001:1001::/:/bin/sh\n"
    old = {"etc/passwd": user, "etc/subuid": b"eve:100000:65536\n"}

    found = facts(Accounts(), old, {**old, "etc/subuid": b"eve:0:65536\n"})

    assert _loud(found) == [("security.account", "eve", ("may use root's id",))]


def test_a_system_account_that_can_log_in_now_is_noted() -> None:
    (fact,) = _after(passwd=PASSWD.replace(b"/usr/sbin/nologin", b"/bin/bash"))

    assert (fact.kind, fact.subject, fact.severity) == ("user.changed", "daemon", Severity.NOTE)


def test_accounts_that_everybody_may_write_are_a_warning() -> None:
    found = facts(Accounts(), OLD, {**OLD, "etc/passwd": file(PASSWD, mode=0o666)})

    assert _loud(found) == [
        ("security.account", "etc/passwd", ("can be written by everybody",)),
    ]


# Packages


def _with_packages(new: Moment) -> list[Fact]:
    return facts(
        Accounts(), {**OLD, "var/lib/dpkg/status": b"1"}, {**new, "var/lib/dpkg/status": b"2"}
    )


def test_system_accounts_came_along_where_packages_changed() -> None:
    new = {
        **OLD,
        "etc/passwd": PASSWD + b"redis:x:102:106::/var/lib/redis:/usr/sbin/nologin\n",
        "etc/group": GROUP + b"redis:x:106:\nadm:x:4:redis\n",
    }

    found = _with_packages(new)

    assert [(fact.kind, fact.subject, fact.direct) for fact in found] == [
        ("user.added", "redis", False),
        ("group.changed", "adm", False),
        ("group.changed", "redis", False),
    ]
    assert _loud(found) == []


def test_packages_excuse_neither_people_nor_the_keys_to_root() -> None:
    new = {
        **OLD,
        "etc/passwd": PASSWD + b"al:x:1001:1001::/h:/bin/sh\nsvc:x:150:150::/:/bin/sh\n",
        "etc/group": b"root:x:0:\nsudo:x:27:svc\ndevs:x:1002:\n",
    }

    found = _with_packages(new)

    assert [fact.direct for fact in found if fact.subject == "al"] == [True]
    assert _loud(found) == [("group.changed", "sudo", ("+svc",))]


# No change, and hostile bytes


def test_databases_in_another_order_say_that_nobody_changed() -> None:
    lines = PASSWD.splitlines(keepends=True)
    found = evidence(OLD, {**OLD, "etc/passwd": b"".join(reversed(lines)), "etc/passwd-": PASSWD})

    (finding,) = findings(Accounts(), found)

    assert finding.facts == ()
    assert sorted(finding.claims) == ["etc/passwd", "etc/passwd-"]


def test_broken_lines_break_nothing() -> None:
    junk = (
        b"\xff\xfe::::\n:::\nx\n\x00:x:99999999999999999999999999:1_0:\n#root:x:0:0\n" + b":" * 50
    )

    found = facts(Accounts(), {}, {"etc/passwd": junk, "etc/group": junk, "etc/shadow": junk})

    assert problems(Accounts(), {}, {"etc/passwd": junk, "etc/shadow": junk}) == []
    assert "root" not in {fact.subject for fact in found}


def test_a_file_too_large_to_be_one_of_accounts_costs_one_line() -> None:
    huge = {"etc/passwd": file(b"x", size=1 << 30)}

    assert facts(Accounts(), {}, huge) == []
    assert [path for path, _ in problems(Accounts(), {}, huge)] == ["etc/passwd"]


def test_a_name_that_stands_twice_is_who_stands_first() -> None:
    (fact,) = _after(passwd=PASSWD + b"root::1234:0::/:/bin/sh\n")

    assert (fact.subject, fact.marks) == ("root", ("listed twice",))


def test_a_shell_of_roots_that_lies_anywhere_is_a_warning() -> None:
    old: Moment = {"etc/passwd": b"root:x:0:0::/root:/bin/bash\n"}

    assert _loud(facts(Accounts(), old, {"etc/passwd": b"root:x:0:0::/root:/tmp/sh\n"})) == [
        ("security.account", "root", ("shell /bin/bash → /tmp/sh",))
    ]
    assert _loud(facts(Accounts(), old, {"etc/passwd": b"root:x:0:0::/root:/bin/zsh\n"})) == []


def test_a_home_that_is_a_copy_of_the_skeleton_is_told_with_its_account() -> None:
    bare: Moment = {"etc/passwd": b"", "etc/skel/.bashrc": b"x\n", "etc/skel/.profile": b"y\n"}
    full: Moment = {
        **bare,
        "etc/passwd": b"al:x:1001:1001::/home/al:/bin/sh\n",
        "home/al/.bashrc": b"x\n",
        "home/al/.profile": b"mine\n",
        "var/mail/al": b"",
    }

    (born,) = findings(Accounts(), evidence(bare, full))
    (gone,) = findings(Accounts(), evidence(full, bare))

    assert {*born.claims} == {"etc/passwd", "home/al/.bashrc", "var/mail/al"}
    assert {*gone.claims} == {"etc/passwd", "home/al/.bashrc"}


def test_groups_that_a_new_account_joined_came_along_with_it() -> None:
    old: Moment = {"etc/passwd": b"", "etc/group": b"users:x:100:\n"}
    user = b"al:x:1001:1001::/home/al:/bin/sh\n"
    new: Moment = {"etc/passwd": user, "etc/group": b"users:x:100:al\n"}
    joined = [fact.direct for fact in facts(Accounts(), old, new) if fact.subject == "users"]
    later = facts(Accounts(), {**old, "etc/passwd": user}, new)

    assert joined == [False]
    assert [fact.direct for fact in later] == [True]


def test_an_account_with_another_name_says_who_it_was() -> None:
    old: Moment = {"etc/passwd": b"carol:x:1001:9::/h:/bin/sh\n"}
    new: Moment = {"etc/passwd": b"karl:x:1001:9::/h:/bin/sh\n"}
    (added,) = [fact for fact in facts(Accounts(), old, new) if fact.kind == "user.added"]

    assert "was carol" in added.marks
