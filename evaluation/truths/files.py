"""What git, find and stat say of files."""

from __future__ import annotations

from typing import cast

from evaluation.place import Place
from evaluation.scenario import Told

_WORDS = {"M": "edited", "T": "edited", "A": "added", "D": "deleted", "R": "renamed"}


class SourceFiles:
    """What `git diff --name-status -M` says of two states of a directory.

    The states are kept in a repository beside the project, so it makes no difference what was
    committed meanwhile; what the project ignores is ignored.
    """

    kinds = ("code.edited", "code.added", "code.deleted", "code.renamed")

    def __init__(
        self, directory: str = ".", *, apart: tuple[str, ...] = (), scope: str = ""
    ) -> None:
        """`apart` are pathspecs of files that are no source: data, settings, pictures."""
        self._directory = directory
        self._scope = scope or f"git:{directory}"
        self._apart = apart
        self._place: Place | None = None

    def look(self, place: Place) -> str:
        self._place = place
        if not (place.root / self._directory).exists():
            return self._git("hash-object -t tree --stdin < /dev/null -w").strip()
        self._git("add -A .")
        return self._git("write-tree").strip()

    def facts(self, before: object, after: object) -> set[Told]:
        apart = " ".join(f"':(exclude){spec}'" for spec in self._apart)
        words = f"diff-tree -r -M --name-status {before} {after} -- . {apart}"
        counts: dict[str, int] = {}
        for line in self._git(words).splitlines():
            word = _WORDS[line[0]]
            counts[word] = counts.get(word, 0) + 1
        subject = self._scope.partition(":")[2]
        return {
            (f"code.{word}", self._scope, subject, None, str(number))
            for word, number in counts.items()
        }

    def _git(self, words: str) -> str:
        assert self._place is not None
        shadow = self._place.around / f"shadow-{self._directory.replace('/', '-')}.git"
        self._place.run(f"test -e {shadow} || git init -q --bare {shadow}")
        settings = f"GIT_DIR={shadow} GIT_WORK_TREE=$PWD GIT_CONFIG_KEY_0=core.autocrlf"
        where = self._directory if (self._place.root / self._directory).exists() else "."
        return self._place.run(
            f"cd {where} && export {settings} GIT_CONFIG_VALUE_0=false && git {words}"
        )


class Generated:
    """What `find` and `sha256sum` say of the files that tools write in some directory."""

    kinds = ("generated.changed",)

    def __init__(self, scope: str, directory: str, *, only: str = "", subject: str = "") -> None:
        """`only` are words for `find` that choose among the files of the directory."""
        self._scope = scope
        self._directory = directory
        self._only = only
        self._subject = subject or directory

    def look(self, place: Place) -> set[str]:
        if not (place.root / self._directory).exists():
            return set()
        sums = place.run(
            f"find {self._directory} -not -path '*/.git/*' -type f {self._only}"
            " -exec sha256sum {} +; "
            f"find {self._directory} -not -path '*/.git/*' -type l {self._only} -printf '%l  %p\\n'"
        )
        return set(sums.splitlines())

    def facts(self, before: object, after: object) -> set[Told]:
        changed = cast(set[str], before) ^ cast(set[str], after)
        paths = {line.split("  ", 1)[1] for line in changed}
        if not paths:
            return set()
        return {("generated.changed", self._scope, self._subject, None, str(len(paths)))}


class Log:
    """What `stat` says of the size of a log."""

    kinds = ("log.grew",)

    def __init__(self, path: str) -> None:
        self._path = path

    def look(self, place: Place) -> str | None:
        path = place.root / self._path
        return place.run(f"stat -c %s {self._path}").strip() if path.exists() else None

    def facts(self, before: object, after: object) -> set[Told]:
        if before == after:
            return set()
        old, new = cast("str | None", before), cast("str | None", after)
        return {("log.grew", "log", self._path, old, new)}
