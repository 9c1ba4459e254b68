"""Reader for `requirements.txt` and its relatives: requirements, digests and options of pip.

`idna==3.6 --hash=sha256:9ecd…`, `urllib3 @ git+https://github.com/urllib3/urllib3.git@main`,
`--extra-index-url https://build:secret@packages.example.net/simple`.
A line may continue after a backslash.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.detectors.locks.locked import Digest, digests
from clew.detectors.locks.origins import PATH_ORIGIN, Origin, OriginKind, origin_of
from clew.detectors.python.python_metadata import normalised
from clew.model.named_tuple import NamedTuple

_MAX_LINES = 50_000
_MAX_LINE = 8_192
_REQUIREMENT = re.compile(
    r"([A-Za-z0-9](?:[A-Za-z0-9._-]{0,198}[A-Za-z0-9])?)\s{0,4}(\[[^\]]{0,200}\])?\s{0,4}(.*)$"
)
_EGG = re.compile(r"[#&]egg=([A-Za-z0-9][A-Za-z0-9._-]{0,198})")
_SPECIFIER = re.compile(
    r"\(?\s{0,4}((?:(?:[~=!<>]=?=?)\s{0,4}+(?:\d{1,9}!)?[\w.*+-]{1,80}+\s{0,4}+,?\s{0,4}+){1,20}+)\)?$"
)
_HASH = re.compile(r"--hash[= ]\s{0,4}(\S{1,400})")


class Requirement(NamedTuple):
    """What a project wants of one package."""

    specifier: str = ""
    """As written, if it can be shown: `==3.6`, `^1.3.0`."""
    origin: Origin | None = None
    """None for the default registry."""
    digests: frozenset[Digest] = frozenset()
    commit: str = ""
    """The branch, tag or commit of a repository."""


class RequirementsFile(NamedTuple):
    """The content of a requirements file."""

    requirements: dict[str, Requirement]
    options: tuple[tuple[str, str], ...]
    """Options with their values: `--index-url`, and an address that may contain a password."""


def read_requirements(content: bytes | None) -> RequirementsFile:
    """Return the content of a requirements file."""
    requirements: dict[str, Requirement] = {}
    options: list[tuple[str, str]] = []
    for line in _logical_lines((content or b"").decode("utf-8", "replace")):
        if line.startswith("-") and not line.startswith(("-e ", "--editable")):
            name, _, value = line.replace("=", " ", 1).partition(" ")
            options.append((name, value.strip(" '\"")))
            continue
        found = parse_requirement(line.removeprefix("-e ").removeprefix("--editable").lstrip("= "))
        if found is not None:
            requirements[found[0]] = found[1]
    return RequirementsFile(requirements, tuple(options))


def parse_requirement(line: str) -> tuple[str, Requirement] | None:
    """Return the package of a requirement, and what is wanted; None if it names none."""
    known = digests(_HASH.findall(line))
    text = line.partition(" --hash")[0].partition(" --config-setting")[0].strip()
    egg = _EGG.search(text)
    match = _REQUIREMENT.match(text)
    address = ""
    if match and match[3].startswith("@"):
        name, address = match[1], match[3][1:].strip()
    elif egg:
        name, address = egg[1], text
    elif match and origin_of(text) is None:
        name = match[1]
        specifier = match[3].partition(";")[0].strip()
        shown = _SPECIFIER.match(specifier)
        return normalised(name), Requirement(_packed(shown[1]) if shown else "", None, known)
    else:
        return None
    origin = origin_of(address.partition(" ")[0])
    return normalised(name), Requirement(
        "", origin or PATH_ORIGIN, known, _reference(address, origin)
    )


def _packed(specifier: str) -> str:
    return re.sub(r"\s", "", specifier).strip(",")


def _reference(address: str, origin: Origin | None) -> str:
    """Return the branch, tag or commit in `…/name.git@main`, if it can be shown."""
    if origin is None or origin.kind != OriginKind.GIT:
        return ""
    path = address.partition("#")[0].partition("://")[2].partition("/")[2]
    found = path.rpartition("@")[2] if "@" in path else ""
    return found[:40] if re.fullmatch(r"[\w./-]{1,100}", found) else ""


def _logical_lines(text: str) -> Iterator[str]:
    """Yield lines without comments, joined where one ends in a backslash."""
    pending = ""
    for line in text.split("\n")[:_MAX_LINES]:
        line = line.rstrip("\r")[:_MAX_LINE]
        if line.lstrip().startswith("#"):
            line = ""
        line = line.partition(" #")[0]
        if line.endswith("\\") and len(pending) < _MAX_LINE:
            pending += line[:-1] + " "
            continue
        whole = (pending + line).strip()
        pending = ""
        if whole:
            yield whole
