"""What a backend can be told to change: how such a call is named, refused, and seen to fail."""

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
"""What a shell says of a command that may not be run."""

Given = Mapping[str, Any]
"""A call's arguments by name."""


class Watched(NamedTuple):
    """A method that changes files."""

    tool: str
    """What the agent calls it."""
    named: Callable[[Given], dict[str, object]]
    """What of its arguments a gate and a timeline are told."""
    refused: Callable[[Given, str], Any]
    """What it returns in place of a result if it may not run, and why."""
    failure: Callable[[Any], str | None]
    """Why a result is a failure; None if it is none."""


def with_news(result: Any, news: str) -> Any:
    """Return a result that carries words to the model as well; None where it cannot."""
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
"""By the name of the method; each has an asynchronous one, with an `a` in front."""
