from __future__ import annotations

import pytest

from clew.detectors.python.pip import Pip
from clew.model.fact import Fact
from tests.detectors.python_trees import Tree, made, real, venv
from tests.kit.moments import Thing, evidence, facts, findings, problems, story

SITE = ".venv/lib/python3.11/site-packages"
CANARY = "canary-7f3a"


def _said(old: Tree, new: Tree) -> list[tuple[str, str, str, str | None, str | None]]:
    return [
        (fact.kind, fact.scope, fact.subject, fact.before, fact.after)
        for fact in facts(Pip(), old, new)
    ]


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


# Changes of packages


def test_what_was_asked_for_is_told_from_what_came_along() -> None:
    new = (
        venv(".venv") | real("requests-2.31.0.dist-info", SITE) | real("idna-3.20.dist-info", SITE)
    )

    found = facts(Pip(), venv(".venv"), new)

    assert [(fact.subject, fact.after, fact.direct) for fact in found] == [
        ("idna", "3.20", False),
        ("requests", "2.31.0", True),
    ]
    assert _unclaimed(venv(".venv"), new) == []


def test_an_upgrade_is_one_change_that_explains_every_file() -> None:
    old, new = (venv(".venv") | real(f"requests-{v}.dist-info", SITE) for v in ("2.31.0", "2.32.3"))

    assert _said(old, new) == [
        ("package.changed", "pip:.venv", "requests", "2.31.0", "2.32.3"),
    ]
    assert _unclaimed(old, new) == []


def test_a_downgrade_is_noted() -> None:
    old, new = (venv(".venv") | real(f"requests-{v}.dist-info", SITE) for v in ("2.32.3", "2.31.0"))

    fact = _only(old, new)

    assert (fact.marks, fact.severity) == (("downgrade",), "note")
    assert "requests 2.32.3 → 2.31.0 (downgrade)" in story([Pip()], old, new).headline


def test_uv_asks_for_everything_so_what_nothing_requires_is_direct() -> None:
    new = venv(".venv") | real("fastapi-0.109.0.dist-info", SITE)
    new |= real("starlette-0.35.1.dist-info", SITE)

    found = facts(Pip(), {}, new)

    assert [(fact.subject, fact.direct) for fact in found] == [
        ("fastapi", True),
        ("starlette", False),
    ]
    assert _unclaimed({}, new) == []


def test_what_a_project_declares_is_direct_even_if_something_requires_it() -> None:
    new = venv(".venv") | real("fastapi-0.109.0.dist-info", SITE)
    new |= real("starlette-0.35.1.dist-info", SITE)
    new["pyproject.toml"] = b'[project]\ndependencies = ["FastAPI>=0.1", "starlette[full]>0.3"]\n'

    assert [fact.direct for fact in facts(Pip(), {}, new)] == [True, True]


def test_a_manager_that_asks_for_nothing_is_treated_alike() -> None:
    needs = {"METADATA": b"Name: a\nVersion: 1\nRequires-Dist: b (>=1)\n"}
    new = made("a", "1", SITE, installer="poetry 1.8.3", requested=False, more=needs)
    new |= made("b", "1", SITE, installer="poetry 1.8.3", requested=False)
    new |= made("c", "1", SITE, installer="poetry 1.8.3", requested=False)

    assert [fact.direct for fact in facts(Pip(), {}, new)] == [True, False, True]


def test_a_project_file_that_is_broken_is_not_our_business() -> None:
    new = venv(".venv") | real("fastapi-0.109.0.dist-info", SITE)

    assert problems(Pip(), {}, new | {"pyproject.toml": b"[project\n"}) == []


def test_removing_a_package_claims_what_it_had() -> None:
    old = venv(".venv") | real("requests-2.31.0.dist-info", SITE)

    assert _said(old, venv(".venv")) == [
        ("package.removed", "pip:.venv", "requests", "2.31.0", None),
    ]
    assert _unclaimed(old, venv(".venv")) == []


def test_names_are_normalised() -> None:
    for name in ("Foo_Bar", "foo.bar", "FOO--bar"):
        assert _only(venv(".venv"), venv(".venv") | made(name, "1", SITE)).subject == "foo-bar"


def test_an_upgrade_across_spellings_of_the_name_is_one_change() -> None:
    old, new = (
        venv(".venv") | made("Foo.Bar", "1", SITE),
        venv(".venv") | made("foo_bar", "2", SITE),
    )

    assert _said(old, new) == [("package.changed", "pip:.venv", "foo-bar", "1", "2")]


def test_leftovers_of_an_older_version_do_not_make_it_a_new_package() -> None:
    old = venv(".venv") | made("a", "1", SITE)

    assert _said(old, old | made("a", "2", SITE)) == [
        ("package.changed", "pip:.venv", "a", "1", "2")
    ]


def test_the_same_build_again_is_no_fact() -> None:
    old = venv(".venv") | real("requests-2.31.0.dist-info", SITE)
    pyc = f"{SITE}/requests/__pycache__/api.cpython-311.pyc"
    new = old | {f"{SITE}/requests-2.31.0.dist-info/INSTALLER": b"uv", pyc: b"another time stamp"}

    found = findings(Pip(), evidence(old, new))

    assert [finding.facts for finding in found] == [()]
    assert found[0].text == "Python packages installed again, same versions (.venv)"
    assert _unclaimed(old, new) == []


def test_a_file_edited_by_hand_is_not_explained_by_its_package() -> None:
    old = venv(".venv") | real("requests-2.31.0.dist-info", SITE)
    size = len(b"" if isinstance(what := old[f"{SITE}/requests/api.py"], Thing) else what)
    edited: Tree = {f"{SITE}/requests/api.py": b"import evil".ljust(size)}
    touched = edited | {f"{SITE}/requests-2.31.0.dist-info/INSTALLER": b"uv"}

    for new in (old | edited, old | touched):
        found = evidence(old, new)
        result = findings(Pip(), found)[-1]

        assert [fact.kind for fact in result.facts] == ["code.edited"]
        assert list(result.claims) == [f"{SITE}/requests/api.py"]
        assert f"{SITE}/requests/api.py" not in found.owners


def test_a_file_whose_size_is_not_the_recorded_one_is_not_explained() -> None:
    new = venv(".venv") | real("requests-2.31.0.dist-info", SITE)
    new[f"{SITE}/requests/api.py"] = b"import evil"

    assert _unclaimed(venv(".venv"), new) == [f"{SITE}/requests/api.py"]


def test_another_build_of_the_same_version_is_a_change() -> None:
    def built(digest: str) -> Tree:
        record = f"a.py,sha256={digest},6\n".encode()
        return venv(".venv") | made("a", "1", SITE, more={"RECORD": record}, files=("a.py",))

    old, new = built("abc"), built("def") | {f"{SITE}/a.py": b"x = 2\n"}

    assert _only(old, new).marks == ("other files",)
    assert _unclaimed(old, new) == []


# Origins of packages


@pytest.mark.parametrize(
    ("info", "marks", "severity"),
    [
        ("demo_pkg_x-0.1.dist-info", ("editable",), "none"),
        (
            "git_pkg-0.1.dist-info",
            ("from git", "file:///tmp/h-py/gitproj.git@9183e5f"),
            "note",
        ),
        ("local_pkg-0.1.dist-info", ("from a local path",), "none"),
    ],
)
def test_where_a_package_came_from_is_said(
    info: str, marks: tuple[str, ...], severity: str
) -> None:
    fact = _only(venv(".venv"), venv(".venv") | real(info, SITE))

    assert (fact.marks, fact.severity, fact.direct) == (marks, severity, True)


@pytest.mark.parametrize(
    "url",
    [
        f"https://user:{CANARY}@example.org/a.whl",
        f"https://{CANARY}@example.org/a.whl?token={CANARY}#sha256={CANARY}",
        f"https://example.org/a.whl?X-Amz-Signature={CANARY}",
    ],
)
def test_what_is_secret_in_a_url_is_not_kept(url: str) -> None:
    said = {"direct_url.json": f'{{"url": "{url}", "archive_info": {{}}}}'.encode()}
    new = venv(".venv") | made("a", "1", SITE, more=said)

    result = story([Pip()], venv(".venv"), new)

    assert result.facts[0].marks == ("from a URL", "https://example.org/a.whl")
    assert result.facts[0].severity == "note"
    assert CANARY not in repr(result)


def test_an_editable_installation_explains_what_it_left_beside_the_source() -> None:
    left: Tree = {
        "proj/Demo.Pkg_X.egg-info/PKG-INFO": b"Name: demo\n",
        "proj/Demo.Pkg_X.egg-info/SOURCES.txt": b"",
        "other/unrelated.egg-info/PKG-INFO": b"",
    }
    new = venv(".venv") | real("demo_pkg_x-0.1.dist-info", SITE) | left

    assert _unclaimed(venv(".venv"), new) == ["other/unrelated.egg-info/PKG-INFO"]


def test_legacy_installations_are_seen() -> None:
    new: Tree = {
        "usr/local/lib/python3.6/site-packages/a-1.0-py3.6.egg-info": b"Name: A\nVersion: 1.0\n",
        "usr/local/lib/python3.6/site-packages/b.egg-link": b"/src/b\n.",
        "src/b/b.egg-info/PKG-INFO": b"Name: b\nVersion: 0.3\n",
        "usr/local/lib/python3.6/site-packages/c-2-py3.6.egg-info/PKG-INFO": b"Name: c\nVersion: 2\n",
        "usr/local/lib/python3.6/site-packages/c-2-py3.6.egg-info/installed-files.txt": b"../c.py\n",
        "usr/local/lib/python3.6/site-packages/c.py": b"",
    }

    found = facts(Pip(), {}, new)

    assert [(f.scope, f.subject, f.after, f.marks) for f in found] == [
        ("pip:usr/local", "a", "1.0", ()),
        ("pip:usr/local", "b", "0.3", ("editable",)),
        ("pip:usr/local", "c", "2", ()),
    ]
    assert _unclaimed({}, new) == []
