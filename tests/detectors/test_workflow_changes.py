"""Pipelines told by meaning: triggers, permissions, jobs and steps."""

from __future__ import annotations

import pytest

from clew.detectors.security.ci_files import CiFiles
from clew.detectors.security.workflow_changes import workflow_changes
from tests.kit.moments import facts, story

CI = """\
name: CI
on:
  pull_request:
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v4
      - name: Lint
        run: ruff check .
      - name: Test
        run: pytest --token canary
  publish:
    needs: test
    steps:
      - run: make publish
"""
GITLAB = """\
stages: [test]
variables: {KEY: canary}
test:
  script: [pytest]
deploy:
  script: [./deploy canary]
"""


def _marks(old: str, new: str, name: str = "ci.yml") -> tuple[str, ...]:
    return workflow_changes(name, old.encode(), new.encode()).marks


@pytest.mark.parametrize(
    ("old", "new", "marks"),
    [
        ("contents: read", "contents: write", ("permissions.contents read → write",)),
        ("permissions:\n  contents: read\n", "permissions: write-all\n", ("+permissions write-all", "−permissions.contents read")),
        ("      - name: Test\n        run: pytest --token canary\n", "", ("−step Test",)),
        ("run: pytest --token canary", "run: pytest --token canary || true", ("~step Test",)),
        ("    needs: test\n    steps:\n      - run: make publish\n", "    needs: test\n    steps:\n      - run: make publish\n      - uses: a/b@v1\n", ("+step a/b@v1",)),
        ("  publish:\n    needs: test\n    steps:\n      - run: make publish\n", "", ("−job publish",)),
        ("ubuntu-24.04", "self-hosted", ("~job test",)),
        ("  pull_request:\n", "  pull_request:\n  push:\n", ("+trigger push",)),
    ],
)  # fmt: skip
def test_a_workflow_is_told_by_what_changed(old: str, new: str, marks: tuple[str, ...]) -> None:
    assert old in CI
    changed = CI.replace(old, new)

    assert _marks(CI, changed) == marks
    path = ".github/workflows/ci.yml"
    told = story([CiFiles()], {path: CI.encode()}, {path: changed.encode()})
    assert "canary" not in repr(told)
    assert {fact.severity for fact in told.facts} == {"note"}
    assert told.headline == f"{path}: {marks[0]}"


def test_code_that_runs_for_strangers_is_a_warning() -> None:
    path = ".github/workflows/ci.yml"
    changed = CI.replace("pull_request:", "pull_request_target:")
    (fact,) = facts(CiFiles(), {path: CI.encode()}, {path: changed.encode()})

    assert fact.severity == "high"
    assert fact.marks[0] == "+trigger pull_request_target (with the rights of the repository)"


def test_a_labeler_for_strangers_runs_no_code_and_is_a_note() -> None:
    path = ".github/workflows/label.yml"
    old = b"on: pull_request\njobs: {l: {steps: [{uses: actions/labeler@v5}]}}\n"
    (fact,) = facts(
        CiFiles(), {path: old}, {path: old.replace(b"pull_request", b"pull_request_target")}
    )

    assert fact.severity == "note"


def test_jobs_of_gitlab_are_named() -> None:
    assert _marks(GITLAB, GITLAB.replace("deploy:", "release:")) == ("−job deploy", "+job release")
    assert _marks(GITLAB, GITLAB.replace("KEY: canary", "KEY: canary2")) == ()


@pytest.mark.parametrize(
    "new", ["[" * 50_000, "\0", "jobs: [1]", "jobs: {a: 3, b: {steps: x}}", "on: {}", "- a"]
)
def test_a_pipeline_that_cannot_be_read_has_no_marks(new: str) -> None:
    assert all("canary" not in mark for mark in _marks(CI, new))
    assert workflow_changes("ci.yml", new.encode(), None).marks == ()


_IMAGES = [
    (".gitlab-ci.yml", "test:\n  image: python:3.12\n  script: [pytest]\n", "python:3.12", "get.example.net/tools/python:latest", "test image python:3.12 → get.example.net/tools/python:latest"),
    (".gitlab-ci.yml", "image: python:3.12\ntest:\n  script: [pytest]\n", "3.12", "3.13", "image python:3.12 → python:3.13"),
    (".gitlab-ci.yml", "default:\n  image: {name: python:3.12}\ntest:\n  script: [pytest]\n", "3.12", "3.13", "image python:3.12 → python:3.13"),
    ("ci.yml", "on: push\njobs:\n  test:\n    container: {image: node:20}\n    steps: [{run: x}]\n", "node:20", "node:22", "test image node:20 → node:22"),
    ("ci.yml", "on: push\njobs:\n  test:\n    services:\n      db: {image: postgres:15}\n    steps: [{run: x}]\n", "15", "16", "test db image postgres:15 → postgres:16"),
    ("config.yml", "jobs:\n  test:\n    docker:\n      - image: cimg/python:3.12\n    steps: [{run: x}]\n", "3.12", "3.13", "test image cimg/python:3.12 → cimg/python:3.13"),
    (".drone.yml", "kind: pipeline\nsteps:\n- name: unit\n  image: golang:1.22\n  commands: [go test]\n", "1.22", "1.23", "unit image golang:1.22 → golang:1.23"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "old", "new", "mark"), _IMAGES)
def test_another_image_of_a_job_is_named(
    name: str, text: str, old: str, new: str, mark: str
) -> None:
    found = workflow_changes(name, text.encode(), text.replace(old, new).encode())

    assert found.marks == (mark,)


def test_a_secret_in_the_name_of_an_image_is_hidden() -> None:
    old, new = (
        f"test:\n  image: {image}\n  script: [x]\n".encode()
        for image in ("python:3", "https://u:canary@host.example/x?token=canary")
    )

    assert "canary" not in repr(workflow_changes(".gitlab-ci.yml", old, new))
