"""Composer detector: packages in `vendor`, from `vendor/composer/installed.json`.

`composer.lock` states what should be installed and is not read.
A listed package without a directory is not installed.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, TooLarge, Tree, WatchedPaths
from clew.detectors.files.json_values import json_object, mapping, version_text
from clew.detectors.node.node_manifest import MANIFEST_LIMIT
from clew.detectors.node.semver import is_lower
from clew.detectors.tools.package_files import PACKAGE_KINDS, edited_in_place, own_files
from clew.detectors.tools.package_scopes import inside, label_of, scope_of
from clew.detectors.tools.package_versions import Installed, version_facts

_VENDOR = "vendor"
_LIST = "vendor/composer/installed.json"
_OWN = ("vendor/composer/", "vendor/bin/", "vendor/autoload.php")
_REQUIRED = ("require", "require-dev")


class Composer:
    """Reports PHP packages that were installed, changed and removed."""

    name = "php/composer"
    version = 1
    kinds = PACKAGE_KINDS
    watch = WatchedPaths(directories=(_VENDOR,))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        for directory, paths in _by_directory(changes).items():
            path = inside(directory, _LIST)
            if any(tree.entry(path) is not None for tree in (evidence.old, evidence.new)):
                with evidence.guarded(path):
                    yield from _findings(evidence, directory, paths)


def parse_installed(content: bytes | None) -> dict[str, tuple[Installed, str | None]]:
    """Return the packages of a list, each with its path relative to `vendor/composer`."""
    if content is None:
        return {}
    # Composer 1 wrote the bare list
    found = json_object(content if content.lstrip()[:1] == b"{" else b'{"packages":%b}' % content)
    packages = found.get("packages")
    listed = {}
    for package in packages if isinstance(packages, list) else ():
        details = mapping(package)
        name, version = details.get("name"), version_text(details.get("version"))
        if isinstance(name, str) and name.isprintable() and 0 < len(name) <= 200:
            where = details.get("install-path", f"../{name}")
            listed[name] = (
                Installed((version or "",), True, *_source(details)),
                where if isinstance(where, str) else None,
            )
    return listed


def _source(details: Mapping[str, object]) -> tuple[str, str]:
    source, dist = mapping(details.get("source")), mapping(details.get("dist"))
    if dist.get("type") == "path":
        return "from a local path", ""
    reference = source.get("reference")
    commit = reference[:40] if isinstance(reference, str) else ""
    is_cloned = details.get("installation-source") == "source" and source.get("type") == "git"
    return ("from git" if is_cloned else ""), commit


def _by_directory(changes: Sequence[PathChange]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for change in changes:
        above = f"/{change.path}/".partition(f"/{_VENDOR}/")[0]
        found.setdefault(above.strip("/"), []).append(change.path)
    return found


def _findings(evidence: Evidence, directory: str, paths: Sequence[str]) -> Iterator[Finding]:
    label, shown = label_of("composer", directory), inside(directory, _LIST)
    before, places = _installed(evidence.old, directory)
    after, new_places = _installed(evidence.new, directory)
    facts = version_facts(scope_of("composer", directory), before, after, is_lower, (shown,))
    explained = {fact.subject for fact in facts}
    files, others = _split_changes(evidence, directory, paths, {**places, **new_places})
    claims = [path for name in sorted(explained) for path in files.get(name, ())] + others
    for name in sorted(explained):
        own_files(evidence, name, files.get(name, ()))
    if facts:
        yield Finding(facts, [*claims, *_project_files(evidence, directory)])
    elif claims:
        yield Finding((), claims, f"bookkeeping of {label} changed")
    edited = sorted({*files} - explained)
    if edited:
        yield edited_in_place(
            evidence,
            scope_of("composer", directory),
            label,
            edited,
            [path for name in edited for path in files[name]],
        )


def _installed(tree: Tree, directory: str) -> tuple[dict[str, Installed], dict[str, str]]:
    """Return the packages that are listed and exist, and the paths of all listed ones."""
    wanted = _wanted(tree, directory)
    found, places = {}, {}
    for name, (package, where) in parse_installed(tree.read(inside(directory, _LIST))).items():
        if where is not None:
            place = posixpath.normpath(inside(directory, "vendor/composer", where))
            places[place] = name
            if tree.entry(place) is None:
                continue
        found[name] = package._replace(direct=not wanted or name in wanted)
    return found, places


def _wanted(tree: Tree, directory: str) -> set[str]:
    manifest = _manifest(tree, directory) or {}
    return {name.lower() for section in _REQUIRED for name in mapping(manifest.get(section))}


def _manifest(tree: Tree, directory: str) -> dict[str, object] | None:
    """Return a project's `composer.json`; None if it is absent or unreadable."""
    try:
        content = tree.read(inside(directory, "composer.json"), MANIFEST_LIMIT)
        return json_object(content) if content else None
    except (TooLarge, ValueError, RecursionError):
        return None


def _split_changes(
    evidence: Evidence, directory: str, paths: Sequence[str], places: Mapping[str, str]
) -> tuple[dict[str, list[str]], list[str]]:
    """Return the changed files of packages, and those that Composer writes for itself."""
    files: dict[str, list[str]] = {}
    others = []
    own = tuple(inside(directory, name) for name in _OWN)
    for path in paths:
        if evidence.changes[path].is_directory:
            continue
        above = path
        while above and above not in places:
            above = above.rpartition("/")[0]
        if above:
            files.setdefault(places[above], []).append(path)
        elif path.startswith(own):
            others.append(path)
    return files, others


def _project_files(evidence: Evidence, directory: str) -> list[str]:
    found = evidence.unclaimed([inside(directory, "composer.lock")])
    path = inside(directory, "composer.json")
    old, new = (_manifest(tree, directory) for tree in (evidence.old, evidence.new))
    if path in evidence.changes and old is not None and new is not None:
        others = {*old, *new}.difference(_REQUIRED)
        if all(old.get(key) == new.get(key) for key in others):
            found.append(path)
    return found
