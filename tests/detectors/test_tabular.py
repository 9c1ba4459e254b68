from __future__ import annotations

import csv
import io
import json
import random
import re
import time
from pathlib import Path

import pytest

from clew.detectors.data.parquet import parquet_rows
from clew.detectors.data.tabular import Tabular, separated_rows
from clew.detectors.detector import Finding
from tests.kit.moments import Moment, evidence, facts, file, findings, problems, story

DATA = Path(__file__).parent / "testdata/tabular"
PARQUET = (DATA / "1234_rows.parquet").read_bytes()
CANARY = "canary-7f3a"


def reported(old: Moment, new: Moment) -> list[tuple[str, str | None, str | None, tuple[str, ...]]]:
    return [
        (fact.subject, fact.before, fact.after, fact.marks) for fact in facts(Tabular(), old, new)
    ]


def test_rows_of_every_format_are_counted() -> None:
    new = {
        "a.csv": b"id,name\n1,x\n2,y\n",
        "b.tsv": b"id\tname\n1\tx",
        "c.jsonl": b'{"a": 1}\n\n{"a": 2}\n',
        "d.parquet": PARQUET,
        "e.arrow": b"x" * 2000,
    }

    assert reported({}, new) == [
        ("a.csv", None, "2 rows", ()),
        ("b.tsv", None, "1 row", ()),
        ("c.jsonl", None, "2 rows", ()),
        ("d.parquet", None, "1,234 rows", ()),
        ("e.arrow", None, "2.0 kB", ()),
    ]


def test_changes_and_losses_are_told() -> None:
    old = {"a.csv": b"h\nx\n", "b.csv": b"h\nx\n", "c.csv": b"h\nx\n"}
    new = {"a.csv": b"h\nx\ny\n", "b.csv": b"h\nz\n"}

    assert reported(old, new) == [
        ("a.csv", "1 row", "2 rows", ()),
        ("b.csv", "1 row", "1 row", ("1 row", "1 row edited")),
        ("c.csv", "1 row", None, ()),
    ]


def test_records_are_counted_as_the_csv_module_counts_them() -> None:
    chance = random.Random(5)
    for _ in range(200):
        text = io.StringIO()
        rows = [
            ["".join(chance.choices('ab",\n', k=chance.randrange(6))) for _ in range(3)]
            for _ in range(chance.randrange(1, 20))
        ]
        csv.writer(text).writerows([["h1", "h2", "h3"], *rows])
        content = text.getvalue().encode()
        cut = chance.randrange(len(content))

        assert separated_rows(iter((content[:cut], content[cut:])), b",") == len(rows)


def test_a_first_line_with_numbers_is_no_header() -> None:
    assert reported({}, {"a.csv": b"1,x\n2,y\n"}) == [("a.csv", None, "2 rows", ())]


def test_nothing_of_a_row_is_shown() -> None:
    old = {"a.csv": f"{CANARY}a,b\n{CANARY}\n".encode(), "b.jsonl": CANARY.encode()}
    new = {"a.csv": f"{CANARY}c,b\nx\n{CANARY}\n".encode(), "b.jsonl": b"\n"}

    assert CANARY not in repr(story([Tabular()], old, new))


def test_large_files_are_told_by_their_size() -> None:
    assert reported({}, {"a.csv": file(b"x", size=65 << 20)}) == [("a.csv", None, "68.2 MB", ())]


def test_many_files_of_one_directory_are_one_fact_that_claims_them_all() -> None:
    new = {f"set/{n}.csv": b"a\n" for n in range(1000)}

    (finding,) = findings(Tabular(), evidence({}, new))

    assert [(fact.subject, fact.marks) for fact in finding.facts] == [("set", ("+1,000 files",))]
    assert set(finding.claims) == set(new)


def test_what_others_explained_is_left_alone() -> None:
    found = evidence({}, {"a.csv": b"a\n", "b.csv": b"b\n", "c.csv": b"c\n"})
    found.claimed.add("a.csv")
    found.own(["b.csv"], "pandas")

    result: list[Finding] = list(Tabular().find(found, list(found.changes.values())))

    assert [finding.claims for finding in result] == [("c.csv",)]


def test_an_empty_parquet_file_has_no_rows() -> None:
    assert parquet_rows((DATA / "no_rows.parquet").read_bytes()) == 0


@pytest.mark.parametrize(
    "content", [b"", b"PAR1", PARQUET[:-4], b"\xff\xff\xff\x7fPAR1", b"x" * 99]
)
def test_what_has_no_footer_is_told_by_its_size(content: bytes) -> None:
    (found,) = reported({}, {"a.parquet": content})

    assert found[2] is not None
    assert found[2].endswith("B")


def test_damaged_footers_cost_one_line_at_most_and_little_time() -> None:
    chance = random.Random(11)
    begun = time.monotonic()
    for _ in range(100):
        bad = bytearray(PARQUET)
        for _ in range(10):
            bad[chance.randrange(len(bad) // 2, len(bad) - 8)] = chance.randrange(256)
        assert len(problems(Tabular(), {}, {"a.parquet": bytes(bad)})) <= 1

    assert time.monotonic() - begun < 20


def test_an_endless_list_in_a_footer_ends() -> None:
    for body in (
        b"\x19\xf7" + b"\xff" * 9 + b"\x01",  # a list of 2**63 doubles
        b"\x1c" * 5000,  # structs in structs
        b"\x19\x19" * 5000,
    ):
        footer = body + len(body).to_bytes(4, "little") + b"PAR1"
        assert len(problems(Tabular(), {}, {"a.parquet": bytes(64) + footer})) == 1


# Columns


def _people(*columns: str, number: int = 400, separator: str = ",", blank: str = "") -> bytes:
    values = {"id": "{}", "name": "Person {}", "email": "p{}@example.org", "spent": "{}.5"}
    rows = [
        separator.join("" if one == blank else values[one].format(row) for one in columns)
        for row in range(number)
    ]
    return "\n".join([separator.join(columns), *rows, ""]).encode()


ALL = ("id", "name", "email", "spent")


def _told(old: bytes, new: bytes, path: str = "crm/people.csv", copy: bytes = b"") -> str:
    others = {f"{path}.bak": copy} if copy else {}
    return story([Tabular()], {path: old}, {path: new, **others}).headline


@pytest.mark.parametrize("separator", [",", ";", "|"])
def test_a_removed_column_with_values_is_a_loss(separator: str) -> None:
    old = _people(*ALL, separator=separator)
    new = _people("id", "name", "spent", separator=separator)

    assert _told(old, new) == "! crm/people.csv: column email removed, 400 rows"
    assert _told(new, old) == "crm/people.csv: +column email, 400 rows"


def test_a_field_of_json_lines_is_a_column() -> None:
    def lines(*fields: str) -> bytes:
        return b"".join(
            json.dumps({one: f"{one} {row}" for one in fields}).encode() + b"\n"
            for row in range(50)
        )

    headline = _told(lines("id", "name", "email"), lines("id", "name"), "a.jsonl")

    assert headline == "! a.jsonl: column email removed, 50 rows"


def test_an_emptied_column_is_a_loss() -> None:
    old = _people(*ALL, number=600)

    for blank in (b"", b"NaN", b"NULL"):
        new = re.sub(rb",p[^,]*,", b"," + blank + b",", old)
        assert _told(old, new) == "! crm/people.csv: email emptied in 600 rows"
    few = old.replace(b",p7@example.org,", b",,")
    assert _told(old, few) == "crm/people.csv: email emptied in 1 row"


def test_an_empty_column_may_go() -> None:
    old, new = _people(*ALL, blank="email"), _people("id", "name", "spent")

    assert _told(old, new) == "crm/people.csv: column email removed, 400 rows"


def test_a_column_that_a_copy_still_has_is_no_loss() -> None:
    old, new = _people(*ALL), _people("id", "name", "spent")

    assert _told(old, new, copy=old).startswith("crm")
    assert _told(old, new, "tests/people.csv").startswith("tests")


def test_a_renamed_column_keeps_its_values() -> None:
    old = _people(*ALL)

    assert _told(old, old.replace(b"email", b"mail", 1)) == (
        "crm/people.csv: column email renamed mail, 400 rows"
    )


def test_sorted_and_requoted_rows_are_the_same() -> None:
    old = _people(*ALL)
    head, *rows = old.splitlines(keepends=True)

    assert _told(old, head + b"".join(rows[::-1])) == "crm/people.csv: 400 rows, another order"
    quoted = old.replace(b"Person 7,", b'"Person 7",')
    assert _told(old, quoted) == "crm/people.csv: 400 rows, same values"


def test_a_line_of_data_is_no_header() -> None:
    old = f"{CANARY},12,tea\nBob,13,cup\n".encode() * 30
    new = b"12,tea\n13,cup\n" * 30

    assert _told(old, new) == "! crm/people.csv: 3 → 2 columns, 60 rows"


def test_a_header_that_may_be_data_is_not_shown() -> None:
    rows = b"".join(b"Bob %c,Paris,tea\n" % (65 + n) for n in range(26))

    old, new = b"Alice,Berlin,coffee\n" + rows, b"Alice,coffee\n" + rows.replace(b"Paris,", b"")

    assert _told(old, new) == "! crm/people.csv: column 2 removed, 26 rows"


@pytest.mark.parametrize(
    "content", [b"\0" * 900, b'"' * 999, b"," * 900, b"a,b\n" + b"x" * 200_000, b"\xff\xfe,\n" * 9]
)
def test_a_hostile_table_is_told_by_its_rows(content: bytes) -> None:
    for path in ("a.csv", "a.jsonl", "a.tsv"):
        assert problems(Tabular(), {path: _people(*ALL)}, {path: content}) == []
