"""Sessions: started, found, and attached to a workspace."""

from __future__ import annotations

import os
import stat

from clew.errors import BadOption, NoSession, UnknownSession
from clew.filenames import real_path
from clew.model.checkpoint import Checkpoint
from clew.model.ids import short
from clew.model.session import NOT_RESUMED, UNKNOWN_PROCESS, Format, SessionInfo
from clew.operations.context import Context
from clew.policy.labels import label
from clew.worktree.agent_process import is_running

NOBODY = "none"
"""Given instead of a session id for no session."""
_PREFIX_DIGITS = 4
_SILENCE_NS = 3600 * 1_000_000_000


def begin(
    context: Context,
    *,
    agent: str = "",
    version: str = "",
    native: str = "",
    transcript: str | None = None,
    kind: str | None = None,
    attach: bool | None = True,
    process: str = "",
) -> SessionInfo:
    """Start a session, or continue the one with the same agent and name.

    With `attach` None a new one is attached, and an existing one is left as it is.  `process` is
    that of the agent, if it reports what it does.
    """
    context.store.require_writable()
    path = _transcript(transcript)
    form = kind or (Format.JSONL if path is not None else Format.MESSAGES)
    if form not in Format.ALL:
        raise BadOption("format", f"must be one of {', '.join(Format.ALL)}")
    known = known_session(context, agent, native) if native else None
    _require_sense(kind, path or (known.transcript if known is not None else None))
    if known is None:
        return context.store.sessions.add(
            SessionInfo(
                id=b"",
                workspace=context.workspace,
                agent=label(agent),
                version=label(version),
                native=label(native),
                format=form,
                transcript=path,
                attached=attach is not False,
                process=process,
            )
        )
    renewed = known._replace(
        version=label(version) if version else known.version,
        transcript=path if path is not None else known.transcript,
        format=form if path is not None else known.format,
        attached=bool(attach) or known.attached,
        ended_ns=0,
        process=_process(known, process, is_start=bool(attach)),
    )
    if renewed != known:
        with context.store.database.transaction():
            context.store.sessions.update(renewed)
    return renewed


def find_session(context: Context, text: str) -> SessionInfo:
    """Return the session named by an id, a prefix of one, or the agent's name for it."""
    wanted = text.strip().lower()
    every = context.store.sessions.of(context.workspace)
    names = (text.strip(), label(text.strip()))
    named = _not_gone_on([one for one in every if one.native and one.native in names])
    found = named or [
        one for one in every if len(wanted) >= _PREFIX_DIGITS and one.text_id.startswith(wanted)
    ]
    if len(found) != 1:
        raise UnknownSession(text, [one.text_id[:8] for one in found])
    return found[0]


def current_session(context: Context, text: str | None = None) -> SessionInfo:
    """Return the named session, else the attached one."""
    if text is not None:
        return find_session(context, text)
    attached = context.store.sessions.attached(context.workspace)
    if attached is None:
        raise NoSession
    return attached


def session_id(context: Context, text: str) -> bytes:
    """Return the id of the named session; empty for `none`."""
    return b"" if text == NOBODY else find_session(context, text).id


def session_at(context: Context, checkpoint: Checkpoint) -> SessionInfo:
    """Return the session of a checkpoint."""
    identifier = checkpoint.record.position.session
    found = context.store.sessions.get(identifier) if identifier else None
    if found is None:
        raise BadOption("--checkpoint", f"checkpoint has no session: {short(checkpoint.id)!r}")
    return found


def attach(context: Context, text: str) -> SessionInfo:
    """Attach a session: new checkpoints belong to it."""
    context.store.require_writable()
    context.store.sessions.attach(find_session(context, text))
    return current_session(context)


def detach(context: Context) -> SessionInfo:
    """Detach the attached session and return it."""
    context.store.require_writable()
    attached = current_session(context)
    context.store.sessions.detach(attached)
    return attached._replace(attached=False)


def end(context: Context, session: bytes) -> None:
    """Record that the agent of a session has ended: later saves do not belong to it."""
    context.store.require_writable()
    context.store.sessions.end(session)


def recorded_session(context: Context, *, is_changed: bool) -> SessionInfo | None:
    """Return the session that a save belongs to if none is named: the attached one, at work.

    `is_changed` is whether files changed since *here*.  While the agent waits for a prompt, or has
    not resumed yet, changes are a person's; without any, the checkpoint still has the place in the
    conversation.
    """
    attached = running_session(context)
    if attached is None:
        return None
    if not is_changed or not attached.process:
        return attached
    is_idle = attached.process == NOT_RESUMED or context.store.desks.is_resting(attached.id)
    return None if is_idle else attached


def running_session(context: Context) -> SessionInfo | None:
    """Return the attached session, unless its agent has ended: what is done then is a person's."""
    attached = context.store.sessions.attached(context.workspace)
    return None if attached is None or end_of(context, attached) else attached


def end_of(context: Context, session: SessionInfo) -> int:
    """Return when the agent of a session ended; 0 if it runs, or may run.

    Not every agent reports its end, and none does so when it is killed: then its process is gone.
    Where that cannot be known, an agent without an event for an hour has ended.
    """
    if session.ended_ns or session.process in ("", NOT_RESUMED):
        return session.ended_ns
    is_alive = is_running(session.process)
    if is_alive:
        return 0
    heard = max(session.seen_ns, context.store.desks.last_seen().get(session.id, 0))
    if is_alive is None and context.host.now_ns() - heard < _SILENCE_NS:
        return 0
    return heard


def with_end(context: Context, session: SessionInfo) -> SessionInfo:
    """Return a session with the time at which its agent ended."""
    return session._replace(ended_ns=end_of(context, session))


def _process(known: SessionInfo, process: str, *, is_start: bool) -> str:
    """Return the process to record for a session that continues.

    If it changes although the agent did not start again, events come from helpers that end at once:
    their end says nothing about the agent.
    """
    if is_start or not process:
        return process
    was_running = is_running(known.process)
    if was_running:
        return known.process  # another process of the same agent
    is_unknown = was_running is False or known.process == UNKNOWN_PROCESS
    return UNKNOWN_PROCESS if is_unknown else process


def _not_gone_on(sessions: list[SessionInfo]) -> list[SessionInfo]:
    """Return the sessions that no other of them continues."""
    origins = {one.origin for one in sessions}
    return [one for one in sessions if one.id not in origins]


def known_session(context: Context, agent: str, native: str) -> SessionInfo | None:
    """Return the session with that name of an agent."""
    every = context.store.sessions.of(context.workspace)

    def newest(wanted: tuple[str, str]) -> SessionInfo | None:
        return next((one for one in every if (one.agent, one.native) == wanted), None)

    # Most names contain no secret, and searching them costs time.
    return newest((agent, native)) or newest((label(agent), label(native)))


def _require_sense(kind: str | None, transcript: bytes | None) -> None:
    if kind == Format.JSONL and transcript is None:
        raise BadOption("format", f"{kind} requires a transcript")
    if kind == Format.MESSAGES and transcript is not None:
        raise BadOption("format", f"{kind} takes no transcript")


def _transcript(path: str | None) -> bytes | None:
    """Return the path of a transcript, which need not exist yet; refuse what cannot be one."""
    if path is None:
        return None
    resolved = real_path(os.fsencode(path))
    try:
        found = os.stat(resolved)
    except FileNotFoundError:
        return resolved  # the agent creates it with the first message
    except OSError as error:
        raise BadOption("transcript", f"{error.strerror}: {path!r}") from error
    if not stat.S_ISREG(found.st_mode):
        raise BadOption("transcript", f"not a file: {path!r}")
    return resolved
