"""Records of data files: how many came, went and changed."""

from __future__ import annotations

import json
import time

import pytest

from clew.detectors.files.config_files import ConfigFiles
from clew.detectors.files.records import Records
from tests.kit.moments import Moment, evidence, facts, findings, problems, story

PRODUCTS = [{"id": n, "name": f"canary {n}", "price": n * 5} for n in range(40)]


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


def _headline(path: str, old: object, new: object) -> str:
    told = story([], {path: _json(old)}, {path: _json(new)}, [Records(), ConfigFiles()])
    assert "canary" not in repr(told)
    return told.headline


_DEARER = [{**one, "price": 1} for one in PRODUCTS[:3]] + PRODUCTS[3:]
_NAMELESS = [{"price": n} for n in range(10)]
_MAP = {f"p{n}": {"price": n, "stock": 1} for n in range(20)}


@pytest.mark.parametrize(
    ("path", "old", "new", "headline"),
    [
        ("data/p.json", PRODUCTS, [*PRODUCTS, {"id": 99}], "data/p.json: 40 → 41 records, +1 record"),
        ("data/p.json", PRODUCTS, PRODUCTS[2:], "data/p.json: 40 → 38 records, −2 records"),
        ("p.json", PRODUCTS, [*PRODUCTS[2:], {"id": 98}, {"id": 99}], "p.json: +2, −2"),
        ("data/p.json", PRODUCTS, _DEARER, "data/p.json: 3 records changed (price)"),
        ("data/p.json", {"products": PRODUCTS, "v": 1}, {"products": PRODUCTS[1:], "v": 1}, "data/p.json: 40 → 39 records, −1 record"),
        ("seeds/p.json", _NAMELESS, _NAMELESS[1:], "seeds/p.json: 10 → 9 records, −1 record"),
        ("seeds/p.json", _NAMELESS, [{"price": 77}, *_NAMELESS[1:]], "seeds/p.json: 1 record changed"),
        ("data/map.json", _MAP, {**_MAP, "q": {"price": 1, "stock": 2}}, "data/map.json: 20 → 21 records, +1 record"),
        ("fixtures/one.json", [{"id": 1, "a": 1}], [{"id": 1, "a": 2}], "fixtures/one.json: 1 record changed (a)"),
        ("conf/rules.json", [{"id": 1, "a": 1}], [{"id": 1, "a": 2}], "rules.json: 1.a 1 → 2"),
    ],
)  # fmt: skip
def test_records_are_counted(path: str, old: object, new: object, headline: str) -> None:
    assert _headline(path, old, new) == headline


def test_yaml_records_new_files_and_lost_ones_are_counted() -> None:
    text = b"".join(b"- {id: %d, a: x}\n" % n for n in range(8))

    assert (
        story(
            [], {"data/a.yaml": text}, {"data/a.yaml": text + b"- {id: 9}\n"}, [Records()]
        ).headline
        == "data/a.yaml: 8 → 9 records, +1 record"
    )
    assert (
        story([], {}, {"data/a.json": _json(PRODUCTS)}, [Records()]).headline
        == "data/a.json: new, 40 records"
    )
    assert (
        story([], {"data/a.json": _json(PRODUCTS)}, {}, [Records()]).headline
        == "data/a.json deleted (40 records)"
    )


def test_many_files_of_a_directory_of_data_are_one_line() -> None:
    old: Moment = {f"tests/fixtures/order_{n}.json": _json({"id": n, "a": 1}) for n in range(12)}
    new: Moment = {f"tests/fixtures/order_{n}.json": _json({"id": n, "a": 2}) for n in range(12)}

    told = story([], old, new, [Records()])

    assert told.headline == "tests/fixtures: 12 files changed"
    assert len(told.lines[0].paths) == 12


def test_settings_and_dependencies_are_left_to_others() -> None:
    assert facts(Records(), {"a.json": b'{"a": 1}'}, {"a.json": b'{"a": 2}'}) == []
    assert facts(Records(), {}, {"node_modules/x/data.json": _json(PRODUCTS)}) == []
    assert facts(Records(), {}, {"package.json": _json(PRODUCTS)}) == []


def test_data_that_was_only_laid_out_anew_has_the_same_values() -> None:
    for value in (PRODUCTS, {"a": {"b": [1, 2]}}):
        old, new = _json(value), json.dumps(value, indent=4).encode()
        for before, after in ((old, new), (new, old)):
            (fact,) = facts(Records(), {"data/a.json": before}, {"data/a.json": after})
            assert fact.marks[-1] == "same values, other layout"


def test_records_in_another_order_are_told() -> None:
    (fact,) = facts(
        Records(), {"a.json": _json(PRODUCTS)}, {"a.json": _json(list(reversed(PRODUCTS)))}
    )

    assert fact.marks[-1] == "another order"


@pytest.mark.parametrize(
    "content",
    [b"[" * 100_000, b"\xff\x00", b"", b"[1, 2, 3]", b'[{"a": ' * 500 + b"1" + b"}]" * 500, b"- &a [*a]\n", b"[{}, 1]"],
)  # fmt: skip
def test_broken_and_hostile_files_are_left_to_others(content: bytes) -> None:
    for path in ("data/a.json", "data/a.yaml"):
        assert problems(Records(), {path: content}, {path: _json(PRODUCTS)}) == []
        told = findings(Records(), evidence({path: content}, {path: content + b" "}))
        assert {mark for one in told for fact in one.facts for mark in fact.marks} <= {
            "same values, other layout"
        }


def test_large_data_is_over_soon() -> None:
    records = [{"id": n, "text": "x" * 50, "tags": ["a", "b"]} for n in range(30_000)]
    old, new = _json(records), _json(records[10:])
    began = time.process_time()

    (fact,) = facts(Records(), {"data/a.json": old}, {"data/a.json": new})

    assert fact.marks == ("30,000 → 29,990 records", "−10 records")
    assert time.process_time() - began < 2


def test_a_field_that_looks_like_a_secret_is_hidden() -> None:
    old = [{"id": n, "ghp_canary16C7e42F292c6912E7710c838347Ae": 1} for n in range(6)]
    new = [{**one, "ghp_canary16C7e42F292c6912E7710c838347Ae": 2} for one in old]

    assert _headline("data/a.json", old, new) == "data/a.json: 6 records changed (…)"
