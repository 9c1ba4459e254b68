"""Base image detector: what a Dockerfile builds on, and programs that it fetches and runs.

An image from another registry, or without the digest that fixed it, is a note; another tag is told
like another version of a package.  A program from a host that is not known for its installer, which
the build runs without a check, is a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.security.fetched_programs import fetches
from clew.detectors.security.security_rules import (
    content,
    is_own_edit,
    rules_between,
)
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_LIMIT = 1 << 20
_HEADS = ("Dockerfile", "Containerfile")
_FROM = re.compile(
    r"^\s*FROM\s+(?:--[a-z]+=\S{1,100}\s+)*+(\S{1,300})(?:\s+AS\s+(\S{1,100}))?\s*$", re.I
)
_CONTINUED = re.compile(rb"[ \t]*+\\[ \t]*+\r?\n(?:[ \t]*+#[^\n]*+\n)*+")
_PUBLIC = ("docker.io", "mcr.microsoft.com", "gcr.io", "quay.io", "ghcr.io", "public.ecr.aws")
"""Registries that say who owns an image; the owner is compared."""


class Image(NamedTuple):
    """An image by its parts."""

    registry: str
    name: str
    tag: str
    digest: str

    @property
    def text(self) -> str:
        tag = f":{self.tag}" if self.tag else ""
        digest = f"@{self.digest[:19]}" if self.digest else ""
        host = "" if self.registry == "docker.io" else f"{self.registry}/"
        return f"{host}{self.name}{tag}{digest}"


class BaseImages:
    """Reports other base images, and programs that an image fetches and runs."""

    name = "security/images"
    version = 2
    kinds: tuple[str, ...] = ("security.dependency", "security.ci", "lock.added", "lock.changed", "lock.removed")  # fmt: skip
    watch = WatchedPaths(heads=_HEADS, suffixes=(".Dockerfile", ".dockerfile"))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        for change in changes:
            if not is_own_edit(evidence, change):
                continue
            with evidence.guarded(change.path):
                old, new = (
                    content(tree, change.path, _LIMIT) for tree in (evidence.old, evidence.new)
                )
                rules = rules_between(_joined(old), _joined(new))
                facts = [*_image_facts(change.path, images_of(old), images_of(new))]
                is_explained = all(
                    line[:5].upper() == b"FROM " for line in (*rules.added, *rules.removed)
                )
                facts += _fetch_facts(change.path, rules.added)
                if facts:
                    yield Finding(tuple(facts), (change.path,) if is_explained else ())


def _joined(text: bytes | None) -> bytes | None:
    """Return a Dockerfile with continued lines as one line."""
    return _CONTINUED.sub(b" ", text) if text is not None else None


def images_of(text: bytes | None) -> list[Image]:
    """Return the images that a Dockerfile builds on, without its own stages."""
    found: list[Image] = []
    stages: set[str] = {"scratch"}
    for line in (text or b"").decode("utf-8", "replace").split("\n")[:20_000]:
        match = _FROM.match(line[:500])
        if match:
            if match[1].lower() not in stages:
                found.append(parse_image(match[1]))
            stages.update((match[2].lower(),) if match[2] else ())
    return found


def parse_image(text: str) -> Image:
    """Return an image by its parts: `registry/owner/name:tag@digest`."""
    reference, _, digest = text.partition("@")
    first, slash, rest = reference.partition("/")
    is_host = bool(slash) and ("." in first or ":" in first or first == "localhost")
    registry, path = (first.lower(), rest) if is_host else ("docker.io", reference)
    name, _, tag = path.partition(":") if ":" in path else (path, "", "")
    return Image(
        registry, name.removeprefix("library/") if registry == "docker.io" else name, tag, digest
    )


def _image_facts(path: str, before: list[Image], after: list[Image]) -> Iterator[Fact]:
    gone = [image for image in before if image not in after]
    for image in (image for image in after if image not in before):
        previous = next((one for one in gone if one[:2] == image[:2]), None) or next(
            iter(gone), None
        )
        if previous is not None:
            gone.remove(previous)
        yield _image_fact(path, previous, image)
    for image in gone:
        yield Fact("lock.removed", path, image.name, image.tag or None, evidence=(path,))


def _image_fact(path: str, before: Image | None, after: Image) -> Fact:
    is_same = before is not None and before[:2] == after[:2]
    is_looser = before is not None and bool(before.digest) and not after.digest
    if is_same and not is_looser and before is not None:
        was, now = before.tag or before.digest[:19], after.tag or after.digest[:19]
        if was == now:
            was, now = before.digest[:19] or was, after.digest[:19] or now
        return Fact("lock.changed", path, after.name, was or None, now or None, evidence=(path,))
    if before is None and after.registry in _PUBLIC:
        return Fact("lock.added", path, after.name, None, after.tag or None, evidence=(path,))
    marks = ["base image"]
    if before is not None and before.registry != after.registry:
        marks.append(f"from {after.registry}")
    if is_looser:
        marks.append("no longer fixed by a digest")
    return Fact(
        "security.dependency", path, after.name, before.text if before else None, after.text,
        severity=Severity.NOTE, evidence=(path,), marks=tuple(marks),
    )  # fmt: skip


def _fetch_facts(path: str, added: list[bytes]) -> Iterator[Fact]:
    """Yield that a build runs what it fetches."""
    found = fetches(added)
    if found.mark:
        yield Fact(
            "security.ci", "fetch", path,
            severity=found.severity, evidence=(path,), marks=(found.mark,),
        )  # fmt: skip
