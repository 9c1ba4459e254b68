"""Migrate a session to another version of its agent.

The new session has the tasks and the conversation of the old one, and the agent's state after a
converter has changed its shape.  The old session and its checkpoints stay unchanged; the new one
has it as its origin.  A converter runs before anything is written, so its failure changes nothing.
"""

from __future__ import annotations

import json

from clew.errors import BadOption, MigrationFailed
from clew.model.session import SessionInfo
from clew.model.session_results import Convert, Migrated
from clew.operations.context import Context
from clew.operations.sessions.state import MOST_BYTES, encoded, state_of
from clew.policy.labels import label
from clew.policy.redaction.redact import redact

_SECONDS = 60.0
_COMPLAINT = 200


def prepare(
    old: SessionInfo, *, version: str, agent: str | None, convert: Convert | None
) -> SessionInfo:
    """Return the new session with its state converted; no lock is held meanwhile."""
    wanted = old._replace(
        id=b"",
        agent=_label(agent) if agent is not None else old.agent,
        version=_label(version),
        started_ns=0,
        seen_ns=0,
        origin=old.id,
    )
    if not wanted.version:
        raise BadOption("--to", "a version is required")
    if (wanted.agent, wanted.version) == (old.agent, old.version):
        raise BadOption("--to", f"the session already has that version: {wanted.version!r}")
    return wanted._replace(state=_converted(old, convert))


def by_command(root: bytes, old: SessionInfo, version: str, command: str) -> Convert:
    """Return a converter that runs a command: JSON on standard input, JSON on standard output."""
    from clew.worktree.filter_command import run_filter  # noqa: PLC0415  only a migration runs one

    if not command.strip():
        raise BadOption("--with", "a command is required")

    def convert(state: object) -> object:
        given = {"CLEW_FROM_VERSION": old.version, "CLEW_TO_VERSION": version}
        found = run_filter(
            command, encoded(state), root, given, seconds=_SECONDS, most_bytes=MOST_BYTES
        )
        if found.problem:
            raise MigrationFailed(found.problem + _complaint(found.complaint))
        try:
            return json.loads(found.output)
        except (ValueError, RecursionError) as error:
            raise MigrationFailed(f"the converter printed invalid JSON: {error}") from error

    return convert


def carry(context: Context, old: SessionInfo, wanted: SessionInfo, *, converted: bool) -> Migrated:
    """Write the new session, its tasks and its pending messages, all or nothing.

    It is attached if the old one was.
    """
    store = context.store
    store.require_writable()
    with store.database.transaction():
        now = store.sessions.get(old.id)
        if now is None or now.state != old.state:
            raise MigrationFailed("its state changed during the migration")
        current = wanted._replace(
            attached=now.attached, conversation=now.conversation, length=now.length
        )
        new = store.sessions.insert(current)
        tasks = store.tasks.of(old.id)
        store.tasks.replace(new.id, tasks)
        store.sessions.add_pending(new.id, [one for _, one in store.sessions.pending(old.id)])
    was = store.sessions.get(old.id)
    assert was is not None
    return Migrated(was, new, tuple(tasks), converted)


def _converted(old: SessionInfo, convert: Convert | None) -> bytes | None:
    if convert is None:
        return old.state
    try:
        state = convert(state_of(old))
        return None if state is None else encoded(state)
    except MigrationFailed:
        raise
    except BadOption as error:
        raise MigrationFailed(f"the converted state cannot be stored: {error}") from error
    except Exception as error:
        said = redact(str(error))[:_COMPLAINT]
        raise MigrationFailed(f"the converter raised {type(error).__name__}: {said!r}") from error


def _label(text: str) -> str:
    return label(text.strip())


def _complaint(text: bytes) -> str:
    """Return the last line of a converter's error output, for use in a sentence."""
    lines = redact(text.decode("utf-8", "replace")).split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f": {last[:_COMPLAINT]!r}" if last else ""
