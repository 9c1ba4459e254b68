from __future__ import annotations

from clew.detectors.security.deletions import Deletions
from tests.kit.moments import Moment, evidence, facts, findings

REPOSITORY: dict[str, bytes] = {
    "app/.git/HEAD": b"ref: refs/heads/main\n",
    "app/.git/logs/HEAD": b"0 1 a commit\n",
    "app/main.py": b"x",
}
KEPT: dict[str, bytes] = {"other/x": b""}


def _said(old: Moment, new: Moment) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(fact.subject, fact.severity, fact.marks) for fact in facts(Deletions(), old, new)]


def _sources(directory: str, number: int = 30) -> dict[str, bytes]:
    return {f"{directory}/m{n % 3}/f{n}.py": b"%d" % n for n in range(number)}


def test_a_repository_that_is_gone_is_a_warning_and_claims_nothing() -> None:
    (finding,) = findings(Deletions(), evidence({**KEPT, **REPOSITORY}, KEPT))

    assert finding.facts[0].identity == ("security.deleted", "deletion", "app")
    assert (finding.facts[0].severity, finding.facts[0].marks) == ("high", ("a git repository",))
    assert finding.claims == ()


def test_a_history_that_is_gone_under_its_files_is_a_warning() -> None:
    new = {"app/main.py": b"x"}

    assert _said(REPOSITORY, new) == [
        ("app", "high", ("its git history, the files are still there",))
    ]


def test_a_repository_that_moved_is_not_gone() -> None:
    moved = {path.replace("app/", "renamed/"): text for path, text in REPOSITORY.items()}

    assert _said(REPOSITORY, moved) == []


def test_caches_temporary_clones_and_submodules_are_no_loss() -> None:
    for place in (
        "tmp/x",
        "root/.cache/pre-commit/x",
        "root/.cargo/git/x",
        "a/node_modules/x",
        "b/target/x",
    ):
        assert _said({f"{place}/.git/HEAD": b"", **KEPT}, KEPT) == []
    assert _said({"a/.git/modules/x/HEAD": b"", "a/.git/HEAD": b""}, {"a/.git/HEAD": b""}) == []


def test_a_database_that_is_gone_is_a_warning() -> None:
    postgres: Moment = {
        "data/PG_VERSION": b"15\n", "data/global/pg_control": b"x", "data/base/1/PG_VERSION": b"15\n", **KEPT,
    }  # fmt: skip

    assert _said(postgres, KEPT) == [("data", "high", ("a PostgreSQL data directory",))]
    assert _said({"v/mysql/ibdata1": b"x", **KEPT}, KEPT) == [
        ("v/mysql", "high", ("a MySQL data directory",))
    ]
    assert _said({"data/dump.rdb": b"x", "data/y": b""}, {"data/y": b""}) == []


def test_a_project_that_is_gone_is_one_warning() -> None:
    assert _said({**KEPT, **_sources("home/me/app")}, {**KEPT, "home/me/x": b""}) == [
        ("home/me/app", "high", ("30 source files",))
    ]


def test_a_few_files_or_files_that_git_keeps_are_no_warning() -> None:
    assert _said({**KEPT, **_sources("app", 20)}, KEPT) == []
    assert _said({**REPOSITORY, **_sources("app/lib")}, REPOSITORY) == []
    assert _said({**KEPT, **_sources("build/lib"), **_sources("usr/share/x")}, KEPT) == []


def test_a_project_that_moved_is_not_gone() -> None:
    assert _said(_sources("app"), _sources("renamed")) == []


def test_what_a_package_took_away_is_its_own_business() -> None:
    found = evidence({**KEPT, **_sources("opt/tool")}, KEPT)
    found.own(list(_sources("opt/tool")), "tool")

    assert findings(Deletions(), found) == []


def test_a_deep_tree_is_walked_without_a_stack() -> None:
    deep = "/".join(["d"] * 3_000)

    assert _said({**KEPT, **{f"{deep}/f{n}.py": b"%d" % n for n in range(25)}}, KEPT)[0][0] == "d"
