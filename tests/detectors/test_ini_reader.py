"""The INI reader, compared with the programs whose files it reads."""

from __future__ import annotations

import configparser
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.detectors.formats.ini_reader import CONFIGPARSER, GIT, LOOSE, MYSQL, UNITS, read_ini
from clew.detectors.formats.values import Unreadable, Value

_NAMES = st.text("abcxyz_", min_size=1, max_size=5)
_WORDS = st.text("abc123./=:,#;[]-%", max_size=10).map(str.strip)
_INDENTS = st.sampled_from(["", "", "  ", "    ", "\t"])
_KEYS = st.tuples(_INDENTS, _NAMES, st.sampled_from(["=", " = ", ":", ": "]), _WORDS).map("".join)
_LINES = st.one_of(
    st.tuples(_INDENTS, _NAMES).map(lambda one: f"{one[0]}[{one[1]}]"),
    _KEYS,
    st.tuples(st.just("      "), _WORDS).map("".join),
    st.sampled_from(["", "   ", "# note", "; note", "  # note = 1"]),
)


def _flat(found: dict[str, Value]) -> dict[tuple[str, str], list[str]]:
    """Return the lines of each value of a section."""
    return {
        (section, key): [str(line) for line in (one if isinstance(one, list) else [one]) if line]
        for section, keys in found.items()
        if isinstance(keys, dict)
        for key, one in keys.items()
    }


@given(st.lists(_LINES, max_size=12))
def test_what_configparser_reads_is_read_alike(lines: list[str]) -> None:
    text = "\n".join(["[top]", *lines, ""])
    parser = configparser.RawConfigParser(strict=True, default_section="\0", delimiters=("=", ":"))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text)
        found = read_ini(text, CONFIGPARSER)
    except (configparser.Error, Unreadable):
        return

    theirs = {
        (section, key): [line for line in value.split("\n") if line]
        for section in parser.sections()
        for key, value in parser.items(section)
    }

    assert _flat(found) == theirs


@given(st.lists(_KEYS, max_size=10))
def test_a_file_of_keys_in_sections_is_never_refused(lines: list[str]) -> None:
    assert len(read_ini("\n".join(["[top]", *lines]), CONFIGPARSER)) == 1


_GIT_LINES = st.one_of(
    _NAMES.map(lambda name: f"[{name.replace('_', 'x')}]"),
    st.tuples(_NAMES, _NAMES).map(lambda two: f'[{two[0].replace("_", "x")} "{two[1]}"]'),
    st.tuples(
        _INDENTS, st.text("abcxyz", min_size=1, max_size=5), st.sampled_from(["=", " = "]),
        st.text("abc12./ ,:#;\"", max_size=8),
    ).map("".join),
    st.sampled_from(["", "# note", "\t; note"]),
)  # fmt: skip


def test_what_git_reads_is_read_alike(tmp_path: Path) -> None:
    file = tmp_path / "config"

    @given(st.lists(_GIT_LINES, max_size=8))
    def agrees(lines: list[str]) -> None:
        text = "\n".join(["[top]", *lines, ""])
        file.write_text(text)
        run = subprocess.run(
            ["git", "config", "-l", "-z", "-f", str(file)], capture_output=True, check=False
        )
        try:
            found = read_ini(text, GIT)
        except Unreadable:
            return
        if run.returncode:
            return
        theirs: dict[str, list[str]] = {}
        for entry in run.stdout.decode().split("\0")[:-1]:
            name, _, value = entry.partition("\n")
            theirs.setdefault(name, []).append(value)
        ours = {
            f"{section}.{key}".lower(): one if isinstance(one, list) else [one]
            for section, keys in found.items()
            if isinstance(keys, dict)
            for key, one in keys.items()
        }

        assert {key: [str(one) for one in values] for key, values in ours.items()} == {
            key.lower(): values for key, values in theirs.items()
        }

    agrees()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a]\n  x = 1\n  y = 2\n", {"a": {"x": "1", "y": "2"}}),
        ("[a]\n\tx = 1\n\ty = 2\n[b]\nz=3\n", {"a": {"x": "1", "y": "2"}, "b": {"z": "3"}}),
        ("[a]\nx = 1\n  2\n  3\n", {"a": {"x": ["1", "2", "3"]}}),
        ("[a]\nx =\n  p = 1\n  q = 2\ny = 3\n", {"a": {"x": ["p = 1", "q = 2"], "y": "3"}}),
        ("[a]\n  x =\n    one\n\n    two\n  y = 3\n", {"a": {"x": ["one", "two"], "y": "3"}}),
        ("[a]\nx = 1\n# note\n  2\n", {"a": {"x": ["1", "2"]}}),
        ("x = 1\n[a]\n", {"x": "1", "a": {}}),
        ("[a]\nx = 1\n[a]\ny = 2\n", {"a": {"x": "1", "y": "2"}}),
        ("[a]\nx = 1\nx = 2\n", {"a": {"x": ["1", "2"]}}),
        ("[tool:pytest]\naddopts = -q\n", {"tool:pytest": {"addopts": "-q"}}),
        ("[*.{js,py}]\nindent_size = 2\n", {"*.{js,py}": {"indent_size": "2"}}),
        ("[a]\nk: v = w\n", {"a": {"k": "v = w"}}),
    ],
)
def test_an_indented_line_continues_a_value_only_if_it_is_deeper(
    text: str, expected: dict[str, Value]
) -> None:
    assert read_ini(text, CONFIGPARSER) == expected


@pytest.mark.parametrize("dialect", [GIT, MYSQL, UNITS])
def test_indentation_means_nothing_to_git_mysql_and_systemd(dialect: object) -> None:
    text = "[a]\nx = 1\n    y = 2\n"

    assert read_ini(text, dialect) == {"a": {"x": "1", "y": "2"}}  # type: ignore[arg-type]


def test_keys_without_a_value_a_subsection_and_quotes_are_those_of_git() -> None:
    text = '[remote "origin"]\n\turl = "a b" # note\n\tfetch = x\n\tfetch = y\n[core]\n\tbare\n'

    assert read_ini(text, GIT) == {
        "remote.origin": {"url": "a b", "fetch": ["x", "y"]},
        "core": {"bare": ""},
    }


def test_a_backslash_joins_lines_of_a_unit() -> None:
    assert read_ini("[Service]\nExecStart=/bin/a \\\n  --b\nUser=web\n", UNITS) == {
        "Service": {"ExecStart": "/bin/a --b", "User": "web"}
    }


@pytest.mark.parametrize(
    "text", ["this is prose\n", "requirepass hunter2\n", "requirepass hunter2=\n", "= 1\n"]
)
def test_what_is_not_a_setting_is_not_read(text: str) -> None:
    with pytest.raises(Unreadable):
        read_ini(text, LOOSE)
