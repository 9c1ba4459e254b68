"""Facts about what manifests want: packages added, removed, wanted in another version or from elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from clew.detectors.locks.ecosystems import Ecosystem
from clew.detectors.locks.lock_dangers import dependency_fact, dependency_severity
from clew.detectors.locks.locked import is_shown
from clew.detectors.locks.manifests import ManifestContent
from clew.detectors.locks.origins import Origin, OriginKind
from clew.detectors.locks.requirements import Requirement
from clew.model.fact import Fact, Severity

_MIN_SIMILAR = 5
"""The minimum length of names that are compared: short ones are often similar by chance."""
_MAX_COMPARED = 2_000


def requirement_facts(
    path: str, old: ManifestContent, new: ManifestContent, ecosystem: Ecosystem
) -> Iterator[Fact]:
    """Yield the facts about requirements that differ."""
    for name in sorted({*old.requirements, *new.requirements}):
        was, now = old.requirements.get(name), new.requirements.get(name)
        if was == now or not is_shown(name, 214):
            continue
        before, after = _wanted(was), _wanted(now)
        if was is not None and now is not None and before == after:
            continue
        word = "changed" if was and now else "added" if now else "removed"
        marks = tuple(_marks(name, before, after, old, ecosystem) if now else ())
        yield Fact(
            f"lock.{word}", path, name, before or None, after or None,
            direct=name not in new.indirect,
            severity=Severity.NOTE if "downgrade" in marks else Severity.NONE,
            evidence=(path,), marks=marks,
        )  # fmt: skip


def origin_facts(path: str, old: ManifestContent, new: ManifestContent) -> Iterator[Fact]:
    """Yield requirements that come from another place than before."""
    for name, now in sorted(new.requirements.items()):
        was = old.requirements.get(name)
        before, after = was.origin if was else None, now.origin
        if after is None or after == before or not is_shown(name, 214):
            continue
        if before is not None and _place(before) == _place(after):
            continue
        if was is None and after.kind in (OriginKind.PATH, OriginKind.PACKAGE):
            continue  # a member of the same workspace, or a second version of a package, usually
        severity = dependency_severity(after, is_new=was is None)
        yield dependency_fact(path, name, before, after, severity=severity, is_new=was is None)


def _place(origin: Origin) -> tuple[str, str, str]:
    return origin.kind, origin.host, origin.repository.lower()


def _wanted(requirement: Requirement | None) -> str:
    if requirement is None:
        return ""
    text = requirement.specifier
    if "," not in text:
        text = text.lstrip("=")
    return text or requirement.commit


def _marks(
    name: str, before: str, after: str, old: ManifestContent, ecosystem: Ecosystem
) -> Iterator[str]:
    if before and after and ecosystem.is_lower(_number(after), _number(before)):
        yield "downgrade"
    if not before and name not in old.requirements:
        similar = similar_name(name, old.requirements)
        if similar:
            yield f"similar name: {similar}"


def _number(specifier: str) -> str:
    """Return the version in a simple specifier: `1.3.0` for `^1.3.0`."""
    return specifier.lstrip("^~=v")


def similar_name(name: str, others: Collection[str]) -> str:
    """Return another name that differs in one letter, or in two that are swapped; or ""."""
    if len(name) < _MIN_SIMILAR or len(others) > _MAX_COMPARED:
        return ""
    return next((other for other in others if _differs_by_one(name, other)), "")


def _differs_by_one(one: str, other: str) -> bool:
    if one == other or abs(len(one) - len(other)) > 1 or len(other) < _MIN_SIMILAR:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    left, right = one[start:], other[start:]
    if left[1:] == right[1:] or left[1:] == right or left == right[1:]:
        return not (left + right).isdecimal()
    return left[:2] == right[1::-1] and left[2:] == right[2:]
