"""Other version control: files that Mercurial or Subversion tracks.

Both list what they track in one file, `.hg/dirstate` and `.svn/wc.db`, in which the path of a tracked
file is readable.  That its name is found there is enough to say that it is not lost with certainty;
the format is not parsed further.
"""

from __future__ import annotations

from clew.detectors.detector import Evidence, TooLarge

_LISTS = (".hg/dirstate", ".svn/wc.db")
_LIMIT = 16 << 20


class OtherHistories:
    """Lists of tracked files in the new tree; `evidence.once(OtherHistories)`."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._roots: dict[str, tuple[str, bytes]] = {}

    def has_list(self, directory: str) -> bool:
        """Return whether a directory is in a working copy."""
        return bool(self._around(directory)[1])

    def track(self, path: str) -> bool:
        """Return whether a working copy around a path tracks it."""
        root, listed = self._around(path.rpartition("/")[0])
        relative = path[len(root) + 1 :] if root else path
        return bool(listed) and relative.encode("utf-8", "surrogateescape") in listed

    def _around(self, directory: str) -> tuple[str, bytes]:
        missing: list[str] = []
        found = "", b""
        while True:
            if directory in self._roots:
                found = self._roots[directory]
                break
            missing.append(directory)
            listed = self._read(directory)
            if listed or not directory:
                found = directory, listed
                break
            directory = directory.rpartition("/")[0]
        self._roots.update(dict.fromkeys(missing, found))
        return found

    def _read(self, directory: str) -> bytes:
        for name in _LISTS:
            path = f"{directory}/{name}" if directory else name
            if self._evidence.new.entry(path) is not None:
                try:
                    return self._evidence.new.read(path, _LIMIT) or b""
                except TooLarge:
                    continue
        return b""
