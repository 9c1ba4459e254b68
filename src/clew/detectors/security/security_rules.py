"""Shared rules of the security detectors: alarms, and when they are suppressed.

A detector judges one changed file at a time and returns alarms.
Files of packages and of installed dependencies are not judged: otherwise every installation would
warn.  Notes are suppressed in a repository that was just cloned: its author wrote the file, and
nothing was changed here.
Many alarms of one kind in one directory become one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from clew.detectors.detector import READ_LIMIT, Evidence, Finding, PathChange, TooLarge, Tree
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_MAX_ALARMS = 6
"""Above this number, alarms of one kind in one directory are combined."""
_MAX_DIRECTORIES = 40
"""Above this number, directories with alarms are combined."""
_SHOWN = 5
_MARK_LENGTH = 60

_DEPENDENCY_NAMES = frozenset((
    "node_modules", "site-packages", "dist-packages", "bower_components", ".cache", "_cacache",
    ".pnpm-store", ".terraform", ".vscode-server", ".cursor-server",
))  # fmt: skip
_DEPENDENCY_PLACES = (
    "/pkg/mod/",
    "/.cargo/registry/",
    "/.cargo/git/",
    "/.rustup/toolchains/",
    "/.vscode/extensions/",
    "/.cursor/extensions/",
)


class Alarm(NamedTuple):
    """One danger, or with a `config` kind a harmless change."""

    kind: str
    scope: str
    path: str
    severity: str
    marks: tuple[str, ...] = ()
    before: str | None = None
    after: str | None = None
    claims: tuple[str, ...] | None = None
    """The path itself by default."""


Judge = Callable[[Evidence, PathChange], Iterable[Alarm]]


def examine(
    evidence: Evidence,
    changes: Sequence[PathChange],
    judge: Judge,
    unread: Alarm | None = None,
) -> Iterator[Finding]:
    """Yield what `judge` reports about each changed file; `unread` for one too large to read."""
    alarms: list[Alarm] = []
    for change in changes:
        if change.is_directory or change.path in evidence.owners or is_dependency(change.path):
            continue
        with evidence.guarded(change.path):
            try:
                alarms += judge(evidence, change)
            except TooLarge:
                if unread is None:
                    raise
                alarms.append(unread._replace(path=change.path, marks=("too large to look into",)))
    yield from alarm_findings(
        alarm
        for alarm in alarms
        if alarm.severity != Severity.NOTE or not in_fresh_clone(evidence, alarm.path)
    )


def alarm_findings(alarms: Iterable[Alarm]) -> Iterator[Finding]:
    """Yield alarms as findings; many of one kind in one directory are combined."""
    places: dict[tuple[str, ...], list[Alarm]] = {}
    for alarm in alarms:
        sort = (alarm.kind, alarm.scope, alarm.severity)
        key: tuple[str, ...] = (*sort, alarm.path.rpartition("/")[0])
        if len(places) >= _MAX_DIRECTORIES and key not in places:
            key = (*sort, "/")
        places.setdefault(key, []).append(alarm)
    for key, found in places.items():
        if len(found) > _MAX_ALARMS and not is_harmless(found[0]):
            yield _combined(found, _common(found) if key[-1] == "/" else key[-1])
        else:
            yield from (_finding(alarm) for alarm in found)


def is_harmless(alarm: Alarm) -> bool:
    """Return whether an alarm is harmless, and shares a line with others."""
    return alarm.severity == Severity.NONE


def harmless(change: PathChange, marks: Iterable[str] = ()) -> Alarm:
    """Return a harmless change of a configuration file."""
    word = "added" if change.is_added else "removed" if change.is_deleted else "changed"
    return Alarm(f"config.{word}", change.path, change.path, Severity.NONE, tuple(marks))


def harmless_lines(evidence: Evidence, change: PathChange) -> Alarm:
    """Return a harmless change with its numbers of added and removed lines."""
    lines = lines_between(content(evidence.old, change.path), content(evidence.new, change.path))
    return harmless(change, (lines.mark,) if change.is_content else ())


def content(tree: Tree, path: str, limit: int = READ_LIMIT) -> bytes | None:
    """Return the bytes of a file, or of a link's target, because that takes effect."""
    entry = tree.entry(path)
    if entry is not None and not entry.is_file and entry.target:
        return b"link to " + entry.target
    return tree.read(path, limit)


class LineChanges(NamedTuple):
    """Added and removed lines, in any order."""

    added: list[bytes]
    removed: list[bytes]

    @property
    def mark(self) -> str:
        return f"+{len(self.added):,} −{len(self.removed):,} lines"

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


def lines_between(old: bytes | None, new: bytes | None) -> LineChanges:
    """Return the lines that differ."""
    return _difference((old or b"").splitlines(), (new or b"").splitlines())


def rules_between(old: bytes | None, new: bytes | None) -> LineChanges:
    """Return the lines that differ, ignoring blank lines, comments and whitespace."""
    return _difference(rules_of(old), rules_of(new))


def rules_of(text: bytes | None) -> list[bytes]:
    """Return the lines without blank ones and comments, with normalised whitespace."""
    lines = (b" ".join(line.split()) for line in (text or b"").splitlines())
    return [line for line in lines if line and not line.startswith((b"#", b";"))]


def word(raw: bytes) -> str:
    """Return untrusted bytes as short text for a mark."""
    text = raw[:_MARK_LENGTH].decode("utf-8", "replace")
    return text + ("…" if len(raw) > _MARK_LENGTH else "")


def became_world_writable(change: PathChange) -> bool:
    old = change.old.mode if change.old is not None else 0
    return change.new is not None and change.new.is_file and bool(change.new.mode & ~old & 0o002)


def is_dependency(path: str) -> bool:
    """Return whether a path is in installed dependencies or a cache."""
    if not _DEPENDENCY_NAMES.isdisjoint(path.split("/")):
        return True
    rooted = "/" + path
    return any(place in rooted for place in _DEPENDENCY_PLACES)


def in_fresh_clone(evidence: Evidence, path: str) -> bool:
    """Return whether a path is in a repository that was cloned in this interval."""
    clones = evidence.once(_fresh_clones)
    return bool(clones) and any(above in clones for above in directories_above(path))


def is_own_edit(evidence: Evidence, change: PathChange) -> bool:
    """Return whether a file of the project was edited: not added, and not told by another detector."""
    if change.old is None or change.new is None or not change.is_content:
        return False
    is_foreign = is_dependency(change.path) or in_fresh_clone(evidence, change.path)
    return change.path not in evidence.owners and not is_foreign


def in_repository(tree: Tree, path: str) -> bool:
    """Return whether a path is in a git repository."""
    return repository_of(tree, path) is not None


def repository_of(tree: Tree, path: str) -> str | None:
    """Return the directory of the innermost repository around a path; the root is empty."""
    for above in directories_above(path):
        if tree.entry(joined(above, ".git")) is not None:
            return above
    return None


def directories_above(path: str) -> Iterator[str]:
    """Yield the directories around a path, the nearest first, the root last."""
    while path:
        path = path.rpartition("/")[0]
        yield path


def joined(directory: str, name: str) -> str:
    """Return the path of a name in a directory, which may be the root."""
    return f"{directory}/{name}" if directory else name


def _finding(alarm: Alarm) -> Finding:
    fact = Fact(
        alarm.kind, alarm.scope, alarm.path, alarm.before, alarm.after,
        severity=alarm.severity, evidence=(alarm.path,), marks=alarm.marks,
    )  # fmt: skip
    return Finding((fact,), (alarm.path,) if alarm.claims is None else alarm.claims)


def _combined(alarms: list[Alarm], directory: str) -> Finding:
    paths = [alarm.path for alarm in alarms]
    first = alarms[0]
    fact = Fact(
        first.kind, first.scope, directory or ".",
        severity=first.severity, evidence=tuple(paths[:_SHOWN]), marks=(f"{len(paths):,} files",),
    )  # fmt: skip
    claims = (path for alarm in alarms for path in _finding(alarm).claims)
    return Finding((fact,), tuple(claims))


def _common(alarms: list[Alarm]) -> str:
    """Return the directory that contains all; the least and the greatest path determine it."""
    paths = [alarm.path for alarm in alarms]
    shared = []
    for one, other in zip(min(paths).split("/")[:-1], max(paths).split("/")[:-1], strict=False):
        if one != other:
            break
        shared.append(one)
    return "/".join(shared)


def _difference(old: list[bytes], new: list[bytes]) -> LineChanges:
    before, after = Counter(old), Counter(new)
    return LineChanges(list((after - before).elements()), list((before - after).elements()))


def _fresh_clones(evidence: Evidence) -> frozenset[str]:
    """Return the directories of repositories that appeared with remote-tracking branches."""
    found = set()
    for path, change in evidence.changes.items():
        if path.endswith(".git/HEAD") and change.is_added and f"/{path}".endswith("/.git/HEAD"):
            git = path.removesuffix("HEAD")
            if any(
                git + sign in evidence.changes for sign in ("refs/remotes/origin", "packed-refs")
            ):
                found.add(git.rstrip("/").rpartition("/")[0])
    return frozenset(found)
