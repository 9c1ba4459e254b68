"""Manifest readers for Node and Deno."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.detectors.files.json_values import json_object, mapping
from clew.detectors.files.loose_json import read_json
from clew.detectors.locks.json_reading import text_of
from clew.detectors.locks.manifests import ManifestContent, shown_reference, shown_specifier
from clew.detectors.locks.origins import origin_of, package_origin, url_origin
from clew.detectors.locks.requirements import Requirement

_SECTIONS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
_REPLACEMENTS = ("overrides", "resolutions")
_GITHUB = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}(?:#.{0,100})?")
LIFECYCLE_SCRIPTS = (
    "preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare", "prepublish",
    "dependencies",
)  # fmt: skip
"""Scripts of a project that npm runs at its own installation."""


def read_package_json(content: bytes) -> ManifestContent:
    """Return the requirements of a `package.json`."""
    data = json_object(content)
    found: dict[str, Requirement] = {}
    for section in _SECTIONS:
        for name, value in mapping(data.get(section)).items():
            found[name] = _node_requirement(text_of(value))
    for section in _REPLACEMENTS:
        for name, text in _replaced(data.get(section)):
            found[f"{name} ({section})"] = _node_requirement(text)
    pnpm = dict(mapping(data.get("pnpm")))
    for name, text in _replaced(pnpm.pop("overrides", None)):
        found[f"{name} (overrides)"] = _node_requirement(text)
    told = (*_SECTIONS, *_REPLACEMENTS, "allowScripts", "trustedDependencies")
    rest = {key: value for key, value in data.items() if key not in (*told, "pnpm")}
    rest |= {"pnpm": pnpm} if pnpm else {}
    scripts = mapping(rest.pop("scripts", None))
    left = {name: one for name, one in scripts.items() if name not in LIFECYCLE_SCRIPTS}
    return ManifestContent(found, (rest, left))


def _replaced(value: object, depth: int = 3) -> Iterator[tuple[str, str]]:
    """Yield the replacements of packages, which npm allows to nest."""
    for name, one in mapping(value).items():
        if isinstance(one, str):
            yield name, one
        elif depth:
            yield from _replaced(one, depth - 1)


def _node_requirement(text: str) -> Requirement:
    if text.startswith("npm:") and "@" in text[5:]:
        name, _, version = text[4:].rpartition("@")
        return Requirement(shown_specifier(version), package_origin(name))
    if _GITHUB.fullmatch(text):
        text = f"github:{text}"
    origin = origin_of(text)
    if origin is None:
        return Requirement(shown_specifier(text))
    return Requirement("", origin, commit=shown_reference(text.partition("#")[2]))


def read_deno_json(content: bytes) -> ManifestContent:
    """Return the imports of a `deno.json`."""
    data = read_json(content)
    if data is None:
        raise ValueError("no JSON")
    found = {}
    for name, value in mapping(data.get("imports")).items():
        text = text_of(value)
        if text.startswith(("npm:", "jsr:")):
            at = text.find("@", 5)
            found[name] = Requirement(shown_specifier(text[at + 1 :]) if at > 0 else "")
        elif text.startswith("http"):
            found[name] = Requirement("", url_origin(text))
    return ManifestContent(found, {key: one for key, one in data.items() if key != "imports"})
