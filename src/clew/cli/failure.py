"""The answer to a failure: a sentence and the next step, as text or as JSON, and an exit code."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from clew.cli.exits import ExitCode
from clew.cli.explain import explain, explain_os_error
from clew.errors import ClewError, MergeConflicts, NeedsConfirmation, PruneUnconfirmed
from clew.model.named_tuple import NamedTuple
from clew.policy.redaction.redact import redact, redact_words
from clew.render import json
from clew.render.safe import safe

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.render.json_values import Json


def answer_for(error: Exception, context: CommandContext) -> int:
    """Say what went wrong and what to do next, and return the exit code."""
    if context.terminal.debug:
        import traceback  # only for those who ask for it

        for line in redact("".join(traceback.format_exception(error))).splitlines():
            context.say(safe(line))
    words = _explained(error, context.verb)
    match error:
        case NeedsConfirmation():
            return _refuse(error, words.hint, words.code, context)
        case MergeConflicts():
            return _list_conflicts(error, words.hint, words.code, context)
        case PruneUnconfirmed():
            return _list_doomed(error, words, context)
        case _:
            return _fail(error, words, context)


def error_value(error: Exception, verb: str) -> Json:
    """Return the error object for what `clew VERB` would fail with, as docs/json.md describes it."""
    kind, message, hint, _ = _explained(error, verb)
    if isinstance(error, MergeConflicts):
        return json.conflicting(kind, message, hint, error.merge)
    if isinstance(error, PruneUnconfirmed):
        return json.unpruned(kind, message, hint, error.foreseen)
    plan = error.preview if isinstance(error, NeedsConfirmation) else None
    return json.failed(kind, message, hint, plan, json.failure_details(error))


class _Explained(NamedTuple):
    """What is said of a failure."""

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
            message = redact_words(_sentence(error))
            return _Explained("os", message, explain_os_error(error), ExitCode.FAILED)
        case _:
            message = f"Unexpected {type(error).__name__}: {redact_words(str(error))}"
            hint = "This is a bug in clew; CLEW_DEBUG=1 shows where"
            return _Explained("internal", message, hint, ExitCode.FAILED)


def _fail(error: Exception, words: _Explained, context: CommandContext) -> int:
    if context.as_json:
        details = json.failure_details(error)
        value = json.failed(words.kind, words.message, words.hint, details=details)
        context.emit(lambda: value, lambda: ())
    else:
        _talk(words.message, words.hint, context)
    return words.code


def _refuse(error: NeedsConfirmation, hint: str, code: int, context: CommandContext) -> int:
    """Show what was not done for want of a yes."""
    if context.as_json:
        plan = error.preview
        context.emit(
            lambda: json.failed(error.kind, redact_words(str(error)), hint, plan), lambda: ()
        )
        return code
    if context.was_asked:
        context.say("Nothing was changed")
        return code
    from clew.render.restore import preview  # no other failure needs it

    look = context.look()
    context.emit(dict, lambda: preview(error.preview, look))
    _talk(redact_words(str(error)), hint, context)
    return code


def _list_conflicts(error: MergeConflicts, hint: str, code: int, context: CommandContext) -> int:
    """Show all that both sides of a merge changed."""
    from clew.render.merge import blocked  # no other failure needs it

    look, kind, message = context.look(), error.kind, redact_words(str(error))
    context.emit(
        lambda: json.conflicting(kind, message, hint, error.merge),
        lambda: blocked(error.merge, look),
    )
    if not context.as_json:
        _talk(message, hint, context)
    return code


def _list_doomed(error: PruneUnconfirmed, words: _Explained, context: CommandContext) -> int:
    """Show what was not removed for want of a yes."""
    if context.was_asked:
        context.say("Nothing was removed")
        return words.code
    from clew.render.maintenance import pruned  # no other failure needs it

    foreseen, look = error.foreseen, context.look()
    context.emit(
        lambda: json.unpruned(words.kind, words.message, words.hint, foreseen),
        lambda: pruned(foreseen, look),
    )
    if not context.as_json:
        _talk(words.message, words.hint, context)
    return words.code


def _talk(message: str, hint: str, context: CommandContext) -> None:
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
