"""Install script detector: programs that a project runs when its packages are installed.

`package.json` and `composer.json` may name them; npm and Composer run them without a question.
Commands of well-known tools are not reported, and those of a project that is new are notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.files.json_values import mapping
from clew.detectors.files.loose_json import read_json
from clew.detectors.locks.json_reading import texts_in
from clew.detectors.locks.node_manifests import LIFECYCLE_SCRIPTS, read_package_json
from clew.detectors.security.security_rules import in_fresh_clone, is_dependency, joined
from clew.detectors.security.test_data import is_test_data
from clew.detectors.system.shown_command import shown_command
from clew.model.fact import Fact, Severity

_LIMIT = 1 << 20
_COMPOSER = (
    "pre-install-cmd", "post-install-cmd", "pre-update-cmd", "post-update-cmd",
    "post-autoload-dump", "pre-autoload-dump", "post-root-package-install",
    "post-create-project-cmd", "pre-package-install", "post-package-install", "init",
)  # fmt: skip
_KNOWN = re.compile(
    r"(?:npx |yarn |pnpm |bunx |node_modules/\.bin/)?(?:husky(?: install| init)?|lefthook install|simple-git-hooks"
    r"|patch-package|prisma generate|ngcc|nuxt(?:i)? prepare|svelte-kit sync|astro sync|panda codegen"
    r"|electron-builder install-app-deps|electron-rebuild|lerna bootstrap|tsc(?: -[\w-]++)*+"
    r"|(?:npm|yarn|pnpm|bun)(?: run)? (?:build|compile|prepare|prebuild|codegen|generate)(?:[:\w-]*)"
    r"|is-ci|pinst --(?:enable|disable)|only-allow (?:npm|yarn|pnpm|bun)|fumadocs-mdx|wxt prepare"
    r"|@php artisan [\w:-]+(?: -[\w-]++)*+|[\w\\]+::[\w]+|true|exit 0)"
    r"(?:\s*\|\|\s*(?:true|exit 0|echo [\w ']{1,40}))?"
)
"""Commands that tools themselves tell people to put there."""
_PROGRAMS = (".pnpmfile.cjs", ".pnpmfile.mjs", "pnpmfile.js", "pnpmfile.cjs")
"""Programs that pnpm runs at each installation."""
_ALLOWED = ("allowScripts", "trustedDependencies")
_SHOWN = 5


class InstallScripts:
    """Reports new programs that run when packages are installed."""

    name = "security/install-scripts"
    version = 2
    kinds: tuple[str, ...] = ("security.install_script",)
    watch = WatchedPaths(names=("package.json", "composer.json", *_PROGRAMS))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        for change in changes:
            if change.new is None or not change.is_content or is_dependency(change.path):
                continue
            if change.path in evidence.owners or in_fresh_clone(evidence, change.path):
                continue
            with evidence.guarded(change.path):
                facts = tuple(_facts(evidence, change))
                if facts:
                    yield Finding(facts, _claims(evidence, change))


def _facts(evidence: Evidence, change: PathChange) -> Iterator[Fact]:
    if change.name in _PROGRAMS:
        is_mild = is_test_data(change.path) or _is_new_project(evidence, change)
        yield Fact(
            "security.install_script", "program", change.path, None if change.is_added else "another",
            severity=Severity.NOTE if is_mild else Severity.HIGH, evidence=(change.path,),
        )  # fmt: skip
        return
    old, new = _object(evidence.old, change.path), _object(evidence.new, change.path)
    names = _COMPOSER if change.name == "composer.json" else LIFECYCLE_SCRIPTS
    before, after = _scripts(old, names), _scripts(new, names)
    is_mild = change.is_added or is_test_data(change.path)
    for name in sorted(after):
        if before.get(name) == after[name]:
            continue
        if all(_KNOWN.fullmatch(part) for part in _parts(after[name])):
            continue
        yield Fact(
            "security.install_script", "project", change.path,
            shown_command(before[name]) if name in before else None, shown_command(after[name]),
            severity=Severity.NOTE if is_mild else Severity.HIGH,
            evidence=(change.path,), marks=(name,),
        )  # fmt: skip
    allowed = _allowed(new) - _allowed(old)
    if allowed:
        shown = ", ".join(sorted(allowed)[:_SHOWN])
        yield Fact(
            "security.install_script", "setting", change.path, None, shown,
            severity=Severity.NOTE if is_mild or all(map(_is_known_builder, allowed)) else Severity.HIGH,
            evidence=(change.path,), marks=_ALLOWED[:1],
        )  # fmt: skip


_BUILDERS = re.compile(
    r"(?:@esbuild/[\w-]+|esbuild|sharp|@swc/[\w-]+|swc|node-gyp|node-sass|sqlite3|better-sqlite3|bcrypt|argon2|canvas"
    r"|puppeteer(?:-core)?|playwright[\w-]*|@playwright/[\w-]+|cypress|electron|electron-[\w-]+|core-js(?:-pure)?|fsevents"
    r"|@prisma/[\w-]+|prisma|@parcel/[\w-]+|lefthook|husky|protobufjs|@sentry/cli|nx|@nx/[\w-]+|unrs-resolver|@biomejs/biome"
    r"|msw|workerd|@tailwindcss/oxide|lightningcss|isolated-vm|re2|cpu-features|ssh2|bufferutil|utf-8-validate|keytar"
    r"|@napi-rs/[\w-]+|turbo|vue-demi|@firebase/util|@vercel/speed-insights|simple-git-hooks|dtrace-provider|msgpackr-extract"
    r"|@datadog/[\w-]+|@mongodb-js/[\w-]+|@nestjs/core|@scarf/scarf|@apollo/protobufjs|aws-crt|maplibre-gl|mongodb-memory-server)"
)
"""Packages whose scripts build or fetch what they need, and that many projects allow to."""


def _is_known_builder(name: str) -> bool:
    return _BUILDERS.fullmatch(name.rpartition("@")[0] or name) is not None


def _is_new_project(evidence: Evidence, change: PathChange) -> bool:
    manifest = evidence.changes.get(joined(change.parent, "package.json"))
    return manifest is not None and manifest.is_added


def _object(tree: Tree, path: str) -> Mapping[str, object]:
    return read_json(tree.read(path, _LIMIT)) or {}


def _scripts(manifest: Mapping[str, object], names: Sequence[str]) -> dict[str, str]:
    """Return the commands of some scripts; Composer allows lists of commands."""
    found = {}
    for name, value in mapping(manifest.get("scripts")).items():
        text = value if isinstance(value, str) else " && ".join(texts_in(value))
        if name in names and text.strip():
            found[name] = text.strip()
    return found


def _parts(command: str) -> list[str]:
    return [part.strip() for part in command[:2_000].split("&&")]


def _allowed(manifest: Mapping[str, object]) -> set[str]:
    """Return the packages whose scripts may run."""
    allowed = mapping(manifest.get("allowScripts"))
    found = {name for name, value in allowed.items() if value is True}
    found.update(texts_in(manifest.get("trustedDependencies")))
    found.update(texts_in(mapping(manifest.get("pnpm")).get("onlyBuiltDependencies")))
    return {name for name in found if re.fullmatch(r"[\w@./^~-]{1,214}", name)}


def _claims(evidence: Evidence, change: PathChange) -> tuple[str, ...]:
    """Return the manifest, if nothing but scripts and requirements differs in it."""
    if change.name in _PROGRAMS:
        return (change.path,)
    if change.name != "package.json" or change.old is None:
        return ()
    try:
        old, new = (
            read_package_json(tree.read(change.path, _LIMIT) or b"{}")
            for tree in (evidence.old, evidence.new)
        )
    except (ValueError, RecursionError):
        return ()
    return (change.path,) if old.rest == new.rest else ()
