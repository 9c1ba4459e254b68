"""clew(1), the manual page, generated from the declarations: `python -m clew.cli.manpage`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from clew import __version__
from clew.cli.completion import declared
from clew.cli.declare import TOP, Command
from clew.cli.help import TAGLINE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_REFERENCES = (
    ("@", "the checkpoint saved or restored last; `@~2` is two before it"),
    ("latest", "the newest checkpoint"),
    ("good", "the newest checkpoint whose check passed"),
    ("ID", "an id, or its first digits"),
    ("NAME", "the name of a checkpoint or, where nothing is changed, of a fork"),
    ("TIME", "a time such as `10:27` or `2026-01-05 10:27`"),
)
_EXIT_CODES = (
    ("0", "Done."),
    ("1", "Failed."),
    ("2", "Usage error; nothing was changed."),
    ("3", "Done in part; the output lists what is missing."),
    ("4", "The check does not pass."),
    ("5", "Confirmation required; nothing was changed."),
    ("6", "The store is damaged."),
    ("124", "The command of `clew exec` ran out of time."),
    ("127", "The command of `clew exec` could not be started."),
    ("130", "Interrupted."),
    ("141", "The reader of the output stopped reading."),
)


def lines() -> Iterator[str]:
    """Yield the page as roff."""
    yield f'.TH CLEW 1 "" "clew {__version__}" "User Commands"'
    yield ".SH NAME"
    yield f"clew \\- {_text(TAGLINE[0].lower() + TAGLINE[1:])}"
    yield ".SH SYNOPSIS"
    yield ".B clew"
    yield "[\\fIOPTION\\fR]... \\fICOMMAND\\fR [\\fIARGUMENT\\fR]..."
    yield ".SH OPTIONS"
    yield "Before or after the command; \\fB\\-\\-version\\fR only before."
    yield from _table((option.usage, option.description) for option in TOP)
    yield ".SH REFERENCES"
    yield "\\fIREF\\fR names a checkpoint:"
    yield from _table(_REFERENCES)
    yield ".PP"
    yield "The prefixes \\fBid:\\fR, \\fBname:\\fR, \\fBtime:\\fR and \\fBfork:\\fR select one kind."
    yield ".SH COMMANDS"
    for command in declared():
        yield from _command(command)
    yield ".SH EXIT STATUS"
    yield from _table(_EXIT_CODES)
    yield ".SH ENVIRONMENT"
    yield from _table(
        [
            ("CLEW_HOME", "The store, unless `--store` is given."),
            ("CLEW_PAGER", "The pager on a terminal, before $PAGER; `cat` for none."),
            (
                "NO_COLOR",
                "If set, no colours; `CLICOLOR_FORCE` asks for them without a terminal, too.",
            ),
            ("CLEW_FORK", "Set by `clew enter`: the name of the fork."),
            ("CLEW_BACKGROUND", "If `off`, no background process prunes or describes checkpoints."),
        ]
    )
    yield ".SH FILES"
    yield from _table(
        [
            ("~/.local/share/clew", "The default store."),
            ("~/.config/clew/config.toml", "The settings of a user, see `clew config --help`."),
            ("/var/lib/clew", "The store of a whole machine."),
        ]
    )
    yield ".SH SEE ALSO"
    yield "\\fBgit\\fR(1), \\fBrestic\\fR(1), \\fBborg\\fR(1)"


def main() -> int:
    """Print the page."""
    for line in lines():
        sys.stdout.write(line + "\n")
    return 0


def _command(command: Command) -> Iterator[str]:
    yield f".SS {_text(command.usage)}"
    yield f"{_text(command.summary)}."
    for alias in command.aliases:
        yield f"Alias: \\fBclew {_text(alias)}\\fR."
    for paragraph in command.description.strip().split("\n\n"):
        if paragraph:
            yield ".PP"
            yield from (_text(line) for line in paragraph.splitlines())
    yield from _table((item.noun, item.description) for item in command.positionals)
    yield from _table((option.usage, option.full_description) for option in command.options)
    for heading, rows in command.tables:
        yield ".PP"
        yield f"{_text(heading)}:"
        yield from _table(rows)


def _table(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    for left, right in rows:
        yield ".TP"
        yield f"\\fB{_text(left)}\\fR"
        yield _text(right)


def _text(text: str) -> str:
    """Return text in which roff sees no command; what is in backquotes becomes bold."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    parts = escaped.split("`")
    if len(parts) % 2:
        pairs = (part if at % 2 == 0 else f"\\fB{part}\\fR" for at, part in enumerate(parts))
        escaped = "".join(pairs)
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    sys.exit(main())
