"""Read-only tools: which tool calls cannot change files.

Before a call that may change files, the workspace is scanned.  Every call not known to be read-only
may change files: an unnecessary scan costs a tenth of a second, a missing one the only copy.

A command line is therefore matched against an allowlist: plain programs, one after the other, whose
output goes only to the agent.  Any other line may change files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from clew.policy.shell.tool_call import shell_line
from clew.policy.shell.words import Redirection, ShellWord, WordPart, shell_tokens

_READERS = frozenset(
    (
        # Claude Code
        "read", "glob", "grep", "ls", "webfetch", "websearch", "todowrite", "toolsearch", "skill",
        "taskcreate", "taskupdate", "tasklist", "taskget", "taskoutput", "taskstop", "bashoutput",
        "askuserquestion", "enterplanmode", "exitplanmode", "notebookread", "listmcpresourcestool",
        "readmcpresourcetool", "task", "agent", "sendmessage",
        # Codex
        "update_plan", "view_image", "web_search", "request_user_input",
        # Gemini CLI and qwen-code
        "read_file", "read_many_files", "list_directory", "glob", "search_file_content",
        "grep_search", "google_web_search", "web_fetch", "write_todos", "todo_write", "ask_user",
        # opencode
        "list", "todoread", "question", "codesearch",
    )
)  # fmt: skip
"""Starting a subagent changes nothing: its calls are checked one by one."""

_SHELLS = frozenset(
    ("bash", "shell", "local_shell", "run_shell_command", "exec_command", "execute", "terminal")
)
"""Tools that only run a line in a shell; an unknown tool may do more than its name says."""

_READING_PROGRAMS = frozenset(
    (
        "ls", "cat", "head", "tail", "grep", "egrep", "fgrep", "rg", "wc", "pwd", "echo", "printf",
        "true", "false", "test", "[", "stat", "file", "du", "df", "which", "type", "whoami", "id",
        "date", "uname", "hostname", "ps", "env", "printenv", "sleep", "cd", "diff", "cmp", "tree",
        "basename", "dirname", "realpath", "readlink", "md5sum", "sha256sum", "cut", "tr", "nproc",
        "free", "uptime", "ss", "exit", "return", "git",
    )
)  # fmt: skip
_WITHOUT_ARGUMENTS = frozenset(("env", "hostname"))
"""Programs that read without arguments, and run or set what they are given."""
_READING_GIT = frozenset(
    ("status", "log", "diff", "show", "blame", "rev-parse", "ls-files", "shortlog", "describe")
)
_WRITING_OPTIONS = {
    "git": r"-o|--outp|--ext",
    "rg": r"--pre|--hostname-bin",
    "printf": r"-\w*v",  # the variable may be PATH, and an array index is evaluated
    "test": r"-\w*v",
    "[": r"-\w*v",
    "file": r"-\w*C|--c",
    "date": r"[^+-]|-\w*s|--s",
    "tree": r"-\w*[oR]",
    "ss": r"-\w*[KD]|--k|--d",
}
"""Patterns for arguments with which a reading program writes, or runs another program."""
_DEV_NULL = "/dev/null"
_MAX_LENGTH = 64 << 10


def may_destroy(tool: str, arguments: object) -> bool:
    """Return whether a call may change or remove files."""
    name = tool.lower()
    if name in _READERS:
        return False
    line = shell_line(tool, arguments) if name in _SHELLS else None
    return line is None or not _only_reads(line[0])


def _only_reads(line: str) -> bool:
    # Reject characters that a shell may not treat as the same whitespace.
    if len(line) > _MAX_LENGTH or not line.replace("\n", "").replace("\t", "").isprintable():
        return False
    words: list[ShellWord] = []
    for token in shell_tokens(line):
        if isinstance(token, ShellWord):
            words.append(token)
        elif isinstance(token, Redirection):
            if not _is_harmless(token):
                return False
        elif not _is_reader(words):
            return False
        else:
            words = []
    return _is_reader(words)


def _is_harmless(redirection: Redirection) -> bool:
    target = str(redirection.target)
    if not _is_plain(redirection.target):
        return False
    match redirection.sign:
        case "<" | "<<<":
            return True
        case ">" | ">>":
            return target == _DEV_NULL
        case ">&" | "<&":
            return target.isdecimal()
        case _:  # a here-document is expanded by the shell, and `<>` creates a file
            return False


def _is_reader(words: Sequence[ShellWord]) -> bool:
    if not words:
        return True
    if not all(map(_is_plain, words)):
        return False
    program, *arguments = map(str, words)
    program = re.sub(r"^(?:/usr)?/bin/", "", program)
    if program not in _READING_PROGRAMS or (program in _WITHOUT_ARGUMENTS and arguments):
        return False
    if program == "git" and not (arguments and arguments[0] in _READING_GIT):
        return False
    writing = _WRITING_OPTIONS.get(program)
    return writing is None or not any(re.match(writing, word) for word in arguments)


def _is_plain(word: ShellWord) -> bool:
    """Return whether a word is text and plain variables: expanding it runs nothing."""
    return all(
        piece.kind == WordPart.TEXT
        or (piece.kind == WordPart.VARIABLE and re.fullmatch(r"\w+|[$?!#@*-]", piece.text))
        for piece in word.pieces
    )
