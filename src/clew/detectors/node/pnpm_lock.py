"""pnpm lock parser: the installed packages in `lock.yaml`, read without a YAML parser.

pnpm always writes the same shape: two spaces a level, one key a line.
Other lines are skipped.
Lock versions 5, 6 and 9 are supported; their keys differ:
`/@babel/core/7.0.0_peer@1`, `/@babel/core@7.0.0(peer@1)`, `@babel/core@7.0.0`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from clew.detectors.files.json_values import version_text
from clew.detectors.node.node_packages import FROM_GIT, FROM_PATH, FROM_URL, Copy
from clew.model.named_tuple import NamedTuple

_DEPENDENCIES = frozenset(("dependencies", "devDependencies", "optionalDependencies"))
_MAX_DEPTH = 5
_END = "snapshots:"
"""The rest is the dependency graph, as long as everything before it."""


class PnpmLock(NamedTuple):
    """Packages that pnpm installed."""

    content: bytes = b""
    packages: Mapping[str, Mapping[str, Copy]] = {}
    """By name, then by version as in the lock: a number, or a URL."""
    wanted: Mapping[str, str] = {}
    """Dependencies of manifests, and the resolved versions."""
    linked: Mapping[str, str] = {}
    """Links of the root project to directories."""


def parse_pnpm_lock(content: bytes) -> PnpmLock:
    """Return the parsed lock."""
    packages: dict[str, dict[str, Copy]] = {}
    wanted: dict[str, str] = {}
    linked: dict[str, str] = {}
    copies: dict[str, Copy] = {}
    number = ""
    for path, value in lock_settings(content):
        if path[0] == "packages":
            if len(path) == 2:
                name, number = split_key(path[1])
                copies = packages.setdefault(name, {})
                copies[number] = _registry_copy(number)
            elif len(path) == 3 and copies:
                copies[number] = _described(copies[number], path[2], value)
            continue
        found = _dependency(path, value)
        if found is None:
            continue
        name, version, importer = found
        if version.startswith(("link:", "file:")):
            if importer == ".":
                linked[name] = version.partition(":")[2]
        elif version:
            if not version[0].isdecimal() and "@" in version[1:]:  # an alias
                name, version = split_key(version)
            wanted[name] = version.partition("(")[0].partition("_")[0]
    return PnpmLock(content, packages, wanted, linked)


def split_key(key: str) -> tuple[str, str]:
    """Split a package key of a lock into name and version; peers are omitted."""
    key = key.removeprefix("/").partition("(")[0]
    at = key.find("@", 1)
    if at > 0 and key.count("/", 0, at) == key.startswith("@"):
        return key[:at], key[at + 1 :]
    name, _, version = key.rpartition("/")
    return name, version.partition("_")[0]


def lock_settings(content: bytes) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each key path with its value; the value is empty if more lines follow."""
    above: list[str] = []
    for line in content.decode("utf-8", "replace").split("\n"):
        text = line.strip()
        if line == _END:
            break
        level, odd = divmod(len(line) - len(line.lstrip(" ")), 2)
        if not text or odd or level >= _MAX_DEPTH or level > len(above) or text[0] in "#-?":
            continue
        key, value = _split_line(text)
        if key:
            above[level:] = [key]
            yield tuple(above), value


def _split_line(text: str) -> tuple[str, str]:
    if text[0] in "'\"":
        end = text.find(text[0], 1)
        key, rest = text[1:end], text[end + 1 :]
        return (key, rest[1:].strip(" '\"")) if end > 0 and rest.startswith(":") else ("", "")
    if text.endswith(":"):
        return text[:-1], ""
    key, _, value = text.partition(": ")
    return key, value.strip(" '\"")


def _dependency(path: tuple[str, ...], value: str) -> tuple[str, str, str] | None:
    """Return the dependency in a line: name, version, and project."""
    importer = "."
    if path[0] == "importers" and len(path) > 2:
        importer, path = path[1], path[2:]
    if path[0] not in _DEPENDENCIES or len(path) < 2:
        return None
    if len(path) == 2:
        return path[1], value, importer  # version 5 has it on the same line
    return (path[1], value, importer) if path[2] == "version" else None


def _registry_copy(version: str) -> Copy:
    is_number = version[:1].isdecimal() and "/" not in version
    return Copy(version_text(version) if is_number else None)


def _described(copy: Copy, key: str, value: str) -> Copy:
    match key:
        case "version":
            return copy._replace(version=version_text(value))
        case "requiresBuild":
            return copy._replace(has_install_script=value == "true")
        case "resolution" if "type: git" in value or "//codeload.github.com/" in value:
            return copy._replace(source=FROM_GIT, commit=_commit(value))
        case "resolution" if "tarball: file:" in value or "type: directory" in value:
            return copy._replace(source=FROM_PATH)
        case "resolution" if "tarball: http" in value and "integrity" not in value:
            return copy._replace(source=FROM_URL)
    return copy


def _commit(resolution: str) -> str:
    """Return the commit in `{commit: 1a2b…}` or at the end of a URL."""
    commit = resolution.partition("commit: ")[2] or resolution.rpartition("/")[2]
    return commit.partition(",")[0].strip("}'\" ")[:40]
