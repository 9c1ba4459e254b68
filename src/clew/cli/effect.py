"""`clew effect`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli import suggestions
from clew.cli.declare import Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.cli.sessions import SESSION
from clew.errors import BadOption, DuplicateEffect
from clew.render import effects, json_effects
from clew.render.safe import safe

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.model.effect import Effect
    from clew.workspace.protocol import WorkspaceProtocol

COMMAND = Command(
    "effect",
    "Record an action that a restore cannot undo",
    """\
An effect is an action on the outside world: a deployment, an email, a payment. Run
`clew effect record WHAT` before it and `clew effect settle N STATUS` after it; an unsettled effect has
the status unknown. `clew effect list`, or `clew effect` alone, lists them.
A restore to a checkpoint before an effect lists it. Recording the same action again, even with other
ids and times, then fails unless --again is given.""",
    (
        Positional("ACTION", "`record`, `settle` or `list`", required=False),
        Positional(
            "WHAT",
            "Description or command line of the action, or number of an effect",
            required=False,
        ),
        Positional("STATUS", "Result: `done`, `failed` or `undone`", required=False),
        Positional("OUTCOME", "Details of the result", required=False),
    ),
    (
        Option(("--tool",), "Tool that performs the action", "NAME"),
        Option(("--arguments",), "Arguments of the tool", "JSON"),
        Option(("--reversible",), "Mark the action as reversible"),
        Option(("--undo",), "Action that would reverse it", "TEXT"),
        Option(("--again",), "Record the action although it was done before"),
        Option(
            ("--outstanding",),
            "List only effects that a restore removed from history but did not undo",
        ),
        SESSION,
    ),
)

_WORDS = {"record": ("WHAT",), "settle": ("WHAT", "STATUS"), "list": ()}
_AT_MOST = {"record": 1, "settle": 3, "list": 0}
_RECORDING = ("--tool", "--arguments", "--reversible", "--undo", "--again")


def run(args: Arguments, context: CommandContext) -> int:
    action = _checked_action(args)
    look = context.look()
    if action == "list":
        with context.open() as workspace:
            found = workspace.effects.list(outstanding=args.given("--outstanding"))
        context.emit(lambda: json_effects.listed(found), lambda: effects.listed(found, look))
        if not found.effects:
            context.say("No effects yet: run `clew effect record WHAT` before an external action")
        return ExitCode.DONE
    with context.open() as workspace:
        if action == "record":
            effect = _recorded(args, workspace, context)
        else:
            number = args.number("WHAT", least=1) or 0
            outcome = args.maybe("OUTCOME") or ""
            effect = workspace.effects.settle(number, args.one("STATUS"), outcome=outcome)
    context.say_redacted(
        effect=args.maybe("WHAT"), undo=args.maybe("--undo"), outcome=args.maybe("OUTCOME")
    )
    context.emit(lambda: json_effects.one(effect), lambda: effects.one(effect, look))
    return ExitCode.DONE


def _checked_action(args: Arguments) -> str:
    action = args.maybe("ACTION") or "list"
    if action not in _WORDS:
        raise suggestions.unknown_action(action, _WORDS, "effect")
    nouns = ("WHAT", "STATUS", "OUTCOME")
    for noun in _WORDS[action]:
        if args.maybe(noun) is None:
            raise suggestions.missing_argument(noun, "effect")
    for noun in nouns[_AT_MOST[action] :]:
        if args.maybe(noun) is not None:
            raise suggestions.unexpected_argument(args.one(noun), COMMAND)
    for option in _RECORDING:
        if action != "record" and args.given(option):
            raise BadOption(option, f"does not apply to `clew effect {action}`")
    return action


def _recorded(args: Arguments, workspace: WorkspaceProtocol, context: CommandContext) -> Effect:
    arguments = _arguments(args.maybe("--arguments"))

    def record(again: bool) -> Effect:
        return workspace.effects.record(
            args.one("WHAT"),
            tool=args.maybe("--tool") or "",
            arguments=arguments,
            reversible=args.given("--reversible"),
            undo=args.maybe("--undo") or "",
            again=again,
            session=args.maybe("--session"),
        )

    try:
        return record(args.given("--again"))
    except DuplicateEffect as error:
        if context.as_json or not context.terminal.can_ask:
            raise
        context.say(safe(f"{error}. It is {error.reason}"))
        if not context.ask("Repeat it?"):
            raise
        return record(True)


def _arguments(text: str | None) -> object:
    if text is None:
        return None
    import json  # only for --arguments

    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadOption("--arguments", f"invalid JSON: {error}") from error
