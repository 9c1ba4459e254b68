"""Claude Code transcripts: one file per session, `~/.claude/projects/<cwd>/<session>.jsonl`.

Every line names its session, and its parent by uuid.  A tool call without a result gets one that
says so: the model's API rejects a call without a result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clew.transcripts.dialect import (
    LARGE,
    Dialect,
    Line,
    NotATranscript,
    Renewal,
    TranscriptTouch,
    blocks,
    encoded,
    parsed,
    text_at,
)

_READING = {"Read": "file_path", "NotebookRead": "notebook_path"}
_CHANGING = {
    "Edit": "file_path",
    "MultiEdit": "file_path",
    "Write": "file_path",
    "NotebookEdit": "notebook_path",
}
_INTERRUPTED = "No result: the conversation was taken back to before this came to its end"
_COPIED = ("isSidechain", "userType", "cwd", "version", "gitBranch", "entrypoint", "slug")

_RESULT_ID = rb'"tool_use_id"\s*:\s*"([^"\\]+)"'
_SESSION = rb'("sessionId"\s*:\s*)"[^"\\]*"'


def renewed(lines: Iterable[bytes], renewal: Renewal) -> Iterator[bytes]:
    """Yield the lines of a new session with the same history."""
    open_calls: dict[str, Line] = {}
    found_any = False
    for line in lines:
        if len(line) > LARGE:
            import re  # noqa: PLC0415  few lines are that long

            for identifier in re.findall(_RESULT_ID, line):
                open_calls.pop(identifier.decode("utf-8", "replace"), None)
            yield re.sub(_SESSION, rb'\1"%s"' % renewal.session.encode(), line) + b"\n"
            continue
        value = parsed(line)
        if value is None:
            continue  # truncated, or not a transcript line
        found_any = found_any or bool(text_at(value, "sessionId"))
        _track_calls(value, open_calls)
        yield encoded(_rewrite(value, renewal))
    if not found_any:
        raise NotATranscript("no line of it names a session")
    yield from _missing_results(open_calls, renewal)


def place(transcript: bytes, session: str, cwd: str | None, _: str) -> bytes:
    """Return the path of a session: beside the old transcript, or in the folder of `cwd`."""
    folder = transcript.rpartition(b"/")[0]
    if cwd is not None:
        folder = folder.rpartition(b"/")[0] + b"/" + folder_of(cwd).encode()
    return folder + b"/" + session.encode() + b".jsonl"


def folder_of(cwd: str) -> str:
    """Return the name of the folder with the sessions of a directory."""
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in cwd)


def command(session: str) -> str:
    """Return the command that resumes a session."""
    return f"claude --resume {session}"


def touched(line: bytes) -> TranscriptTouch:
    """Return the files that a line's calls read and change."""
    value = parsed(line) if len(line) <= LARGE else None
    if value is None or value.get("type") != "assistant":
        return TranscriptTouch()
    calls = [(text_at(call, "name"), call.get("input")) for call in _calls(value)]
    read = [text_at(given, _READING[name]) for name, given in calls if name in _READING]
    changed = [text_at(given, _CHANGING[name]) for name, given in calls if name in _CHANGING]
    return TranscriptTouch(tuple(filter(None, read)), tuple(filter(None, changed)))


DIALECT = Dialect(renewed, place, command, touched)


def _rewrite(value: Line, renewal: Renewal) -> Line:
    changed: Line = {}
    if "sessionId" in value:
        changed["sessionId"] = renewal.session
    if renewal.cwd is not None and "cwd" in value:
        changed["cwd"] = renewal.cwd
    return value | changed


def _track_calls(value: Line, open_calls: dict[str, Line]) -> None:
    """Add the calls of a line to `open_calls`, and remove those with a result in it."""
    if value.get("isSidechain"):
        return  # a subagent's conversation
    for call in _calls(value):
        open_calls[text_at(call, "id")] = {"uuid": value.get("uuid")} | {
            key: value[key] for key in _COPIED if key in value
        }
    if value.get("type") == "user":
        for block in blocks(_content(value)):
            open_calls.pop(text_at(block, "tool_use_id"), None)


def _calls(value: Line) -> Iterator[Line]:
    if value.get("type") == "assistant":
        for block in blocks(_content(value)):
            if block.get("type") == "tool_use":
                yield block


def _content(value: Line) -> object:
    message = value.get("message")
    return message.get("content") if isinstance(message, dict) else None


def _missing_results(open_calls: dict[str, Line], renewal: Renewal) -> Iterator[bytes]:
    """Yield a result for every open call; the parent of each is its call or the previous result."""
    before: object = None
    for identifier, call in open_calls.items():
        parent, uuid = before or call["uuid"], _uuid(renewal.session, identifier)
        result: Line = {
            "type": "tool_result",
            "tool_use_id": identifier,
            "content": _INTERRUPTED,
            "is_error": True,
        }
        line: Line = {
            "parentUuid": parent,
            **{key: call[key] for key in _COPIED if key in call},
            "sessionId": renewal.session,
            "type": "user",
            "message": {"role": "user", "content": [result]},
            "uuid": uuid,
            "timestamp": renewal.timestamp,
            "toolUseResult": f"Error: {_INTERRUPTED}",
            "sourceToolAssistantUUID": call["uuid"],
        }
        yield encoded(_rewrite(line, renewal))
        before = uuid


def _uuid(session: str, identifier: str) -> str:
    """Return a deterministic id: another process may resume the restore."""
    from hashlib import sha256  # noqa: PLC0415  costs 3 ms, not needed to read a transcript

    digits = sha256(f"{session} {identifier}".encode("utf-8", "replace")).hexdigest()
    parts = digits[:8], digits[8:12], "4" + digits[13:16], "8" + digits[17:20], digits[20:32]
    return "-".join(parts)
