r"""Exclude patterns.

A pattern is bytes, like the paths it is matched against, and similar to a line of `.gitignore`:

    *.log           no slash: the name of an entry at any depth
    /dist  a/b      a slash, at the front or inside: the path from the workspace's root
    build/          a slash at the end: only directories; it is not counted as a slash above
    * ? [a-z] [!x]  do not match a slash
    a/**/b          `**` as a whole component: any number of directories, also none
    a/**            everything below `a`, not `a` itself; `**` alone: everything
    \*              a backslash takes the next byte literally

Inside a name, `**` is the same as `*`.  Case matters.  A `[` that is never closed is a `[`.
There is no negation: a pattern that begins with `!` is rejected rather than silently misread (`\!`
begins a name with an exclamation mark).

Names may be hostile and the scan matches every one of them, so matching must take linear time: each
star is followed by an atomic group, which never backtracks.
Plain names, the most common patterns, are looked up in a set.
"""

from __future__ import annotations

from collections.abc import Iterable

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_MAGIC = frozenset(b"*?[\\")


class Patterns:
    """A set of exclude patterns; an empty one is false and costs nothing to match."""

    __slots__ = ("_directories", "_others", "patterns")

    def __init__(self, patterns: Iterable[bytes] = ()) -> None:
        self.patterns = tuple(patterns)
        for pattern in self.patterns:
            check_pattern(pattern)
        # compiled on first use: a save without excludes never pays for it
        self._directories: _Matcher | None = None
        self._others: _Matcher | None = None

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def excludes(self, path: bytes, is_directory: bool) -> bool:
        """Return whether the entry at `path` itself is excluded; the root never is.

        Entries below an excluded directory are not considered: a scan never reaches them.
        """
        if not self.patterns or not path:
            return False
        if is_directory:
            matcher = self._directories
            if matcher is None:
                matcher = self._directories = _Matcher(self.patterns)
        else:
            matcher = self._others
            if matcher is None:
                rest = [pattern for pattern in self.patterns if not pattern.endswith(b"/")]
                matcher = self._others = _Matcher(rest)
        return matcher.matches(path)

    def covers(self, path: bytes, *, is_directory: bool = False) -> bool:
        """Return whether `path`, or a directory above it, is excluded."""
        if not self.patterns:
            return False
        slash = path.find(b"/")
        while slash >= 0:
            if self.excludes(path[:slash], True):
                return True
            slash = path.find(b"/", slash + 1)
        return self.excludes(path, is_directory)


def check_pattern(pattern: bytes) -> None:
    """Raise `ValueError`, with the reason, unless `pattern` can exclude something."""
    if not pattern.strip(b"/"):
        raise ValueError("the pattern is empty")
    if b"\x00" in pattern:
        raise ValueError("the pattern holds a NUL")
    if pattern.startswith(b"!"):
        raise ValueError("patterns cannot be negated")
    components = _components(pattern)
    if b"" in components:
        raise ValueError("the pattern holds an empty name (//)")
    if b"." in components or b".." in components:
        raise ValueError("the pattern holds . or .., which no path does")
    if any(_ends_in_escape(component) for component in components):
        raise ValueError("the pattern has a backslash with nothing to take literally")


class _Matcher:
    """Patterns compiled for one kind of entry."""

    __slots__ = ("_name_regex", "_names", "_path_regex", "_paths")

    def __init__(self, patterns: Iterable[bytes]) -> None:
        self._names: set[bytes] = set()
        self._paths: set[bytes] = set()
        names: list[bytes] = []
        paths: list[bytes] = []
        for pattern in patterns:
            components = _components(pattern)
            anchored = len(components) > 1 or pattern.startswith(b"/")
            if _MAGIC.isdisjoint(pattern):
                (self._paths if anchored else self._names).add(b"/".join(components))
            elif anchored:
                paths.append(_path_regex(components))
            else:
                names.append(_name_regex(components[0]))
        self._name_regex = _compile(names)
        self._path_regex = _compile(paths)

    def matches(self, path: bytes) -> bool:
        name = path[path.rfind(b"/") + 1 :]
        return (
            name in self._names
            or path in self._paths
            or (self._name_regex is not None and self._name_regex.match(name) is not None)
            or (self._path_regex is not None and self._path_regex.match(path) is not None)
        )


def _components(pattern: bytes) -> list[bytes]:
    if pattern.startswith(b"/"):
        pattern = pattern[1:]
    if pattern.endswith(b"/"):
        pattern = pattern[:-1]
    return pattern.split(b"/")


def _ends_in_escape(component: bytes) -> bool:
    return (len(component) - len(component.rstrip(b"\\"))) % 2 == 1


def _compile(sources: list[bytes]) -> re.Pattern[bytes] | None:
    if not sources:
        return None
    import re  # noqa: PLC0415  rarely needed

    return re.compile(b"(?:" + b"|".join(sources) + rb")\Z", re.DOTALL)


def _path_regex(components: list[bytes]) -> bytes:
    """Return the regex of an anchored pattern: runs of names, with any directories in between."""
    runs: list[list[bytes]] = [[]]
    for component in components:
        if component == b"**":
            runs.append([])
        else:
            runs[-1].append(_name_regex(component))
    if len(runs) == 1:
        return b"/".join(runs[0])
    first, *middle, last = runs
    source = b"".join(name + b"/" for name in first)
    for run in middle:
        if run:
            # the earliest match suffices: it leaves the most for the rest
            source += b"(?>(?:[^/]++/)*?" + b"".join(name + b"/" for name in run) + b")"
    if not last:  # ends in `**`: anything below
        return source + b".++"
    return source + b"(?:[^/]++/)*?" + b"/".join(last) + rb"\Z"


def _name_regex(glob: bytes) -> bytes:
    """Return the regex of one name; it matches the whole name or nothing."""
    pieces = _pieces(glob)
    head, *rest = pieces
    if not rest:
        return head + rb"(?=/|\Z)"
    source = b"(?>" + head
    for piece in rest[:-1]:
        if piece:
            source += b"(?>[^/]*?" + piece + b")"
    return source + b"[^/]*" + rest[-1] + rb"(?=/|\Z))"


def _pieces(glob: bytes) -> list[bytes]:
    """Return the regexes of the parts between the stars."""
    pieces = [b""]
    at = 0
    while at < len(glob):
        char = glob[at : at + 1]
        if char == b"*":
            pieces.append(b"")
        elif char == b"?":
            pieces[-1] += b"[^/]"
        elif char == b"[" and (end := _set_end(glob, at)):
            pieces[-1] += _set_regex(glob[at + 1 : end])
            at = end
        else:
            if char == b"\\":
                at += 1
            pieces[-1] += b"\\x%02x" % glob[at]
        at += 1
    return pieces


def _set_end(glob: bytes, at: int) -> int:
    """Return the position of the `]` of the set that begins at `at`, or 0 if there is none."""
    first = at + 1
    if glob[first : first + 1] in (b"!", b"^"):
        first += 1
    return max(0, glob.find(b"]", first + 1))  # a leading `]` belongs to the set


def _set_regex(inside: bytes) -> bytes:
    negated = inside[:1] in (b"!", b"^")
    if negated:
        inside = inside[1:]
    chosen: set[int] = set()
    at = 0
    while at < len(inside):
        if inside[at + 1 : at + 2] == b"-" and at + 2 < len(inside):
            chosen.update(range(inside[at], inside[at + 2] + 1))
            at += 3
        else:
            chosen.add(inside[at])
            at += 1
    if negated:
        chosen = set(range(256)) - chosen
    chosen.discard(ord("/"))
    if not chosen:
        return b"(?!)"
    return b"[" + b"".join(b"\\x%02x" % byte for byte in sorted(chosen)) + b"]"
