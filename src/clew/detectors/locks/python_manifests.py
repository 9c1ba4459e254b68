"""Manifest readers for Python and conda."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from clew.detectors.files.json_values import mapping
from clew.detectors.locks.json_reading import mappings_in, text_of, texts_in
from clew.detectors.locks.manifests import ManifestContent, shown_reference, shown_specifier
from clew.detectors.locks.origins import PATH_ORIGIN, Origin, git_origin, url_origin
from clew.detectors.locks.requirements import Requirement, parse_requirement, read_requirements
from clew.detectors.locks.simple_yaml import read_yaml
from clew.detectors.locks.toml_blocks import parsed
from clew.detectors.python.python_metadata import normalised


def read_pyproject(content: bytes) -> ManifestContent:
    """Return the requirements of a `pyproject.toml`."""
    data = dict(parsed(content))
    found: dict[str, Requirement] = {}
    project = dict(mapping(data.pop("project", None)))
    tools = {name: dict(mapping(value)) for name, value in mapping(data.pop("tool", None)).items()}
    groups = [project.pop("dependencies", None)]
    groups += mapping(project.pop("optional-dependencies", None)).values()
    groups += mapping(data.pop("dependency-groups", None)).values()
    groups += [mapping(data.get("build-system")).get("requires")]
    groups += mapping(tools.get("pdm", {}).pop("dev-dependencies", None)).values()
    groups += [tools.get("uv", {}).pop("dev-dependencies", None)]
    for group in groups:
        for text in texts_in(group):
            one = parse_requirement(text)
            if one is not None:
                found[one[0]] = one[1]
    for name, source in mapping(tools.get("uv", {}).pop("sources", None)).items():
        origin = _source(source)
        if origin is not None:
            found[normalised(name)] = found.get(normalised(name), Requirement())._replace(
                origin=origin
            )
    poetry = tools.get("poetry", {})
    for name, value in _poetry(poetry):
        found[normalised(name)] = value
    left = {
        key: one
        for key, one in poetry.items()
        if key not in ("dependencies", "dev-dependencies", "group")
    }
    tools["poetry"] = left
    return ManifestContent(found, (data, project, {key: one for key, one in tools.items() if one}))


def _source(value: object) -> Origin | None:
    for source in mappings_in(value) if isinstance(value, list) else (mapping(value),):
        if "git" in source:
            return git_origin(text_of(source["git"]))
        if "url" in source:
            return url_origin(text_of(source["url"]))
        if "path" in source or "workspace" in source:
            return PATH_ORIGIN
    return None


def _poetry(section: Mapping[str, object]) -> Iterator[tuple[str, Requirement]]:
    groups = [section.get("dependencies"), section.get("dev-dependencies")]
    groups += [mapping(one).get("dependencies") for one in mapping(section.get("group")).values()]
    for group in groups:
        for name, value in mapping(group).items():
            if name != "python":
                yield name, tabled(value)


def tabled(value: object) -> Requirement:
    """Return a requirement that is a version, or a table with one."""
    if isinstance(value, str):
        return Requirement(shown_specifier(value))
    table = mapping(value)
    reference = text_of(table.get("rev") or table.get("tag") or table.get("branch"))
    return Requirement(
        shown_specifier(text_of(table.get("version"))), _source(table),
        commit=shown_reference(reference),
    )  # fmt: skip


def read_pipfile(content: bytes) -> ManifestContent:
    """Return the requirements of a `Pipfile`."""
    data = dict(parsed(content))
    found = {}
    for section in ("packages", "dev-packages"):
        for name, value in mapping(data.pop(section, None)).items():
            found[normalised(name)] = tabled(value)
    return ManifestContent(found, data)


def read_requirements_manifest(content: bytes) -> ManifestContent:
    """Return the requirements of a `requirements.txt`; options are told as settings."""
    return ManifestContent(read_requirements(content).requirements)


def read_conda_environment(content: bytes) -> ManifestContent:
    """Return the requirements of an `environment.yml`."""
    data = dict(mapping(read_yaml(content)))
    found: dict[str, Requirement] = {}
    items = data.pop("dependencies", None)
    for item in items if isinstance(items, list) else ():
        texts = [item] if isinstance(item, str) else texts_in(mapping(item).get("pip"))
        for text in texts:
            one = parse_requirement(text.rpartition("::")[2])
            if one is not None:
                specifier = one[1].specifier or shown_specifier(text.partition("=")[2])
                found[one[0]] = one[1]._replace(specifier=specifier)
    return ManifestContent(found, data)
