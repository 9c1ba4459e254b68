"""Cases from real environments: targets, byte code, edits, records that claim too much."""

from __future__ import annotations

import pytest

from clew.detectors.losses.deletions import Deletions
from clew.detectors.python.pip import Pip
from clew.detectors.python.python_tools import PythonTools
from clew.detectors.tools.toolchains import Toolchains
from tests.detectors.python_trees import Tree, made, venv
from tests.kit.moments import evidence, facts, findings, story

SITE = ".venv/lib/python3.11/site-packages"
PYENV = ".pyenv/versions/3.12.4"


def _owners(old: Tree, new: Tree) -> set[str]:
    found = evidence(old, new)
    findings(Pip(), found)
    return set(found.owners)


# Targets


def test_what_is_installed_into_a_directory_of_its_own_is_told() -> None:
    new = made("six", "1.16.0", "lambda/package", files=("six.py", "../../bin/six"))
    new["lambda/package/bin/six"] = new.pop("bin/six")
    new["lambda/package/__pycache__/six.cpython-311.pyc"] = b"x"

    found = evidence({}, new)
    (finding,) = findings(Pip(), found)

    assert [(fact.kind, fact.scope, fact.subject) for fact in finding.facts] == [
        ("package.added", "pip:lambda/package", "six"),
    ]
    files = {path for path, change in found.changes.items() if not change.is_directory}
    assert files == {*finding.claims}


@pytest.mark.parametrize(
    "directory",
    [".cache/uv/archive-v0/abc", "node_modules/x", "src/setuptools/_vendor", "tests/testdata"],
)
def test_a_wheel_unpacked_elsewhere_is_not_installed(directory: str) -> None:
    assert facts(Pip(), {}, made("six", "1.16.0", directory, files=("six.py",))) == []


def test_a_package_that_no_installer_signed_is_not_installed() -> None:
    new = made("six", "1.16.0", "unpacked", files=("six.py",))
    del new["unpacked/six-1.16.0.dist-info/INSTALLER"]

    assert facts(Pip(), {}, new) == []


# Records that claim too much


@pytest.mark.parametrize(
    ("site", "victim"),
    [
        (".claude/lib/python3/site-packages", ".claude/settings.json"),
        ("home/u/lib/python3/site-packages", "home/u/.ssh/authorized_keys"),
        ("package", "package/.claude/settings.json"),
        ("etc/lib/python3/site-packages", "etc/sudoers.d/x"),
    ],
)
def test_a_forged_record_owns_nothing_that_warns(site: str, victim: str) -> None:
    up = "../" * (site.count("/") + 1) if "site-packages" in site else "../"
    new = made("evil", "1", site, files=(f"{up}{victim}",))

    assert victim in new
    assert victim not in _owners({}, new)


def test_a_directory_that_pretends_to_be_an_environment_owns_no_dotfiles() -> None:
    new = venv("home/u") | made(
        "evil", "1", "home/u/lib/python3.11/site-packages", files=("../../../.bashrc",)
    )

    assert "home/u/.bashrc" in new
    assert "home/u/.bashrc" not in _owners(venv("home/u"), new)


def test_work_kept_in_an_environment_that_is_gone_is_not_explained_by_that() -> None:
    old = venv("shop") | made("six", "1.16.0", "shop/lib/python3.11/site-packages")
    old |= {"shop/src/main.py": b"x", "shop/.git/HEAD": b"ref: refs/heads/main\n"}
    old |= {"shop/.git/refs/heads/main": b"0" * 40, "shop/.git/objects/aa/b": b"x"}

    found = evidence(old, {})
    (gone,) = findings(Pip(), found)

    assert not {"shop/src/main.py", "shop/.git/HEAD"} & {*gone.claims}
    result = story([Pip(), Deletions()], old, {})
    assert "loss.deleted" in {fact.kind for fact in result.facts}


# Byte code


def test_running_what_is_installed_only_fills_a_cache() -> None:
    old = venv(".venv") | made("six", "1.16.0", SITE, files=("six.py",))
    new = old | {f"{SITE}/__pycache__/six.cpython-311.pyc": b"compiled"}

    result = story([Pip()], old, new)

    assert result.headline.startswith("only logs and caches changed")
    assert [(fact.kind, fact.scope, fact.subject, fact.after) for fact in result.facts] == [
        ("generated.changed", "cache", ".venv", "1"),
    ]


def test_byte_code_without_its_module_is_no_cache() -> None:
    old = venv(".venv") | made("six", "1.16.0", SITE, files=("six.py",))
    new = old | {f"{SITE}/__pycache__/ghost.cpython-311.pyc": b"compiled"}

    assert facts(Pip(), old, new) == []


def test_an_environment_made_again_takes_its_byte_code_along() -> None:
    six, flask = (made(name, "1", SITE, files=(f"{name}.py",)) for name in ("six", "flask"))
    compiled = f"{SITE}/__pycache__/six.cpython-311.pyc"

    result = story(
        [Pip()],
        venv(".venv") | six | flask | {compiled: b"1"},
        venv(".venv") | six | {compiled: b"2"},
    )

    assert [line.path_count for line in result.lines] == [result.changed_paths]


# Manual edits


def test_files_of_a_package_that_somebody_deleted_are_told() -> None:
    old = venv(".venv") | made("six", "1.16.0", SITE, files=("six.py", "more.py"))
    new = {path: what for path, what in old.items() if not path.endswith("more.py")}

    (fact,) = facts(Pip(), old, new)

    assert (fact.kind, fact.evidence) == ("code.deleted", (f"{SITE}/more.py",))


def test_where_modules_are_looked_for_is_no_model() -> None:
    old = venv(".venv") | made("six", "1.16.0", SITE)

    (finding,) = findings(Pip(), evidence(old, old | {f"{SITE}/shop.pth": b"/srv/shop\n"}))

    assert finding.text == "where Python looks for modules changed (.venv)"


def test_a_path_file_that_runs_code_is_left_to_those_who_warn() -> None:
    old = venv(".venv") | made("six", "1.16.0", SITE)

    assert findings(Pip(), evidence(old, old | {f"{SITE}/x.pth": b"import evil\n"})) == []


def test_a_development_link_finds_its_version_wherever_the_workspace_begins() -> None:
    new = venv(".venv") | {
        f"{SITE}/Old_Shop.egg-link": b"/srv/work/project\n.",
        "Old_Shop.egg-info/PKG-INFO": b"Name: Old_Shop\nVersion: 1.5\n",
    }

    (fact,) = facts(Pip(), venv(".venv"), new)

    assert (fact.subject, fact.after, fact.marks) == ("old-shop", "1.5", ("editable",))


# Requested packages


@pytest.mark.parametrize(
    ("name", "content"),
    [("Pipfile", b'[packages]\nrequests = "*"\n'), ("requirements.in", b"# asked\nrequests>2\n")],
)
def test_of_what_a_lock_installs_the_project_says_what_it_asked_for(
    name: str, content: bytes
) -> None:
    old: Tree = venv("web/.venv") | {f"web/{name}": content}
    site = "web/.venv/lib/python3.11/site-packages"
    new = old | made("requests", "2", site) | made("idna", "3", site)

    assert {fact.subject: fact.direct for fact in facts(Pip(), old, new)} == {
        "requests": True,
        "idna": False,
    }


# Environments of other managers


def test_what_a_new_python_brings_along_is_not_told_as_installed() -> None:
    site = f"{PYENV}/lib/python3.12/site-packages"
    seeds = made("pip", "24.0", site, requested=False, files=("pip/__init__.py",))
    python: Tree = {f"{PYENV}/bin/python3.12": b"x", **seeds}

    result = story([Pip(), Toolchains()], {}, python)
    more = story([Pip(), Toolchains()], {}, python | made("flask", "3", site))

    assert [(fact.kind, fact.after) for fact in result.facts] == [("toolchain.added", "3.12.4")]
    assert result.headline == "installed python 3.12.4 (pyenv)"
    assert {fact.subject for fact in more.facts} == {"python", "flask"}


def test_what_pipx_keeps_for_itself_is_one_line() -> None:
    home = "home/u/.local/share/pipx"
    tool, shared = f"{home}/venvs/cow", f"{home}/shared"
    new = venv(tool) | made("cow", "1", f"{tool}/lib/python3.11/site-packages")
    new |= {f"{tool}/lib/python3.11/site-packages/pipx_shared.pth": b"/home/u\n"}
    new |= {f"{tool}/pipx_metadata.json": b'{"main_package": {"package": "cow", "apps": []}}'}
    new |= venv(shared) | made("pip", "26", f"{shared}/lib/python3.11/site-packages")

    result = story([PythonTools(), Pip()], {}, new)

    assert [(fact.scope, fact.subject) for fact in result.facts] == [("pipx", "cow")]
    assert {line.text for line in result.lines} == {
        "installed cow 1 (pipx)",
        "kept in order by pipx",
    }
