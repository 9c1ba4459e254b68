"""Shell commands: the simple commands that a command line would run, one after the other.

    cd web && sudo FOO=1 git push | tee log; bash -c 'npm publish'

is `git push` in `web` with FOO=1, `tee log` behind a pipe, and `npm publish` in `web`.
Directories, exported variables and those assigned on the same line are followed; what only the real
shell can know stays as it is written.  Conditions and loops are taken as if all of it ran.

A line may be as long and as deep as somebody likes; what is not looked at is said with `is_whole`.
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
"""Scripts within scripts."""
LONGEST_LINE = 1 << 20
TOKENS_READ = 50_000
_LONGEST_VALUE = 1_024
_LONGEST_DIRECTORY = 512

_KEYWORDS = frozenset(
    ("if", "then", "else", "elif", "fi", "do", "done", "while", "until", "esac", "!", "{", "}", "coproc")
)  # fmt: skip
SPEAKERS = frozenset(("echo", "printf", "cat"))
_EXPORTS = frozenset(("export", "declare", "typeset", "local", "readonly"))


class ShellCommand(NamedTuple):
    """One program and what it is given."""

    program: str
    """Empty where a line only assigns."""
    arguments: tuple[str, ...] = ()
    directory: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    given: str = ""
    """What a here-document or a here-string tells it."""
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    joined: str = ""
    """How it follows the one before: `|`, `||`, or simply after it."""
    via: tuple[str, ...] = ()
    """Hosts and containers through which it runs, outermost first."""
    inner: tuple[str, ...] = ()
    """Command lines whose output is put into it."""


class Script(NamedTuple):
    """The commands of a line."""

    commands: tuple[ShellCommand, ...]
    is_whole: bool
    """Whether everything was looked at."""


def read_script(text: str) -> Script:
    """Return the simple commands of a command line, wrappers and inner shells taken off."""
    shared = _Shared(len(text) <= LONGEST_LINE)
    _ScriptReader(shared, _Cursor()).read(text[:LONGEST_LINE])
    return Script(tuple(shared.commands), shared.is_whole)


def with_input(commands: Sequence[ShellCommand]) -> list[ShellCommand]:
    """Tell the command behind a pipe what `echo` says into it, or `cat` reads, and leave those out."""
    found: list[ShellCommand] = []
    for command in commands:
        before = found[-1] if found else None
        if command.joined != "|" or before is None or not _only_speaks(before):
            found.append(command)
            continue
        spoken = before.given if before.program == "cat" else " ".join(before.arguments)
        files = before.arguments if before.program == "cat" else ()
        found[-1] = command._replace(
            given=command.given or spoken,
            reads=(*before.reads, *files, *command.reads),
            joined=before.joined,
            inner=(*before.inner, *command.inner),
        )
    return found


def _only_speaks(command: ShellCommand) -> bool:
    return command.program in SPEAKERS and not command.writes


class _Shared:
    """What the readers of one line and of the scripts inside it have in common."""

    def __init__(self, is_whole: bool) -> None:
        self.commands: list[ShellCommand] = []
        self.is_whole = is_whole
        self.room = LONGEST_LINE
        """How much may still come out of variables."""
        self.tokens = 0

    def goes_on(self) -> bool:
        """Count one token more, and tell whether it is still to be looked at."""
        self.tokens += 1
        if self.tokens > TOKENS_READ or len(self.commands) >= COMMANDS_KEPT:
            self.is_whole = False
        return self.is_whole


class _Cursor(NamedTuple):
    """Where a script runs."""

    directory: str = ""
    via: tuple[str, ...] = ()
    exported: tuple[tuple[str, str], ...] = ()
    depth: int = 0


class _ScriptReader:
    def __init__(self, shared: _Shared, place: _Cursor) -> None:
        self._shared = shared
        self._place = place
        self._directory = place.directory
        self._outer: list[str] = []  # directories to come back to
        self._variables: dict[str, str] = {}
        self._exported = dict(place.exported)
        self._joined = ""

    def read(self, text: str) -> None:
        words: list[ShellWord] = []
        redirections: list[Redirection] = []
        for token in shell_tokens(text):
            if not self._shared.goes_on():
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
        elif operator != "\n":  # a line may go on behind a pipe
            self._joined = ""

    def _finish(self, words: list[ShellWord], redirections: list[Redirection]) -> None:
        """Take what stands between two operators for one command."""
        start = 0
        while start < len(words) and words[start].is_bare and str(words[start]) in _KEYWORDS:
            start += 1
        words = words[start:]
        command = self._redirected(redirections, _inner(words, redirections))
        assigned, words = self._assignments(words)
        texts = [self._expanded(word) for word in words]
        if words and _may_split(words[0]):  # `$CMD`, which held several words
            texts[:1] = texts[0].split() or [""]
        if texts and not self._is_ours(texts):
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
        """Return the word with what this line assigned put in."""
        texts = []
        for piece in word.pieces:
            value = self._variables.get(piece.text) if piece.kind == WordPart.VARIABLE else None
            if value is None or len(value) > min(_LONGEST_VALUE, self._shared.room):
                texts.append(str(piece))
            else:
                self._shared.room -= len(value)
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
            via=self._place.via,
            inner=inner,
        )

    def _is_ours(self, texts: list[str]) -> bool:
        """Do what only changes where and how the next commands run."""
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
                script = self._told(command)
            command = command._replace(
                program=program_name(inside.words[0]), arguments=inside.words[1:]
            )
        if script is None:
            self._shared.commands.append(command)
        elif self._place.depth >= DEEPEST:
            self._shared.is_whole = False
        else:
            self._descend(script, command)

    def _told(self, command: ShellCommand) -> str | None:
        """Return the script that a shell without one is given on its input, if it can be seen."""
        if command.given:
            return command.given
        before = self._shared.commands[-1] if self._shared.commands else None
        if command.joined == "|" and before is not None:
            if before.program in ("echo", "printf"):
                return " ".join(before.arguments)
            return before.given or None
        return None

    def _descend(self, script: str, command: ShellCommand) -> None:
        """Read a script inside; what its shell is told, its first command is told."""
        place = _Cursor(command.directory, command.via, command.environment, self._place.depth + 1)
        commands = self._shared.commands
        first = len(commands)
        _ScriptReader(self._shared, place).read(script)
        if len(commands) > first:
            given = "" if command.given == script else command.given
            commands[first] = commands[first]._replace(
                joined=command.joined,
                given=commands[first].given or given,
                reads=commands[first].reads or command.reads,
            )


def joined_path(directory: str, path: str) -> str:
    """Return where `cd path` leads from `directory`, as far as words can tell."""
    if path.startswith(("/", "~", "$")) or not directory:
        return _tidy(path)[-_LONGEST_DIRECTORY:]
    return _tidy(f"{directory}/{path}")[-_LONGEST_DIRECTORY:]


def _tidy(path: str) -> str:
    kept: list[str] = []
    for name in path.split("/"):
        if name == ".." and kept and kept[-1] not in ("..", "~"):
            kept.pop()
        elif name not in ("", "."):
            kept.append(name)
    return ("/" if path.startswith("/") else "") + "/".join(kept)


def _inner(words: Sequence[ShellWord], redirections: Sequence[Redirection]) -> tuple[str, ...]:
    """Return the command lines that stand inside words."""
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
