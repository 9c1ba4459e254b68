from __future__ import annotations

import pytest

from clew.detectors.python.pip import Pip
from clew.detectors.python.python_tools import PythonTools
from clew.model.fact import Fact
from clew.story.analyse import analyse
from tests.detectors.python_trees import DATA, Tree, made, real, venv
from tests.kit.moments import evidence, facts, findings, link, problems, story

LOCAL = "home/u/.local"
UV, PIPX = f"{LOCAL}/share/uv/tools/cowsay", f"{LOCAL}/share/pipx/venvs/pycowsay"
LIB = "lib/python3.11/site-packages"


def _uv_tool() -> Tree:
    """Return the result of `uv tool install --with idna cowsay`."""
    return {
        **venv(UV),
        **real("cowsay-6.1.dist-info", f"{UV}/{LIB}"),
        **real("idna-3.20.dist-info", f"{UV}/{LIB}"),
        f"{UV}/uv-receipt.toml": (DATA / "uv-receipt.toml").read_bytes(),
        f"{LOCAL}/share/uv/tools/.lock": b"",
        f"{LOCAL}/share/uv/tools/.gitignore": b"*",
        f"{LOCAL}/bin/cowsay": link(f"/{UV}/bin/cowsay"),
    }


def _pipx_tool() -> Tree:
    """Return the result of `pipx install pycowsay; pipx inject pycowsay idna`."""
    return {
        **venv(PIPX),
        **real("pycowsay-0.0.0.2.dist-info", f"{PIPX}/{LIB}"),
        **real("idna-3.20.dist-info", f"{PIPX}/{LIB}"),
        f"{PIPX}/bin/pycowsay": b"#!" * 170 + b"uv",  # uv's first line is longer than it recorded
        **made("certifi", "1", f"{PIPX}/{LIB}", requested=False),
        f"{PIPX}/pipx_metadata.json": (DATA / "pipx_metadata.json").read_bytes(),
        f"{LOCAL}/bin/pycowsay": link(f"/{PIPX}/bin/pycowsay"),
        f"{LOCAL}/share/man/man6/pycowsay.6": link(f"/{PIPX}/share/man/man6/pycowsay.6"),
    }


def _both(old: Tree, new: Tree) -> list[Fact]:
    return list(story([PythonTools(), Pip()], old, new).facts)


@pytest.mark.parametrize(
    ("tree", "manager", "tool", "version"),
    [
        (_uv_tool(), "uv-tool", "cowsay", "6.1"),
        (_pipx_tool(), "pipx", "pycowsay", "0.0.0.2"),
    ],
)
def test_a_tool_is_told_once_with_what_was_put_beside_it(
    tree: Tree, manager: str, tool: str, version: str
) -> None:
    found = _both({}, tree)

    assert [(f.kind, f.scope, f.subject, f.after, f.direct) for f in found] == [
        ("package.added", manager, tool, version, True),
        ("package.added", f"{manager}:{tool}", "idna", "3.20", True),
    ]


@pytest.mark.parametrize("tree", [_uv_tool(), _pipx_tool()])
def test_installing_and_removing_a_tool_explains_every_path(tree: Tree) -> None:
    for old, new in (({}, tree), (tree, {})):
        result = story([PythonTools(), Pip()], old, new)

        assert {line.heading for line in result.lines} == {"Packages"}


def test_removing_a_tool_names_it() -> None:
    found = _both(_uv_tool(), {})

    assert ("package.removed", "uv-tool", "cowsay") in [fact.identity for fact in found]


def test_an_upgrade_that_leaves_the_receipt_alone_is_seen() -> None:
    old = _uv_tool()
    new = {path: what for path, what in old.items() if "cowsay-6.1" not in path}
    new |= made("cowsay", "6.2", f"{UV}/{LIB}", installer="uv")

    (fact,) = _both(old, new)

    assert fact.identity == ("package.changed", "uv-tool", "cowsay")
    assert (fact.before, fact.after) == ("6.1", "6.2")


def test_what_came_along_is_told_where_the_tool_stayed_the_same() -> None:
    new = _pipx_tool() | made("certifi", "2", f"{PIPX}/{LIB}", requested=False)

    (fact,) = _both(_pipx_tool(), new)

    assert fact.identity == ("package.changed", "pipx:pycowsay", "certifi")
    assert not fact.direct


def test_only_links_that_lead_to_the_tool_are_its_own() -> None:
    new = _uv_tool() | {f"{LOCAL}/bin/cowsay": link("/tmp/evil")}
    found = evidence({}, new)

    findings(PythonTools(), found)

    assert f"{LOCAL}/bin/cowsay" not in found.claimed | set(found.owners)


def test_a_program_instead_of_a_link_is_not_the_tools() -> None:
    new: Tree = {**_uv_tool(), f"{LOCAL}/bin/cowsay": b"#!/bin/sh\nevil"}
    found = evidence({}, new)

    findings(PythonTools(), found)

    assert f"{LOCAL}/bin/cowsay" not in found.claimed


def test_what_a_tool_exposes_has_an_owner() -> None:
    found = evidence({}, _uv_tool())

    findings(PythonTools(), found)

    assert found.owners[f"{LOCAL}/bin/cowsay"] == "cowsay"
    assert found.owners[f"{UV}/bin/cowsay"] == "cowsay"


def test_pip_has_nothing_to_add_about_a_tool() -> None:
    results = list(analyse(evidence({}, _uv_tool()), [PythonTools(), Pip()], []))

    assert [len(result.findings) for result in results] == [1, 0]


def test_an_ordinary_environment_is_left_to_pip() -> None:
    new = venv(".venv") | made("a", "1", f".venv/{LIB}")

    assert facts(PythonTools(), {}, new) == []
    assert [fact.scope for fact in _both({}, new)] == ["pip:.venv"]


@pytest.mark.parametrize(
    "content",
    [
        b"", b"[", b"[]", b"{}", b"[" * 100_000, b"\xff\xfe", b'{"main_package": 3}',
        b'{"main_package": {"package": "x", "apps": "oops"}, "injected_packages": []}',
    ],
)  # fmt: skip
def test_a_broken_receipt_costs_one_line_and_hides_nothing(content: bytes) -> None:
    new: Tree = {**_pipx_tool(), f"{PIPX}/pipx_metadata.json": content}

    result = [fact.identity for fact in _both({}, {**new, **_uv_tool()})]

    assert ("package.added", "uv-tool", "cowsay") in result
    assert ("package.added", f"pip:{PIPX}", "pycowsay") in result
    assert [path for path, _ in problems(PythonTools(), {}, new)] == [PIPX]


def test_a_broken_uv_receipt_costs_one_line() -> None:
    for content in (b"[tool", b"", b"[tool]\nrequirements = []\n", b"[tool]\nrequirements = [3]\n"):
        new: Tree = {**_uv_tool(), f"{UV}/uv-receipt.toml": content}

        assert [path for path, _ in problems(PythonTools(), {}, new)] == [UV]


def test_where_a_tool_came_from_is_said_without_what_is_secret() -> None:
    url = b'{"url": "https://u:canary-7f3a@x.org/t.git", "vcs_info": {"vcs": "git"}}'
    info = f"{UV}/{LIB}/cowsay-6.1.dist-info"
    result = story([PythonTools()], {}, {**_uv_tool(), f"{info}/direct_url.json": url})

    assert result.facts[0].marks == ("from git", "https://x.org/t.git")
    assert result.facts[0].severity == "note"
    assert "canary" not in repr(result)
