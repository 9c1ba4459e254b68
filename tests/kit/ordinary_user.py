"""Commands as somebody who is not root.

The interpreter may lie below a directory that only root may enter (a pyenv in /root).  Then the
command gets a mount namespace of its own, in which that directory is an empty one that everybody
may enter, with only the interpreter in it.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from tests.kit.running import SOURCE
from tests.kit.tools import require, require_root

UID = 65534
_BECOME = ["setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups"]


def as_ordinary_user() -> list[str]:
    """Return what to put before a command so that uid 65534 runs it."""
    require_root("becoming somebody else")
    require("setpriv", "unshare")
    needed = {Path(sys.prefix), Path(sys.base_prefix).resolve(), SOURCE}
    needed.add(Path(sys.executable).resolve().parents[1])
    blocked = [(wall, path) for path in sorted(needed) if (wall := _wall(path))]
    if not blocked:
        return _BECOME
    lines = ["set -e", "hold=$(mktemp -d)", "mount -t tmpfs tmpfs $hold"]
    for number, (_, path) in enumerate(blocked):
        lines += [f"mkdir $hold/{number}", f"mount --bind {_quoted(path)} $hold/{number}"]
    for wall in sorted({wall for wall, _ in blocked}):
        lines.append(f"mount -t tmpfs -o mode=755 tmpfs {_quoted(wall)}")
    for number, (_, path) in enumerate(blocked):
        lines += [f"mkdir -p {_quoted(path)}", f"mount --move $hold/{number} {_quoted(path)}"]
    lines += ["umount $hold", "rmdir $hold", f'exec {shlex.join(_BECOME)} "$@"']
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", "\n".join(lines), "sh"]


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))


def _wall(path: Path) -> Path | None:
    """Return the topmost directory above `path` that others may not enter."""
    for parent in reversed(path.parents):
        if not os.stat(parent).st_mode & 0o001:
            return parent
    return None
