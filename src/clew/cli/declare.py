"""How a command describes itself: its words, its options and the nouns they take.

Parsing, `--help` and docs/cli.md all come from the same declaration.
Plain classes, because `clew --help` loads this and `typing` alone would double its time.
"""

from __future__ import annotations


class Option:
    """Something that may be given anywhere among the arguments."""

    def __init__(
        self,
        flags: tuple[str, ...],
        description: str,
        value: str = "",
        *,
        many: bool = False,
        optional: bool = False,
        alone: bool = False,
    ) -> None:
        self.flags = flags
        """All its spellings; the last one is how a command asks for it."""
        self.description = description
        self.value = value
        """The noun of its value; empty for a switch."""
        self.many = many
        """Whether it may be given more than once, each time with another value."""
        self.optional = optional
        """Whether its value may be left out.  A word behind it is taken for one only once all that
        is required has been given: `restore --conversation REF` means what it looks like."""
        self.alone = alone
        """Whether it stands for all that would be required otherwise."""

    @property
    def key(self) -> str:
        return self.flags[-1]

    @property
    def usage(self) -> str:
        value = f"[{self.value}]" if self.optional else self.value
        return ", ".join(self.flags) + (f" {value}" if value else "")

    @property
    def full_description(self) -> str:
        return self.description + (" (may be repeated)" if self.many else "")


class Positional:
    """A word whose place says what it is."""

    def __init__(
        self,
        noun: str,
        description: str,
        *,
        required: bool = True,
        many: bool = False,
        after_dashes: bool = False,
    ) -> None:
        self.noun = noun
        self.description = description
        self.required = required
        self.many = many
        self.after_dashes = after_dashes
        """Whether it is only taken after `--`."""

    @property
    def usage(self) -> str:
        text = f"{self.noun}..." if self.many else self.noun
        if self.after_dashes:
            return f"-- {text}" if self.required else f"[-- {text}]"
        return text if self.required else f"[{text}]"


class Command:
    """One verb of the command line."""

    def __init__(
        self,
        name: str,
        summary: str,
        description: str = "",
        positionals: tuple[Positional, ...] = (),
        options: tuple[Option, ...] = (),
        *,
        aliases: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.summary = summary
        """Imperative, one line, no full stop."""
        self.description = description
        """What else there is to know, as whole sentences."""
        self.positionals = positionals
        self.options = options
        self.aliases = aliases

    @property
    def usage(self) -> str:
        words = ["clew", self.name, "[OPTION]..."]
        return " ".join([*words, *(positional.usage for positional in self.positionals)])


_REF_MEANING = "A checkpoint: its id, name or time, `latest`, `good`, `@` or `@~N`"
REF = Positional("REF", _REF_MEANING)
REFS = Positional("REF", _REF_MEANING, many=True)

COMMON = (
    Option(("-C",), "Work in the workspace at or above DIR", "DIR"),
    Option(("--store",), "Keep history in DIR instead of $CLEW_HOME", "DIR"),
    Option(("--json",), "Answer in JSON, as docs/json.md describes"),
    Option(("-h", "--help"), "Show this help"),
)
"""Options that every command takes, before or after the verb."""

TOP = (*COMMON, Option(("--version",), "Show the version"))
"""Options that stand alone, or before the verb."""
