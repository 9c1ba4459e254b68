from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.detectors.tools.elf import describe_program
from clew.detectors.tools.executables import Executables
from clew.model.fact import Fact, Severity
from tests.kit.moments import Moment, evidence, facts, file, findings, link, story

DATA = Path(__file__).parent / "testdata" / "executables"
ELF = b"\x7fELF\x02\x01\x01" + bytes(57)
GO = (DATA / "esbuild-0.21.5.cut").read_bytes()
"""The first 64 bytes of a real esbuild, and its Go build info."""
RUST = (DATA / "rustup-1.29.0.cut").read_bytes()


def _program(content: bytes = b"#!/bin/sh\n", mode: int = 0o755) -> object:
    return file(content, mode=mode)


def _said(old: dict[str, object], new: dict[str, object], *, machine: bool = False) -> list[Fact]:
    return facts(Executables(), old, new, machine=machine)  # type: ignore[arg-type]


def test_a_program_from_nowhere_is_noted_with_what_can_be_read_of_it() -> None:
    (fact,) = _said({}, {"usr/local/bin/esbuild": _program(GO)})

    assert fact.identity == ("executable.added", "usr/local/bin", "esbuild")
    assert (fact.before, fact.after) == (None, "Go 1.20.12 (github.com/evanw/esbuild)")
    assert (fact.severity, fact.direct) == (Severity.NOTE, True)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (RUST, "Rust 1.93.1"),
        (ELF, "ELF"),
        (b"#!/bin/bash\nx", "script (bash)"),
        (b"#!/usr/bin/env -S A=1 python3 -u\n", "script (python3)"),
        (b"#!\n", "script (unknown)"),
        (b"#!/x/\x1b[31mred\n", "script (unknown)"),
        (b"MZ\x90", "Windows program"),
        (b"echo hi\n", "text"),
        (b"\0\1\2", "data"),
        (b"", "empty"),
    ],
)
def test_what_a_program_is(content: bytes, words: str) -> None:
    assert describe_program([content]) == words


def test_pieces_may_cut_the_words_of_go_in_two() -> None:
    content = ELF + bytes(16 * 5_000) + GO[64:]
    for size in (777, 4_096, 65_536):
        pieces = [content[at : at + size] for at in range(0, len(content), size)]

        assert describe_program(pieces).startswith("Go 1.20.12")


@pytest.mark.parametrize(
    "info",
    [
        b"\xff Go buildinf:",
        b"\xff Go buildinf:\x08\x02" + bytes(16),
        b"\xff Go buildinf:\x08\x00" + bytes(16) + b"\x08go1.20.1",
        b"\xff Go buildinf:\x08\x02" + bytes(16) + b"\xff\xff\xff\xff\xff\xff",
        b"\xff Go buildinf:\x08\x02" + bytes(16) + b"\x08evil\x1b[31",
        b" \xff Go buildinf:\x08\x02" + bytes(16) + b"\x08go1.20.1\0",
    ],
)
def test_broken_words_of_go_are_not_believed(info: bytes) -> None:
    assert describe_program([ELF + info]) == "ELF"


def test_a_program_may_be_endless() -> None:
    def endless() -> Iterator[bytes]:
        yield ELF
        while True:
            yield b"\xff Go buildinf:\x08" * (1 << 16)

    began = time.monotonic()

    assert describe_program(endless()) == "ELF"
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    "path",
    [
        "usr/bin/x", "usr/sbin/x", "opt/tool/bin/x", "home/al/.local/bin/x", "home/al/bin/x",
        "root/.local/bin/x", "root/bin/x", ".local/bin/x", "home/al/.cargo/bin/x", "snap/bin/x",
        "home/al/go/bin/x",
    ],
)  # fmt: skip
def test_these_directories_are_in_path(path: str) -> None:
    assert [f"{fact.scope}/{fact.subject}" for fact in _said({}, {path: _program()})] == [path]


@pytest.mark.parametrize(
    "path",
    ["bin/rails", "web/bin/x", ".venv/bin/python", "usr/bin/deep/x", "home/bin", "src/go/bin/x"],
)
def test_these_are_not(path: str) -> None:
    assert _said({}, {path: _program()}) == []


def test_bin_at_the_root_counts_on_a_machine_and_in_a_home() -> None:
    new = {"bin/x": _program()}

    assert len(_said({}, new, machine=True)) == 1
    assert len(_said({".bashrc": b""}, {".bashrc": b"", **new})) == 1


def test_what_cannot_be_executed_is_no_program() -> None:
    assert _said({}, {"usr/local/bin/notes": _program(mode=0o644)}) == []
    assert _said({"usr/bin/x": _program()}, {"usr/bin/x": _program(mode=0o700)}) == []
    assert _said({"usr/bin/x": _program()}, {}) == []


def test_a_program_that_was_replaced_or_became_one_says_what_it_was() -> None:
    old = {"usr/local/bin/a": _program(), "usr/local/bin/b": _program(b"text", 0o644)}
    new = {"usr/local/bin/a": _program(GO), "usr/local/bin/b": _program(b"text", 0o755)}

    assert [(fact.before, (fact.after or "")[:4]) for fact in _said(old, new)] == [
        ("script (sh)", "Go 1"),
        ("text, not executable", "text"),
    ]


def test_what_a_package_brought_or_another_explained_is_no_news() -> None:
    found = evidence({}, {"usr/bin/a": file(mode=0o755), "usr/bin/b": file(mode=0o755)})
    found.own(["usr/bin/a"], "a")
    found.claimed.add("usr/bin/b")

    assert findings(Executables(), found) == []


def test_a_link_says_where_it_leads_and_is_quiet_if_that_is_known() -> None:
    new: Moment = {
        "opt/x/run": b"",
        "usr/local/bin/known": link("../../../opt/x/run"),
        "usr/local/bin/odd": link("/tmp/run"),
    }
    found = evidence({}, new)
    found.claimed.add("opt/x/run")

    said = [fact for one in findings(Executables(), found) for fact in one.facts]

    assert [(fact.after, fact.severity, fact.direct) for fact in said] == [
        ("link to ../../../opt/x/run", Severity.NONE, False),
        ("link to /tmp/run", Severity.NOTE, True),
    ]


def test_only_the_program_is_claimed_and_the_story_names_it() -> None:
    new: Moment = {"usr/local/bin/x": file(GO, mode=0o755), "usr/local/share/x": b""}

    result = story([Executables()], {}, new)

    assert result.headline.startswith("new program x")
    assert [one.claims for one in findings(Executables(), evidence({}, new))] == [
        ("usr/local/bin/x",)
    ]
