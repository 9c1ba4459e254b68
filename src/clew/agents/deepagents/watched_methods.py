"""Watched backend methods: how each call is described, refused, and recognised as failed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from deepagents.backends.protocol import (
    DeleteResult,
    EditResult,
    ExecuteOffloadResult,
    ExecuteResponse,
    FileUploadResponse,
    WriteResult,
)

_REFUSED = 126
"""A shell's exit code for a command that may not be run."""

Given = Mapping[str, Any]
"""A call's arguments by name."""


class Watched(NamedTuple):
    """A method that changes files."""

    tool: str
    """The agent's name of the tool."""
    named: Callable[[Given], dict[str, object]]
    """Returns the arguments for the gate and the timeline."""
    refused: Callable[[Given, str], Any]
    """Returns the result of a refused call, given the reason."""
    failure: Callable[[Any], str | None]
    """Returns the reason of a failure; None for a success."""


def with_news(result: Any, news: str) -> Any:
    """Return a result with a message for the model appended; None if it cannot contain one."""
    match result:
        case ExecuteResponse():
            return ExecuteResponse(f"{result.output}\n{news}", result.exit_code, result.truncated)
        case _:
            return None


def _path(given: Given) -> dict[str, object]:
    return {"file_path": given.get("file_path", "")}


def _paths(given: Given) -> dict[str, object]:
    return {"paths": [path for path, _ in given.get("files", ())]}


def _command(given: Given) -> dict[str, object]:
    return {"command": given.get("command", "")}


def _error(result: Any) -> str | None:
    return result.error or None


def _errors(results: Any) -> str | None:
    failed = [f"{one.path}: {one.error}" for one in results if one.error]
    return "; ".join(failed) or None


def _exit(response: Any) -> str | None:
    return f"exit code {response.exit_code}" if response.exit_code else None


def _not_run(reason: str) -> ExecuteResponse:
    return ExecuteResponse(f"Not run: {reason}", _REFUSED)


_EXECUTE = Watched("execute", _command, lambda _, why: _not_run(why), _exit)

WATCHED: dict[str, Watched] = {
    "write": Watched("write_file", _path, lambda _, why: WriteResult(error=why), _error),
    "edit": Watched("edit_file", _path, lambda _, why: EditResult(error=why), _error),
    "delete": Watched("delete", _path, lambda _, why: DeleteResult(error=why), _error),
    "upload_files": Watched(
        "upload_files",
        _paths,
        lambda given, why: [FileUploadResponse(path, why) for path, _ in given.get("files", ())],
        _errors,
    ),
    "execute": _EXECUTE,
    "execute_with_offload": _EXECUTE._replace(
        refused=lambda _, why: ExecuteOffloadResult(offloaded=False, response=_not_run(why)),
        failure=lambda result: _exit(result.response),
    ),
}
"""By method name; the asynchronous variant has the prefix `a`."""
