from __future__ import annotations

import random
from pathlib import Path

import pytest

from clew.detectors.data.redis import Redis, parse_dump
from clew.detectors.databases.postgres import Postgres
from tests.kit.losses import alarms, tell
from tests.kit.moments import evidence, facts, findings, problems, story

DATA = Path(__file__).parent / "testdata"
ONE = (DATA / "redis/120_keys.rdb").read_bytes()
TWO = (DATA / "redis/119_and_3_keys.rdb").read_bytes()
HBA = (DATA / "postgres/pg_hba.conf").read_bytes()
CANARY = "canary-7f3a"


def cluster(root: str = "data", state: str = "shut_down", **more: bytes) -> dict[str, bytes]:
    """Return the significant files of a data directory, as the server wrote them."""
    found = {
        "PG_VERSION": b"15\n",
        "global/pg_control": (DATA / f"postgres/pg_control.{state}").read_bytes(),
        "global/1262": b"old",
        "base/1/PG_VERSION": b"15\n",
        "base/5/112": b"x" * 8192,
        "pg_wal/000000010000000000000001": b"w" * 100,
        "pg_hba.conf": HBA,
    }
    found |= {name.replace("__", "/"): content for name, content in more.items()}
    return {f"{root}/{name}" if root else name: content for name, content in found.items()}


# Redis


def test_keys_of_a_real_dump_are_counted_in_all_its_databases() -> None:
    first, second = parse_dump(ONE), parse_dump(TWO)

    assert first is not None
    assert second is not None
    assert (first.keys, first.is_whole) == (120, True)
    assert (second.keys, second.is_whole) == (119 + 3, True)


def test_a_dump_tells_its_keys_and_never_shows_one() -> None:
    result = story([Redis()], {"dump.rdb": ONE}, {"dump.rdb": TWO})

    assert result.headline == "dump.rdb: 120 → 122 keys"
    assert CANARY not in repr(result)
    assert [fact.after for fact in facts(Redis(), {}, {"dump.rdb": ONE})] == ["120 keys"]


def test_saving_the_same_keys_again_is_no_fact() -> None:
    again = ONE.replace(b"used-mem\xc2\xe0", b"used-mem\xc2\xe1")[:-8] + b"checksum"
    found = findings(Redis(), evidence({"dump.rdb": ONE}, {"dump.rdb": again}))

    assert [tuple(finding) for finding in found] == [
        ((), ("dump.rdb",), "dump.rdb saved again, same keys")
    ]


def test_other_values_under_as_many_keys_are_noticed() -> None:
    other = ONE.replace(b"canary-7f3a-25", b"canary-xxxx-25")

    (fact,) = facts(Redis(), {"dump.rdb": ONE}, {"dump.rdb": other})

    assert fact.marks == ("120 keys", "values changed")


def test_a_dump_that_ends_early_or_is_none_does_no_harm() -> None:
    (fact,) = facts(Redis(), {}, {"dump.rdb": ONE[:200]})
    assert fact.after == "at least 120 keys"
    assert facts(Redis(), {}, {"dump.rdb": b"a spreadsheet"}) == []

    chance = random.Random(3)
    for _ in range(200):
        bad = bytearray(TWO)
        for _ in range(20):
            bad[chance.randrange(9, len(bad))] = chance.randrange(256)
        assert problems(Redis(), {}, {"dump.rdb": bytes(bad)}) == []


def test_a_list_that_claims_endless_members_ends_with_the_file() -> None:
    bomb = b"REDIS0010\xfe\x00\xfb\x01\x00\x01\x01k\x81" + b"\xff" * 8 + b"\xfb\x05\x00"

    (fact,) = facts(Redis(), {}, {"dump.rdb": bomb})

    assert fact.after == "at least 1 key"


def test_the_parts_of_an_append_only_file_are_one_line() -> None:
    old = {"r/appendonlydir/appendonly.aof.1.incr.aof": b"x" * 100}
    new = {
        "r/appendonlydir/appendonly.aof.1.incr.aof": b"x" * 150,
        "r/appendonlydir/appendonly.aof.manifest": b"file",
        "r/appendonlydir/appendonly.aof.1.base.rdb": ONE,
    }

    (finding,) = findings(Redis(), evidence(old, new))

    assert [(fact.subject, fact.before, fact.after) for fact in finding.facts] == [
        ("r/appendonlydir", "100 B", "2.7 kB")
    ]
    assert set(finding.claims) == set(new)


_FEW = b"REDIS0009\xfe\x00\xfb\x01\x00\x00\x01k\x01v\xff" + bytes(8)
"""A dump with one key."""


def test_a_rewritten_append_only_file_that_lost_most_keys_is_a_loss() -> None:
    old = {"r/appendonlydir/a.aof.1.base.rdb": ONE, "r/appendonlydir/a.aof.1.incr.aof": b"x"}
    new = {"r/appendonlydir/a.aof.2.base.rdb": _FEW, "r/appendonlydir/a.aof.2.incr.aof": b""}

    (fact,) = facts(Redis(), old, new)

    assert (fact.kind, fact.subject, fact.severity) == ("loss.shrunk", "r/appendonlydir", "high")
    assert (fact.before, fact.after) == ("120 keys", "1 key")


def test_a_rewritten_append_only_file_with_all_its_keys_is_no_loss() -> None:
    old = {"r/appendonlydir/a.aof.1.base.rdb": ONE, "r/appendonlydir/a.aof.1.incr.aof": b"x"}
    new = {"r/appendonlydir/a.aof.2.base.rdb": TWO, "r/appendonlydir/a.aof.2.incr.aof": b""}

    assert alarms({"x": b"1", **old}, {"x": b"1", **new}) == []


def test_a_dump_that_lost_most_keys_is_a_loss() -> None:
    assert alarms({"dump.rdb": ONE}, {"dump.rdb": _FEW}) == [("loss.shrunk", "file", "dump.rdb")]
    assert tell({"dump.rdb": ONE}, {"dump.rdb": _FEW}).headline == "! dump.rdb: 120 → 1 key"


# PostgreSQL


def test_a_data_directory_is_one_line_that_claims_what_the_server_wrote() -> None:
    old = cluster()
    new = cluster(state="running", global__1262=b"new", base__16384__1259=b"y" * 5000,
                  ) | {"data/postmaster.pid": b"1", "data/notes.txt": b"mine"}  # fmt: skip

    (finding,) = findings(Postgres(), evidence(old, new))

    assert [(fact.kind, fact.scope, fact.subject, fact.marks) for fact in finding.facts] == [
        ("data.changed", "postgres", "data", ("+1 database", "+5.0 kB", "shut down → running"))
    ]
    assert "data/base/16384/1259" in finding.claims
    assert "data/notes.txt" not in finding.claims


def test_a_new_data_directory_says_its_version_and_warns_nobody() -> None:
    by_default = {"data/pg_hba.conf": b"local all all trust\n"}

    found = facts(Postgres(), {}, cluster() | by_default)

    assert [(fact.after, fact.marks, fact.severity) for fact in found] == [
        ("PostgreSQL 15, 2 databases, 8.6 kB", (), "none"),
        (None, ("trust in pg_hba.conf",), "note"),
    ]


@pytest.mark.parametrize(
    "line",
    [b"local all all trust", b"host all all 0.0.0.0/0 trust", b"hostssl a b 10.0.0.0 255.0.0.0 trust"],
)  # fmt: skip
@pytest.mark.parametrize("path", ["data/pg_hba.conf", "etc/postgresql/15/main/pg_hba.conf"])
def test_trust_is_a_warning(line: bytes, path: str) -> None:
    old = cluster() | {path: HBA}
    new = cluster() | {path: HBA + line + b"  # " + CANARY.encode() + b"\n"}

    loud = [fact for fact in facts(Postgres(), old, new) if fact.severity == "high"]

    assert [(fact.marks, fact.evidence) for fact in loud] == [(("trust in pg_hba.conf",), (path,))]
    assert CANARY not in repr(loud)


@pytest.mark.parametrize(
    "line", [b"# local all all trust", b"local all trust peer", b"host all all 127.0.0.1/32 md5"]
)
def test_what_asks_for_a_password_is_no_warning(line: bytes) -> None:
    old, new = cluster(), cluster() | {"data/pg_hba.conf": HBA + line}

    assert [fact.severity for fact in facts(Postgres(), old, new)] == ["none"]


def test_bookkeeping_of_the_server_is_explained_without_a_fact() -> None:
    old, new = cluster(), cluster(pg_wal__000000010000000000000001=b"v" * 100)

    (finding,) = findings(Postgres(), evidence(old, new))

    assert finding.facts == ()
    assert finding.text == "PostgreSQL in data: its own bookkeeping"


def test_a_data_directory_that_is_gone_is_a_warning() -> None:
    (fact,) = facts(Postgres(), cluster(), {"other": b""})
    assert (fact.kind, fact.subject, fact.severity) == ("loss.deleted", "data", "high")
    assert fact.before == "PostgreSQL 15, 9.0 kB"

    (gone, new) = facts(Postgres(), cluster(), cluster("other"))
    assert (gone.severity, gone.marks, new.subject) == ("none", ("moved",), "other")


def test_directories_that_are_only_called_like_parts_are_left_alone() -> None:
    assert (
        findings(Postgres(), evidence({}, {"src/base/global/x.py": b"", "a/PG_VERSION": b"9"}))
        == []
    )
