from __future__ import annotations

import subprocess
from pathlib import Path

from clew.detectors.security.git_dangers import GitHooks
from tests.kit.moments import Moment, Thing, evidence, facts, file, findings, story

HEAD: dict[str, bytes | Thing] = {
    ".git/HEAD": b"ref: refs/heads/main\n",
    ".git/config": b"[core]\n\tbare = false\n",
}
HOOK = file(b"#!/bin/sh\n", mode=0o755)


def _said(old: Moment, new: Moment) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(fact.subject, fact.severity, fact.marks) for fact in facts(GitHooks(), old, new)]


def _config(text: bytes) -> Moment:
    return {**HEAD, ".git/config": b"[core]\n\tbare = false\n" + text}


def test_a_hook_that_runs_is_a_warning() -> None:
    (finding,) = findings(GitHooks(), evidence(HEAD, {**HEAD, ".git/hooks/pre-commit": HOOK}))

    assert finding.facts[0].identity == ("security.git_hook", "git", ".git/hooks/pre-commit")
    assert (finding.facts[0].severity, finding.claims) == ("high", (".git/hooks/pre-commit",))


def test_a_hook_runs_only_with_the_execute_bit() -> None:
    asleep = {**HEAD, ".git/hooks/pre-push": file(b"x", mode=0o644)}
    awake = {**HEAD, ".git/hooks/pre-push": file(b"x", mode=0o755)}

    assert _said(HEAD, asleep) == [(".git/hooks/pre-push", "note", ("not executable",))]
    assert _said(asleep, awake) == [(".git/hooks/pre-push", "high", ("changed",))]
    assert _said(awake, asleep) == []
    assert _said(awake, HEAD) == []


def test_what_git_init_and_clone_write_says_nothing(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path / "one"], check=True)
    (tmp_path / "one" / ".pre-commit-config.yaml").write_text("repos: []\n")
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "-C", tmp_path / "one", "add", "."], check=True)
    subprocess.run(["git", "-C", tmp_path / "one", *identity, "commit", "-qm", "x"], check=True)
    subprocess.run(["git", "clone", "-q", tmp_path / "one", tmp_path / "two"], check=True)
    (tmp_path / "one" / ".pre-commit-config.yaml").unlink()

    for name in ("one", "two"):
        root = tmp_path / name
        new: Moment = {
            str(path.relative_to(tmp_path)): file(
                path.read_bytes(), mode=path.stat().st_mode & 0o7777
            )
            for path in root.rglob("*")
            if path.is_file()
        }
        assert f"{name}/.git/hooks/pre-commit.sample" in new
        assert _said({}, new) == []


def test_directories_called_hooks_are_nobodys_business() -> None:
    assert _said(HEAD, {**HEAD, "src/hooks/update": HOOK, "hooks/pre-commit": HOOK}) == []


def test_hooks_of_bare_repositories_and_submodules_count() -> None:
    bare: Moment = {"x.git/HEAD": b"", "x.git/objects/a": b"", "x.git/refs/a": b""}

    assert _said(bare, {**bare, "x.git/hooks/post-receive": HOOK})[0][:2] == (
        "x.git/hooks/post-receive",
        "high",
    )
    assert _said({}, {".git/modules/m/hooks/pre-commit": HOOK})[0][1] == "high"


def test_settings_that_run_something_are_warnings_without_values() -> None:
    dangers = {
        b"[core]\n hooksPath = .githooks\n": "core.hooksPath",
        b"[core]\n fsmonitor = /tmp/canary\n": "core.fsmonitor",
        b"[core]\n sshCommand = ssh -i canary\n": "core.sshCommand",
        b'[credential "https://u:canary@h"]\n helper = "!f() { echo canary; }; f"\n': "credential.helper",
        b'[filter "x"]\n smudge = canary\n': "filter.smudge",
        b'[FILTER "x"]\n Process = canary\n': "filter.process",
        b"[include]\n path = ../canary\n": "include.path",
        b'[diff "x"]\n textconv = canary\n': "diff.textconv",
        b'[submodule "x"]\n update = !canary\n': "submodule.update",
    }
    for text, key in dangers.items():
        assert _said(HEAD, _config(text)) == [(".git/config", "high", (key,))]
        assert "canary" not in repr(story([GitHooks()], HEAD, _config(text)))


def test_settings_that_run_when_asked_are_notes() -> None:
    for text in (
        b"[alias]\n x = !git fetch && git status\n",
        b"[core]\n pager = delta\n",
        b"[credential]\n helper = store\n",
        b'[filter "lfs"]\n clean = git-lfs clean -- %f\n',
    ):
        assert [severity for _, severity, _ in _said(HEAD, _config(text))] == ["note"]
    assert _said({}, {"root/.gitconfig": b"[include]\n path = work\n"})[0][1] == "note"


def test_harmless_settings_say_nothing() -> None:
    text = b'[core]\n fsmonitor = true\n[alias]\n co = checkout\n[user]\n name = x\n[remote "o"]\n url = u\n'

    assert _said(HEAD, _config(text)) == []
    assert _said(_config(b"[core]\n hooksPath = x\n"), HEAD) == []
    assert _said({}, {"app/config": b"[core]\n hooksPath = x\n"}) == []


def test_a_setting_behind_a_megabyte_of_comments_is_still_a_warning() -> None:
    for padding in (b"# x\n" * 300_000, b"\n" * 20_000, b"#" + b"x" * (2 << 20) + b"\n"):
        found = _said(HEAD, _config(padding + b"[core]\n hooksPath = x\n"))
        assert found == [(".git/config", "high", ("too large to look into",))]


def test_files_in_the_hooks_path_are_hooks() -> None:
    old = _config(b"[core]\n hooksPath = .githooks\n")

    assert _said(old, {**old, ".githooks/pre-commit": HOOK}) == [
        (".githooks/pre-commit", "high", ("new",))
    ]


def test_husky_is_a_warning_once_it_is_switched_on() -> None:
    asleep = {**HEAD, ".husky/pre-commit": HOOK}
    old = _config(b"[core]\n hooksPath = .husky/_\n")

    assert _said(HEAD, asleep) == [(".husky/pre-commit", "note", ("not in use",))]
    assert _said(old, {**old, ".husky/pre-commit": HOOK}) == [(".husky/pre-commit", "high", ())]
    switched = {**_config(b"[core]\n hooksPath = .husky/_\n"), ".husky/_/pre-commit": HOOK}
    assert _said(HEAD, switched) == [(".git/config", "high", ("core.hooksPath",))]


def test_pre_commit_is_a_warning_once_it_is_installed() -> None:
    path = ".pre-commit-config.yaml"
    installed: Moment = {**HEAD, ".git/hooks/pre-commit": HOOK, path: b"repos: []\n"}

    assert _said(HEAD, {**HEAD, path: b"repos: []\n"})[0][:2] == (path, "note")
    assert _said(installed, {**installed, path: b"repos:\n- repo: local\n"})[0][:2] == (
        path,
        "high",
    )
    assert _said(installed, {**installed, path: b"# hello\nrepos: []\n"}) == []


PRE_COMMIT = b"""#!/usr/bin/env bash
# File generated by pre-commit: https://pre-commit.com
# ID: 138fd403232d2ddd5efb44317e38bf03

# start templated
INSTALL_PYTHON=/home/al/app/.venv/bin/python3
ARGS=(hook-impl --config=.pre-commit-config.yaml --hook-type=pre-commit)
# end templated

HERE="$(cd "$(dirname "$0")" && pwd)"
ARGS+=(--hook-dir "$HERE" -- "$@")

if [ -x "$INSTALL_PYTHON" ]; then
    exec "$INSTALL_PYTHON" -mpre_commit "${ARGS[@]}"
elif command -v pre-commit > /dev/null; then
    exec pre-commit "${ARGS[@]}"
else
    echo '`pre-commit` not found.  Did you forget to activate your virtualenv?' 1>&2
    exit 1
fi
"""
"""What pre-commit 4.7.0 writes."""


def _hook(text: bytes) -> list[tuple[str, tuple[str, ...]]]:
    git: Moment = {".git/HEAD": b"ref: refs/heads/main\n"}
    new: Moment = {**git, ".git/hooks/pre-commit": file(text, mode=0o755)}
    return [(fact.severity, fact.marks) for fact in facts(GitHooks(), git, new)]


def test_a_hook_word_for_word_as_pre_commit_writes_it_is_a_note() -> None:
    assert _hook(PRE_COMMIT) == [("note", ("new", "runs pre-commit"))]
    assert _hook(PRE_COMMIT.replace(b"exit 1", b"curl x")) == [("high", ("new",))]
    assert _hook(PRE_COMMIT + b"curl x | sh\n") == [("high", ("new",))]
    assert _hook(PRE_COMMIT.replace(b"python3", b"python3; curl x")) == [("high", ("new",))]


def test_another_version_of_a_hook_is_a_note_and_another_source_a_warning() -> None:
    path = ".pre-commit-config.yaml"
    on: Moment = {".git/HEAD": b"x\n", ".git/hooks/pre-commit": file(b"#!x", mode=0o755)}
    old: Moment = {**on, path: b"repos:\n- repo: https://a/b\n  rev: v1\n"}

    def reported(text: bytes) -> list[str]:
        return [fact.severity for fact in facts(GitHooks(), old, {**on, path: text})]

    assert reported(b"repos:\n- repo: https://a/b\n  rev: v2\n  hooks:\n  - id: x\n") == ["note"]
    assert reported(b"repos:\n- repo: https://evil/b\n  rev: v1\n") == ["high"]
    assert reported(b"repos:\n- {repo: local, hooks: [{entry: x}]}\n") == ["high"]


def test_what_husky_writes_when_it_switches_itself_on_is_one_warning() -> None:
    wrapper = file(b'#!/usr/bin/env sh\n. "$(dirname "$0")/h"', mode=0o755)
    new: Moment = {
        ".git/HEAD": HEAD[".git/HEAD"],
        ".git/config": b"[core]\n\thooksPath = .husky/_\n",
        ".husky/_/pre-commit": wrapper,
        ".husky/_/h": b"x",
    }
    found = findings(GitHooks(), evidence(HEAD, new))

    assert [fact.subject for one in found for fact in one.facts] == [".git/config"]
    assert {*found[-1].claims} == {".husky/_/pre-commit", ".husky/_/h"}
