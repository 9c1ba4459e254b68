from __future__ import annotations

import pytest

from clew.detectors.code.broken_syntax import BrokenSyntax
from clew.detectors.files.source_files import SourceFiles
from tests.kit.moments import Moment, facts, file, problems, story

PYTHON = b"def total(prices):\n    return sum(prices)\n"
GO = b"package a\n\nfunc A() {\n\tif true {\n\t\tB()\n\t}\n}\n"


@pytest.mark.parametrize(
    ("name", "old", "new", "mark"),
    [
        ("a.py", PYTHON, PYTHON.replace(b"s)\n", b"s\n"), "line 2"),
        ("a.py", PYTHON, PYTHON.replace(b"    ret", b"ret"), "line 2"),
        ("package.json", b'{"a": 1}', b'{"a": 1', "line 1"),
        ("tsconfig.json", b'{"a": 1, // x\n}', b'{"a" 1, // x\n}', "line 1"),
        ("pyproject.toml", b"[a]\nb = 1\n", b"[a\nb = 1\n", "line 1"),
        ("pom.xml", b"<a><b/></a>", b"<a><b></a>", "line 1"),
        ("a.go", GO, GO.replace(b"\t}\n", b""), "brackets do not match"),
        ("a.ts", b"f(() => {\n  g();\n});\n", b"f(() => {\n  g();\n}\n", "brackets do not match"),
    ],
)  # fmt: skip
def test_a_file_that_can_no_longer_be_parsed_is_a_warning(
    name: str, old: bytes, new: bytes, mark: str
) -> None:
    (fact,) = facts(BrokenSyntax(), {f"app/{name}": old}, {f"app/{name}": new})

    assert (fact.kind, fact.severity, fact.subject) == ("broken.syntax", "high", f"app/{name}")
    assert fact.marks[0] == mark


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("a.py", PYTHON, PYTHON.replace(b"sum", b"max")),
        ("a.py", b"def (", b"def (("),  # it could not be parsed before
        ("a.py", PYTHON, b"<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> b\n"),
        ("a.py", PYTHON, b"{{ cookiecutter.name }}(\n"),
        ("a.py", PYTHON, b"type Pair[T] = tuple[T, T]\n"),
        ("a.py", PYTHON, b"def first[T](a: list[T]) -> T: ...\n"),
        ("a.py", PYTHON, b"try:\n    pass\nexcept ValueError, KeyError:\n    pass\n"),
        ("a.py", PYTHON, b"x = f'{a['b']}'\n"),
        ("a.py", PYTHON, b""),
        ("vendor/a.py", PYTHON, b"def ("),
        ("tsconfig.json", b'{"a": 1}', b'{\n  // why\n  "a": 1,\n}\n'),
        ("events.json", b'{"a": 1}\n', b'{"a": 1}\n{"a": 2}\n'),
        ("a.js", b"f(() => {\n});\n", b"f(() => {\n  const x = `${'}'}`;\n  g(/[{]/);\n});\n"),
        ("a.xml", b"<a/>", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;'),
        ("a.rs", b"fn a<'x>(b: &'x str) {}\n", b"fn a<'x>(b: &'x str) { let c = '{'; }\n"),
    ],
)
def test_what_can_be_parsed_or_says_more_by_itself_is_no_warning(
    name: str, old: bytes, new: bytes
) -> None:
    assert facts(BrokenSyntax(), {name: old}, {name: new}) == []


def test_a_new_file_that_cannot_be_parsed_is_somebodys_draft() -> None:
    assert facts(BrokenSyntax(), {}, {"a.py": b"def ("}) == []


def test_the_line_says_where_and_why_and_the_headline_where() -> None:
    old: Moment = {"app/main.py": PYTHON}
    new: Moment = {"app/main.py": b"def total(\n"}

    told = story([BrokenSyntax()], old, new, [SourceFiles()])

    assert told.headline == "! app/main.py no longer parses (line 1)"
    assert [line.text for line in told.lines] == [
        "app/main.py no longer parses (line 1, '(' was never closed)"
    ]


def test_only_so_much_is_parsed_and_hostile_files_cost_nothing() -> None:
    old: Moment = {f"{n}.py": PYTHON for n in range(5)}
    new: Moment = dict.fromkeys(old, b"def (")
    assert len(facts(BrokenSyntax(max_files=2), old, new)) == 2
    assert len(facts(BrokenSyntax(max_bytes=12), old, new)) == 2

    for content in (b"(" * 100_000, b"x = " + b"-" * 100_000, b"\xff\xfe\0", b"[" * 100_000):
        for name in ("a.py", "a.json", "a.toml", "a.go"):
            facts(BrokenSyntax(), {name: b"{}"}, {name: content})
            assert problems(BrokenSyntax(), {name: b"{}"}, {name: content}) == []
    assert facts(BrokenSyntax(), {"a.py": PYTHON}, {"a.py": file(b"def (", size=1 << 24)}) == []
