"""Command declarations: names, arguments and options.

Parsing, `--help` and docs/cli.md are generated from them.
Plain classes, because `clew --help` loads this and `typing` alone would double its time.
"""

from __future__ import annotations


class Option:
    """An option, accepted anywhere among the arguments."""

    def __init__(
        self,
        flags: tuple[str, ...],
        description: str,
        value: str = "",
        *,
        many: bool = False,
        optional: bool = False,
        alone: bool = False,
        hidden: tuple[str, ...] = (),
    ) -> None:
        self.flags = flags
        """Its documented spellings; the last one is the key in `Arguments`."""
        self.hidden = hidden
        """Spellings that work and are not listed: former ones, and those of other tools."""
        self.description = description
        self.value = value
        """The placeholder of its value; empty for a switch."""
        self.many = many
        """Whether it may be repeated, each time with another value."""
        self.optional = optional
        """Whether its value may be omitted.  The next word is taken as the value only if all required
        arguments precede it: in `restore --conversation REF`, REF is the checkpoint."""
        self.alone = alone
        """Whether it replaces the required arguments."""

    @property
    def key(self) -> str:
        return self.flags[-1]

    @property
    def accepted(self) -> tuple[str, ...]:
        return (*self.flags, *self.hidden)

    @property
    def usage(self) -> str:
        value = f"[{self.value}]" if self.optional else self.value
        return ", ".join(self.flags) + (f" {value}" if value else "")

    @property
    def full_description(self) -> str:
        return self.description + (" (may be repeated)" if self.many else "")


class Positional:
    """A positional argument."""

    def __init__(
        self,
        noun: str,
        description: str,
        *,
        required: bool = True,
        many: bool = False,
        after_dashes: bool = False,
        picked: bool = False,
    ) -> None:
        self.noun = noun
        self.description = description
        self.required = required
        self.many = many
        self.after_dashes = after_dashes
        """Whether it is accepted only after `--`."""
        self.picked = picked
        """Whether a required one may be omitted at a terminal, where the command lets the user pick."""

    @property
    def usage(self) -> str:
        text = f"{self.noun}..." if self.many else self.noun
        if self.after_dashes:
            return f"-- {text}" if self.required else f"[-- {text}]"
        return text if self.required and not self.picked else f"[{text}]"


class Command:
    """One command."""

    def __init__(
        self,
        name: str,
        summary: str,
        description: str = "",
        positionals: tuple[Positional, ...] = (),
        options: tuple[Option, ...] = (),
        *,
        aliases: tuple[str, ...] = (),
        pages: bool = False,
        tables: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (),
    ) -> None:
        self.name = name
        self.summary = summary
        """Imperative, one line, no full stop."""
        self.description = description
        """Details, as whole sentences."""
        self.positionals = positionals
        self.options = options
        self.aliases = aliases
        self.pages = pages
        """Whether its output may exceed a screen and goes through a pager; it asks no question."""
        self.tables = tables
        """Tables of the help page, after the options: a heading, and rows of two columns."""

    @property
    def usage(self) -> str:
        words = ["clew", self.name, "[OPTION]..."]
        return " ".join([*words, *(positional.usage for positional in self.positionals)])


_REF_MEANING = "Checkpoint: id, name, time, `latest`, `good`, `@` (current) or `@~N`"
REF = Positional("REF", _REF_MEANING)
REFS = Positional("REF", _REF_MEANING, many=True)

DRY_RUN = Option(
    ("-n", "--dry-run"), "Show what would change, without changing it", hidden=("--preview",)
)

ALL = Option(("--all",), "List every path, generated ones too")
"""Option of commands whose listings are folded."""
HOW_TO_LIST_ALL = "`--all`"
"""What the last line of a folded listing names."""

REVEAL = Option(("--reveal",), "Show secrets in names and contents, instead of [redacted]")
"""Option of commands that list paths or show contents; nothing else reveals them."""

NO_PAGER = Option(("--no-pager",), "Print to the terminal without a pager")

COMMON = (
    Option(("-C",), "Use the workspace at or above DIR", "DIR"),
    Option(
        ("-w", "--workspace"),
        "Use the workspace NAME, from anywhere: see `clew workspaces`",
        "NAME",
    ),
    Option(("--store",), "Use the store in DIR instead of $CLEW_HOME", "DIR"),
    Option(("--json",), "Print JSON"),
    NO_PAGER,
    Option(("-h", "--help"), "Show this help"),
)
"""Options of every command, before or after its name."""

TOP = (*COMMON, Option(("--version",), "Print the version"))
"""Options before the command name, or alone."""
