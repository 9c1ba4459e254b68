"""What comes back besides the files, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.render.json_values import Json, path_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.model.parts import BroughtBack, OthersWork, Resumable, WrittenConversation


def parts_value(found: BroughtBack) -> Json:
    """Return the fields that a restore and its preview have in common."""
    return {
        "parts": list(found.parts),
        "session": found.session and found.session.text_id,
        "inconsistent": list(found.inconsistent),
        "resumable": found.resumable and resumable_value(found.resumable),
        **({"written": written(found.written)} if found.written else {}),
    }


def others_value(others: Sequence[OthersWork]) -> list[Json]:
    return [
        {
            "session": one.session.hex() or None,
            "agent": one.agent,
            "paths": [path_value(path) for path in one.paths],
        }
        for one in others
    ]


def resumable_value(found: Resumable) -> Json:
    return {"session": found.session, **path_value(found.path), "command": found.command}


def written(found: WrittenConversation) -> Json:
    name = found.path.encode("utf-8", "surrogateescape")
    return {"checkpoint": found.checkpoint.hex(), **path_value(name), "bytes": found.length}
