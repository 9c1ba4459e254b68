"""`clew effect`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli import suggestions
from clew.cli.declare import Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.cli.sessions import SESSION
from clew.errors import BadOption, EffectRepeats
from clew.render import effects, json_effects
from clew.render.safe import safe

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.model.effect import Effect
    from clew.workspace import Workspace

COMMAND = Command(
    "effect",
    "Write down what no restore takes back",
    """\
`clew effect record WHAT` before an act on the outside world, `clew effect settle N STATUS` after it;
one that was never settled reads unknown.
A restore past an effect lists it, and the same act again, whatever its ids and times, is refused
until it is repeated on purpose.
`clew effect list`, or `clew effect` alone, shows them.""",
    (
        Positional("ACTION", "`record`, `settle` or `list`", required=False),
        Positional(
            "WHAT", "What is done, in words or as a command line; else a number", required=False
        ),
        Positional("STATUS", "What became of it: `done`, `failed` or `undone`", required=False),
        Positional("OUTCOME", "More about that", required=False),
    ),
    (
        Option(("--tool",), "The tool that does it", "NAME"),
        Option(("--arguments",), "What the tool is given", "JSON"),
        Option(("--reversible",), "Another act can take it back"),
        Option(("--undo",), "The act that would take it back", "TEXT"),
        Option(("--again",), "Repeat on purpose what was done already"),
        Option(("--standing",), "List only what stands and a restore made forgotten"),
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
            found = workspace.effects.list(standing=args.given("--standing"))
        context.emit(lambda: json_effects.listed(found), lambda: effects.listed(found, look))
        if not found.effects:
            context.say("No effects: `clew effect record WHAT` before an act outside")
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
            raise BadOption(option, f"says nothing to `clew effect {action}`")
    return action


def _recorded(args: Arguments, workspace: Workspace, context: CommandContext) -> Effect:
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
    except EffectRepeats as error:
        if context.as_json or not context.terminal.can_ask:
            raise
        context.say(safe(f"{error}. It is {error.reason}"))
        if not context.ask("Do it again?"):
            raise
        return record(True)


def _arguments(text: str | None) -> object:
    if text is None:
        return None
    import json  # only where there is some

    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadOption("--arguments", f"not JSON: {error}") from error
