"""The answer to a failure: a sentence and the next step, as text or as JSON, and an exit code."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from clew.cli.exits import ExitCode
from clew.cli.explain import explain, explain_os_error
from clew.errors import ClewError, MergeConflicts, NeedsConfirmation
from clew.render import json
from clew.render.safe import safe

if TYPE_CHECKING:
    from clew.cli.context import Context


def answer_for(error: Exception, context: Context) -> int:
    """Say what went wrong and what to do next, and return the exit code."""
    if context.terminal.debug:
        import traceback  # only for those who ask for it

        for line in "".join(traceback.format_exception(error)).splitlines():
            context.say(safe(line))
    match error:
        case NeedsConfirmation():
            code, hint = explain(error, context.verb)
            return _refuse(error, hint, code, context)
        case MergeConflicts():
            code, hint = explain(error, context.verb)
            return _list_conflicts(error, hint, code, context)
        case ClewError():
            code, hint = explain(error, context.verb)
            return _fail(error.kind, str(error), hint, code, context)
        case OSError():
            return _fail("os", _sentence(error), explain_os_error(error), ExitCode.FAILED, context)
        case _:
            message = f"Unexpected {type(error).__name__}: {error}"
            hint = "This is a bug in clew; CLEW_DEBUG=1 shows where"
            return _fail("internal", message, hint, ExitCode.FAILED, context)


def _fail(kind: str, message: str, hint: str, code: int, context: Context) -> int:
    if context.as_json:
        context.emit(lambda: json.failed(kind, message, hint), lambda: ())
    else:
        _talk(message, hint, context)
    return code


def _refuse(error: NeedsConfirmation, hint: str, code: int, context: Context) -> int:
    """Show what was not done for want of a yes."""
    if context.as_json:
        plan = error.preview
        context.emit(lambda: json.failed(error.kind, str(error), hint, plan), lambda: ())
        return code
    if context.was_asked:
        context.say("Nothing was changed")
        return code
    from clew.render.restoring import preview  # no other failure needs it

    look = context.look()
    context.emit(dict, lambda: preview(error.preview, look))
    _talk(str(error), hint, context)
    return code


def _list_conflicts(error: MergeConflicts, hint: str, code: int, context: Context) -> int:
    """Show all that both sides of a merge changed."""
    from clew.render.merging import blocked  # no other failure needs it

    look, kind, message = context.look(), error.kind, str(error)
    context.emit(
        lambda: json.conflicting(kind, message, hint, error.merge),
        lambda: blocked(error.merge, look),
    )
    if not context.as_json:
        _talk(message, hint, context)
    return code


def _talk(message: str, hint: str, context: Context) -> None:
    with suppress(OSError):  # which may be what we are about to report
        context.terminal.stdout.flush()  # what was said before comes before, also in a log
    context.say(f"Error: {safe(message)}")
    context.say(f"Hint: {safe(hint)}")


def _sentence(error: OSError) -> str:
    if error.filename is None:
        return error.strerror or str(error)
    name = error.filename
    path = name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else str(name)
    return f"{error.strerror}: {path!r}"
