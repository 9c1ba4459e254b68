"""Tell later work from what an interrupted restore left behind.

An interrupted restore leaves each path in its old state (*before*), in its target state (*wanted*),
or, if it was killed between two system calls, with a mixture of the metadata of both.  Anything
else is later work, and is left alone: content, a chmod, an attribute, a new directory, a deletion.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from clew.model.entry import FLAG_APPEND, FLAG_IMMUTABLE, Entry
from clew.model.ids import ObjectId
from clew.model.small_objects import decode_xattrs

_FORBIDDING = FLAG_IMMUTABLE | FLAG_APPEND
_SET_IDS = 0o6000
_OWNER = 0o700
_GROUP = 0o070

Get = Callable[[ObjectId], bytes]


def is_later_work(now: Entry | None, before: Entry | None, wanted: Entry | None, get: Get) -> bool:
    """Return whether an interrupted restore cannot have left `now`."""
    if now is None:
        # Files are exchanged and directories stay, so neither is ever missing in between.
        return before is not None and wanted is not None and before.kind == wanted.kind
    if now.is_directory:
        return _is_later_directory(now, before, wanted)
    sides = [one for one in (before, wanted) if one is not None and one.same_content(now)]
    return not sides or not has_left_metadata(now, before, wanted, get)


def is_later_metadata(now: Entry, origin: Entry | None, goal: Entry | None, get: Get) -> bool:
    """Return whether a directory has metadata that a restore from `origin` to `goal` cannot leave."""
    if origin is not None and origin.is_directory:
        return not has_left_metadata(now, origin, goal, get)
    if goal is None:
        return True
    # The restore made it, for its owner alone; group bit and ACL may be inherited.
    made, wanted = _attributes(now, get), _attributes(goal, get)
    own = {name: value for name, value in made.items() if not name.startswith(b"system.")}
    is_left = all(wanted.get(name) == value for name, value in own.items())
    return not is_left or now.mode & ~0o2000 not in (goal.mode & ~0o2000, _OWNER)


def has_left_metadata(now: Entry, before: Entry | None, wanted: Entry | None, get: Get) -> bool:
    """Return whether each attribute is that of one side, or an intermediate value.

    Modification times do not count: a rescue is not made for them alone, so the checkpoint before the
    restore may have another one.
    """
    sides = [one for one in (before, wanted) if one is not None]
    return (
        now.mode in _modes_between(sides)
        and now.uid in {os.geteuid(), *(one.uid for one in sides)}
        and now.gid in {os.getegid(), *(one.gid for one in sides)}
        and _has_left_xattrs(now, sides, get)
        and _has_left_flags(now, sides)
    )


def _is_later_directory(now: Entry, before: Entry | None, wanted: Entry | None) -> bool:
    """Return whether a directory was created where neither side has one, or where it was deleted."""
    is_wanted = wanted is not None and wanted.is_directory
    was_there = before is not None and before.is_directory
    return not is_wanted and not was_there


def _modes_between(sides: list[Entry]) -> set[int]:
    """Return the modes seen while metadata is set: chown clears setuid, an ACL changes group bits."""
    found = {one.mode for one in sides}
    if len({one.xattrs for one in sides}) > 1:
        found |= {mode & ~_GROUP | other & _GROUP for mode in set(found) for other in set(found)}
    if any(one.is_directory for one in sides):
        found |= {mode | _OWNER for mode in found}
    return found | {mode & ~_SET_IDS for mode in found}


def _has_left_xattrs(now: Entry, sides: list[Entry], get: Get) -> bool:
    if any(now.xattrs == one.xattrs for one in sides):
        return True
    values = [_attributes(one, get) for one in sides]
    present = _attributes(now, get)
    names = {*present, *(name for one in values for name in one)}
    return all(present.get(name) in [one.get(name) for one in values] for name in names)


def _attributes(entry: Entry, get: Get) -> dict[bytes, bytes]:
    return decode_xattrs(get(entry.xattrs)) if entry.xattrs else {}


def _has_left_flags(now: Entry, sides: list[Entry]) -> bool:
    """Return whether no flag is new, and only flags are missing that a restore clears for a while."""
    most = least = sides[0].flags if sides else 0
    for one in sides:
        most, least = most | one.flags, least & one.flags
    return not now.flags & ~most and not least & ~_FORBIDDING & ~now.flags
