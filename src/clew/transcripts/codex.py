"""Codex transcripts, `~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<session>.jsonl`.

There is one file per session.  Lines are `{timestamp, type, payload}`; the first, `session_meta`,
names the session.  A call without an output gets one that says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from clew.transcripts.dialect import (
    LARGE,
    Dialect,
    Line,
    NotATranscript,
    Renewal,
    TranscriptTouch,
    encoded,
    parsed,
    text_at,
)

_CALLS = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "local_shell_call": "function_call_output",
}
_INTERRUPTED = "aborted: the conversation was taken back to before this came to its end"
_IDS = ("session_id", "thread_id")
"""Keys with the session id in any line; in the first line also `id`."""

_CALL_ID = re.compile(rb'"call_id"\s*:\s*"([^"\\]+)"')
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.M)
_DAY_FOLDER = re.compile(rb"(.*/)?\d{4}/\d{2}/\d{2}/[^/]+", re.S)


def renewed(lines: Iterable[bytes], renewal: Renewal) -> Iterator[bytes]:
    """Yield the lines of a new session with the same history."""
    open_calls: dict[str, str] = {}
    old, ordinal = "", -1
    for line in lines:
        if len(line) > LARGE:
            for identifier in _CALL_ID.findall(line):
                open_calls.pop(identifier.decode("utf-8", "replace"), None)
            yield line + b"\n"
            continue
        value = parsed(line)
        if value is None:
            continue  # truncated, or not a transcript line
        if value.get("type") == "session_meta":
            old = old or text_at(value.get("payload"), "id")
        elif not old:
            raise NotATranscript("it does not begin with a session")
        _track_calls(value, open_calls)
        if isinstance(number := value.get("ordinal"), int):
            ordinal = number
        yield encoded(_rewrite(value, old, renewal))
    if not old:
        raise NotATranscript("no line of it names a session")
    for place_behind, (identifier, output) in enumerate(open_calls.items(), 1):
        answer: Line = {"type": output, "call_id": identifier, "output": _INTERRUPTED}
        numbered: Line = {"ordinal": ordinal + place_behind} if ordinal >= 0 else {}
        added: Line = {"timestamp": renewal.timestamp, **numbered, "type": "response_item"}
        yield encoded({**added, "payload": answer})


def place(transcript: bytes, session: str, _: str | None, timestamp: str) -> bytes:
    """Return the path of a new session: in the folder of its day, else beside the old transcript."""
    day, time = timestamp[:10], timestamp[11:19].replace(":", "-")
    name = f"rollout-{day}T{time}-{session}.jsonl".encode()
    if (dated := _DAY_FOLDER.fullmatch(transcript)) is not None:
        return (dated[1] or b"") + day.replace("-", "/").encode() + b"/" + name
    return transcript.rpartition(b"/")[0] + b"/" + name


def command(session: str) -> str:
    """Return the command that resumes a session."""
    return f"codex resume {session}"


def touched(line: bytes) -> TranscriptTouch:
    """Return the files that a line's patch changes; reads go through a shell and are unknown."""
    value = parsed(line) if len(line) <= LARGE else None
    payload = value.get("payload") if value is not None else None
    if text_at(payload, "type") not in _CALLS or text_at(payload, "name") != "apply_patch":
        return TranscriptTouch()
    text = text_at(payload, "input") or text_at(
        parsed(text_at(payload, "arguments").encode("utf-8", "replace")), "input"
    )
    return TranscriptTouch((), tuple(found[1] or found[2] for found in _PATCHED.finditer(text)))


DIALECT = Dialect(renewed, place, command, touched)


def _rewrite(value: Line, old: str, renewal: Renewal) -> Line:
    payload = value.get("payload")
    if not isinstance(payload, dict):
        return value
    is_first = value.get("type") == "session_meta"
    ids = ("id", *_IDS) if is_first else _IDS
    changed: Line = {key: renewal.session for key in ids if payload.get(key) == old}
    if renewal.cwd is not None and (is_first or value.get("type") == "turn_context"):
        changed |= _replace_directory(payload, text_at(payload, "cwd"), renewal.cwd)
    return value | {"payload": payload | changed} if changed else value


def _replace_directory(payload: Line, old: str, new: str) -> Line:
    """Return the fields with the old directory, alone or in a list, replaced by the new one."""
    found: Line = {}
    for key, value in payload.items():
        if value == old and old:
            found[key] = new
        elif isinstance(value, list) and old in value:
            found[key] = [new if item == old else item for item in value]
    return found


def _track_calls(value: Line, open_calls: dict[str, str]) -> None:
    """Add the call of a line to `open_calls`, or remove the one whose output it is."""
    payload = value.get("payload")
    kind, identifier = text_at(payload, "type"), text_at(payload, "call_id")
    if value.get("type") != "response_item" or not identifier:
        return
    if kind in _CALLS:
        open_calls[identifier] = _CALLS[kind]
    elif kind in _CALLS.values():
        open_calls.pop(identifier, None)
