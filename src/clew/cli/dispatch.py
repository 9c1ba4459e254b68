"""Command dispatch: find the command, import its module, run it, report errors."""

from __future__ import annotations

from importlib import import_module

from clew import __version__
from clew.cli.commands import ALIASES, VERBS, module_name
from clew.cli.declare import NO_PAGER, REVEAL
from clew.cli.exits import ExitCode
from clew.cli.parse import before_dashes, parse, split_at_verb, wants_help

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import ModuleType

    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments


def dispatch(words: Sequence[str], context: CommandContext) -> int:
    """Run a command line and return its exit code; never raises."""
    context.as_json = "--json" in before_dashes(words)
    try:
        return _run_or_answer(words, context)
    except BrokenPipeError:
        return ExitCode.BROKEN_PIPE  # the reader closed its end, as `head` does
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED


def _run_or_answer(words: Sequence[str], context: CommandContext) -> int:
    try:
        code = _with_resumed(_run(words, context), context)
        context.end_paging()
        context.terminal.stdout.flush()
    except BrokenPipeError:
        raise
    except KeyboardInterrupt as error:
        _say_interrupted(error, context)
        raise
    except Exception as error:  # the user gets an error message, never a traceback
        from clew.cli.failure import answer_for  # only for failures

        return answer_for(error, context)
    finally:
        context.end_paging()
        context.clear()
    return code


def _run(words: Sequence[str], context: CommandContext) -> int:
    before, verb, after = split_at_verb(words)
    if "--version" in before:
        return _show_version(context)
    context.pages = NO_PAGER.key not in words  # of help pages; a command declares its own
    if verb is None and not wants_help(before):
        return _run_command(import_module("clew.cli.overview"), before, context)
    if verb is None or (verb == "help" and after[:1] in ([], ["help"])):
        return _show_overview(context)
    if verb == "version":
        return _show_version(context)
    if verb == "help" and module_name(after[0]) is None:
        from clew.cli.topics import TOPICS  # only for help

        if after[0] in TOPICS:
            return _print(TOPICS[after[0]][1].splitlines(), context)
    if verb == "help":
        return _show_page(_load(after[0]), context)
    module = _load(verb)
    if wants_help((*before, *after)):
        return _show_page(module, context)
    return _run_command(module, (*before, *after), context)


def _run_command(module: ModuleType, words: Sequence[str], context: CommandContext) -> int:
    arguments = parse(module.COMMAND, words)
    context.verb = module.COMMAND.name or context.verb
    context.directory = arguments.maybe("-C")
    _check_named(arguments, context.verb)
    context.named = arguments.maybe("--workspace")
    context.store = arguments.maybe("--store")
    context.is_for_reading = module.COMMAND.pages
    context.pages = module.COMMAND.pages and not arguments.given(NO_PAGER.key)
    context.reveals = REVEAL in module.COMMAND.options and arguments.given(REVEAL.key)
    code: int = module.run(arguments, context)
    return code


_NOT_NAMED = (
    *("init", "workspaces", "check", "completion"),
    *("enable", "disable", "doctor", "mcp", "hook", "enter"),
)
"""Commands that work on a directory, or on the store, and not on a workspace of any place."""


def _check_named(arguments: Arguments, verb: str) -> None:
    """Refuse `--workspace` where it would be ignored."""
    if arguments.maybe("--workspace") is None:
        return
    if verb in _NOT_NAMED or arguments.maybe("-C") is not None:
        from clew.errors import BadOption  # only for failures

        other = "-C" if arguments.maybe("-C") is not None else f"clew {verb}"
        raise BadOption("--workspace", f"cannot be combined with {other}")


def _with_resumed(code: int, context: CommandContext) -> int:
    """Report an interrupted restore that the command continued before its own work."""
    resumed = context.workspace.continued_restore if context.workspace is not None else None
    if resumed is None:
        return code
    from clew.render.restore import result  # rarely needed

    for line in result(resumed, context.look()):
        context.say(line)
    return ExitCode.PARTIAL if resumed.is_partial and code == ExitCode.DONE else code


def _say_interrupted(error: KeyboardInterrupt, context: CommandContext) -> None:
    """Report the state of the workspace after Ctrl-C."""
    from clew.errors import RestoreInterrupted

    if not isinstance(error, RestoreInterrupted):
        context.say("Interrupted")
        return
    if error.pending is None:
        context.say("Interrupted: the restore was cancelled, no file was changed")
        return
    state = "some files have changed" if error.pending.has_moved else "no file has changed yet"
    context.say(f"Interrupted: the restore is not complete, {state}")
    context.say(
        "Hint: Finish it with `clew restore --continue`, or undo it with `clew restore --abort`"
    )


def _load(word: str) -> ModuleType:
    name = module_name(word)
    if name is None:
        from clew.cli import suggestions

        raise suggestions.unknown_command(word, (*VERBS, *ALIASES))
    return import_module(name)


def _show_overview(context: CommandContext) -> int:
    from clew.cli.help import overview  # only for help

    return _print(overview(context.terminal.width), context)


def _show_page(module: ModuleType, context: CommandContext) -> int:
    from clew.cli.help import page  # only for help

    return _print(page(module.COMMAND, context.terminal.width), context)


def _show_version(context: CommandContext) -> int:
    context.emit(lambda: {"version": __version__}, lambda: [f"clew {__version__}"])
    return ExitCode.DONE


def _print(lines: Iterable[str], context: CommandContext) -> int:
    context.print_lines(lines)
    return ExitCode.DONE
