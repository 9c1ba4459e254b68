"""Lock readers for formats of their own: Go, Ruby, Elixir, Erlang, Gradle, Terraform and others."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.detectors.locks.locked import Digest, LockBuilder, LockContent, Locked, digests
from clew.detectors.locks.origins import (
    PATH_ORIGIN,
    Origin,
    git_origin,
    registry_origin,
)

_GEM = re.compile(r"    ([A-Za-z0-9_.-]{1,200}) \(([^()\s]{1,100})\)$")
_GEM_DIGEST = re.compile(r"  ([A-Za-z0-9_.-]{1,200}) \(([^()\s]{1,100})\)(?: (\S{1,400}))?$")
_PLATFORM = re.compile(r"-(?:java|jruby|universal|(?:x86|x64|arm|aarch|mswin|mingw)[\w.-]*).*$")
_HEX = re.compile(
    r'"([\w.-]{1,200})": \{:hex, :[\w"]{1,200}, "([^"]{1,100})", "([0-9a-f]{64})"'
    r'(?:[^"]*+(?:"[^"]*+"[^"]*+)*?"([\w.-]{1,100})", "([0-9a-f]{64})")?'
)
_MIX_GIT = re.compile(r'"([\w.-]{1,200})": \{:git, "([^"]{1,500})", "([0-9a-f]{7,64})"')
_REBAR = re.compile(
    rb'\{<<"([\w.-]{1,200})">>,\s*\{(pkg|git),\s*(?:<<)?"([^"]{1,500})"(?:>>)?,\s*(?:<<"([^"]{1,100})">>|\{ref,\s*"([0-9a-f]{7,64})"\})'
)
_REBAR_HASH = re.compile(rb'\{<<"([\w.-]{1,200})">>,\s*<<"([0-9A-F]{64})">>\}')
_PROVIDER = re.compile(r'^provider "([^"\n]{1,300})" \{')
_QUOTED = re.compile(r'"([^"\n]{1,300})"')
_CARTHAGE = re.compile(r'(github|git|binary) "([^"\n]{1,500})" "([^"\n]{1,100})"')
_MODULE = re.compile(r"([\w.~/-]{1,300}) (v[\w.+-]{1,100})(/go\.mod)? (h1:\S{1,100})$")
_FROZEN = re.compile(r"any\.([A-Za-z0-9-]{1,200}) ==([0-9.]{1,60})")
_PAKET = re.compile(r"    ([A-Za-z0-9_.-]{1,200}) \(([0-9][^()\s]{0,80})\)")
_MAX_LINE = 20_000


def _lines(content: bytes) -> list[str]:
    return [
        line.rstrip("\r")[:_MAX_LINE] for line in content.decode("utf-8", "replace").split("\n")
    ]


def read_go_sum(content: bytes) -> LockContent:
    """Return the content of a `go.sum`; a version of which only `go.mod` is listed is not used."""
    found = LockBuilder()
    checked: dict[tuple[str, str], set[Digest]] = {}
    used = set()
    for line in _lines(content):
        match = _MODULE.match(line)
        if match:
            key = match[1], match[2]
            checked.setdefault(key, set()).add(Digest(match[3] or "", "h1", match[4]))
            if not match[3]:
                used.add(key)
    for name, version in used:
        found.add(name, Locked(version, digests=frozenset(checked[name, version])))
    return found.content()


def read_gemfile_lock(content: bytes) -> LockContent:
    """Return the content of a `Gemfile.lock`."""
    versions: dict[tuple[str, str], tuple[Origin | None, str]] = {}
    checked: dict[tuple[str, str], set[Digest]] = {}
    requested: set[str] = set()
    section, origin, commit = "", None, ""
    for line in _lines(content):
        if line and not line.startswith(" "):
            section, origin, commit = line.strip(), None, ""
        elif line.startswith("  remote: "):
            origin = _gem_origin(section, line[10:].strip())
        elif line.startswith("  revision: "):
            commit = line[12:].strip()[:40]
        elif section == "DEPENDENCIES":
            requested.add(line.strip().partition(" ")[0].rstrip("!"))
        elif section == "CHECKSUMS" and (match := _GEM_DIGEST.match(line)):
            found = digests((match[3] or "").replace("=", "-", 1).split(","), match[2])
            checked.setdefault((match[1], _plain(match[2])), set()).update(found)
        elif match := _GEM.match(line):
            versions[match[1], _plain(match[2])] = origin, commit
    builder = LockBuilder()
    for (name, version), (where, at) in versions.items():
        known = frozenset(checked.get((name, version), ()))
        builder.add(name, Locked(version, frozenset((where,) if where else ()), known, commit=at))
    return builder.content(requested)


def _gem_origin(section: str, remote: str) -> Origin | None:
    match section:
        case "GEM":
            return registry_origin(remote)
        case "GIT":
            return git_origin(remote)
        case "PATH":
            return PATH_ORIGIN
        case _:
            return None


def _plain(version: str) -> str:
    """Return a version without its platform."""
    return _PLATFORM.sub("", version)


def read_mix_lock(content: bytes) -> LockContent:
    """Return the content of Elixir's `mix.lock`."""
    found = LockBuilder()
    for line in _lines(content):
        match = _HEX.search(line)
        if match:
            known = {Digest("inner", "sha256", match[3])}
            known.update({Digest("outer", "sha256", match[5])} if match[5] else ())
            repository = match[4] or "hexpm"
            origin = (
                None if repository.startswith("hexpm") else registry_origin(f"https://{repository}")
            )
            origins = frozenset((origin,) if origin else ())
            found.add(match[1], Locked(match[2], origins, frozenset(known)))
        elif match := _MIX_GIT.search(line):
            package = Locked("", frozenset((git_origin(match[2]),)), commit=match[3][:40])
            found.add(match[1], package)
    return found.content()


def read_rebar_lock(content: bytes) -> LockContent:
    """Return the content of Erlang's `rebar.lock`."""
    hashes: dict[bytes, set[Digest]] = {}
    for match in _REBAR_HASH.finditer(content):
        digest = Digest("", "sha256", match[2].decode())
        hashes.setdefault(match[1], set()).add(digest)
    found = LockBuilder()
    for match in _REBAR.finditer(content):
        name, address = match[1].decode(), match[3].decode("utf-8", "replace")
        if match[2] == b"git":
            commit = (match[5] or b"").decode()[:40]
            found.add(name, Locked("", frozenset((git_origin(address),)), commit=commit))
        else:
            known = frozenset(hashes.get(match[1], ()))
            found.add(name, Locked((match[4] or b"").decode("utf-8", "replace"), digests=known))
    return found.content()


def read_gradle_lock(content: bytes) -> LockContent:
    """Return the content of a `gradle.lockfile`: `group:name:version=configurations`."""
    found = LockBuilder()
    for line in _lines(content):
        parts = line.partition("=")[0].split(":")
        if len(parts) == 3 and not line.startswith("#"):
            found.add(f"{parts[0]}:{parts[1]}", Locked(parts[2]))
    return found.content()


def read_terraform_lock(content: bytes) -> LockContent:
    """Return the content of a `.terraform.lock.hcl`."""
    found = LockBuilder()
    for name, body in _providers(content):
        host = name.partition("/")[0]
        origins = frozenset((registry_origin(f"https://{host}/"),))
        version, in_hashes = "", False
        known: set[Digest] = set()
        for line in body:
            key = line.partition("=")[0].strip()
            texts = _QUOTED.findall(line)
            if key == "version" and texts:
                version = texts[0]
            in_hashes = in_hashes or key == "hashes"
            if in_hashes:
                known.update(digests(texts))
        same_everywhere = {one for one in known if one.algorithm == "zh"}  # `h1` is of a platform
        package = Locked(version, origins, frozenset(same_everywhere or known))
        found.add(name.partition("/")[2], package)
    return found.content()


def _providers(content: bytes) -> Iterator[tuple[str, list[str]]]:
    name, body = "", list[str]()
    for line in _lines(content):
        match = _PROVIDER.match(line)
        if match:
            name, body = match[1], []
        elif line.startswith("}") and name:
            yield name, body
            name = ""
        else:
            body.append(line)


def read_cartfile(content: bytes) -> LockContent:
    """Return the content of Carthage's `Cartfile.resolved`."""
    found = LockBuilder()
    for line in _lines(content):
        match = _CARTHAGE.match(line)
        if match:
            address = (
                f"https://github.com/{match[2]}"
                if match[1] == "github" and "://" not in match[2]
                else match[2]
            )
            origin = git_origin(address)
            is_commit = len(match[3]) == 40
            name = origin.repository.rpartition("/")[2] or match[2].rpartition("/")[2]
            commit, version = (match[3], "") if is_commit else ("", match[3])
            found.add(name, Locked(version, frozenset((origin,)), commit=commit))
    return found.content()


def read_cabal_freeze(content: bytes) -> LockContent:
    """Return the content of a `cabal.project.freeze`."""
    found = LockBuilder()
    for name, version in _FROZEN.findall(content.decode("utf-8", "replace")):
        found.add(name, Locked(version))
    return found.content()


def read_paket_lock(content: bytes) -> LockContent:
    """Return the content of a `paket.lock`."""
    found = LockBuilder()
    origin: Origin | None = None
    for line in _lines(content):
        if line.startswith("  remote: "):
            origin = registry_origin(line[10:].strip())
        elif match := _PAKET.match(line):
            found.add(match[1], Locked(match[2], frozenset((origin,) if origin else ())))
    return found.content()
