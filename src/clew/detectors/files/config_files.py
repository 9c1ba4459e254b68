"""Configuration file detector: changed settings by name, in files that no other detector claimed.

The rule is deliberately simple.
Configuration is everything under a machine's `etc`, files with the name or suffix of configuration
(`Dockerfile`, `*.toml`), and files at most two levels below a `.config`.
Settings of a library that was copied into a project (`vendor/six/setup.cfg`) are part of that library.
Files with only the suffix (`*.json`) are data in directories of test data, above 1 MB, or if many
files of one directory changed together.
A lock file or a manifest states what is required, never what is installed.

A setting is named, with its values if they cannot be secret (`log_level 1 → 25`, `shown_values.py`);
in a file without structure lines are counted (`+3 −1 lines`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.files.line_counts import count_lines, is_binary
from clew.detectors.files.setting_marks import setting_marks
from clew.detectors.files.shown_values import holds_secrets, shown_text
from clew.detectors.files.source_languages import is_copied_in
from clew.detectors.files.value_changes import KeyPath, value_changes
from clew.detectors.formats.directives_reader import with_same_servers
from clew.detectors.formats.parsed_files import ParsedFiles
from clew.detectors.formats.reading import SIZE_LIMIT, syntax_by_place, syntax_of
from clew.detectors.formats.values import Unreadable
from clew.detectors.os_packages.conffiles import conffile, is_edited
from clew.detectors.os_packages.maintainer_scripts import script_paths
from clew.model.entry import Entry, EntryKind
from clew.model.fact import Fact

_MANY = 24
"""If this many files of one directory change together, they are data."""
_READ_BUDGET = 24 << 20
"""The total number of bytes read; files beyond it are only named."""
_LINES_LIMIT = 4 << 20

LOCK_FILES = frozenset((
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock",
    "bun.lockb", "deno.lock", "Cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock",
    "pylock.toml", "Gemfile.lock", "composer.lock", "go.sum", "go.work.sum", "flake.lock",
    "mix.lock", "pubspec.lock", "packages.lock.json", "gradle.lockfile", ".terraform.lock.hcl",
    "Podfile.lock", "Package.resolved", "conda-lock.yml", "pixi.lock", "Manifest.toml",
))  # fmt: skip

_NAMES = frozenset((
    "Dockerfile", "Containerfile", "Makefile", "GNUmakefile", "makefile", "Justfile", "justfile",
    "Procfile", "Vagrantfile", "Jenkinsfile", "Caddyfile", "Pipfile", "Gemfile", "Rakefile",
    "Brewfile", "Tiltfile", "CMakeLists.txt", "requirements.txt", "constraints.txt", "go.mod",
    "go.work", "MANIFEST.in", ".editorconfig", ".gitignore", ".gitattributes", ".gitmodules",
    ".gitconfig", ".dockerignore", ".npmignore", ".eslintignore", ".prettierignore", ".flake8",
    ".clang-format", ".clang-tidy", ".inputrc", ".tool-versions", ".python-version", ".nvmrc",
    ".node-version", ".ruby-version", ".tmux.conf", ".Xresources", ".profile", ".bash_profile",
    ".bash_aliases", ".bash_logout", ".zshenv", ".zprofile", ".hgrc", ".netrc", "sshd_config",
    "ssh_config", "VERSION", "rust-toolchain", "CODEOWNERS", "OWNERS", "OWNERS_ALIASES",
))  # fmt: skip

_SUFFIXES = frozenset((
    ".json", ".jsonc", ".json5", ".toml", ".ini", ".cfg", ".conf", ".cnf", ".config", ".yaml",
    ".yml", ".properties", ".xml", ".plist", ".desktop", ".rc",
    ".tfvars", ".service", ".timer", ".socket", ".container",
    ".csproj", ".fsproj", ".vbproj", ".props", ".targets", ".vhost", ".nginx", ".nginxconf",
))  # fmt: skip

_HEADS = ("Dockerfile.", "Containerfile.", "requirements", "docker-compose", "compose.")

_DATA_DIRECTORIES = frozenset((
    "fixtures", "__fixtures__", "testdata", "test-data", "test_data", "__snapshots__", "data",
    "datasets", "locales", "i18n",
))  # fmt: skip


NO_SETTING = "no setting changed"
"""The mark of a file in which only comments or layout are different."""
LAYOUT = "formatting only"
"""The mark of a file in which only blanks and line ends are different."""
_PUBLIC = ("etc/hostname", "etc/timezone", "etc/debian_version")
"""Files with one word that is not secret."""
_VERSIONS = frozenset((
    "VERSION", ".nvmrc", ".node-version", ".python-version", ".ruby-version", ".java-version",
    ".go-version", ".terraform-version", "rust-toolchain",
))  # fmt: skip
"""Names of files with one version."""
_WORD = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._/+-]{0,63}")


class ConfigFiles:
    """Reports changed settings of configuration files."""

    name = "config/files"
    version = 3
    kinds: tuple[str, ...] = ("config.added", "config.changed", "config.removed")
    watch = WatchedPaths(everything=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        known = [change for change in changes if is_configuration(change)]
        changes_by_directory = Counter(
            change.parent for change in known if _has_only_suffix(change)
        )
        budget = _READ_BUDGET
        moved = _moves(known)
        for old, new in moved.items():
            fact = _fact(evidence, new._replace(old=old.old), (f"moved from {old.path}",))
            yield Finding((fact,), (new.path, old.path))
        known_moves = {change.path for pair in moved.items() for change in pair}
        for change in known:
            if change.path in known_moves:
                continue
            if _has_only_suffix(change) and changes_by_directory[change.parent] > _MANY:
                continue
            budget -= _size(change)
            with evidence.guarded(change.path):
                marks = _marks(evidence, change) if budget >= 0 else ()
                yield Finding((_fact(evidence, change, marks),), (change.path,))


def _moves(changes: Sequence[PathChange]) -> dict[PathChange, PathChange]:
    """Return files that are somewhere else with the same content, by what was there before."""
    deleted: dict[object, PathChange] = {}
    for change in changes:
        old = change.old
        if change.new is None and old is not None and old.is_file and old.size:
            deleted.setdefault(old.content, change)
    found: dict[PathChange, PathChange] = {}
    for change in changes:
        new = change.new
        if change.old is None and new is not None and new.is_file and new.content in deleted:
            found.setdefault(deleted.pop(new.content), change)
    return found


def is_configuration(change: PathChange) -> bool:
    """Return whether a changed path is configuration, by the rule above."""
    if not all(_can_be_configuration(entry) for entry in (change.old, change.new)):
        return False
    if is_copied_in(change.path):
        return False
    if _is_known_configuration(change):
        return True
    return (
        _suffix(change.name) in _SUFFIXES
        and _size(change) <= SIZE_LIMIT
        and _DATA_DIRECTORIES.isdisjoint(change.parent.split("/"))
    )


def _can_be_configuration(entry: Entry | None) -> bool:
    return entry is None or entry.kind in (EntryKind.FILE, EntryKind.SYMLINK)


def _is_known_configuration(change: PathChange) -> bool:
    """Return whether location or name, not only the suffix, mark it as configuration."""
    name = change.name
    if change.path.startswith("etc/") or name in _NAMES or name in LOCK_FILES:
        return True
    if name.startswith(_HEADS) and _suffix(name) in ("", ".txt", ".in", ".yml", ".yaml", ".dev"):
        return True
    if name.startswith(".") and name.endswith("rc"):
        return True
    if syntax_by_place(change.parent, name):
        return True
    head, found, rest = f"/{change.path}".rpartition("/.config/")
    return (
        bool(found)
        and rest.count("/") <= 1
        and "/.config/" not in head
        and _size(change) <= SIZE_LIMIT
    )


def _has_only_suffix(change: PathChange) -> bool:
    return not _is_known_configuration(change)


def _size(change: PathChange) -> int:
    return max(entry.size if entry else 0 for entry in (change.old, change.new))


def _suffix(name: str) -> str:
    dot = name.rfind(".")
    return name[dot:].lower() if dot >= 0 else ""


def _fact(evidence: Evidence, change: PathChange, marks: tuple[str, ...]) -> Fact:
    word = "added" if change.is_added else "removed" if change.is_deleted else "changed"
    is_direct = {NO_SETTING, LAYOUT}.isdisjoint(marks) and not _is_indirect(evidence, change)
    return Fact(
        f"config.{word}", change.path, change.path, evidence=(change.path,), marks=marks,
        direct=is_direct,
    )  # fmt: skip


def _is_indirect(evidence: Evidence, change: PathChange) -> bool:
    """Return whether a package installed it, or its script wrote it without a later edit."""
    path = change.path
    if path in evidence.owners:
        return True
    return path.startswith("etc/") and evidence.once(script_paths).is_named(change)


def _marks(evidence: Evidence, change: PathChange) -> tuple[str, ...]:
    """Return what differs, and who owns the file."""
    marks = _differences(evidence, change)
    known = conffile(evidence, change.path)
    if known is None or (not marks and not change.is_deleted):
        return marks
    if change.is_added and is_edited(evidence, change.path):
        return (f"not as {known.package} ships it",)
    return (*marks, f"conffile of {known.package}")


def _differences(evidence: Evidence, change: PathChange) -> tuple[str, ...]:
    """Return what differs, without values other than public ones."""
    old, new = change.old, change.new
    if new is not None and new.kind == EntryKind.SYMLINK:
        return (f"→ {new.target.decode('utf-8', 'surrogateescape')}",)
    if old is not None and new is not None and not change.is_content:
        return _metadata(old, new)
    before = evidence.old.read(change.path)
    after = evidence.new.read(change.path)
    was, now = _public_word(before), _public_word(after)
    is_version = change.name in _VERSIONS and shown_text(was) and shown_text(now)
    if (change.path in _PUBLIC or is_version) and was and now and was != now:
        return (f"{was} → {now}",)
    if change.name in LOCK_FILES:
        return ("lock file", *_lines(before, after))
    lines = _lines(before, after)
    settings = _settings(evidence, change) if before is not None and after is not None else None
    if settings is None:
        return lines
    return settings or unchanged_marks(before, after)


def unchanged_marks(before: bytes | None, after: bytes | None) -> tuple[str, ...]:
    """Return the marks of a file in which no setting is different."""
    return (LAYOUT if _is_layout(before, after) else NO_SETTING, *_lines(before, after))


def _is_layout(before: bytes | None, after: bytes | None) -> bool:
    """Return whether two versions differ in nothing but blanks and line ends."""
    return b"".join((before or b"").split()) == b"".join((after or b"").split())


def _public_word(content: bytes | None) -> str:
    found = _WORD.fullmatch((content or b"")[:200].strip())
    return found[0].decode() if found else ""


def _metadata(old: Entry, new: Entry) -> tuple[str, ...]:
    marks = []
    if old.mode != new.mode:
        marks.append(f"mode {old.mode:o} → {new.mode:o}")
    if (old.uid, old.gid) != (new.uid, new.gid):
        marks.append(f"owner {old.uid}:{old.gid} → {new.uid}:{new.gid}")
    return tuple(marks) or ("attributes",)


def _settings(evidence: Evidence, change: PathChange) -> tuple[str, ...] | None:
    """Return the changed settings of a file; None if it has no structure that can be read."""
    files = evidence.once(ParsedFiles)
    old, new = files.old(change), files.new(change)
    if old is None or new is None:
        return None
    is_nginx = syntax_of(change.path) == "conf"
    after = with_same_servers(old.value, new.value) if is_nginx else new.value
    try:
        changes = value_changes(old.value, after)
    except Unreadable:
        return None
    return setting_marks(
        changes,
        is_secret=holds_secrets(change.path),
        rename=_without_blocks if is_nginx else tuple,
    )


def _without_blocks(path: KeyPath) -> KeyPath:
    """Return a path without the blocks of nginx around a directive, except a location."""
    if not any(" " in name for name in path[:-1]):
        return path
    places = [name.partition(" ")[2] for name in path[:-1] if name.startswith("location ")]
    return (" ".join([*places[-1:], path[-1]]),)


def _lines(before: bytes | None, after: bytes | None) -> tuple[str, ...]:
    """Return the counts of added and removed lines; empty for binary content."""
    old, new = before or b"", after or b""
    if max(len(old), len(new)) > _LINES_LIMIT or is_binary(old) or is_binary(new):
        return ()
    counted = count_lines(old, new)
    return (str(counted),) if any(counted) else ()
