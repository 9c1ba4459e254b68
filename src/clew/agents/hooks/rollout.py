"""Codex rollout: exit codes and the plan, which Codex's hooks do not report."""

from __future__ import annotations

import json
import os
import re
import stat

from clew.agents.hooks.events import Payload, mapping, text
from clew.agents.hooks.todo import Plan, plan_in

_TAIL_BYTES = 1 << 20
_EXITED = re.compile(r"Process exited with code (-?\d{1,10})\b")
_MAX_HEAD = 1_000


def tail_of(path: str) -> list[bytes]:
    """Return the last lines of a rollout; none if it cannot be read."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags)
    except OSError:
        return []
    try:
        known = os.fstat(descriptor)
        if not stat.S_ISREG(known.st_mode):
            return []
        start = max(0, known.st_size - _TAIL_BYTES)
        lines = os.pread(descriptor, _TAIL_BYTES, start).split(b"\n")
    except OSError:
        return []
    finally:
        os.close(descriptor)
    return lines[1:] if start else lines


def exit_code(tail: list[bytes], call: str) -> int | None:
    """Return the exit code of a call's command; None if the rollout does not contain it."""
    if not call:
        return None
    mark = json.dumps(call).encode()
    for line in reversed(tail):
        if mark in line:
            code = _code_in(_payload(line), call)
            if code is not None:
                return code
    return None


def last_plan(tail: list[bytes]) -> Plan | None:
    """Return the plan of the last `update_plan` call; None if there is none."""
    for line in reversed(tail):
        if b'"update_plan"' not in line:
            continue
        payload = _payload(line)
        if text(payload, "name") == "update_plan" and not _was_refused(tail, payload):
            return plan_in(_parsed(text(payload, "arguments")), "plan", "step")
    return None


def _was_refused(tail: list[bytes], call: Payload) -> bool:
    mark = json.dumps(text(call, "call_id")).encode()
    answers = (_payload(line) for line in tail if mark in line and b"unsupported call" in line)
    return any(text(answer, "output").startswith("unsupported call") for answer in answers)


def _code_in(payload: Payload, call: str) -> int | None:
    """Return the exit code in a record of a command's end, as written by versions since 0.50."""
    item = mapping(payload, "item")
    for found, identifier in ((item, text(item, "id")), (payload, text(payload, "call_id"))):
        code = found.get("exit_code")
        if identifier == call and isinstance(code, int):
            return code
    match = _EXITED.search(text(payload, "output")[:_MAX_HEAD])
    return int(match[1]) if match and text(payload, "call_id") == call else None


def _payload(line: bytes) -> Payload:
    return mapping(_parsed(line), "payload")


def _parsed(content: bytes | str) -> Payload:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
