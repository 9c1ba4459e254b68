"""What the detectors of dangers share: how a danger is stated, and when it is none.

A detector judges one changed file at a time and returns alarms.
What a package brought along, or lies among installed dependencies, is judged by nobody: otherwise
every installation would warn.  What only deserves a note says nothing in a repository that was
just cloned: its author wrote it, nobody changed it here.
Many alarms of one sort in one directory become one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from clew.detectors.detector import READ_LIMIT, Evidence, Finding, PathChange, TooLarge, Tree
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_FOLDED = 6
"""More alarms of one sort than this in one directory are told as one."""
_PLACES = 40
"""More directories with alarms than this are told as one."""
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
    """One danger, or with a kind of `config` a change that is none."""

    kind: str
    scope: str
    path: str
    severity: str
    marks: tuple[str, ...] = ()
    before: str | None = None
    after: str | None = None
    claims: tuple[str, ...] | None = None
    """The path itself unless told otherwise."""


Judge = Callable[[Evidence, PathChange], Iterable[Alarm]]


def examine(
    evidence: Evidence,
    changes: Sequence[PathChange],
    judge: Judge,
    unread: Alarm | None = None,
) -> Iterator[Finding]:
    """Yield what `judge` says of each changed file; `unread` is said of one too large to read."""
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
    yield from told(alarm for alarm in alarms if _deserves(evidence, alarm))


def told(alarms: Iterable[Alarm]) -> Iterator[Finding]:
    """Yield alarms as findings, many of one sort in one place as one."""
    places: dict[tuple[str, ...], list[Alarm]] = {}
    for alarm in alarms:
        sort = (alarm.kind, alarm.scope, alarm.severity)
        key: tuple[str, ...] = (*sort, alarm.path.rpartition("/")[0])
        if len(places) >= _PLACES and key not in places:
            key = (*sort, "/")
        places.setdefault(key, []).append(alarm)
    for key, found in places.items():
        if len(found) > _FOLDED and not alarm_is_plain(found[0]):
            yield _folded(found, _common(found) if key[-1] == "/" else key[-1])
        else:
            yield from (_finding(alarm) for alarm in found)


def alarm_is_plain(alarm: Alarm) -> bool:
    """Return whether it is no danger, and shares a line with others anyway."""
    return alarm.severity == Severity.NONE


def plain(change: PathChange, marks: Iterable[str] = ()) -> Alarm:
    """Return a change of a configuration file that endangers nobody."""
    word = "added" if change.is_added else "removed" if change.is_deleted else "changed"
    return Alarm(f"config.{word}", change.path, change.path, Severity.NONE, tuple(marks))


def plain_lines(evidence: Evidence, change: PathChange) -> Alarm:
    """Return the same, with the number of its lines that came and went."""
    lines = lines_between(content(evidence.old, change.path), content(evidence.new, change.path))
    return plain(change, (lines.mark,) if change.is_content else ())


def content(tree: Tree, path: str, limit: int = READ_LIMIT) -> bytes | None:
    """Return the bytes of a file; of a link where it leads, because that is what takes effect."""
    entry = tree.entry(path)
    if entry is not None and not entry.is_file and entry.target:
        return b"link to " + entry.target
    return tree.read(path, limit)


class LineChanges(NamedTuple):
    """Lines that came and went, whatever their order."""

    added: list[bytes]
    removed: list[bytes]

    @property
    def mark(self) -> str:
        return f"+{len(self.added):,} −{len(self.removed):,} lines"

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


def lines_between(old: bytes | None, new: bytes | None) -> LineChanges:
    """Return which lines differ."""
    return _difference((old or b"").splitlines(), (new or b"").splitlines())


def rules_between(old: bytes | None, new: bytes | None) -> LineChanges:
    """Return which lines differ that are neither blank nor comments; blanks do not count."""
    return _difference(rules_of(old), rules_of(new))


def rules_of(text: bytes | None) -> list[bytes]:
    """Return the lines that say something, their blanks made equal."""
    lines = (b" ".join(line.split()) for line in (text or b"").splitlines())
    return [line for line in lines if line and not line.startswith((b"#", b";"))]


def word(raw: bytes) -> str:
    """Return hostile bytes as a mark may show them: short, and text."""
    text = raw[:_MARK_LENGTH].decode("utf-8", "replace")
    return text + ("…" if len(raw) > _MARK_LENGTH else "")


def is_dependency(path: str) -> bool:
    """Return whether a path lies among installed dependencies or in a cache."""
    if not _DEPENDENCY_NAMES.isdisjoint(path.split("/")):
        return True
    rooted = "/" + path
    return any(place in rooted for place in _DEPENDENCY_PLACES)


def in_fresh_clone(evidence: Evidence, path: str) -> bool:
    """Return whether a path lies in a repository that was cloned in this interval."""
    clones = evidence.once(_fresh_clones)
    return bool(clones) and any(above in clones for above in directories_above(path))


def in_repository(tree: Tree, path: str) -> bool:
    """Return whether git looks after what is at a path."""
    return repository_of(tree, path) is not None


def repository_of(tree: Tree, path: str) -> str | None:
    """Return the innermost repository's directory around a path; the root is empty."""
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


def _deserves(evidence: Evidence, alarm: Alarm) -> bool:
    return alarm.severity != Severity.NOTE or not in_fresh_clone(evidence, alarm.path)


def _finding(alarm: Alarm) -> Finding:
    fact = Fact(
        alarm.kind, alarm.scope, alarm.path, alarm.before, alarm.after,
        severity=alarm.severity, evidence=(alarm.path,), marks=alarm.marks,
    )  # fmt: skip
    return Finding((fact,), (alarm.path,) if alarm.claims is None else alarm.claims)


def _folded(alarms: list[Alarm], directory: str) -> Finding:
    paths = [alarm.path for alarm in alarms]
    first = alarms[0]
    fact = Fact(
        first.kind, first.scope, directory or ".",
        severity=first.severity, evidence=tuple(paths[:_SHOWN]), marks=(f"{len(paths):,} files",),
    )  # fmt: skip
    claims = (path for alarm in alarms for path in _finding(alarm).claims)
    return Finding((fact,), tuple(claims))


def _common(alarms: list[Alarm]) -> str:
    """Return the directory that holds them all; the least and the greatest path tell."""
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
    """Return the directories of repositories that came with the branches of another one."""
    found = set()
    for path, change in evidence.changes.items():
        if path.endswith(".git/HEAD") and change.is_added and f"/{path}".endswith("/.git/HEAD"):
            git = path.removesuffix("HEAD")
            if any(
                git + sign in evidence.changes for sign in ("refs/remotes/origin", "packed-refs")
            ):
                found.add(git.rstrip("/").rpartition("/")[0])
    return frozenset(found)
