"""Files with settings of package managers: how each is read, and whose packages it is about."""

from __future__ import annotations

from clew.detectors.locks import ecosystems as eco
from clew.detectors.locks.ecosystems import Ecosystem
from clew.detectors.locks.formats import is_requirements
from clew.detectors.security import settings_reading as read
from clew.detectors.security.settings_reading import SettingsReader
from clew.model.named_tuple import NamedTuple


class SettingsFile(NamedTuple):
    """How to read a file."""

    ecosystem: Ecosystem
    read: SettingsReader
    is_settings_only: bool = True
    """Whether such a file has nothing else to tell."""


_SYSTEM = Ecosystem("system")
_NPM = SettingsFile(eco.NODE, read.line_settings)
_PIP = SettingsFile(eco.PYTHON, read.line_settings)
_TOOLS = SettingsFile(_SYSTEM, read.line_settings)

_BY_NAME: dict[str, SettingsFile] = {
    ".npmrc": _NPM, "npmrc": _NPM, ".yarnrc": _NPM,
    ".yarnrc.yml": SettingsFile(eco.NODE, read.yaml_settings),
    "pnpm-workspace.yaml": SettingsFile(eco.NODE, read.yaml_settings, False),
    "bunfig.toml": SettingsFile(eco.NODE, read.toml_settings),
    "lerna.json": SettingsFile(eco.NODE, read.json_settings, False),
    "pip.conf": _PIP, "pip.ini": _PIP, ".pydistutils.cfg": _PIP,
    "setup.cfg": SettingsFile(eco.PYTHON, read.line_settings, False),
    "pyproject.toml": SettingsFile(eco.PYTHON, read.pyproject_settings, False),
    "Pipfile": SettingsFile(eco.PYTHON, read.toml_settings, False),
    "Chart.yaml": SettingsFile(eco.HELM, read.chart_settings, False),
    "uv.toml": SettingsFile(eco.PYTHON, read.toml_settings),
    "pdm.toml": SettingsFile(eco.PYTHON, read.toml_settings),
    "poetry.toml": SettingsFile(eco.PYTHON, read.toml_settings),
    ".condarc": SettingsFile(eco.CONDA, read.yaml_settings),
    "condarc": SettingsFile(eco.CONDA, read.yaml_settings),
    "environment.yml": SettingsFile(eco.CONDA, read.yaml_settings, False),
    "environment.yaml": SettingsFile(eco.CONDA, read.yaml_settings, False),
    "pixi.toml": SettingsFile(eco.CONDA, read.toml_settings, False),
    ".gemrc": SettingsFile(eco.RUBY, read.yaml_settings), "gemrc": SettingsFile(eco.RUBY, read.yaml_settings),
    "Gemfile": SettingsFile(eco.RUBY, read.ruby_settings, False),
    "gems.rb": SettingsFile(eco.RUBY, read.ruby_settings, False),
    "Podfile": SettingsFile(eco.COCOA, read.ruby_settings, False),
    "composer.json": SettingsFile(eco.PHP, read.json_settings, False),
    "pom.xml": SettingsFile(eco.JAVA, read.maven_settings, False),
    "build.gradle": SettingsFile(eco.JAVA, read.gradle_settings, False),
    "build.gradle.kts": SettingsFile(eco.JAVA, read.gradle_settings, False),
    "settings.gradle": SettingsFile(eco.JAVA, read.gradle_settings, False),
    "settings.gradle.kts": SettingsFile(eco.JAVA, read.gradle_settings, False),
    "init.gradle": SettingsFile(eco.JAVA, read.gradle_settings),
    "gradle-wrapper.properties": SettingsFile(eco.JAVA, read.line_settings, False),
    "maven-wrapper.properties": SettingsFile(eco.JAVA, read.line_settings, False),
    "NuGet.Config": SettingsFile(eco.DOTNET, read.nuget_settings),
    "nuget.config": SettingsFile(eco.DOTNET, read.nuget_settings),
    "NuGet.config": SettingsFile(eco.DOTNET, read.nuget_settings),
    ".curlrc": _TOOLS, ".wgetrc": _TOOLS, "wgetrc": _TOOLS,
}  # fmt: skip

_BY_DIRECTORY: dict[str, dict[str, SettingsFile]] = {
    ".cargo": {
        "config.toml": SettingsFile(eco.RUST, read.toml_settings),
        "config": SettingsFile(eco.RUST, read.toml_settings),
    },
    ".m2": {"settings.xml": SettingsFile(eco.JAVA, read.maven_user_settings)},
    ".gradle": {
        "gradle.properties": SettingsFile(eco.JAVA, read.line_settings),
        "init.gradle.kts": SettingsFile(eco.JAVA, read.gradle_settings),
    },
    ".bundle": {"config": SettingsFile(eco.RUBY, read.yaml_settings)},
    "docker": {"daemon.json": SettingsFile(eco.DOCKER, read.json_settings)},
    ".docker": {"config.json": SettingsFile(eco.DOCKER, read.json_settings)},
    "containers": {"registries.conf": SettingsFile(eco.DOCKER, read.toml_settings)},
    "go": {"env": SettingsFile(eco.GO, read.line_settings)},
    ".composer": {"config.json": SettingsFile(eco.PHP, read.json_settings)},
    "composer": {"config.json": SettingsFile(eco.PHP, read.json_settings)},
    "uv": {"uv.toml": SettingsFile(eco.PYTHON, read.toml_settings)},
    "pypoetry": {"config.toml": SettingsFile(eco.PYTHON, read.toml_settings)},
    "pdm": {"config.toml": SettingsFile(eco.PYTHON, read.toml_settings)},
    ".pip": {"pip.conf": _PIP},
}
"""Files with common names, and the directory that identifies them."""

NAMES = tuple(_BY_NAME)
DIRECTORIES = {directory: tuple(names) for directory, names in _BY_DIRECTORY.items()}
SUFFIXES = (".txt", ".in", ".repo")

PROJECT_FILES = (
    "package.json", "pyproject.toml", "Pipfile", "requirements.txt", "setup.py", "setup.cfg",
    "Cargo.toml", "go.mod", "Gemfile", "composer.json", "pom.xml", "build.gradle",
    "build.gradle.kts", "pubspec.yaml", "Podfile", "environment.yml", "environment.yaml",
    "pixi.toml", "deno.json", "mix.exs", "gems.rb",
)  # fmt: skip
"""Files that a project has from its first day."""

_REQUIREMENTS = SettingsFile(eco.PYTHON, read.requirements_settings)
_APT = SettingsFile(_SYSTEM, read.apt_settings)
_REPOSITORIES = (
    "etc/yum.repos.d/", "etc/zypp/repos.d/", "etc/dnf/dnf.conf", "etc/yum.conf", "etc/pacman.conf",
)  # fmt: skip


def settings_file(path: str) -> SettingsFile | None:
    """Return how a file is read; None if it has no settings of packages."""
    above, _, name = path.rpartition("/")
    if path.startswith("etc/apt/apt.conf"):
        return _APT
    if path.startswith(_REPOSITORIES):
        return _TOOLS
    found = _BY_DIRECTORY.get(above.rpartition("/")[2], {}).get(name) or _BY_NAME.get(name)
    if found is not None:
        is_go = name == "env"
        return found if not is_go or ".config" in above else None
    return _REQUIREMENTS if is_requirements(above, name) else None
