"""Metadata of installed Python packages: `*.dist-info`, `*.egg-info`, `*.egg-link`.

Name and version are in METADATA, the files in RECORD, the installer in INSTALLER, an explicit
request in REQUESTED, and the origin, if not an index, in direct_url.json.
https://packaging.python.org/en/latest/specifications/recording-installed-packages/
"""

from __future__ import annotations

import json
import re
from csv import reader
from urllib.parse import urlsplit

from clew.detectors.detector import Evidence, Tree
from clew.detectors.python.python_environments import SITES, join
from clew.model.named_tuple import NamedTuple
from clew.policy.redaction.redact import redact, redact_name

_HEADER_LIMIT = 256 << 10
"""How many bytes of METADATA are read; a description follows the header."""
_SMALL = 64 << 10
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,198}[A-Za-z0-9])?")
_REQUIREMENT = re.compile(r"\s{0,8}([A-Za-z0-9][A-Za-z0-9._-]{0,198})")
_VERSION_LENGTH = 100
_MAX_DEPTH = 40
_URL_LENGTH = 200
_MOVED = "../../bin/"
"""Where the record of `pip install --target` wrongly places programs; they are in `bin`."""
_VCS = ("git", "hg", "svn", "bzr")


class InstallOrigin(NamedTuple):
    """The origin of a package that is not from an index."""

    marks: tuple[str, ...]
    """Its wording."""
    is_remote: bool = False


class Distribution(NamedTuple):
    """One installed package."""

    name: str
    """Normalised as in PEP 503."""
    version: str | None
    path: str
    """Its `*.dist-info` or equivalent."""
    evidence: str
    """The file that proves it."""
    installer: str = ""
    is_requested: bool = False
    origin: InstallOrigin | None = None
    requires: frozenset[str] = frozenset()
    files: dict[str, int | None] = {}
    """The paths that it ships, with their sizes where known."""
    contents: frozenset[tuple[str, str]] = frozenset()
    """Its modules with their hashes, which tell builds of one version apart."""


def normalised(name: str) -> str:
    """Return a package name normalised as in PEP 503; a token in it would not be known afterwards."""
    return re.sub(r"[-_.]+", "-", redact_name(name)).lower()


def requirement_name(text: str) -> str | None:
    """Return the package of a requirement: `a-b` for `A.b[x]>=1; python_version>"3"`."""
    match = _REQUIREMENT.match(text)
    return normalised(match[1].rstrip("._-")) if match else None


def name_in_path(path: str) -> str:
    """Return the package name in the file name of a `*.dist-info` or equivalent."""
    return normalised(_stem(path).partition("-")[0])


def read_distribution(evidence: Evidence, tree: Tree, path: str) -> Distribution | None:
    """Return the package installed at a path; None if pip would not list it."""
    entry = tree.entry(path)
    if entry is None:
        return None
    if path.endswith(".egg-link"):
        return _egg_link(tree, path)
    if entry.is_file:
        return _described(evidence, tree, path, path)
    for name in ("METADATA", "PKG-INFO"):
        found = tree.entry(f"{path}/{name}")
        if found is not None and found.is_file:
            return _described(evidence, tree, path, f"{path}/{name}")
    return None


def _described(evidence: Evidence, tree: Tree, path: str, metadata: str) -> Distribution:
    name, version, requires = _header(tree, metadata)
    stem, _, rest = _stem(path).partition("-")
    if not _NAME.fullmatch(name):
        name = stem
    if not _NAME.fullmatch(name):
        raise ValueError("no name")
    found = Distribution(
        normalised(name),
        (version or rest.partition("-")[0])[:_VERSION_LENGTH] or None,
        path,
        metadata,
        requires=requires,
    )
    if path == metadata:  # distutils leaves one file and no list
        return found._replace(is_requested=True)
    with evidence.guarded(path):
        found = found._replace(
            installer=_text(tree, f"{path}/INSTALLER").strip().lower(),
            is_requested=tree.entry(f"{path}/REQUESTED") is not None,
            origin=_origin(tree, f"{path}/direct_url.json"),
        )
    files: dict[str, int | None] = {}
    contents: frozenset[tuple[str, str]] = frozenset()
    with evidence.guarded(path):  # a package without its files is better than none
        files, contents = _record(tree, path)
    return found._replace(files=files, contents=contents)


def _header(tree: Tree, path: str) -> tuple[str, str, frozenset[str]]:
    name = version = ""
    requires: list[str] = []
    for line in _head(tree, path).split(b"\n"):
        if not line.strip():
            break
        key, _, value = line.decode("utf-8", "replace").partition(":")
        match key.lower():
            case "name" if not name:
                name = value.strip()
            case "version" if not version:
                version = value.strip()
            case "requires-dist" if "extra" not in value:
                required = requirement_name(value)
                requires += [required] if required else []
    return name, version, frozenset(requires)


def _head(tree: Tree, path: str) -> bytes:
    found = b""
    for piece in tree.pieces(path):
        found += piece[:_HEADER_LIMIT]
        if len(found) >= _HEADER_LIMIT or b"\n\n" in found:
            break
    return found


def _origin(tree: Tree, path: str) -> InstallOrigin | None:
    content = tree.read(path, _SMALL)
    if content is None:
        return None
    data = json.loads(content)
    url = harmless_url(str(data["url"]))
    if "dir_info" in data:
        is_editable = data["dir_info"].get("editable") is True
        return InstallOrigin(("editable",) if is_editable else ("from a local path",))
    if "vcs_info" in data:
        vcs = data["vcs_info"].get("vcs")
        commit = re.sub(r"[^0-9a-zA-Z]", "", str(data["vcs_info"].get("commit_id", "")))[:7]
        mark = f"from {vcs if vcs in _VCS else 'version control'}"
        return InstallOrigin((mark, f"{url}@{commit}" if commit else url), is_remote=True)
    if url.startswith("file:"):
        return InstallOrigin(("from a local path",))
    return InstallOrigin(("from a URL", url), is_remote=True)


def harmless_url(url: str) -> str:
    """Return a URL without parts that may be secret: user, password, query, fragment."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    path = parts.path if parts.netloc else parts.path.rpartition("@")[2]  # git@host:path
    shown = f"{parts.scheme}://{host}{path}" if parts.scheme else path
    return redact(shown)[:_URL_LENGTH]


def _record(tree: Tree, path: str) -> tuple[dict[str, int | None], frozenset[tuple[str, str]]]:
    site = path.rpartition("/")[0]
    content = tree.read(f"{path}/RECORD")
    if content is None:
        return _legacy_record(tree, path), frozenset()
    files: dict[str, int | None] = {}
    contents = []
    own = path.rpartition("/")[2] + "/"
    is_target = site.rpartition("/")[2] not in SITES
    for name, digest, size in _rows(content):
        if is_target and name.startswith(_MOVED):  # pip moved it after writing the record
            name = name.removeprefix("../../")
        found = _resolved(site, name)
        if found is None:
            continue
        files[found] = int(size) if size.isascii() and size.isdigit() else None
        if digest and not name.startswith((own, "../")) and not name.endswith(".pyc"):
            contents.append((name, digest))
    return files, frozenset(contents)


def _rows(content: bytes) -> list[tuple[str, str, str]]:
    found = []
    for line in content.decode("utf-8", "surrogateescape").replace("\r", "").split("\n"):
        row = next(reader([line]), []) if line.startswith('"') else line.rsplit(",", 2)
        if len(row) == 3:
            found.append((row[0], row[1], row[2]))
    return found


def _legacy_record(tree: Tree, path: str) -> dict[str, int | None]:
    content = tree.read(f"{path}/installed-files.txt") or b""
    names = content.decode("utf-8", "surrogateescape").split("\n")
    return {found: None for name in names if (found := _resolved(path, name)) is not None}


def _resolved(directory: str, name: str) -> str | None:
    """Return the path that a record entry refers to; None if it is outside the tree."""
    if name.startswith("/") or not name:
        return None
    if "./" not in name and "//" not in name:
        return join(directory, name)
    parts = directory.split("/") if directory else []
    for part in name.split("/"):
        if part == ".." and not parts:
            return None
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _egg_link(tree: Tree, path: str) -> Distribution:
    """Return the package of an `*.egg-link` (`setup.py develop`): its source has an egg-info."""
    stem = _stem(path)
    if not _NAME.fullmatch(stem):
        raise ValueError("no name")
    lines = _text(tree, path).splitlines() or [""]
    described = _egg_info(tree, lines[0].strip().strip("/"), stem)
    _, version, requires = _header(tree, described) if described else ("", "", frozenset[str]())
    origin = InstallOrigin(("editable",))
    shown = version[:_VERSION_LENGTH] or None
    return Distribution(normalised(stem), shown, path, path, "", True, origin, requires)


def _egg_info(tree: Tree, source: str, stem: str) -> str | None:
    """Return the egg-info of a source, whose path is the machine's; the tree may be part of it."""
    parts = source.split("/")[-_MAX_DEPTH:]
    for number in range(len(parts) + 1):
        directory = "/".join(parts[number:])
        for name in dict.fromkeys((stem.replace("-", "_"), stem)):
            found = join(directory, f"{name}.egg-info/PKG-INFO")
            if tree.entry(found) is not None:
                return found
    return None


def _text(tree: Tree, path: str) -> str:
    return (tree.read(path, _SMALL) or b"").decode("utf-8", "replace")


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]
