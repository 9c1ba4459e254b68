"""Python packages and environments that are not complete, and complete ones that look like it."""

from __future__ import annotations

import pytest

from clew.detectors.python.pip import Pip
from clew.model.entry import Entry, EntryKind
from clew.model.fact import Fact
from clew.story.words import phrase
from tests.detectors.python_trees import Tree, made, venv
from tests.kit.moments import Thing, evidence, facts, findings, link, story

SITE = ".venv/lib/python3.11/site-packages"
VENV = venv(".venv")
HALF: Tree = {  # what pip has written when it is killed
    f"{SITE}/numpy/__init__.py": b"if True:\n    from . import core\n    from .linalg import norm\n",
    f"{SITE}/numpy/core.py": b"x = 1\n",
    f"{SITE}/numpy.libs/libopenblas.so": b"\x7fELF",
}


def _broken(
    old: Tree, new: Tree, **more: bool
) -> list[tuple[str, str, str | None, tuple[str, ...]]]:
    return [
        (fact.scope, fact.subject, fact.before, fact.marks)
        for fact in facts(Pip(), old, new, **more)  # type: ignore[arg-type]
        if fact.kind.startswith("broken.")
    ]


def test_modules_without_a_record_that_miss_others_are_half_an_installation() -> None:
    assert _broken(VENV, VENV | HALF) == [
        ("pip:.venv", "numpy", None, ("no dist-info", "no numpy.linalg"))
    ]
    told = story([Pip()], VENV, VENV | HALF)
    assert told.headline == "! installation of numpy incomplete (no dist-info) in .venv"
    assert len(told.lines) == 1


@pytest.mark.parametrize(
    "text",
    [
        b"from django.utils.version import get_version\n",
        b"import django.utils.version\n",
        b"from .utils import version\n",
        b"if True:\n    from .utils.version import get_version\n",
    ],
)
def test_every_form_of_an_import_shows_what_is_missing(text: bytes) -> None:
    new = VENV | {f"{SITE}/django/__init__.py": text, f"{SITE}/django/apps/config.py": b"x = 1\n"}

    assert [found[1] for found in _broken(VENV, new)] == ["django"]


def test_an_upgrade_that_was_interrupted_is_not_a_removal() -> None:
    old = VENV | made("numpy", "1.26.3", SITE, files=("numpy/__init__.py", "numpy/linalg.py"))
    new = VENV | {
        f"{SITE}/numpy/__init__.py": b"x = 2\n",
        f"{SITE}/~umpy/__init__.py": b"x = 1\n",
        f"{SITE}/~umpy/linalg.py": b"x = 1\n",
        f"{SITE}/~umpy-1.26.3.dist-info/METADATA": b"Name: numpy\nVersion: 1.26.3\n",
    }

    assert _broken(old, new) == [
        ("pip:.venv", "numpy", "1.26.3", ("no dist-info", "the old one is in ~umpy"))
    ]
    assert [fact.kind for fact in facts(Pip(), old, new)] == ["broken.install"]


@pytest.mark.parametrize(
    ("left_out", "marks"),
    [
        ("a-1.dist-info/RECORD", ("no RECORD",)),
        ("a-1.dist-info/METADATA", ("no METADATA",)),
        ("a/core.py", ("1 of 4 files missing",)),
    ],
)
def test_what_an_interrupted_installation_did_not_write_is_named(
    left_out: str, marks: tuple[str, ...]
) -> None:
    new = VENV | made("a", "1", SITE, installer="", files=("a/__init__.py", "a/core.py", "a/x.so"))
    del new[f"{SITE}/{left_out}"]

    assert _broken(VENV, new) == [("pip:.venv", "a", None, marks)]


def test_modules_that_were_deleted_leave_a_package_incomplete() -> None:
    old = VENV | made("a", "1", SITE, files=("a/__init__.py", "a/core.py", "a/tests/test_a.py"))
    new = {path: thing for path, thing in old.items() if not path.startswith(f"{SITE}/a/")}

    assert _broken(old, new) == [("pip:.venv", "a", None, ("2 of 4 files missing",))]


def _without(tree: Tree, *ends: str) -> Tree:
    return {path: thing for path, thing in tree.items() if not path.endswith(ends)}


_COMPLETE = made(
    "a", "1", SITE, files=("a/__init__.py", "a/core.py", "a/tests/test_a.py", "a/n.txt")
)
_EDITABLE = made("e", "1", SITE, files=("__editable__.e-1.pth",))
_NAMESPACE = made("ns-one", "1", SITE, files=("ns/one.py",)) | made(
    "ns-two", "1", SITE, files=("ns/two.py",)
)
_UNCOVERED = Thing(Entry(b"", EntryKind.UNCOVERED))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (VENV, VENV | _COMPLETE),
        (VENV, VENV | _EDITABLE),
        (VENV, VENV | _NAMESPACE),
        (VENV | _COMPLETE, VENV | _without(_COMPLETE, "test_a.py", "n.txt")),
        (VENV | _COMPLETE, VENV),
        (VENV, VENV | _without(_COMPLETE, "a/core.py") | {f"{SITE}/a/core.py": _UNCOVERED}),
        (VENV, VENV | {f"{SITE}/mine/__init__.py": b"from .b import x\n", f"{SITE}/mine/b.py": b""}),
        (VENV, VENV | {f"{SITE}/mine/__init__.py": b"try:\n    from .fast import x\nexcept ImportError: x = 1\n"}),
        (VENV, VENV | {f"{SITE}/single.py": b"from .x import y\n"}),
        (VENV, VENV | {f"{SITE}/x.pth": b"/srv/code\n"}),
        (VENV | _COMPLETE, VENV | _COMPLETE | {f"{SITE}/a/__pycache__/core.cpython-311.pyc": b"x"}),
        (VENV, VENV | _COMPLETE | {f"{SITE}/~ld/x.py": b"from .y import z\n"}),
        ({}, made("t", "1", "lambda/package", files=("t/__init__.py",))),
        (VENV | _COMPLETE, {}),
    ],
)  # fmt: skip
def test_a_complete_or_removed_package_is_not_broken(old: Tree, new: Tree) -> None:
    assert _broken(old, new) == []


def test_packages_of_the_system_are_left_to_its_manager() -> None:
    site = "usr/lib/python3/dist-packages"
    new: Tree = {f"{site}/yaml-6.0.dist-info/METADATA": b"Name: yaml\nVersion: 6.0\n"}

    assert _broken({}, new, machine=True) == []


def test_a_package_of_hostile_modules_takes_no_time() -> None:
    deep = b"(" * 100_000
    new = VENV | {f"{SITE}/x/m{number}.py": deep for number in range(300)}

    assert _broken(VENV, new) == []


def _config(version: str, key: str = "version") -> Tree:
    return {".venv/pyvenv.cfg": f"home = /usr/bin\n{key} = {version}\n".encode()}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (_config("3.11.7"), _config("3.12.1")),
        (_config("3.11.7.final.0", "version_info"), _config("3.12.1.final.0", "version_info")),
        (_config("3.12.1"), _config("3.9.18")),
    ],
)
def test_packages_for_another_python_make_an_environment_useless(old: Tree, new: Tree) -> None:
    version = old[".venv/pyvenv.cfg"].partition(b"= ")[2].partition(b"= ")[2].decode()  # type: ignore[union-attr]
    before = ".".join(version.split(".")[:2])
    site = f".venv/lib/python{before}/site-packages"
    package = made("a", "1", site, files=("a.py",))

    (found,) = _broken(VENV | old | package, VENV | new | package)

    assert found[:2] == ("python:.venv", ".venv")
    assert found[3] == (f"its packages are for {before}",)


def test_an_environment_that_was_made_again_has_another_python_and_is_not_broken() -> None:
    old = VENV | _config("3.11.7") | made("a", "1", SITE, files=("a.py",))
    new = VENV | _config("3.12.1")

    told = facts(Pip(), old, new)

    assert _broken(old, new) == []
    assert ("toolchain.changed", ".venv", "Python", "3.11", "3.12") in [fact[:5] for fact in told]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (_config("3.11.7"), _config("3.11.9")),
        (_config("3.11.7"), {".venv/pyvenv.cfg": b"\xff\xff"}),
        ({}, _config("3.12.1")),
        (_config("3.11.7"), {}),
    ],
)
def test_the_same_or_an_unknown_python_is_no_change(old: Tree, new: Tree) -> None:
    kinds = {fact.kind for fact in facts(Pip(), old, new)}

    assert not kinds & {"broken.environment", "toolchain.changed"}


def test_an_interpreter_that_is_gone_is_told_only_if_it_was_in_the_tree() -> None:
    inside = VENV | {".venv/bin/python": link("python3"), ".venv/bin/python3": b"\x7fELF"}
    gone = _without(inside, "bin/python", "bin/python3")

    assert _broken(inside, gone) == [("python:.venv", ".venv", None, ("its interpreter is gone",))]
    outside = _without(VENV, "bin/python")
    assert _broken(VENV, outside) == []
    machine = VENV | {"usr/bin/python3": b"\x7fELF"}
    assert _broken(
        machine, _without(machine, "usr/bin/python3", ".venv/bin/python"), machine=True
    ) == [("python:.venv", ".venv", None, ("its interpreter is gone",))]


def _made_at(
    root: str, place: str, script: bytes = b'VIRTUAL_ENV="%s"\nexport VIRTUAL_ENV\n'
) -> Tree:
    return venv(root) | {f"{root}/bin/activate": script.replace(b"%s", place.encode())}


@pytest.mark.parametrize(
    "script",
    [b'VIRTUAL_ENV="%s"\n', b"    VIRTUAL_ENV='%s'\n", b"    export VIRTUAL_ENV=%s\n"],
)
def test_an_environment_that_was_moved_is_broken_and_told_once(script: bytes) -> None:
    old = _made_at(".venv", "/home/u/shop/.venv", script) | made("a", "1", SITE, files=("a.py",))
    new = {path.replace(".venv", "env/shop", 1): thing for path, thing in old.items()}

    (finding,) = findings(Pip(), evidence(old, new))

    (fact,) = finding.facts
    assert (fact.kind, fact.severity, fact.subject) == ("broken.environment", "high", "env/shop")
    assert phrase("broken", [fact]).short == (
        "env/shop: moved from .venv, its scripts name the old place"
    )
    assert {*old, *new} <= set(finding.claims)


def test_packages_that_differ_are_told_beside_the_move() -> None:
    old = _made_at(".venv", "/home/u/shop/.venv") | made("a", "1", SITE, files=("a.py",))
    new = {path.replace(".venv", "env", 1): thing for path, thing in old.items()}
    new |= made("b", "2", SITE.replace(".venv", "env"), files=("b.py",))

    told = [(fact.kind, fact.subject) for fact in facts(Pip(), old, new)]

    assert told == [("broken.environment", "env"), ("package.added", "b")]


@pytest.mark.parametrize(
    ("script", "place"),
    [
        (b'VIRTUAL_ENV="%s"\n', "/home/u/shop/env"),  # moved back to where it was made
        (b'VIRTUAL_ENV="$(dirname "$0")"\n', ""),  # it finds its place itself
        (b"# nothing\n", ""),
    ],
)
def test_an_environment_that_works_where_it_is_now_is_not_broken(script: bytes, place: str) -> None:
    old = _made_at(".venv", place, script)
    new = {path.replace(".venv", "env", 1): thing for path, thing in old.items()}

    assert _broken(old, new) == []


def test_an_environment_that_was_made_again_elsewhere_was_not_moved() -> None:
    assert _broken(_made_at(".venv", "/w/.venv"), _made_at("env", "/w/env")) == []
    copied = _made_at(".venv", "/w/.venv") | _made_at("copy", "/w/.venv")
    assert _broken(_made_at(".venv", "/w/.venv"), copied) == []


def test_an_interpreter_beside_the_environment_that_is_gone_is_told() -> None:
    inside = _made_at("web/.venv", "/w/web/.venv") | {
        "web/.venv/bin/python3": link("/w/tools/python/bin/python3.12"),
        "tools/python/bin/python3.12": b"\x7fELF",
    }
    gone = _without(inside, "tools/python/bin/python3.12")

    assert _broken(inside, gone) == [
        ("python:web/.venv", "web/.venv", None, ("its interpreter is gone",))
    ]
    linked = inside | {"tools/python/bin/python3.12": link("/usr/bin/python3")}
    assert len(_broken(linked, gone)) == 1
    elsewhere = inside | {"web/.venv/bin/python3": link("/usr/bin/python3")}
    assert _broken(elsewhere, _without(elsewhere, "tools/python/bin/python3.12")) == []


def test_the_words_say_what_is_incomplete_and_where() -> None:
    one = Fact(
        "broken.install", "pip:.venv", "numpy", "1.26.3", severity="high", marks=("no RECORD",)
    )
    environment = Fact("broken.environment", "python:.venv", ".venv", "3.11", "3.12",
                       severity="high", marks=("its packages are for 3.11",))  # fmt: skip

    assert phrase("broken", [one]).short == "installation of numpy incomplete (no RECORD) in .venv"
    assert phrase("broken", [one, one._replace(subject="pandas")]).shortest == (
        "2 packages incomplete in .venv"
    )
    assert phrase("broken", [environment]).short == (
        ".venv: Python 3.11 → 3.12, its packages are for 3.11"
    )


def test_all_files_of_half_an_installation_are_explained() -> None:
    (finding,) = findings(Pip(), evidence(VENV, VENV | HALF))

    assert set(finding.claims) == set(HALF)


def test_a_removal_that_was_interrupted_leaves_its_files_aside() -> None:
    old = VENV | made("idna", "3.7", SITE, files=("idna/__init__.py", "idna/core.py"))
    new = VENV | {f"{SITE}/~dna/__init__.py": b"x = 1\n", f"{SITE}/~dna/core.py": b"x = 1\n"}

    assert _broken(old, new) == [("pip:.venv", "idna", "3.7", ("its files are left in ~dna",))]
    assert _broken(old, VENV) == []
