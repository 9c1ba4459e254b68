"""Files in a `site-packages` that no installation explains: manual edits.

A `*.pth` adds directories to the module search path, and is unrelated to PyTorch.
https://docs.python.org/3/library/site.html
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from clew.detectors.detector import Evidence, Finding, PathChange
from clew.detectors.python.python_environments import environment_of, site_of
from clew.detectors.tools.package_files import file_facts
from clew.detectors.tools.toolchain_homes import came_with_toolchain

_LIMIT = 1 << 20


def loose_findings(
    evidence: Evidence, changes: Iterable[PathChange], explained: Collection[str]
) -> Iterator[Finding]:
    """Yield changes of installed files that no installer made."""
    sites: dict[str, list[str]] = {}
    for change in changes:
        site = site_of(change.path)
        if site is None or _is_known(evidence, change, explained):
            continue
        if change.parent == site and change.name.endswith(".pth"):
            with evidence.guarded(change.path):
                if not _runs_code(evidence, change):
                    place = environment_of(evidence, site).place
                    text = f"where Python looks for modules changed ({place})"
                    yield Finding((), (change.path,), text)
        elif change.old is not None:
            sites.setdefault(site, []).append(change.path)
    for site, paths in sites.items():
        environment = environment_of(evidence, site)
        if environment.is_removed or environment.is_remade:
            continue
        facts = file_facts(evidence, f"pip:{environment.place}", paths)
        if facts:
            yield Finding(facts, paths)


def _is_known(evidence: Evidence, change: PathChange, explained: Collection[str]) -> bool:
    path = change.path
    if change.is_directory or path in explained or path in evidence.claimed:
        return True
    if path in evidence.owners or path.endswith(".pyc") or came_with_toolchain(evidence, path):
        return True
    # leftovers of an interrupted pip, and files that are not modules
    return "/~" in path or ".dist-info/" in path or ".egg-info" in path


def _runs_code(evidence: Evidence, change: PathChange) -> bool:
    """Return whether Python executes a line of a `*.pth`; `autostarts.py` reports those."""
    content = evidence.new.read(change.path, _LIMIT) or b""
    lines = content.replace(b"\r", b"\n").split(b"\n")
    return any(line.startswith((b"import ", b"import\t")) for line in lines)
