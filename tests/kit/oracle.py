"""Compares two trees by asking the tools that everybody trusts; no line of clew is involved.

`portrait` asks find, getfattr, lsattr, getcap, stat and b2sum what a tree is.
`rsync_differences` asks rsync what it would have to do to make one tree the other.
Neither reaches below PATH_MAX; there `walker.py` looks.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.kit.everything import DEEP
from tests.kit.tools import require

Portrait = dict[bytes, dict[str, object]]
"""What is known of each path; the path is relative and the root's own is empty."""

_FIELDS = ("type", "mode", "uid", "gid", "mtime", "size", "target", "links", "inode", "blocks")
_FORMAT = r"%P\0%y\0%m\0%U\0%G\0%T@\0%s\0%l\0%n\0%i\0%b\0"
_NOT_COMPARED = ("inode", "blocks")
_KEPT_FLAGS = frozenset("iad")
_SPARE = 1 << 20


def reference_copy(source: Path, copy: Path) -> None:
    """Copy a tree as `cp -a` does; inode flags are the one thing it leaves behind."""
    subprocess.run(["cp", "-a", "--reflink=never", source, copy], check=True)


def portrait(root: Path) -> Portrait:
    """Return all that the tools say of a tree."""
    require("find", "getfattr", "lsattr", "getcap", "b2sum", "stat", "xargs")
    found = _stat_facts(root)
    ordered = sorted(found)
    files = [path for path in ordered if found[path]["type"] == "f"]
    flagged = [path for path in ordered if found[path]["type"] in ("f", "d")]
    for path, digest in zip(files, _digests(root, files), strict=True):
        found[path]["content"] = digest
    for path, flags in zip(flagged, _inode_flags(root, flagged), strict=True):
        found[path]["flags"] = flags
    for path, number in _device_numbers(root, found).items():
        found[path]["device"] = number
    for path, attributes in _xattrs(root, ordered).items():
        found[path]["xattrs"] = attributes
    found[b""]["capabilities"] = _capabilities(root)
    found[b""]["groups"] = _link_groups(found)
    return found


def portrait_differences(expected: Portrait, actual: Portrait) -> list[str]:
    """Return one line for each path the tools tell apart; nothing means equal."""
    lines = []
    for path in sorted(expected.keys() | actual.keys()):
        old, new = expected.get(path), actual.get(path)
        if old is None or new is None:
            lines.append(f"{'missing' if new is None else 'not wanted'}: {path!r}")
            continue
        for field in old.keys() | new.keys():
            if field not in _NOT_COMPARED and old.get(field) != new.get(field):
                lines.append(f"{path!r}: {field} {old.get(field)!r} became {new.get(field)!r}")
        if _exploded(old, new):
            lines.append(f"{path!r}: {old['blocks']} blocks became {new['blocks']}")
    return lines


def rsync_differences(expected: Path, actual: Path) -> list[str]:
    """Return what rsync would do to make `actual` like `expected`; nothing means equal."""
    require("rsync")
    done = subprocess.run(
        ["rsync", "-aHAXSnc", "--delete", "--itemize-changes", "--modify-window=-1",
         f"--exclude=/{DEEP}", f"{expected}/", f"{actual}/"],
        capture_output=True,
    )  # fmt: skip
    lines = (done.stdout + done.stderr).decode(errors="backslashreplace").splitlines()
    return [line for line in lines if line.strip()]


def _stat_facts(root: Path) -> Portrait:
    text = _ask(root, "find", ".", "-path", f"./{DEEP}", "-prune", "-o", "-printf", _FORMAT)
    words = text.split(b"\0")[:-1]
    width = len(_FIELDS) + 1
    found: Portrait = {}
    for at in range(0, len(words), width):
        path, *values = words[at : at + width]
        facts: dict[str, object] = {
            field: value.decode("latin-1") for field, value in zip(_FIELDS, values, strict=True)
        }
        if facts["type"] == "d":  # both are the filesystem's own business
            facts["size"] = facts["links"] = ""
        found[path] = facts
    return found


def _digests(root: Path, files: list[bytes]) -> list[bytes]:
    if not files:
        return []
    names = [b"./" + path for path in files]
    text = _ask(root, "xargs", "-0", "b2sum", "-z", "--", given=b"\0".join(names))
    return [line[:128] for line in text.split(b"\0")[:-1]]


def _inode_flags(root: Path, paths: list[bytes]) -> list[str]:
    names = b"\0".join(b"./" + path for path in paths)
    text = _ask(root, "xargs", "-0", "lsattr", "-d", "--", given=names, may_fail=True)
    # A name may hold a newline; only a line that starts a new file starts with the flags.
    columns = re.findall(rb"^([-a-zA-Z]{16,}) \./", text, re.MULTILINE)
    if not columns:
        return ["" for _ in paths]  # a filesystem without flags
    return ["".join(sorted(_KEPT_FLAGS & set(column.decode()))) for column in columns]


def _device_numbers(root: Path, found: Portrait) -> dict[bytes, bytes]:
    devices = [path for path in sorted(found) if found[path]["type"] in ("b", "c")]
    return {path: _ask(root, "stat", "-c", "%t:%T", b"./" + path).strip() for path in devices}


def _xattrs(root: Path, paths: list[bytes]) -> dict[bytes, list[bytes]]:
    """Return the attributes of each path that has some, as getfattr prints them."""
    names = b"\0".join(b"./" + path for path in paths)
    text = _ask(root, "xargs", "-0", "getfattr", "-d", "-m", "-", "-h", "-e", "hex", "--",
                given=names, may_fail=True)  # fmt: skip
    found: dict[bytes, list[bytes]] = {}
    for block in text.split(b"\n\n"):
        lines = block.strip(b"\n").split(b"\n")
        if lines[0].startswith(b"# file: "):
            path = _unquoted(lines[0][len(b"# file: ") :]).removeprefix(b"./")
            found[path] = sorted(lines[1:])
    return found


def _unquoted(name: bytes) -> bytes:
    return re.sub(rb"\\([0-7]{3})", lambda match: bytes([int(match[1], 8)]), name)


def _capabilities(root: Path) -> list[bytes]:
    return sorted(_ask(root, "getcap", "-r", ".", may_fail=True).splitlines())


def _link_groups(found: Portrait) -> list[list[bytes]]:
    by_inode: dict[object, list[bytes]] = {}
    for path, facts in found.items():
        if facts["type"] != "d":
            by_inode.setdefault(facts["inode"], []).append(path)
    return sorted(sorted(paths) for paths in by_inode.values() if len(paths) > 1)


def _exploded(old: dict[str, object], new: dict[str, object]) -> bool:
    """Tell whether a sparse file came back with its holes filled."""
    before, after = (int(str(facts["blocks"])) * 512 for facts in (old, new))
    return old["type"] == "f" and after > 2 * before + _SPARE


def _ask(root: Path, *command: str | bytes, given: bytes = b"", may_fail: bool = False) -> bytes:
    done = subprocess.run(command, cwd=root, input=given, capture_output=True)
    if done.returncode and not may_fail:
        raise RuntimeError(f"{command[:3]!r}: {done.stderr.decode(errors='replace')}")
    return done.stdout
