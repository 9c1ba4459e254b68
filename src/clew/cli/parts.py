"""Parts of a checkpoint to restore, and a conversation written to a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from clew.cli.exits import ExitCode
from clew.errors import BadOption
from clew.model.ids import short
from clew.model.parts import RestorePart, WrittenConversation
from clew.render import json_parts, parts

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.workspace.protocol import WorkspaceProtocol

STANDARD_OUTPUT = "-"


def chosen_parts(args: Arguments) -> tuple[str, ...]:
    """Return the parts to restore, without a conversation that is written to a file."""
    given = [part for part in RestorePart.ALL if args.given(f"--{part}")]
    if args.maybe("--conversation"):
        given.remove(RestorePart.CONVERSATION)
    return tuple(given)


def write_conversation(
    workspace: WorkspaceProtocol, ref: str, out: str, args: Arguments, context: CommandContext
) -> WrittenConversation:
    """Write the conversation of a checkpoint to a file with mode 600."""
    target = workspace.resolve(ref, monitor=context.monitor)
    if target.record.position.conversation is None:
        raise BadOption("--conversation", f"checkpoint has no conversation: {short(target.id)!r}")
    pieces = workspace.sessions.conversation(ref)
    if out == STANDARD_OUTPUT:
        if context.as_json:
            raise BadOption("--conversation", "`-` cannot be combined with --json")
        context.terminal.stdout.flush()
        length = sum(context.terminal.binary_output.write(piece) for piece in pieces)
        context.terminal.binary_output.flush()
        return WrittenConversation(target.id, out, length)
    flags = os.O_TRUNC if args.given("--yes") else os.O_EXCL
    try:
        descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | flags, 0o600)
    except FileExistsError as error:
        raise BadOption("--conversation", f"file exists, --yes overwrites it: {out!r}") from error
    with os.fdopen(descriptor, "wb") as file:
        return WrittenConversation(target.id, out, sum(file.write(piece) for piece in pieces))


def answer_written(written: WrittenConversation, context: CommandContext) -> int:
    """Print where a conversation was written, if nothing else was done."""
    if written.path != STANDARD_OUTPUT:
        context.emit(
            lambda: json_parts.conversation_file_value(written), lambda: parts.written(written)
        )
    return ExitCode.DONE
