"""apt source detector: package repositories and trusted signing keys.

`etc/apt/sources.list`, `sources.list.d/*.list` (a line each), `sources.list.d/*.sources` (a stanza
each), and keys in `trusted.gpg.d` and the keyrings.
Sources are compared over all files together, so one that moved to another file or into the newer
format is not new.
A URL is shown without account and query.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_LIST = "etc/apt/sources.list"
_PARTS = "etc/apt/sources.list.d"
_TRUSTED = "etc/apt/trusted.gpg"
_KEYS_BELOW = ("etc/apt/trusted.gpg.d", "etc/apt/keyrings", "usr/share/keyrings")
_LIMIT = 1 << 20
_SOURCES_LIMIT = 5_000
_SUBJECT_LIMIT = 300

_PART_NAME = re.compile(r"[A-Za-z0-9._-]+\.(?:list|sources)")
_KEY_NAME = re.compile(r"[^.].*\.(?:gpg|asc|pgp|kbx)")
_OPTION = re.compile(r"([A-Za-z-]+)[+-]?=([^\s\]]*)")
_YES = frozenset(("yes", "true", "with", "on", "enable", "1"))
_SECRET_PART = re.compile(r"(?=[^/]*[0-9])(?=[^/]*[A-Za-z])[A-Za-z0-9_]{24,}")


class AptSources:
    """Reports new package sources and signing keys."""

    name = "os/apt-sources"
    version = 1
    kinds: tuple[str, ...] = ("source.added", "config.changed", "config.removed")
    watch = WatchedPaths(paths=(_LIST, _TRUSTED), below=(_PARTS, *_KEYS_BELOW))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        files = [change for change in changes if not change.is_directory and change.is_content]
        for change in files:
            if _is_key(change.path):
                yield from _key_finding(evidence, change)
        paths = [change.path for change in files if _is_source(change.path)]
        if paths:
            with evidence.guarded(_LIST):
                old, new = _sources(evidence, evidence.old), _sources(evidence, evidence.new)
                known, left = _KnownSources(old), _KnownSources(new)
                for path in paths:
                    added = _new_facts(path, new.get(path, ()), known, evidence.owners.get(path))
                    is_deleted = evidence.changes[path].is_deleted
                    lost = _lost_facts(path, old.get(path, ()), left, is_deleted=is_deleted)
                    facts = (*added, *lost)
                    if facts:
                        yield Finding(facts, (path,))


class AptSource(NamedTuple):
    """One repository URL and one suite."""

    address: str
    """Without account and query."""
    suite: str
    is_unsigned: bool
    """Whether packages are accepted without a signature."""
    is_code: bool
    """Whether it has binary packages, not only sources."""


def parse_list(text: str) -> Iterator[AptSource]:
    """Yield the sources of a `.list`: `deb [signed-by=/x] http://host/debian bookworm main`."""
    for line in text.split("\n"):
        words = line.partition("#")[0].split(None, 1)
        if len(words) == 2 and words[0] in ("deb", "deb-src"):
            rest, is_unsigned = words[1], False
            if rest.startswith("["):
                options, _, rest = rest[1:].partition("]")
                is_unsigned = any(
                    _is_unsigned(key, value) for key, value in _OPTION.findall(options)
                )
            where = rest.split()
            if where[:1] and where[0].startswith("cdrom:["):
                name, _, rest = rest.partition("]")
                where = [f"{name.strip()}]", *rest.split()[1:]]
            if len(where) >= 2:
                yield AptSource(shown_address(where[0]), where[1], is_unsigned, words[0] == "deb")


def parse_stanzas(text: str) -> Iterator[AptSource]:
    """Yield the sources of a `.sources`, which has a stanza for each."""
    for stanza in re.split(r"\n[ \t]*\n", text):
        fields = _fields(stanza)
        if fields.get("enabled", "yes").lower() not in _YES:
            continue
        is_unsigned = any(_is_unsigned(key, value) for key, value in fields.items())
        is_code = "deb" in fields.get("types", "").split()
        for address in fields.get("uris", "").split():
            for suite in fields.get("suites", "").split():
                yield AptSource(shown_address(address), suite, is_unsigned, is_code)


def shown_address(address: str) -> str:
    """Return a URL without parts that may be secret."""
    address = re.split(r"[?#]", address, maxsplit=1)[0]
    before, at, after = address.rpartition("@")  # a password may contain any character
    if at:
        address = f"{before.partition(':')[0]}://{after}"
    parts = address[:_SUBJECT_LIMIT].split("/")
    return "/".join("…" if _SECRET_PART.fullmatch(part) else part for part in parts)


def _is_source(path: str) -> bool:
    directory, _, name = path.rpartition("/")
    return path == _LIST or (directory == _PARTS and bool(_PART_NAME.fullmatch(name)))


def _is_key(path: str) -> bool:
    directory, _, name = path.rpartition("/")
    return path == _TRUSTED or (directory in _KEYS_BELOW and bool(_KEY_NAME.fullmatch(name)))


def _key_finding(evidence: Evidence, change: PathChange) -> Iterator[Finding]:
    """Yield the finding about a changed key; one that a package installed only if it is new."""
    path, package = change.path, evidence.owners.get(change.path)
    if change.is_deleted:
        yield Finding((Fact("config.removed", path, path, evidence=(path,)),), (path,))
    elif change.is_added or package is None:
        fact = Fact(
            "source.added",
            "apt",
            path,
            direct=package is None,
            severity=Severity.HIGH if package is None else Severity.NONE,
            evidence=(path,),
            marks=("signing key",) if change.is_added else ("signing key changed",),
        )
        yield Finding((fact,), (path,))


def _sources(evidence: Evidence, tree: Tree) -> dict[str, list[AptSource]]:
    """Return the sources of each file that apt reads."""
    found: dict[str, list[AptSource]] = {}
    parts = sorted(name for name in tree.entries(_PARTS) if _PART_NAME.fullmatch(name))
    for path in (_LIST, *(f"{_PARTS}/{name}" for name in parts[:_SOURCES_LIMIT])):
        with evidence.guarded(path):
            text = (tree.read(path, _LIMIT) or b"").decode("utf-8", "replace")
            parse = parse_stanzas if path.endswith(".sources") else parse_list
            for source, _ in zip(parse(text), range(_SOURCES_LIMIT), strict=False):
                found.setdefault(path, []).append(source)
    return found


class _KnownSources:
    """Sources of all files in one tree."""

    def __init__(self, files: Mapping[str, Sequence[AptSource]]) -> None:
        sources = [source for found in files.values() for source in found]
        self.addresses = {source.address for source in sources if source.is_code}
        self.places = {(source.address, source.suite) for source in sources}
        self.unsigned = {source.address for source in sources if source.is_unsigned}


def _new_facts(
    path: str, sources: Sequence[AptSource], known: _KnownSources, package: str | None
) -> Iterator[Fact]:
    seen = set()
    for source in sources:
        is_less_safe = source.is_unsigned and source.address not in known.unsigned
        is_new_suite = source.address in known.addresses or not source.is_code
        if (source.address, source.suite) in known.places and not is_less_safe:
            continue
        subject = f"{source.address} {source.suite}" if is_new_suite else source.address
        if subject not in seen:
            seen.add(subject)
            is_quiet = is_new_suite and not is_less_safe
            severity = Severity.NOTE if is_quiet else Severity.HIGH
            yield Fact(
                "source.added",
                "apt",
                subject[:_SUBJECT_LIMIT],
                after=path,
                direct=package is None,
                severity=severity if package is None else Severity.NONE,
                evidence=(path,),
                marks=("no signature needed",) if source.is_unsigned else (),
            )


def _lost_facts(
    path: str, sources: Sequence[AptSource], left: _KnownSources, *, is_deleted: bool
) -> Iterator[Fact]:
    gone = [source for source in sources if (source.address, source.suite) not in left.places]
    if gone:
        kind = "config.removed" if is_deleted else "config.changed"
        marks = tuple(dict.fromkeys(f"−{source.address} {source.suite}" for source in gone))
        yield Fact(kind, path, path, evidence=(path,), marks=marks[:6])


def _is_unsigned(key: str, value: str) -> bool:
    return key.lower() in ("trusted", "allow-insecure") and value.lower() in _YES


def _fields(stanza: str) -> dict[str, str]:
    """Return the fields of a stanza by lower-case name; comments are omitted."""
    found: dict[str, list[str]] = {}
    key = ""
    for line in stanza.split("\n"):
        if line.startswith("#"):
            continue
        if line[:1] in (" ", "\t") and key:
            found[key].append(line.strip())
        elif ":" in line:
            key, _, value = line.partition(":")
            key = key.strip().lower()
            found[key] = [value.strip()]
    return {key: " ".join(values) for key, values in found.items()}
