from __future__ import annotations

import pytest

from clew.detectors.code.broken_syntax import BrokenSyntax
from clew.detectors.files.source_files import SourceFiles
from clew.story.words import phrase
from tests.kit.moments import Moment, facts, file, problems, story

PYTHON = b"def total(prices):\n    return sum(prices)\n"
YAML = b"server:\n  port: 1\n  hosts:\n    - a\n    - b\n"
HCL = b'resource "x" "y" {\n  ami = "a"\n  lifecycle {\n    c = true\n  }\n}\n'
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
        ("package.json", b'{"a": 1}', b'{"a": 1,}', "line 1"),
        ("composer.json", b'{"a": 1}', b'{\n  // x\n  "a": 1\n}', "line 2"),
        ("settings.yaml", YAML, YAML.replace(b"hosts:", b"hosts: ["), "line 4"),
        ("ci.yml", YAML, YAML.replace(b"  port: 1", b"  port: 'a"), "line 2"),
        ("a.yaml", YAML, YAML.replace(b"  hosts", b"\thosts"), "line 3"),
        ("a.yaml", YAML, YAML.replace(b"  hosts", b" hosts"), "line 3"),
        ("a.yaml", b"---\na: 1\n---\nb: 1\n", b"---\na: 1\n---\nb: [1\n", "line 5"),
        ("play.yml", b'a: "{{ x }}"\nb: 1\n', b'a: "{{ x }}"\nb: 1: 2\n', "line 2"),
        (".prettierrc", b"semi: true\n", b"semi: [true\n", "line 2"),
        ("setup.cfg", b"[a]\nb = 1\n", b"[a\nb = 1\n", "line 1"),
        ("Info.plist", b'<!DOCTYPE plist PUBLIC "x" "y">\n<plist/>', b'<!DOCTYPE plist PUBLIC "x" "y">\n<plist>', "line 2"),
        ("main.tf", HCL, HCL.replace(b"  }\n", b""), "line 6"),
        ("main.tf", HCL, HCL.replace(b'"a"', b'"a'), "line 2"),
        ("prod.tfvars", b"a = [1]\n", b"a = [1\n", "line 2"),
        ("a.ipynb", b'{"cells": []}', b'{"cells": [', "line 1"),
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
        ("tsconfig.json", b'{"a": 1}', b'{"a": 1,}'),
        (".vscode/launch.json", b'{"a": 1}', b'{"a": 1,}'),
        ("a.jsonc", b'{"a": 1}', b'{"a": 1,}'),
        ("routes.json", b'{"a": 1}', b'{"a": 1 /* why */,}'),
        (".prettierrc", b'{"semi": true}', b"semi: true\n"),
        ("a.yaml", YAML, YAML + b"server: 2\n"),  # a repeated key
        ("a.yaml", YAML, b"{{- if .Values.x }}\na: [\n{{- end }}\n"),
        ("database.yml", YAML, YAML + b"<% if x %>\na: [\n<% end %>\n"),
        ("a.yaml", YAML, YAML.replace(b"  port: 1", b"  port: {{ port }}: 1")),
        ("a.yaml", b"? [a]\n: 1\n", b"? [a, b]\n: 1\n"),
        ("setup.cfg", b"[a]\nb = 1\n", b"[a]\nb = 1\nb = 2\nc\n"),
        ("main.tf", HCL, HCL.replace(b'ami = "a"', b'ami = <<-E\n  " { ( ${x}\n  E\n')),
        (
            "main.tf",
            HCL,
            HCL.replace(b'ami = "a"', b'ami = [for s in var.a : "${s}{" if s != ""] # ('),
        ),
        ("some.ini", b"[a]\nb = 1\n", b"[a\nb = 1\n"),  # its program is not known
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


def test_a_last_comma_is_a_note_where_the_program_is_not_known() -> None:
    old: Moment = {"data/routes.json": b'{"a": [1]}'}
    new: Moment = {"data/routes.json": b'{"a": [1,]}'}

    (fact,) = facts(BrokenSyntax(), old, new)

    assert (fact.kind, fact.severity) == ("broken.syntax", "note")
    assert phrase("broken", [fact]).text == (
        "data/routes.json is no longer strict JSON (line 1, a comma after the last entry)"
    )


def test_test_data_that_no_longer_parses_is_a_note() -> None:
    (fact,) = facts(BrokenSyntax(), {"tests/data/a.yaml": YAML}, {"tests/data/a.yaml": b"a: [\n"})

    assert fact.severity == "note"


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
        for name in ("a.py", "a.json", "a.toml", "a.go", "a.yaml", "a.svg", "setup.cfg", "a.tf"):
            facts(BrokenSyntax(), {name: b"{}"}, {name: content})
            assert problems(BrokenSyntax(), {name: b"{}"}, {name: content}) == []
    assert facts(BrokenSyntax(), {"a.py": PYTHON}, {"a.py": file(b"def (", size=1 << 24)}) == []
