"""Shell commands: the simple commands that a command line runs, in order.

    cd web && sudo FOO=1 git push | tee log; bash -c 'npm publish'

is `git push` in `web` with FOO=1, `tee log` after a pipe, and `npm publish` in `web`.
Directories, exported variables and those assigned on the same line are tracked; what only the real
shell can know remains as written.  All branches of conditions and loops are treated as run.

A line may be of any length and depth; `is_whole` is false if a part was not read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from clew.model.named_tuple import NamedTuple
from clew.policy.shell.words import Redirection, ShellWord, WordPart, shell_tokens
from clew.policy.shell.wrappers import SHELLS, program_name, unwrap

COMMANDS_KEPT = 5_000
DEEPEST = 8
"""Maximum nesting of scripts."""
LONGEST_LINE = 1 << 20
TOKENS_READ = 50_000
_MAX_VALUE = 1_024
_MAX_DIRECTORY = 512

_KEYWORDS = frozenset(
    ("if", "then", "else", "elif", "fi", "do", "done", "while", "until", "esac", "!", "{", "}", "coproc")
)  # fmt: skip
SPEAKERS = frozenset(("echo", "printf", "cat"))
_EXPORTS = frozenset(("export", "declare", "typeset", "local", "readonly"))


class ShellCommand(NamedTuple):
    """One program with its arguments and context."""

    program: str
    """Empty if the line only assigns variables."""
    arguments: tuple[str, ...] = ()
    directory: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    given: str = ""
    """Input from a here-document or a here-string."""
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    joined: str = ""
    """The operator before it: `|`, `||`, or empty."""
    via: tuple[str, ...] = ()
    """Hosts and containers in which it runs, outermost first."""
    inner: tuple[str, ...] = ()
    """Command lines in its command substitutions."""


class Script(NamedTuple):
    """The commands of a line."""

    commands: tuple[ShellCommand, ...]
    is_whole: bool
    """Whether everything was read."""


def read_script(text: str) -> Script:
    """Return the simple commands of a command line, without wrappers and inner shells."""
    shared = _Shared(len(text) <= LONGEST_LINE)
    _ScriptReader(shared, _Context()).read(text[:LONGEST_LINE])
    return Script(tuple(shared.commands), shared.is_whole)


def with_input(commands: Sequence[ShellCommand]) -> list[ShellCommand]:
    """Replace `echo x | command` and `cat file | command` by the command with that input."""
    found: list[ShellCommand] = []
    for command in commands:
        before = found[-1] if found else None
        if command.joined != "|" or before is None or not _only_prints(before):
            found.append(command)
            continue
        printed = before.given if before.program == "cat" else " ".join(before.arguments)
        files = before.arguments if before.program == "cat" else ()
        found[-1] = command._replace(
            given=command.given or printed,
            reads=(*before.reads, *files, *command.reads),
            joined=before.joined,
            inner=(*before.inner, *command.inner),
        )
    return found


def _only_prints(command: ShellCommand) -> bool:
    return command.program in SPEAKERS and not command.writes


class _Shared:
    """State shared by the readers of a line and of the scripts inside it."""

    def __init__(self, is_whole: bool) -> None:
        self.commands: list[ShellCommand] = []
        self.is_whole = is_whole
        self.expansion_left = LONGEST_LINE
        """Characters that variables may still expand to."""
        self.tokens = 0

    def is_within_limits(self) -> bool:
        """Count a token, and return whether it is within the limits."""
        self.tokens += 1
        if self.tokens > TOKENS_READ or len(self.commands) >= COMMANDS_KEPT:
            self.is_whole = False
        return self.is_whole


class _Context(NamedTuple):
    """The context in which a script runs."""

    directory: str = ""
    via: tuple[str, ...] = ()
    exported: tuple[tuple[str, str], ...] = ()
    depth: int = 0


class _ScriptReader:
    def __init__(self, shared: _Shared, context: _Context) -> None:
        self._shared = shared
        self._context = context
        self._directory = context.directory
        self._outer: list[str] = []  # stack of saved directories
        self._variables: dict[str, str] = {}
        self._exported = dict(context.exported)
        self._joined = ""

    def read(self, text: str) -> None:
        words: list[ShellWord] = []
        redirections: list[Redirection] = []
        for token in shell_tokens(text):
            if not self._shared.is_within_limits():
                return
            if isinstance(token, ShellWord):
                words.append(token)
            elif isinstance(token, Redirection):
                redirections.append(token)
            else:
                self._finish(words, redirections)
                words, redirections = [], []
                self._operator(token)
        self._finish(words, redirections)

    def _operator(self, operator: str) -> None:
        if operator == "(":
            self._outer.append(self._directory)
        elif operator == ")" and self._outer:
            self._directory = self._outer.pop()
        elif operator == "||" or operator.startswith("|"):
            self._joined = operator[:2] if operator == "||" else "|"
        elif operator != "\n":  # a line may continue after a pipe
            self._joined = ""

    def _finish(self, words: list[ShellWord], redirections: list[Redirection]) -> None:
        """Process the words between two operators as one command."""
        start = 0
        while start < len(words) and words[start].is_bare and str(words[start]) in _KEYWORDS:
            start += 1
        words = words[start:]
        command = self._redirected(redirections, _inner(words, redirections))
        assigned, words = self._assignments(words)
        texts = [self._expanded(word) for word in words]
        if words and _may_split(words[0]):  # `$CMD` with several words
            texts[:1] = texts[0].split() or [""]
        if texts and not self._apply_builtin(texts):
            self._run(texts, assigned, command)
            self._joined = ""
            return
        if not texts:
            self._variables.update(assigned)
        if command.inner:
            self._shared.commands.append(command)

    def _assignments(self, words: list[ShellWord]) -> tuple[dict[str, str], list[ShellWord]]:
        assigned: dict[str, str] = {}
        for at, word in enumerate(words):
            is_text = bool(word.pieces) and word.pieces[0].kind == WordPart.TEXT
            name = _assignment().match(word.pieces[0].text) if is_text else None
            if name is None:
                return assigned, words[at:]
            assigned[name[1]] = self._expanded(word)[name.end() :]
        return assigned, []

    def _expanded(self, word: ShellWord) -> str:
        """Return the word with variables of this line expanded."""
        texts = []
        for piece in word.pieces:
            value = self._variables.get(piece.text) if piece.kind == WordPart.VARIABLE else None
            if value is None or len(value) > min(_MAX_VALUE, self._shared.expansion_left):
                texts.append(str(piece))
            else:
                self._shared.expansion_left -= len(value)
                texts.append(value)
        return "".join(texts)

    def _redirected(
        self, redirections: Sequence[Redirection], inner: tuple[str, ...]
    ) -> ShellCommand:
        targets = [(one, self._expanded(one.target)) for one in redirections]
        return ShellCommand(
            "",
            directory=self._directory,
            given="".join(
                one.body if one.sign == "<<" else text
                for one, text in targets
                if one.sign.startswith("<<")
            ),
            reads=tuple(text for one, text in targets if one.sign == "<"),
            writes=tuple(
                text for one, text in targets if ">" in one.sign and not text.isdigit() and text
            ),
            joined=self._joined,
            via=self._context.via,
            inner=inner,
        )

    def _apply_builtin(self, texts: list[str]) -> bool:
        """Apply `cd`, `export` and the like, which only affect later commands; return whether it was one."""
        name = texts[0]
        if name in ("cd", "pushd"):
            where = next((text for text in texts[1:] if not text.startswith("-")), "~")
            if name == "pushd":
                self._outer.append(self._directory)
            self._directory = joined_path(self._directory, where)
        elif name == "popd":
            self._directory = self._outer.pop() if self._outer else ""
        elif name in _EXPORTS:
            for text in texts[1:]:
                self._export(*text.partition("="))
        else:
            return False
        return True

    def _export(self, name: str, sign: str, value: str) -> None:
        if sign:
            self._variables[name] = value
        if name in self._variables and len(self._exported) < 100:
            self._exported[name] = self._variables[name]

    def _run(self, texts: list[str], assigned: dict[str, str], command: ShellCommand) -> None:
        inside = unwrap(texts)
        environment = {**self._exported, **assigned, **dict(inside.environment)}
        via = (*command.via, inside.via) if inside.via else command.via
        command = command._replace(environment=tuple(sorted(environment.items())), via=via)
        script = inside.script
        if script is None and inside.words:
            if program_name(inside.words[0]) in SHELLS:
                script = self._script_from_input(command)
            command = command._replace(
                program=program_name(inside.words[0]), arguments=inside.words[1:]
            )
        if script is None:
            self._shared.commands.append(command)
        elif self._context.depth >= DEEPEST:
            self._shared.is_whole = False
        else:
            self._descend(script, command)

    def _script_from_input(self, command: ShellCommand) -> str | None:
        """Return the script that a shell reads from its standard input, if it is known."""
        if command.given:
            return command.given
        before = self._shared.commands[-1] if self._shared.commands else None
        if command.joined == "|" and before is not None:
            if before.program in ("echo", "printf"):
                return " ".join(before.arguments)
            return before.given or None
        return None

    def _descend(self, script: str, command: ShellCommand) -> None:
        """Read an inner script; its first command gets the input of its shell."""
        context = _Context(
            command.directory, command.via, command.environment, self._context.depth + 1
        )
        commands = self._shared.commands
        first = len(commands)
        _ScriptReader(self._shared, context).read(script)
        if len(commands) > first:
            given = "" if command.given == script else command.given
            commands[first] = commands[first]._replace(
                joined=command.joined,
                given=commands[first].given or given,
                reads=commands[first].reads or command.reads,
            )


def joined_path(directory: str, path: str) -> str:
    """Return the directory after `cd path` in `directory`, without resolving symlinks."""
    if path.startswith(("/", "~", "$")) or not directory:
        return _normalize(path)[-_MAX_DIRECTORY:]
    return _normalize(f"{directory}/{path}")[-_MAX_DIRECTORY:]


def _normalize(path: str) -> str:
    kept: list[str] = []
    for name in path.split("/"):
        if name == ".." and kept and kept[-1] not in ("..", "~"):
            kept.pop()
        elif name not in ("", "."):
            kept.append(name)
    return ("/" if path.startswith("/") else "") + "/".join(kept)


def _inner(words: Sequence[ShellWord], redirections: Sequence[Redirection]) -> tuple[str, ...]:
    """Return the command substitutions in words."""
    every = (*words, *(one.target for one in redirections))
    return tuple(
        piece.text for word in every for piece in word.pieces if piece.kind == WordPart.COMMAND
    )


def _may_split(word: ShellWord) -> bool:
    kinds = {piece.kind for piece in word.pieces}
    return word.is_bare and WordPart.VARIABLE in kinds and WordPart.COMMAND not in kinds


@cache
def _assignment() -> re.Pattern[str]:
    return re.compile(r"([A-Za-z_]\w{0,200})\+?=")
