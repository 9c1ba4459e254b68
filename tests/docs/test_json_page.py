"""docs/json.md matches the output of the command line and the declared shapes."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest

from clew import errors
from clew.cli.commands import VERBS
from clew.cli.exits import ExitCode
from clew.cli.explain import explain
from tests.cli.fakes import FakeClew
from tests.cli.test_explain import ERRORS
from tests.docs import field_tables

PAGE = field_tables.PAGE.read_text()
SAMPLES = re.findall(r"```console\n\$ clew ([^\n]*)\n```\n\n```json\n(.*?)```", PAGE, re.DOTALL)
ANYTHING = "…"
FREE_KEYS = ("meta", "uncovered_counts", "kept_counts", "config")


def matches(sample: Any, real: Any) -> bool:
    """Tell whether a sample shows what is real, where it does not leave it out."""
    if sample == ANYTHING:
        return real is not None
    if isinstance(sample, dict) and isinstance(real, dict):
        return sample.keys() == real.keys() and all(
            matches(sample[key], real[key]) for key in sample
        )
    if isinstance(sample, list) and isinstance(real, list):
        return len(sample) == len(real) and all(map(matches, sample, real))
    return bool(sample == real)


def keys_of(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            if key not in FREE_KEYS:
                yield from keys_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from keys_of(item)


@pytest.mark.parametrize(("command", "sample"), SAMPLES, ids=[command for command, _ in SAMPLES])
def test_every_sample_is_what_the_command_prints(fake: FakeClew, command: str, sample: str) -> None:
    real = json.loads(fake.run(*shlex.split(command)).out)

    assert matches(json.loads(sample), real), json.dumps(real, indent=2)


def test_the_field_tables_are_up_to_date() -> None:
    expected = field_tables.with_tables(PAGE)

    assert expected == PAGE, "run `python -m tests.docs.field_tables`"


def test_every_shape_is_described() -> None:
    shapes = field_tables.declared_shapes()
    texts = [text for shape in shapes.values() for _, text in shape.rows]
    bases = {base for shape in shapes.values() for base in shape.bases}
    described = {*bases, *(found[1] for found in field_tables.MARKER.finditer(PAGE))}

    def is_described_by_another(shape: field_tables.Shape) -> bool:
        fields = [f"`{field}`" for fields, _ in shape.rows for field in fields]
        return any(all(field in text for field in fields) for text in texts)

    missing = {name for name in shapes if name not in described}
    assert {name for name in missing if not is_described_by_another(shapes[name])} == set()


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        ("bool", r"(is|has|was|needs)_\w+"),
        (
            "int",
            r"\w+_(count|bytes|ms)|size|number|sequence|last_effect|(\w+_)?exit_code|[ugp]id|major|minor",
        ),
        ("dict[str, int]", r"\w+_counts"),
    ],
)
def test_the_name_of_a_field_shows_its_type(kind: str, rule: str) -> None:
    fields = [name for name, type_ in field_tables.declared_types() if type_ == kind]

    assert fields
    assert [name for name in fields if not re.fullmatch(rule, name)] == []


def test_every_command_has_a_sample() -> None:
    prints_no_result = {"hook", "enter"}  # an answer for the agent; the process becomes another

    assert {command.split()[0] for command, _ in SAMPLES} >= set(VERBS) - prints_no_result


@pytest.mark.parametrize("command", [command for command, _ in SAMPLES])
def test_every_field_is_described(fake: FakeClew, command: str) -> None:
    real = json.loads(fake.run(*shlex.split(command)).out)

    assert not {key for key in keys_of(real) if f"`{key}`" not in PAGE}


@pytest.mark.parametrize("error", [error for error, _ in ERRORS], ids=lambda e: type(e).__name__)
def test_every_kind_of_error_is_listed_with_its_exit_code(error: errors.ClewError) -> None:
    assert f"| `{error.kind}` | {explain(error)[0]} |" in PAGE


def test_every_exit_code_is_listed() -> None:
    codes = [value for name, value in vars(ExitCode).items() if name.isupper()]

    assert [code for code in codes if f"\n| {code} | " not in PAGE] == []
