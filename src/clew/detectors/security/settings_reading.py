"""Settings of package managers and their relatives, read from the format of each file.

A setting is a key and a value.  Keys are in lower case, with dashes: `npmRegistryServer` is
`npmregistryserver`, `PIP_INDEX_URL` is `pip-index-url`.  Values may contain passwords.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from clew.detectors.files.loose_json import read_json
from clew.detectors.locks.requirements import read_requirements
from clew.detectors.locks.simple_yaml import read_yaml
from clew.detectors.locks.toml_blocks import parsed
from clew.model.named_tuple import NamedTuple

_MAX_SETTINGS = 20_000
_MAX_LINES = 20_000
_MAX_LINE = 4_096
_LINE = re.compile(
    r"""\s*(?:export\s+|ENV\s+|ARG\s+|set\s+)?["']?(@[\w.-]{1,80}:[\w-]{1,40}|:?\w[\w./$-]{0,120}?)["']?"""
    r"""\s*(?:[=:]\s*|\s+)(.*)$"""
)
_BARE = re.compile(r"\s*(-{0,2}[a-z][a-z-]{1,40})\s*$")
_APT = re.compile(r"([A-Za-z][\w:-]{1,120})\s+\"([^\"\n]{0,500})\"")
_XML_URL = re.compile(
    r"<(?:mirror|repository|pluginRepository|snapshotRepository)>(?:(?!</?(?:mirror|repository)>)[\s\S]){0,2000}?<url>\s*([^<\s]{1,500})"
)
_XML_ANY_URL = re.compile(r"<url>\s{0,100}+([^<\s]{1,500})")
_NUGET = re.compile(r"""<add\s+key="[^"]{0,200}"\s+value="(https?://[^"]{1,500})\"""", re.I)
_NUGET_PLAIN = re.compile(r'allowInsecureConnections="true"', re.I)
_GRADLE = re.compile(
    r"""\b(?:maven|ivy)\s{0,8}(?:\{[^{}]{0,600}?\burl\s{0,8}[=(]?|\(\s{0,8}(?:url\s{0,8}=)?)\s{0,8}"""
    r"""(?:uri\s{0,4}\(\s{0,4})?["']([a-z]+://[^"'\s]{1,500})["']"""
)
_GRADLE_PLAIN = re.compile(
    r"\b(?:allowInsecureProtocol|isAllowInsecureProtocol)\s*(?:=|\s|\()\s*true"
)
_RUBY = re.compile(r"""^\s*source[\s(]+["']([a-z]+://[^"'\s]{1,500})["']""", re.M)


LISTED = "<listed>"
"""The path of addresses that a reader found in lists of package sources."""


class Setting(NamedTuple):
    """One setting."""

    key: str
    value: str
    path: tuple[str, ...] = ()
    """The keys above it."""


SettingsReader = Callable[[bytes], Iterator[Setting]]


def canonical_key(text: str) -> str:
    """Return a key in lower case, with dashes."""
    return text.strip(" '\"").lower().replace("_", "-").lstrip("-")


def line_settings(content: bytes) -> Iterator[Setting]:
    """Yield the settings of a file with a key and a value on each line: INI, npmrc, environment."""
    section: tuple[str, ...] = ()
    key = ""
    for line in content.decode("utf-8", "replace").split("\n")[:_MAX_LINES]:
        line = line.rstrip()[:_MAX_LINE]
        text = line.strip()
        if not text or text[0] in "#;!":
            continue
        if text[0] == "[":
            section, key = (text.strip("[] ").lower(),), ""
        elif line[0] in " \t" and key and ("://" in text or "=" not in text):
            yield Setting(key, text, section)  # the next line of a list, as pip writes it
        elif bare := _BARE.match(line):
            key = canonical_key(bare[1])
            yield Setting(key, "", section)
        elif match := _LINE.match(line):
            key = canonical_key(match[1].rpartition(":")[2] if match[1][0] == "@" else match[1])
            value = match[2].partition(" #")[0].strip()
            yield Setting(key, value.strip("'\""), section)


def yaml_settings(content: bytes) -> Iterator[Setting]:
    """Yield the settings of a YAML file."""
    yield from _flat(read_yaml(content))


def chart_settings(content: bytes) -> Iterator[Setting]:
    """Yield where a chart of Helm takes the charts from that it needs."""
    value = read_yaml(content)
    needed = value.get("dependencies") if isinstance(value, dict) else None
    for one in needed if isinstance(needed, list) else ():
        given = one.get("repository") if isinstance(one, dict) else None
        if isinstance(given, str) and "://" in given and not given.startswith("file:"):
            yield Setting("repository", given.replace("oci://", "https://", 1), (LISTED,))


def pyproject_settings(content: bytes) -> Iterator[Setting]:
    """Yield the settings of tools in a `pyproject.toml`."""
    value = parsed(content)
    yield from _flat({"tool": value.get("tool", {})})
    build = value.get("build-system")
    if isinstance(build, dict) and build.get("backend-path"):
        yield Setting("backend-path", str(build["backend-path"]))


def toml_settings(content: bytes) -> Iterator[Setting]:
    """Yield the settings of a TOML file."""
    yield from _flat(parsed(content))


def json_settings(content: bytes) -> Iterator[Setting]:
    """Yield the settings of a JSON file."""
    yield from _flat(read_json(content) or {})


def _flat(value: object) -> Iterator[Setting]:
    waiting: list[tuple[tuple[str, ...], object]] = [((), value)]
    count = 0
    while waiting:
        path, one = waiting.pop()
        count += 1
        if count > _MAX_SETTINGS:
            raise ValueError("too many settings")
        if isinstance(one, dict):
            waiting.extend(((*path, canonical_key(str(key))), inner) for key, inner in one.items())
        elif isinstance(one, list):
            waiting.extend((path, inner) for inner in one)
        elif path:
            text = str(one).lower() if isinstance(one, bool) else str(one)
            yield Setting(path[-1], text[:_MAX_LINE], path[:-1])


def requirements_settings(content: bytes) -> Iterator[Setting]:
    """Yield the options of a requirements file."""
    short = {"-i": "index-url", "-f": "find-links"}
    for name, value in read_requirements(content).options:
        yield Setting(short.get(name) or canonical_key(name), value)


def maven_user_settings(content: bytes) -> Iterator[Setting]:
    """Yield the addresses of Maven's `settings.xml`: mirrors and repositories."""
    for address in _XML_ANY_URL.findall(content.decode("utf-8", "replace")):
        yield Setting("repository", address, (LISTED,))


def maven_settings(content: bytes) -> Iterator[Setting]:
    """Yield the repositories of a Maven project, without those that it publishes to."""
    head, _, rest = content.decode("utf-8", "replace").partition("<distributionManagement>")
    for address in _XML_URL.findall(head + rest.partition("</distributionManagement>")[2]):
        yield Setting("repository", address, (LISTED,))


def nuget_settings(content: bytes) -> Iterator[Setting]:
    """Yield the package sources of a `NuGet.Config`."""
    text = content.decode("utf-8", "replace")
    for address in _NUGET.findall(text):
        yield Setting("package-source", address, (LISTED,))
    if _NUGET_PLAIN.search(text):
        yield Setting("allowinsecureconnections", "true")


def gradle_settings(content: bytes) -> Iterator[Setting]:
    """Yield the repositories of a Gradle script; it is a program, of which only these are read."""
    text = content.decode("utf-8", "replace")
    for address in _GRADLE.findall(text):
        yield Setting("repository", address, (LISTED,))
    if _GRADLE_PLAIN.search(text):
        yield Setting("allowinsecureprotocol", "true")


def ruby_settings(content: bytes) -> Iterator[Setting]:
    """Yield the sources of a `Gemfile` or `Podfile`."""
    for address in _RUBY.findall(content.decode("utf-8", "replace")):
        yield Setting("source", address, (LISTED,))


def apt_settings(content: bytes) -> Iterator[Setting]:
    """Yield the settings of apt; in braces they have the last part of their names."""
    for line in content.decode("utf-8", "replace").split("\n")[:_MAX_LINES]:
        if not line.lstrip().startswith(("//", "#")):
            for key, value in _APT.findall(line[:_MAX_LINE]):
                yield Setting(canonical_key(key.rpartition("::")[2]), value)
