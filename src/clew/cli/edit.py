"""`clew edit`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import REF, Command, Option
from clew.cli.exits import ExitCode
from clew.errors import BadOption
from clew.render import card, json

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "edit",
    "Edit a checkpoint's labels",
    """\
Changes labels only, never the captured files.
An empty text removes a label, KEY= removes metadata, and --note '' removes all notes.""",
    (REF,),
    (
        Option(("--intent",), "Short description", "TEXT", hidden=("-m", "--message")),
        Option(("--name",), "Name for later reference", "NAME"),
        Option(("--description",), "Longer description", "TEXT"),
        Option(("--meta",), "Set metadata", "KEY=VALUE", many=True),
        Option(("--note",), "Add a note", "TEXT", many=True),
        Option(("--pin",), "Protect it from pruning"),
        Option(("--unpin",), "Allow pruning again"),
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    pin = _pin(args)
    labels = {key: args.maybe(f"--{key}") for key in ("intent", "name", "description")}
    meta, notes = args.pairs("--meta"), args.all("--note")
    if pin is None and not (meta or notes) and all(text is None for text in labels.values()):
        raise BadOption("clew edit", "no label given")
    with context.open() as workspace:
        checkpoint = workspace.edit(
            args.one("REF"),
            intent=labels["intent"],
            name=labels["name"],
            description=labels["description"],
            pin=pin,
            meta=meta,
            notes=notes,
            monitor=context.monitor,
        )
        details = workspace.show(checkpoint.id.hex())
    context.say_redacted(
        intent=labels["intent"],
        description=labels["description"],
        metadata="\n".join([*meta.values(), *(f"{key}={value}" for key, value in meta.items())]),
        notes="\n".join(notes),
    )
    look = context.look()
    context.emit(lambda: json.shown(details), lambda: card.shown(details, look))
    return ExitCode.DONE


def _pin(args: Arguments) -> bool | None:
    if args.given("--pin") and args.given("--unpin"):
        raise BadOption("--pin", "cannot be combined with --unpin")
    if args.given("--pin") or args.given("--unpin"):
        return args.given("--pin")
    return None
