"""Error output: message and hint, as text or JSON, and the exit code."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from clew.cli.exits import ExitCode
from clew.cli.explain import explain, explain_os_error
from clew.errors import ClewError, MergeConflicts, NeedsConfirmation, PruneNeedsConfirmation
from clew.model.named_tuple import NamedTuple
from clew.policy.redaction.redact import redact, redact_words
from clew.render import json
from clew.render.safe import safe

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.render.json_values import Json


def answer_for(error: Exception, context: CommandContext) -> int:
    """Print the error and its hint, and return the exit code."""
    if context.terminal.debug:
        import traceback  # only with CLEW_DEBUG

        for line in redact("".join(traceback.format_exception(error))).splitlines():
            context.say(safe(line))
    explained = _explained(error, context.verb)
    match error:
        case NeedsConfirmation():
            return _show_unconfirmed(error, explained.hint, explained.code, context)
        case MergeConflicts():
            return _show_conflicts(error, explained.hint, explained.code, context)
        case PruneNeedsConfirmation():
            return _show_unpruned(error, explained, context)
        case _:
            return _fail(error, explained, context)


def error_value(error: Exception, verb: str) -> Json:
    """Return the JSON error object of `clew VERB`, see docs/json.md."""
    kind, message, hint, _ = _explained(error, verb)
    if isinstance(error, MergeConflicts):
        return json.conflicting(kind, message, hint, error.merge)
    if isinstance(error, PruneNeedsConfirmation):
        return json.unpruned(kind, message, hint, error.preview)
    plan = error.preview if isinstance(error, NeedsConfirmation) else None
    return json.failed(kind, message, hint, plan, json.failure_details(error))


class _Explained(NamedTuple):
    """Kind, message, hint and exit code of an error."""

    kind: str
    message: str
    hint: str
    code: int


def _explained(error: Exception, verb: str) -> _Explained:
    match error:
        case ClewError():
            code, hint = explain(error, verb)
            return _Explained(error.kind, redact_words(str(error)), redact_words(hint), code)
        case OSError():
            message = redact_words(_os_message(error))
            return _Explained("os", message, explain_os_error(error), ExitCode.FAILED)
        case _:
            message = f"Unexpected {type(error).__name__}: {redact_words(str(error))}"
            hint = "This is a bug in clew; run the command again with CLEW_DEBUG=1 for a traceback"
            return _Explained("internal", message, hint, ExitCode.FAILED)


def _fail(error: Exception, explained: _Explained, context: CommandContext) -> int:
    if context.as_json:
        details = json.failure_details(error)
        value = json.failed(explained.kind, explained.message, explained.hint, details=details)
        context.emit(lambda: value, lambda: ())
    else:
        _say_error(explained.message, explained.hint, context)
    return explained.code


def _show_unconfirmed(
    error: NeedsConfirmation, hint: str, code: int, context: CommandContext
) -> int:
    """Print the preview of a restore that was not confirmed."""
    if context.as_json:
        plan = error.preview
        context.emit(
            lambda: json.failed(error.kind, redact_words(str(error)), hint, plan), lambda: ()
        )
        return code
    if context.was_asked:
        context.say("Nothing was changed")
        return code
    from clew.render.restore import preview  # only here

    look = context.look()
    context.emit(dict, lambda: preview(error.preview, look))
    _say_error(redact_words(str(error)), hint, context)
    return code


def _show_conflicts(error: MergeConflicts, hint: str, code: int, context: CommandContext) -> int:
    """Print the conflicts of a merge."""
    from clew.render.merge import blocked  # only here

    look, kind, message = context.look(), error.kind, redact_words(str(error))
    context.emit(
        lambda: json.conflicting(kind, message, hint, error.merge),
        lambda: blocked(error.merge, look),
    )
    if not context.as_json:
        _say_error(message, hint, context)
    return code


def _show_unpruned(
    error: PruneNeedsConfirmation, explained: _Explained, context: CommandContext
) -> int:
    """Print the preview of a prune that was not confirmed."""
    if context.was_asked:
        context.say("Nothing was removed")
        return explained.code
    from clew.render.maintenance import pruned  # only here

    planned, look = error.preview, context.look()
    context.emit(
        lambda: json.unpruned(explained.kind, explained.message, explained.hint, planned),
        lambda: pruned(planned, look),
    )
    if not context.as_json:
        _say_error(explained.message, explained.hint, context)
    return explained.code


def _say_error(message: str, hint: str, context: CommandContext) -> None:
    with suppress(OSError):  # it may be the error we are about to report
        context.terminal.stdout.flush()  # keeps the order in a log of both streams
    context.say(f"Error: {safe(message)}")
    context.say(f"Hint: {safe(hint)}")


def _os_message(error: OSError) -> str:
    if error.filename is None:
        return error.strerror or str(error)
    name = error.filename
    path = name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else str(name)
    return f"{error.strerror}: {path!r}"
