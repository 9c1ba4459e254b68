"""Tools by what they may do to files: only readers are safe, and only those that we know.

A call that may destroy is worth a look before it runs.  Whatever is not known to read only may
destroy: one look too many costs a tenth of a second, one too few costs the only copy.
"""

from __future__ import annotations

from clew.model.effect_meaning import shell_line
from clew.model.shell_commands import Command, read_script

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
"""A subagent's own calls come to us one by one, so starting one changes nothing yet."""

_READING_PROGRAMS = frozenset(
    (
        "ls", "cat", "head", "tail", "grep", "egrep", "fgrep", "rg", "wc", "pwd", "echo", "printf",
        "true", "false", "test", "[", "stat", "file", "du", "df", "which", "type", "whoami", "id",
        "date", "uname", "hostname", "ps", "env", "printenv", "sleep", "cd", "diff", "cmp", "tree",
        "basename", "dirname", "realpath", "readlink", "md5sum", "sha256sum", "cut", "tr", "nproc",
        "free", "uptime", "ss", "exit", "return",
    )
)  # fmt: skip
_READING_GIT = frozenset(
    ("status", "log", "diff", "show", "blame", "rev-parse", "ls-files", "shortlog", "describe")
)
_WRITING_GIT_OPTIONS = ("--output", "-o")


def may_destroy(tool: str, arguments: object) -> bool:
    """Tell whether a call may change or remove files."""
    if tool.lower() in _READERS:
        return False
    line = shell_line(tool, arguments)
    if line is None:
        return True
    script = read_script(line[0])
    return not script.is_whole or not all(_only_reads(one) for one in script.commands)


def _only_reads(command: Command) -> bool:
    if any(target != "/dev/null" for target in command.writes) or command.inner or command.via:
        return False
    if command.program == "git":
        words = command.arguments
        return (
            bool(words)
            and words[0] in _READING_GIT
            and not any(word.startswith(_WRITING_GIT_OPTIONS) for word in words)
        )
    return command.program in _READING_PROGRAMS
