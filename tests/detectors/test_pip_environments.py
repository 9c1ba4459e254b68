from __future__ import annotations

import time

import pytest

from clew.detectors.python.pip import Pip
from clew.model.fact import Fact
from tests.detectors.python_trees import Tree, made, venv
from tests.kit.moments import directory, evidence, facts, file, findings, link, problems, story

SITE = ".venv/lib/python3.11/site-packages"


def _only(old: Tree, new: Tree) -> Fact:
    (fact,) = facts(Pip(), old, new)
    return fact


def _unclaimed(old: Tree, new: Tree) -> list[str]:
    """Return the changed paths, without directories, that the detector did not explain."""
    found = evidence(old, new)
    findings(Pip(), found)
    return [
        path
        for path, change in found.changes.items()
        if path not in found.claimed and not change.is_directory
    ]


# Environments


@pytest.mark.parametrize(
    ("site", "scope"),
    [
        ("web/.venv/lib/python3.11/site-packages", "pip:web/.venv"),
        ("home/u/.local/lib/python3.11/site-packages", "pip:home/u/.local"),
        ("usr/local/lib/python3.11/dist-packages", "pip:usr/local"),
        ("root/.pyenv/versions/3.11.7/lib/python3.11/site-packages", "pip:root/.pyenv/versions/3.11.7"),
        ("env/lib/pypy3.10/site-packages", "pip:env"),
        ("lib/python3.11/site-packages", "pip:."),
        ("env/Lib/site-packages", "pip:env"),
    ],
)  # fmt: skip
def test_the_scope_is_the_environment(site: str, scope: str) -> None:
    before: Tree = {"x": b""}

    assert _only(before, before | made("a", "1", site)).scope == scope


def test_two_environments_are_two_scopes() -> None:
    other = "web/env/lib/python3.11/site-packages"
    old = venv(".venv") | venv("web/env")
    new = old | made("a", "1", SITE) | made("a", "2", other)

    found = findings(Pip(), evidence(old, new))

    assert [finding.facts[0].scope for finding in found] == ["pip:.venv", "pip:web/env"]
    assert all(path.startswith("web/env") for path in found[1].claims)


def test_a_new_environment_is_explained_and_its_seeds_were_not_asked_for() -> None:
    new = venv(".venv") | made("pip", "23.2.1", SITE) | made("a", "1", SITE)
    new[".venv/bin/dropped"] = b"#!/bin/sh"

    assert [(fact.subject, fact.direct) for fact in facts(Pip(), {}, new)] == [
        ("a", True),
        ("pip", False),
    ]
    assert _unclaimed({}, new) == [".venv/bin/dropped"]


def test_an_environment_that_is_gone_is_explained_whole() -> None:
    old = venv("web/.venv") | made("a", "1", "web/.venv/lib/python3.11/site-packages")
    old["web/.venv/bin/stray"] = b""
    kept: Tree = {"web/app.py": b""}

    found = evidence(old | kept, kept)
    (finding,) = findings(Pip(), found)

    assert [fact.identity for fact in finding.facts] == [("package.removed", "pip:web/.venv", "a")]
    assert set(finding.claims) == set(found.changes)


def test_an_environment_without_packages_is_one_line() -> None:
    result = story([Pip()], {}, venv(".venv"))

    assert [line.text for line in result.lines] == [
        "new Python environment, nothing installed (.venv)"
    ]


def test_byte_code_of_what_was_installed_is_explained_though_nobody_recorded_it() -> None:
    cache = f"{SITE}/a/__pycache__"
    new = venv(".venv") | made("a", "1", SITE, files=("a/__init__.py",))
    new |= {f"{cache}/__init__.cpython-311.opt-1.pyc": b"", f"{cache}/other.cpython-311.pyc": b""}

    assert _unclaimed(venv(".venv"), new) == [f"{cache}/other.cpython-311.pyc"]


# Packages of other managers


@pytest.mark.parametrize("installer", ["debian", "conda", "pip"])
def test_packages_of_the_machine_are_left_to_their_manager(installer: str) -> None:
    site = "usr/lib/python3/dist-packages"
    tree = made("a", "1", site, installer=installer)

    assert facts(Pip(), {}, tree) == []
    assert facts(Pip(), tree, {}) == []


@pytest.mark.parametrize(
    ("site", "installer", "said"),
    [
        ("usr/lib/python3.12/site-packages", "gpep517", []),
        ("usr/lib/python3.12/site-packages", "pip", ["a"]),
        ("opt/conda/lib/python3.12/site-packages", "conda", []),
        ("opt/conda/lib/python3.12/site-packages", "pip", ["a"]),
    ],
)
def test_who_installed_a_package_decides_whose_it_is(
    site: str, installer: str, said: list[str]
) -> None:
    tree = made("a", "1", site, installer=installer)

    assert [fact.subject for fact in facts(Pip(), {}, tree)] == said
    assert [fact.subject for fact in facts(Pip(), tree, {})] == said


def test_what_another_package_brought_is_left_alone() -> None:
    found = evidence({}, made("a", "1", SITE))
    found.own([f"{SITE}/a-1.dist-info/{name}" for name in ("METADATA", "INSTALLER")], "python3-a")

    assert [finding.facts for finding in findings(Pip(), found)] == []


def test_packages_vendored_in_a_package_are_not_installed() -> None:
    inner = made("inner", "1", f"{SITE}/outer/_vendor/site-packages")

    assert facts(Pip(), venv(".venv"), venv(".venv") | inner) == []


# Hostile bytes


@pytest.mark.parametrize(
    "path", ["../../../../../etc/passwd", "/etc/passwd", "a/../../../../../etc/x"]
)
def test_a_record_cannot_explain_what_lies_outside_its_environment(path: str) -> None:
    new = venv("srv/.venv") | made(
        "a", "1", "srv/.venv/lib/python3.11/site-packages",
        more={"RECORD": f"{path},,\n../../../bin/a,,\n".encode()},
    )  # fmt: skip
    new |= {"etc/passwd": b"", "etc/x": b"", "srv/.venv/bin/a": b"#!"}

    found = evidence(venv("srv/.venv"), new)
    findings(Pip(), found)

    assert not {"etc/passwd", "etc/x"} & (found.claimed | set(found.owners))
    assert found.owners["srv/.venv/bin/a"] == "a"


def test_a_record_cannot_explain_a_setuid_file() -> None:
    new = venv(".venv") | made("a", "1", SITE, files=("../../../bin/su",))
    new[".venv/bin/su"] = file(b"x = 1\n", mode=0o4755)

    assert _unclaimed(venv(".venv"), new) == [".venv/bin/su"]


@pytest.mark.parametrize(
    "more",
    [
        {"direct_url.json": b"["},
        {"direct_url.json": b"[" * 60_000},
        {"direct_url.json": b'{"url": 3, "vcs_info": []}'},
        {"direct_url.json": b"{}" + b" " * 100_000},
    ],
)
def test_a_broken_part_costs_one_line_and_not_the_package(more: dict[str, bytes]) -> None:
    new = venv(".venv") | made("a", "1", SITE, more=more) | made("b", "1", SITE)

    assert [fact.subject for fact in facts(Pip(), venv(".venv"), new)] == ["a", "b"]
    assert [path for path, _ in problems(Pip(), venv(".venv"), new)] != []


def test_a_record_that_is_too_large_costs_only_its_claims() -> None:
    record: Tree = {f"{SITE}/a-1.dist-info/RECORD": file(b"", size=1 << 40)}
    new: Tree = venv(".venv") | made("a", "1", SITE) | record

    assert _only(venv(".venv"), new).subject == "a"
    assert "too large" in problems(Pip(), venv(".venv"), new)[0][1]


def test_names_that_are_none_are_a_problem_or_are_read_from_the_directory() -> None:
    bad = {"METADATA": b"Name: \x1b[31mevil\nVersion: 1\n"}
    new = venv(".venv") | made("good", "1", SITE, more=bad) | made("\x07", "1", SITE)

    assert [fact.subject for fact in facts(Pip(), venv(".venv"), new)] == ["good"]
    assert len(problems(Pip(), venv(".venv"), new)) == 1


def test_metadata_that_is_missing_or_a_link_is_no_package() -> None:
    new: Tree = venv(".venv") | {
        f"{SITE}/a-1.dist-info/RECORD": b"",
        f"{SITE}/b-1.dist-info/METADATA": link("/etc/shadow"),
        f"{SITE}/c-1.dist-info": directory(),
        f"{SITE}/~ip-1.dist-info/METADATA": b"Name: pip\nVersion: 1\n",
    }

    found = facts(Pip(), venv(".venv"), new)

    assert [(fact.kind, fact.subject, fact.marks) for fact in found] == [
        ("broken.install", "a", ("no METADATA",))
    ]


def test_many_packages_in_many_environments_take_no_time() -> None:
    new: Tree = {}
    for number in range(30):
        site = f"env{number}/lib/python3.11/site-packages"
        new |= venv(f"env{number}")
        for name in range(5):
            files = tuple(f"p{name}/m{module}.py" for module in range(100))
            new |= made(f"p{name}", "1", site, files=files)
    found = evidence({}, new)
    started = time.process_time()

    assert len(findings(Pip(), found)) == 30
    assert time.process_time() - started < 3  # 0.3 s unless entries are searched in a list
