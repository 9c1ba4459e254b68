"""Approval rules: which actions require approval before they run.

A rule is one readable line:

    command git push unless --dry-run       # push, reversible: others may have fetched it
    command curl with -X POST|PUT|DELETE    # http write: a server did what it was told
    tool send|reply email|message           # message: a sent message cannot be recalled

`command` rules apply to every command that a line would run, however it is wrapped: with `sudo`, in a
pipe, a subshell, a substitution, a script given to a shell.  A quoted command is not run and does not
count.  `tool` rules apply to the name of a tool, word by word, and to its arguments.
`patterns.py` has the grammar, `defaults.py` the default rules.

The rules prevent accidents; they do not stop an agent that hides a command on purpose.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from clew.model.named_tuple import NamedTuple
from clew.policy.approval.patterns import Pattern, call_matches, command_matches, parse_pattern
from clew.policy.shell.commands import DEEPEST, ShellCommand, read_script, with_input
from clew.policy.shell.tool_call import shell_line
from clew.policy.shell.wrappers import program_name, unwrap


class RuleKind:
    """The kind of action of a rule."""

    PUSH = "push"
    PUBLISH = "publish"
    DEPLOY = "deploy"
    CLOUD = "cloud"
    DATABASE = "database"
    HTTP_WRITE = "http write"
    MESSAGE = "message"
    PAYMENT = "payment"
    OTHER = "other"

    ALL = (PUSH, PUBLISH, DEPLOY, CLOUD, DATABASE, HTTP_WRITE, MESSAGE, PAYMENT, OTHER)


class ApprovalRule(NamedTuple):
    """One line: pattern, kind of action, and why approval is required."""

    pattern: str
    kind: str = RuleKind.OTHER
    """One of `RuleKind.ALL`."""
    reversible: bool = False
    """Whether another action can usually undo it."""
    why: str = ""

    def __str__(self) -> str:
        words = self.kind + (", reversible" if self.reversible else "")
        if self.why:
            words += f": {self.why}"
        return self.pattern if words == RuleKind.OTHER else f"{self.pattern}  # {words}"


UNREADABLE = ApprovalRule(
    "command *", RuleKind.OTHER, False, "too long or too deeply nested to check"
)
"""Matches lines that cannot be read completely."""


def parse_rules(text: str) -> tuple[ApprovalRule, ...]:
    """Return the rules in `text`, one per line; raise ValueError for the first invalid line.

    Empty lines and lines that begin with `#` are ignored.
    """
    rules = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                rules.append(_parse_rule(line))
            except ValueError as error:
                raise ValueError(f"{error}, in line {number}: {line.strip()!r}") from None
    return tuple(rules)


def rule_for(tool: str, arguments: object, rules: Sequence[ApprovalRule]) -> ApprovalRule | None:
    """Return the first rule that requires approval for this call; None if there is none.

    A command line is the argument of a shell tool, or a string without a tool.
    """
    line = shell_line(tool, arguments)
    if line is not None:
        return _rule_for_line(line[0], rules)
    for rule in rules:
        pattern = parse_pattern(rule.pattern)
        if not pattern.is_command and call_matches(pattern, tool, arguments):
            return rule
    return None


def _parse_rule(line: str) -> ApprovalRule:
    text, _, words = line.partition(" #")
    pattern = " ".join(text.split())
    parse_pattern(pattern)
    head, _, why = words.partition(":")
    kind, _, hint = (part.strip() for part in head.partition(","))
    kind = kind or RuleKind.OTHER
    if kind not in RuleKind.ALL:
        raise ValueError(f"Unknown kind, not one of {', '.join(RuleKind.ALL)}")
    if hint not in ("", "reversible"):
        raise ValueError("Only 'reversible' may follow the kind")
    return ApprovalRule(pattern, kind, bool(hint), " ".join(why.split()))


def _rule_for_line(line: str, rules: Sequence[ApprovalRule]) -> ApprovalRule | None:
    patterns = [(rule, parse_pattern(rule.pattern)) for rule in rules]
    finder = _Finder([(rule, pattern) for rule, pattern in patterns if pattern.is_command])
    return finder.find(line, 0)


class _Finder:
    """Finds the rule for a line; caches for each program the rules that can match."""

    lines_read = 1_000
    """Maximum number of nested lines that are read."""

    def __init__(self, rules: Sequence[tuple[ApprovalRule, Pattern]]) -> None:
        self._rules = rules
        self._by_program: dict[str, list[tuple[ApprovalRule, Pattern]]] = {}
        self._lines = 0

    def find(self, line: str, depth: int) -> ApprovalRule | None:
        self._lines += 1
        if depth > DEEPEST or self._lines > self.lines_read:
            return UNREADABLE
        script = read_script(line)
        for command in with_input(script.commands):
            for one in _with_related(command):
                if found := self._rule_for(one):
                    return found
            for inner in command.inner:
                if found := self.find(inner, depth + 1):
                    return found
        return None if script.is_whole else UNREADABLE

    def _rule_for(self, command: ShellCommand) -> ApprovalRule | None:
        for rule, pattern in self._rules_about(command.program):
            if command_matches(pattern, command):
                return rule
        return None

    def _rules_about(self, program: str) -> list[tuple[ApprovalRule, Pattern]]:
        if program not in self._by_program:
            self._by_program[program] = [
                (rule, pattern) for rule, pattern in self._rules if pattern.is_about(program)
            ]
        return self._by_program[program]


def _with_related(command: ShellCommand) -> Iterable[ShellCommand]:
    """Yield a command, the hosts and containers it runs in, and the commands it runs itself."""
    yield command
    for via in command.via:
        program, *arguments = via.split()
        yield ShellCommand(program, tuple(arguments))
    if command.program == "find":
        for at, word in enumerate(command.arguments):
            if word in ("-exec", "-execdir", "-ok"):
                inside = unwrap(command.arguments[at + 1 : at + 50]).words
                if inside:
                    yield ShellCommand(program_name(inside[0]), inside[1:])
