"""The YAML reader, compared with PyYAML, and files made to harm it."""

from __future__ import annotations

import time
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from clew.detectors.formats.values import Plain, Unreadable, Value
from clew.detectors.formats.yaml_reader import read_yaml

_TEXTS = st.text(
    st.one_of(
        st.sampled_from("ab:#-?,[]{}&*!|>'\"%@` \n\tä=~0.<"),
        st.characters(max_codepoint=0x2FFF),
    ),
    max_size=12,
)
_SCALARS = st.one_of(_TEXTS, st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False))
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(_TEXTS, inner, max_size=4)
    ),
    max_leaves=12,
)
_OLD_LINE_BREAKS = "\x85\u2028\u2029\ufeff"


def _theirs(text: str) -> list[Any]:
    """Return the documents that PyYAML reads, scalars as they are written, tags ignored."""
    return [_text_of(node) for node in yaml.compose_all(text, Loader=yaml.SafeLoader)]


def _text_of(node: Any) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return node.value
    if isinstance(node, yaml.SequenceNode):
        return [_text_of(one) for one in node.value]
    own: dict[str, Any] = {}
    merged: dict[str, Any] = {}
    for key, value in node.value:
        if key.value == "<<" and key.style is None:
            found = _text_of(value)
            for one in found if isinstance(found, list) else [found]:
                merged = {**one, **merged}
        else:
            name = _text_of(key)
            if name in own:
                raise KeyError(name)
            own[name] = _text_of(value)
    return {**merged, **own}


def _ours(value: Value) -> Any:
    if isinstance(value, dict):
        return {key: _ours(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_ours(one) for one in value]
    return "" if value is None else str(value)


@given(
    documents=st.lists(_VALUES, min_size=1, max_size=3),
    flow=st.sampled_from([None, True, False]),
    style=st.sampled_from([None, '"', "'", "|", ">"]),
    width=st.sampled_from([20, 80, 4096]),
    unicode=st.booleans(),
    explicit=st.booleans(),
    indent=st.integers(2, 6),
)
def test_what_pyyaml_writes_is_read_as_pyyaml_reads_it(
    documents: list[Any], flow: bool | None, style: str | None, width: int, unicode: bool,
    explicit: bool, indent: int,
) -> None:  # fmt: skip
    text = yaml.safe_dump_all(
        documents, default_flow_style=flow, default_style=style, width=width,
        allow_unicode=unicode, explicit_start=explicit, indent=indent,
    )  # fmt: skip
    if any(char in text for char in _OLD_LINE_BREAKS):
        return

    assert [_ours(one) for one in read_yaml(text)] == _theirs(text)


_PIECES = (
    "a: 1", "b:", "- x", "- a: 2", "c: [1, {d: e}]", "d: |", "e: >-", "text", "'q'", 'f: "x', 'y"',
    "# c", "&a b: c", "g: *a", "<<: *a", "h: &a {x: 1}", "- *a", "---", "...", "? k", ": v", "i: >+2",
    "", "a b # c", "j: 'it''s'", "k : v", "- - z", "-", "x: !t y", "l: {a: 1, b}", "m: [a, b: c", "]",
    "n: a:b#c", '"o": p', "- !!map", "- &z", "%YAML 1.1", "url: http://x/y", "q: - r", "{a: b}",
    "[x]: y", "t:\tv", "  - deep", "r: &b", "s: |2-", "u: {<<: *a, v: w}", "<<: [*a, *b]",
)  # fmt: skip


@given(
    st.lists(st.tuples(st.sampled_from([0, 0, 2, 2, 4, 1]), st.sampled_from(_PIECES)), max_size=9)
)
def test_whatever_both_can_read_is_the_same(pieces: list[tuple[int, str]]) -> None:
    text = "".join(f"{' ' * indent}{piece}\n" for indent, piece in pieces)
    try:
        theirs = _theirs(text)
        ours = read_yaml(text)
    except (yaml.YAMLError, KeyError, TypeError, AttributeError, Unreadable):
        return

    assert [_ours(one) for one in ours] == theirs


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\nb:\n- x\n- y: 2\n  z: 3\nc: {d: [1, 2], e: {f: g}}\n",
        "a: &x\n  k: v\nb:\n  <<: *x\n  l: w\nc: [*x, *x]\n",
        "base: &b {x: 1, y: 2}\nother: &o {y: 3, z: 4}\nall:\n  <<: [*b, *o]\n  x: 9\n",
        "a: |\n  one\n    two\n\n  three\nb: >\n  one\n  two\n\n  three\n   four\n  five\n",
        "a: |+\n  keep\n\nb: |-\n  strip\n\nc: >+\n  x\n\n\nd: 1\n",
        "a: |2\n    two spaces\n  none\nb: >1-\n  x\n",
        'a: "x\\ty\\u00e4\\x41 \\\n   joined\n   folded\n\n   broken"\n',
        "a: 'it''s\n  folded\n\n  broken'\n",
        "a: plain\n  goes on\n\n  after a blank # a comment\nb: x#y:z\n",
        "--- a\n--- !t {b: c}\n---\n...\n---\n- d\n",
        "%YAML 1.1\n# c\n---\na: 1\n",
        "- - a\n  - b\n-\n  - c\n- d: e\n  f:\n  - g\n",
        "? a\n: b\n? c\n: - d\n  - e\n",
        '{"a":1, "b" : [x, y: z], c, d: , ? e : f}\n',
        "[a,\n b # c\n , 'd\n  e']\n",
        "key with spaces: v\n\"quoted: key\": w\n'single': x\n? multi\n: y\n",
        "on: push\n08: x\n1.10: y\n~: z\n",
        "a: !!binary |\n  aGVsbG8=\nb: !Ref x\nc: !Sub\n  - y\nd: &e !t f\n",
        "\ufeffa: 1\n".lstrip("\ufeff"),
        "a: 1\r\nb:\r\n  - c\r\n",
        "",
        "# only a comment\n",
        "a: 'no end of line'",
        "text: |\n  no end of line",
    ],
)
def test_corner_cases_are_read_as_pyyaml_reads_them(text: str) -> None:
    assert [_ours(one) for one in read_yaml(text)] == _theirs(text)


def test_scalars_stay_as_they_are_written() -> None:
    (found,) = read_yaml("version: 1.10\nmode: 0644\nport: '80'\non: yes\nempty:\n")

    assert found == {"version": "1.10", "mode": "0644", "port": "80", "on": "yes", "empty": None}
    assert isinstance(found, dict)
    assert [isinstance(one, Plain) for one in found.values()] == [True, True, False, True, False]


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\na: 2\n", "a:\n\tb: 1\n", "a: {b: [\n", "a: 1\n  b: 2\n", "a: b: c\n", "a: *none\n",
        "a: &x [*x]\n", "[a]: b\n", "{{x}}: b\n", 'a: "open\n', "a: 'open\n", "a: \x07\n", "- a\nb: c\n",
        "a: @b\n", "a: `b\n", "a: %b\n", "a: - b\n", "<<: 1\n", 'a: "\\q"\n', "a: |x\n  b\n", "a: ]\n",
        "- &a: b\n  c: d\n", "a: {{ value }}\n", "{% if x %}\na: 1\n{% endif %}\n",
    ],
)  # fmt: skip
def test_what_is_not_yaml_is_not_guessed(text: str) -> None:
    with pytest.raises(Unreadable):
        read_yaml(text)


def _laughs(number: int) -> str:
    lines = ["l0: &l0 [lol]"]
    lines += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, number)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        _laughs(30),
        "a0: &a0 {x: 1}\n" + "".join(f"a{n}: &a{n}\n  <<: *a{n - 1}\n  k{n}: 1\n" for n in range(1, 3000)),
        "[" * 10_000, "{a: " * 10_000, "- " * 100_000, "? " * 100_000, "a:\n" * 200_000,
        "".join(" " * n + "a:\n" for n in range(2_000)),
        "".join(" " * n + f"&a{n}\n" for n in range(1, 1_500)),
    ],
)  # fmt: skip
def test_a_file_that_would_grow_is_refused_soon(text: str) -> None:
    began = time.process_time()
    with pytest.raises(Unreadable):
        read_yaml(text)

    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "text",
    [
        "x: " + "a " * 2_000_000, "&" * 1_000_000, "&a " * 200_000, "a:" + " " * 5_000_000,
        '"' + "\\ " * 1_000_000, "a: " + " #" * 1_000_000, "a" + ": " * 1_000_000, "\n" * 3_000_000,
        "a: |\n" + " " * 1_000_000 + "\nx\n", "a\n" * 300_000, "a: b\n" + " \n" * 1_000_000,
        "a: b" + "\t" * 1_000_000 + "c", "[" + " " * 3_000_000, "[" + "a " * 1_000_000,
        "[a" + "\n" * 2_000_000, "'" * 2_000_000, '"' + " " * 2_000_000 + '"', "a: '" + "\n" * 2_000_000,
        "!" * 1_000_000, "*" * 1_000_000, "a: [" + "b: c, " * 10_000 + "]", ": " * 1_000_000,
    ],
)  # fmt: skip
def test_a_huge_line_is_over_soon(text: str) -> None:
    began = time.process_time()
    try:
        read_yaml(text)
    except Unreadable:
        pass

    assert time.process_time() - began < 4
