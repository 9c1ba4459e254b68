"""Script settings detector: package sources and checks in environments, scripts and image builds.

The same settings that `.npmrc` and `pip.conf` have can be given as variables
(`PIP_INDEX_URL`, `NODE_TLS_REJECT_UNAUTHORIZED=0`) and as options of a command
(`pip install --index-url …`, `npm config set registry …`).
So is, in files that people run without a look, what a new line fetches and runs at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.locks import ecosystems as eco
from clew.detectors.locks.ecosystems import Ecosystem
from clew.detectors.locks.origins import host_of, is_loopback
from clew.detectors.security.fetched_programs import fetches
from clew.detectors.security.package_settings import PackageSettings, package_settings
from clew.detectors.security.registries import setting_facts
from clew.detectors.security.security_rules import (
    content,
    in_fresh_clone,
    is_dependency,
    rules_between,
)
from clew.detectors.security.settings_reading import Setting, canonical_key
from clew.detectors.security.test_data import is_test_data
from clew.model.fact import Fact, Severity

_LIMIT = 1 << 20
_READ_BUDGET = 16 << 20
_MAX_LINES = 20_000
_MAX_LINE = 4_096
_MAX_FACTS = 100
_MAX_FILES = 3_000
"""A tree that is copied may have any number of scripts."""
_HINT = re.compile(
    rb"index|registry|pip3? |links|proxy|mirror|hosted|trusted|insecure|certificate|curl|ssl|tls|httpsverify|sumdb|site|download"
)
"""What every setting of interest contains, in lower case; most scripts have none."""
_VARIABLE = re.compile(
    r"""(?<![\w-])((?:PIP|UV|PIPENV|NPM_CONFIG|npm_config|YARN|BUN_CONFIG|GO|CONDA|HEX|PUB|GIT_SSL|NODE_TLS"""
    r"""|CARGO_REGISTRIES|BUNDLE|COMPOSER|ELECTRON|PYTHONHTTPSVERIFY)\w{0,60}?)["']?\s{0,4}[=: ]\s{0,4}["']?([^\s"']{1,500})"""
)
_OPTION = re.compile(
    r"--(?:(no-check-certificate)|(index-url|extra-index-url|find-links|trusted-host|registry"
    r"|default-index|allow-insecure-host)[= ]+[\"']?([^\s\"'\\]{1,500}))"
)
_SHORT = re.compile(
    r"\bpip3? (?:install|download|wheel)\b[^\n|;&]{0,500}?\s-i[ =]([^\s\"']{1,500})"
)
_SET = re.compile(
    r"\bconfig (?:set|--global|--system|--local|--user|--site|\s)*+\s?[\"']?(?:global\.|user\.|site\.|install\.)?"
    r"([\w.@:/-]{3,80})[ =]+[\"']?([^\s\"']{1,500})"
)
_CURL = re.compile(r"\bcurl\b[^\n|;]{0,500}?\s(?:-[A-Za-jl-z]{0,6}k[A-Za-z]{0,6}|--insecure)(?=\s)")
_SSL_OFF = re.compile(r"\bhttp\.sslVerify[= ]+[\"']?(?:false|0)", re.I)
_HEADS = (".env", "Dockerfile", "Containerfile", ".gitlab-ci", "Makefile", "makefile", "justfile")
_NAMES = (
    "Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", ".gitlab-ci.yml", "Jenkinsfile",
    ".travis.yml", "azure-pipelines.yml", ".bashrc", ".bash_profile", ".profile", ".zshrc",
    ".zshenv", ".zprofile", "environment", "Taskfile.yml", "noxfile.py", "tox.ini",
)  # fmt: skip
_BUILDS = (
    "setup.py", "build.rs", "extconf.rb", "build.gradle", "build.gradle.kts", "binding.gyp",
    "CMakeLists.txt", "meson.build", "conftest.py", "Rakefile", "Vagrantfile", "wscript", "SConstruct",
    "mix.exs", "build.sbt", "gulpfile.js", "Gruntfile.js", "sitecustomize.py", "usercustomize.py",
)  # fmt: skip
"""Programs that run when a project is built, tested or installed."""
_TOLD_BY_OTHERS = (
    "Dockerfile", "Containerfile", ".gitlab-ci", "Jenkinsfile", ".travis.yml", "azure-pipelines",
    ".bashrc", ".bash_profile", ".profile", ".zsh", "environment",
)  # fmt: skip
_ENVRC = ".envrc"
_CI_DIRECTORIES = (".github", ".circleci", ".gitea", ".forgejo", ".woodpecker", ".buildkite")
_FETCHES = re.compile(rb"\b(?:curl|wget|fetch)\b")
_EVERYTHING = Ecosystem(
    "any",
    eco.NODE.hosts | eco.PYTHON.hosts | eco.GO.hosts | eco.RUBY.hosts | eco.RUST.hosts
    | eco.CONDA.hosts | eco.PHP.hosts | eco.DART.hosts | eco.ELIXIR.hosts,
    eco.NODE.known | eco.PYTHON.known | eco.CONDA.known,
)  # fmt: skip


class ScriptSettings:
    """Reports package sources, and checks switched off, in environments and scripts."""

    name = "security/script-settings"
    version = 2
    kinds: tuple[str, ...] = (
        "security.registry", "security.tls", "security.integrity", "security.install_script",
        "config.changed", "security.ci",
    )  # fmt: skip
    watch = WatchedPaths(
        names=(*_NAMES, *_BUILDS),
        heads=_HEADS,
        suffixes=(".sh", ".env", ".envrc", ".bash", ".Dockerfile"),
        directories=_CI_DIRECTORIES,
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        budget, told = _READ_BUDGET, 0
        for change in changes[:_MAX_FILES]:
            if change.new is None or not change.is_content or change.is_directory:
                continue
            if change.path in evidence.owners or is_dependency(change.path):
                continue
            budget -= sum(entry.size for entry in (change.old, change.new) if entry is not None)
            if budget < 0 or told >= _MAX_FACTS or in_fresh_clone(evidence, change.path):
                continue
            with evidence.guarded(change.path):
                texts = [
                    content(tree, change.path, _LIMIT) for tree in (evidence.old, evidence.new)
                ]
                for fact in _fetched(change, *texts):
                    told += 1
                    yield Finding((fact,))
                if change.name in _BUILDS:
                    continue
                before, after = (package_settings(script_settings(text)) for text in texts)
                for fact in setting_facts(change.path, _EVERYTHING, before, _without_notes(after)):
                    if is_test_data(change.path) or not fact.kind.startswith("security."):
                        continue
                    told += 1
                    is_mild = fact.marks == ("curl --insecure",)
                    severity = Severity.NOTE if is_mild else fact.severity
                    yield Finding((fact._replace(severity=severity),))


def _fetched(change: PathChange, old: bytes | None, new: bytes | None) -> Iterator[Fact]:
    """Yield that new lines run what they fetch; a script that is new was written to be looked at."""
    if new is None or not _FETCHES.search(new) or change.name.startswith(_TOLD_BY_OTHERS):
        return
    directories = change.parent.split("/")
    if any(one in directories for one in _CI_DIRECTORIES) or is_test_data(change.path):
        return
    found = fetches(rules_between(old, new).added)
    if found.mark:
        is_asked = change.old is None and change.name not in (*_BUILDS, _ENVRC)
        severity = Severity.NOTE if is_asked else found.severity
        yield Fact(
            "security.ci", "fetch", change.path,
            severity=severity, evidence=(change.path,), marks=(found.mark,),
        )  # fmt: skip


def _without_notes(settings: PackageSettings) -> PackageSettings:
    """Return settings without proxies and programs, which scripts name every day."""
    return settings._replace(proxies=frozenset(), programs=frozenset(), scripts_refused=frozenset())


def script_settings(text: bytes | None) -> Iterator[Setting]:
    """Yield the settings that lines of a script give to package managers."""
    if text is None or not _HINT.search(text.lower()):
        return
    for line in text.decode("utf-8", "replace").split("\n")[:_MAX_LINES]:
        line = line[:_MAX_LINE]
        if line.lstrip()[:1] in ("#", ""):
            continue
        for match in _VARIABLE.finditer(line):
            yield Setting(canonical_key(match[1]), match[2])
        for match in _OPTION.finditer(line):
            yield Setting(match[1] or match[2], match[3] or "")
        for match in _SHORT.finditer(line):
            yield Setting("index-url", match[1])
        for match in _SET.finditer(line):
            yield Setting(canonical_key(match[1]), match[2])
        if _SSL_OFF.search(line):
            yield Setting("http.sslverify", "false")
        if _CURL.search(line) and not _is_local(line):
            yield Setting("curl --insecure", "")


def _is_local(line: str) -> bool:
    """Return whether a command addresses this machine only."""
    hosts = {host_of(word.strip("'\"")) for word in line.split() if "://" in word}
    return bool(hosts) and all(map(is_loopback, hosts))
