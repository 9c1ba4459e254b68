"""Changed files of packages: those that an installation wrote, and those edited in place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from clew.detectors.detector import Evidence, Finding
from clew.model.fact import Fact

_SETUID_OR_SETGID = 0o6000
_NAMED = 3

PACKAGE_KINDS = (
    "package.added", "package.changed", "package.removed", "code.edited", "code.deleted",
    "generated.changed",
)  # fmt: skip
"""Fact kinds of detectors that also report edits inside packages."""


def edited_in_place(
    evidence: Evidence, scope: str, label: str, names: Iterable[str], paths: Sequence[str]
) -> Finding:
    """Return the finding about files of packages whose version did not change.

    New files next to those of a package are build output of scripts.
    """
    known = sorted(set(names))
    more = f" and {len(known) - _NAMED:,} more" if len(known) > _NAMED else ""
    named = ", ".join(known[:_NAMED]) + more
    added = sorted(path for path in paths if evidence.changes[path].old is None)
    facts = [*file_facts(evidence, scope, paths), *([generated(added, "build")] if added else [])]
    whose = "its version" if len(known) == 1 else "their versions"
    text = "" if facts else f"files of {named} changed, {whose} did not ({label})"
    return Finding(tuple(facts), paths, text)


def generated(paths: Sequence[str], what: str) -> Fact:
    """Return the fact about files generated among packages; `paths` are sorted."""
    return Fact(
        "generated.changed", what, _common(paths), after=str(len(paths)), direct=what != "cache",
        evidence=tuple(paths[:_NAMED]),
    )  # fmt: skip


def file_facts(evidence: Evidence, scope: str, paths: Iterable[str]) -> tuple[Fact, ...]:
    """Return the facts about files of installed packages that were edited or deleted."""
    groups: dict[str, list[str]] = {}
    for path in sorted(paths):
        change = evidence.changes[path]
        if change.old is not None and change.is_content and not change.is_directory:
            groups.setdefault("deleted" if change.new is None else "edited", []).append(path)
    return tuple(
        Fact(
            f"code.{word}", scope, scope.partition(":")[2], after=str(len(found)),
            evidence=tuple(found[:_NAMED]), marks=(f"in {_common(found)}", "of an installed package"),
        )
        for word, found in sorted(groups.items(), reverse=True)
    )  # fmt: skip


def _common(paths: Sequence[str]) -> str:
    """Return the deepest directory that contains all of these sorted paths."""
    pairs = zip(paths[0].split("/")[:-1], paths[-1].split("/")[:-1], strict=False)
    return "/".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)) or "."


def own_files(evidence: Evidence, name: str, paths: Iterable[str]) -> None:
    """Record a new or changed package as the owner of its files, which suppresses warnings.

    No manager extracts setuid bits or extended attributes: files with those are not the package's.
    """
    shipped = []
    for path in paths:
        entry = evidence.changes[path].new
        if entry and not entry.mode & _SETUID_OR_SETGID and entry.xattrs is None:
            shipped.append(path)
    evidence.own(shipped, name)
