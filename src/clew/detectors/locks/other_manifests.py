"""Manifest readers for Rust, Go, Ruby, PHP, Dart, Java, .NET and Swift."""

from __future__ import annotations

import re

from clew.detectors.files.json_values import json_object, mapping
from clew.detectors.locks.json_reading import text_of
from clew.detectors.locks.manifests import ManifestContent, shown_specifier
from clew.detectors.locks.origins import (
    PATH_ORIGIN,
    Origin,
    git_origin,
    package_origin,
    registry_origin,
)
from clew.detectors.locks.python_manifests import tabled
from clew.detectors.locks.requirements import Requirement
from clew.detectors.locks.simple_yaml import read_yaml
from clew.detectors.locks.toml_blocks import parsed


def read_cargo_manifest(content: bytes) -> ManifestContent:
    """Return the requirements of a `Cargo.toml`."""
    data = dict(parsed(content))
    found: dict[str, Requirement] = {}
    sections = ("dependencies", "dev-dependencies", "build-dependencies")
    tables = [
        data,
        mapping(data.get("workspace")),
        *map(mapping, mapping(data.get("target")).values()),
    ]
    for table in tables:
        for section in sections:
            for name, value in mapping(table.get(section)).items():
                found[name] = _crate(value)
    for replaced in mapping(data.get("patch")).values():
        for name, value in mapping(replaced).items():
            found[f"{name} (patch)"] = _crate(value)
    rest = {key: value for key, value in data.items() if key not in (*sections, "target", "patch")}
    workspace = {
        key: one for key, one in mapping(rest.pop("workspace", None)).items() if key not in sections
    }
    return ManifestContent(found, (rest, workspace))


def _crate(value: object) -> Requirement:
    if mapping(value).get("workspace") is True:  # the root of the workspace has the version
        return Requirement("workspace")
    found = tabled(value)
    package = text_of(mapping(value).get("package"))
    if package and found.origin is None:
        found = found._replace(origin=package_origin(package))
    registry = text_of(mapping(value).get("registry-index"))
    return found._replace(origin=registry_origin(registry)) if registry else found


_GO_REQUIRE = re.compile(
    r"^(?:require\s+)?([\w.~/-]{3,300})\s+(v[\w.+-]{1,100})(\s*//\s*indirect)?\s*$"
)
_GO_REPLACE = re.compile(
    r"^(?:replace\s+)?([\w.~/-]{3,300})(?:\s+v\S{1,100})?\s+=>\s+(\S{1,300})(?:\s+(v\S{1,100}))?\s*$"
)


def read_go_mod(content: bytes) -> ManifestContent:
    """Return the requirements of a `go.mod`; a replacement is an origin."""
    found: dict[str, Requirement] = {}
    replaced: dict[str, Origin] = {}
    indirect: set[str] = set()
    rest = []
    for line in content.decode("utf-8", "replace").split("\n")[:20_000]:
        text = line.strip()[:1_000]
        if match := _GO_REPLACE.match(text):
            is_local = match[2].startswith((".", "/"))
            replaced[match[1]] = PATH_ORIGIN if is_local else git_origin(f"https://{match[2]}")
        elif match := _GO_REQUIRE.match(text):
            found[match[1]] = Requirement(match[2])
            indirect.update((match[1],) if match[3] else ())
        elif text and not text.startswith("//") and text not in ("require (", "replace (", ")"):
            rest.append(text)
    for name, origin in replaced.items():
        found[name] = found.get(name, Requirement())._replace(origin=origin)
    return ManifestContent(found, rest, frozenset(indirect))


_GEM = re.compile(r"""^gem[\s(]+["']([\w.-]{1,200})["'](.*)$""")
_GEM_VERSION = re.compile(r"""^\s*,\s*["']([~=!<>0-9][^"']{0,60})["']""")
_GEM_GIT = re.compile(
    r"""(?:\b(git|github|gitlab|path|source):|:(git|github|path|source)\s*=>)\s*["']([^"']{1,300})["']"""
)


def read_gemfile(content: bytes) -> ManifestContent:
    """Return the requirements of a `Gemfile`."""
    found = {}
    rest = []
    for line in content.decode("utf-8", "replace").split("\n")[:20_000]:
        text = line.strip()[:2_000]
        match = _GEM.match(text)
        if match:
            version, source = _GEM_VERSION.match(match[2]), _GEM_GIT.search(match[2])
            origin = _gem_origin(source[1] or source[2], source[3]) if source else None
            found[match[1]] = Requirement(version[1] if version else "", origin)
        elif text and not text.startswith(("#", "source ", "source(")):
            rest.append(text)
    return ManifestContent(found, rest)


def _gem_origin(key: str, address: str) -> Origin:
    if key == "path":
        return PATH_ORIGIN
    if key == "source":
        return registry_origin(address)
    host = {"github": "github.com", "gitlab": "gitlab.com"}.get(key)
    return git_origin(f"https://{host}/{address}" if host else address)


def read_composer_json(content: bytes) -> ManifestContent:
    """Return the requirements of a `composer.json`."""
    data = dict(json_object(content))
    found = {}
    for section in ("require", "require-dev"):
        for name, value in mapping(data.pop(section, None)).items():
            found[name.lower()] = Requirement(shown_specifier(text_of(value)))
    return ManifestContent(found, data)


def read_pubspec(content: bytes) -> ManifestContent:
    """Return the requirements of a `pubspec.yaml`."""
    data = dict(mapping(read_yaml(content)))
    found = {}
    for section in ("dependencies", "dev_dependencies", "dependency_overrides"):
        for name, value in mapping(data.pop(section, None)).items():
            table = mapping(value)
            origin = PATH_ORIGIN if "path" in table or "sdk" in table else None
            git, hosted = table.get("git"), table.get("hosted")
            if git:
                origin = git_origin(text_of(git) or text_of(mapping(git).get("url")))
            elif hosted:
                address = text_of(hosted) or text_of(mapping(hosted).get("url"))
                origin = registry_origin(address) if address else None
            text = text_of(value) or text_of(table.get("version"))
            found[name] = Requirement(shown_specifier(text), origin)
    return ManifestContent(found, data)


_POM = re.compile(rb"<(?:dependency|plugin)>")
_POM_END = re.compile(rb"</(?:dependency|plugin)>")
_POM_PART = re.compile(rb"<(groupId|artifactId|version)>\s{0,200}+([^<\s]{1,200})\s{0,200}+</")


def read_pom(content: bytes) -> ManifestContent:
    """Return the requirements of a Maven `pom.xml`, read without an XML parser."""
    found = {}
    head, *blocks = _POM.split(content)
    rest = [head]
    for block in blocks:
        body, *after = _POM_END.split(block, maxsplit=1)
        rest += after
        parts = {
            key.decode(): value.decode("utf-8", "replace")
            for key, value in _POM_PART.findall(body[:4_000])
        }
        if "artifactId" in parts:
            name = f"{parts.get('groupId', 'org.apache.maven.plugins')}:{parts['artifactId']}"
            found[name] = Requirement(shown_specifier(parts.get("version", "")))
    return ManifestContent(found, rest)


_GRADLE = re.compile(
    rb"""^\s*(?:\w{0,40}[iI]mplementation|api|compileOnly|runtimeOnly|\w{0,40}[aA]nnotationProcessor|compile|classpath|kapt|ksp)"""
    rb"""[\s(]{1,4}["']([\w.-]{1,200}:[\w.-]{1,200})(?::([\w.+-]{1,60}))?["']""",
    re.M,
)


def read_gradle(content: bytes) -> ManifestContent:
    """Return the requirements of a `build.gradle`."""
    found = {
        match[1].decode(): Requirement((match[2] or b"").decode())
        for match in _GRADLE.finditer(content)
    }
    return ManifestContent(found, _GRADLE.sub(b"", content))


_REFERENCE = re.compile(
    rb"""<Package(?:Reference|Version)\s+(?:Include|Update)="([\w.-]{1,200})"(?:\s+Version="([^"]{1,60})")?"""
)


def read_project_file(content: bytes) -> ManifestContent:
    """Return the requirements of a .NET project."""
    found = {
        match[1].decode(): Requirement(
            shown_specifier((match[2] or b"").decode("utf-8", "replace"))
        )
        for match in _REFERENCE.finditer(content)
    }
    return ManifestContent(found, _REFERENCE.sub(b"", content))


_SWIFT = re.compile(
    rb"""\.package\(\s*(?:name:\s*"[^"]{1,100}",\s*)?url:\s*"([^"]{1,400})",\s*([^)\n]{0,200})"""
)


def read_swift_package(content: bytes) -> ManifestContent:
    """Return the requirements of a `Package.swift`; it is a program, of which only these are read."""
    found = {}
    for match in _SWIFT.finditer(content):
        origin = git_origin(match[1].decode("utf-8", "replace"))
        version = re.search(rb'"([\w.-]{1,60})"', match[2])
        name = origin.repository.rpartition("/")[2].lower()
        found[name] = Requirement(version[1].decode() if version else "", origin)
    return ManifestContent(found, _SWIFT.sub(b"", content))
