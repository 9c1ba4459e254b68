"""Formats of lock files and manifests, by file name."""

from __future__ import annotations

from clew.detectors.locks import ecosystems as eco
from clew.detectors.locks import (
    json_locks,
    line_locks,
    node_manifests,
    other_manifests,
    other_toml_locks,
    python_locks,
    python_manifests,
    yaml_locks,
)
from clew.detectors.locks.ecosystems import Ecosystem
from clew.detectors.locks.locked import LockReader, each
from clew.detectors.locks.manifests import ManifestReader
from clew.detectors.locks.npm_lock import read_npm_lock
from clew.detectors.locks.pnpm_locks import read_pnpm_lock
from clew.detectors.locks.script_locks import read_bun_lock, read_deno_lock
from clew.detectors.locks.yarn_lock import read_yarn_lock
from clew.model.named_tuple import NamedTuple


class LockFormat(NamedTuple):
    """A lock file of one tool."""

    ecosystem: Ecosystem
    read: LockReader
    manifests: tuple[str, ...] = ()
    """The files beside it that say what the project itself wants."""
    git_is_usual: bool = False
    """Whether packages usually come from repositories."""


class ManifestFormat(NamedTuple):
    """A manifest of one tool."""

    ecosystem: Ecosystem
    read: ManifestReader


_PYPROJECT = ("pyproject.toml",)

LOCKS: dict[str, LockFormat] = {
    "package-lock.json": LockFormat(eco.NODE, read_npm_lock, ("package.json",)),
    "npm-shrinkwrap.json": LockFormat(eco.NODE, read_npm_lock, ("package.json",)),
    "yarn.lock": LockFormat(eco.NODE, each(read_yarn_lock), ("package.json",)),
    "pnpm-lock.yaml": LockFormat(eco.NODE, each(read_pnpm_lock), ("package.json",)),
    "bun.lock": LockFormat(eco.NODE, each(read_bun_lock), ("package.json",)),
    "deno.lock": LockFormat(eco.DENO, each(read_deno_lock), ("deno.json", "deno.jsonc", "package.json")),
    "uv.lock": LockFormat(eco.PYTHON, python_locks.read_uv_lock, _PYPROJECT),
    "poetry.lock": LockFormat(eco.PYTHON, python_locks.read_poetry_lock, _PYPROJECT),
    "pdm.lock": LockFormat(eco.PYTHON, python_locks.read_pdm_lock, _PYPROJECT),
    "pylock.toml": LockFormat(eco.PYTHON, python_locks.read_pylock, _PYPROJECT),
    "Pipfile.lock": LockFormat(eco.PYTHON, each(json_locks.read_pipfile_lock), ("Pipfile",)),
    "Cargo.lock": LockFormat(eco.RUST, other_toml_locks.read_cargo_lock, ("Cargo.toml",)),
    "Gemfile.lock": LockFormat(eco.RUBY, each(line_locks.read_gemfile_lock), ("Gemfile",)),
    "gems.locked": LockFormat(eco.RUBY, each(line_locks.read_gemfile_lock), ("gems.rb",)),
    "composer.lock": LockFormat(eco.PHP, each(json_locks.read_composer_lock), ("composer.json",), True),
    "go.sum": LockFormat(eco.GO, each(line_locks.read_go_sum), ("go.mod",)),
    "go.work.sum": LockFormat(eco.GO, each(line_locks.read_go_sum)),
    "mix.lock": LockFormat(eco.ELIXIR, each(line_locks.read_mix_lock)),
    "rebar.lock": LockFormat(eco.ELIXIR, each(line_locks.read_rebar_lock)),
    "pubspec.lock": LockFormat(eco.DART, each(yaml_locks.read_pubspec_lock), ("pubspec.yaml",)),
    "Podfile.lock": LockFormat(eco.COCOA, each(yaml_locks.read_podfile_lock)),
    "Package.resolved": LockFormat(eco.SWIFT, each(json_locks.read_swift_lock), ("Package.swift",), True),
    "Cartfile.resolved": LockFormat(eco.SWIFT, each(line_locks.read_cartfile), (), True),
    "gradle.lockfile": LockFormat(eco.JAVA, each(line_locks.read_gradle_lock), ("build.gradle", "build.gradle.kts")),
    "buildscript-gradle.lockfile": LockFormat(eco.JAVA, each(line_locks.read_gradle_lock)),
    "packages.lock.json": LockFormat(eco.DOTNET, each(json_locks.read_nuget_lock)),
    "paket.lock": LockFormat(eco.DOTNET, each(line_locks.read_paket_lock)),
    "flake.lock": LockFormat(eco.NIX, each(json_locks.read_flake_lock), (), True),
    ".terraform.lock.hcl": LockFormat(eco.TERRAFORM, each(line_locks.read_terraform_lock)),
    "conda-lock.yml": LockFormat(eco.CONDA, each(yaml_locks.read_conda_lock), ("environment.yml", "environment.yaml")),
    "pixi.lock": LockFormat(eco.CONDA, each(yaml_locks.read_pixi_lock)),
    "Manifest.toml": LockFormat(eco.JULIA, each(other_toml_locks.read_julia_lock)),
    "manifest.toml": LockFormat(eco.ELIXIR, each(other_toml_locks.read_gleam_lock)),
    "renv.lock": LockFormat(eco.R, each(json_locks.read_renv_lock)),
    "conan.lock": LockFormat(eco.CPP, each(json_locks.read_conan_lock)),
    "Chart.lock": LockFormat(eco.HELM, each(yaml_locks.read_helm_lock)),
    "stack.yaml.lock": LockFormat(eco.HASKELL, each(yaml_locks.read_stack_lock)),
    "cabal.project.freeze": LockFormat(eco.HASKELL, each(line_locks.read_cabal_freeze)),
}  # fmt: skip

MANIFESTS: dict[str, ManifestFormat] = {
    "package.json": ManifestFormat(eco.NODE, node_manifests.read_package_json),
    "deno.json": ManifestFormat(eco.DENO, node_manifests.read_deno_json),
    "deno.jsonc": ManifestFormat(eco.DENO, node_manifests.read_deno_json),
    "pyproject.toml": ManifestFormat(eco.PYTHON, python_manifests.read_pyproject),
    "Pipfile": ManifestFormat(eco.PYTHON, python_manifests.read_pipfile),
    "environment.yml": ManifestFormat(eco.CONDA, python_manifests.read_conda_environment),
    "environment.yaml": ManifestFormat(eco.CONDA, python_manifests.read_conda_environment),
    "Cargo.toml": ManifestFormat(eco.RUST, other_manifests.read_cargo_manifest),
    "go.mod": ManifestFormat(eco.GO, other_manifests.read_go_mod),
    "Gemfile": ManifestFormat(eco.RUBY, other_manifests.read_gemfile),
    "gems.rb": ManifestFormat(eco.RUBY, other_manifests.read_gemfile),
    "composer.json": ManifestFormat(eco.PHP, other_manifests.read_composer_json),
    "pubspec.yaml": ManifestFormat(eco.DART, other_manifests.read_pubspec),
    "pom.xml": ManifestFormat(eco.JAVA, other_manifests.read_pom),
    "build.gradle": ManifestFormat(eco.JAVA, other_manifests.read_gradle),
    "build.gradle.kts": ManifestFormat(eco.JAVA, other_manifests.read_gradle),
    "Directory.Packages.props": ManifestFormat(eco.DOTNET, other_manifests.read_project_file),
    "Package.swift": ManifestFormat(eco.SWIFT, other_manifests.read_swift_package),
}

_REQUIREMENTS = ManifestFormat(eco.PYTHON, python_manifests.read_requirements_manifest)
_DOTNET_PROJECT = ManifestFormat(eco.DOTNET, other_manifests.read_project_file)

SUFFIXES = (".txt", ".in", ".csproj", ".fsproj", ".vbproj")
"""Suffixes of manifests that have no fixed name."""


def manifest_format(path: str) -> ManifestFormat | None:
    """Return the format of the manifest at a path; None if it is none."""
    above, _, name = path.rpartition("/")
    found = MANIFESTS.get(name)
    if found is not None:
        return found
    if is_requirements(above, name):
        return _REQUIREMENTS
    return _DOTNET_PROJECT if name.endswith((".csproj", ".fsproj", ".vbproj")) else None


def is_requirements(directory: str, name: str) -> bool:
    """Return whether a file is for `pip install -r`: by its name, or its directory's."""
    if not name.endswith((".txt", ".in")):
        return False
    stem = name.rpartition(".")[0].lower()
    is_named = "requirements" in stem or stem.startswith("constraints") or stem.endswith("-reqs")
    return is_named or directory.rpartition("/")[2].lower() in ("requirements", "reqs")
