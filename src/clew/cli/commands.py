"""Table of commands, in the order of `clew --help`.

A command's name is also the name of its module, except for `try`, a Python keyword. A module is
imported only when its command runs, so the summaries are repeated here; a test compares them.
"""

from __future__ import annotations

GROUPS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "Checkpoints",
        (
            ("save", "Create a checkpoint: a snapshot of the workspace"),
            ("edit", "Edit a checkpoint's labels"),
            ("verdict", "Record by hand whether a checkpoint works"),
            ("init", "Register a directory as a workspace"),
        ),
    ),
    (
        "History",
        (
            ("log", "List checkpoints, newest first"),
            ("status", "Show what changed since the last checkpoint"),
            ("show", "Show one checkpoint in detail"),
            ("good", "Show the newest checkpoint that passes its check"),
            ("bisect", "Find the first bad checkpoint by binary search"),
            ("diff", "Compare two checkpoints, or one with the workspace"),
            ("blame", "Show which checkpoints changed a file, package or service"),
            ("search", "Find checkpoints by what was intended, changed or said"),
            ("grep", "Find lines of files in all checkpoints"),
            ("ls", "List a directory in a checkpoint"),
            ("cat", "Print a file from a checkpoint"),
        ),
    ),
    (
        "Restore",
        (
            ("restore", "Restore the workspace to a checkpoint"),
            ("undo", "Undo the last save, restore or edits"),
            ("redo", "Redo the last undo"),
            ("drill", "Prove that a checkpoint can be restored"),
        ),
    ),
    (
        "Sandboxes and forks",
        (
            ("verify", "Run a check on a checkpoint in a sandboxed copy"),
            ("exec", "Run a command in a sandboxed copy and show what it would change"),
            ("fork", "Create a workspace from a checkpoint"),
            ("enter", "Run a shell or a command that sees a fork at the workspace's path"),
            ("forks", "List the forks of this workspace"),
            ("try", "Run several commands from one checkpoint and compare the results"),
            ("compare", "Compare forks or checkpoints side by side"),
            ("adopt", "Merge a fork into the workspace (three-way merge)"),
            ("discard", "Delete a fork and its history"),
        ),
    ),
    (
        "Agents and sessions",
        (
            ("enable", "Checkpoint an agent's work automatically"),
            ("disable", "Remove clew from an agent's settings"),
            ("hook", "Handle an agent's hook event"),
            ("doctor", "Diagnose the setup of agents, workspace and store"),
            ("session", "Attach, list and inspect agent sessions"),
            ("task", "Manage the task list of a session"),
            ("resume", "Show where an agent can resume its work"),
            ("effect", "Record an action that a restore cannot undo"),
            ("brief", "Print the briefing for an agent after a restore"),
            ("repl", "Read slash commands from standard input"),
            ("mcp", "Run an MCP server that offers the commands as tools"),
        ),
    ),
    (
        "Store and settings",
        (
            ("workspaces", "List all workspaces of the store, also lost ones"),
            ("delete", "Delete checkpoints"),
            ("prune", "Remove checkpoints by retention rules"),
            ("gc", "Free unreferenced storage (garbage collection)"),
            ("fsck", "Find damage in the store, or rebuild its index"),
            ("stats", "Show the size of the store"),
            ("config", "Show or change settings"),
            ("prompt", "Print where the workspace is, for a shell prompt or a status line"),
            ("completion", "Print a script that completes clew commands in a shell"),
        ),
    ),
)

ALIASES = {"checkpoint": "save"}

FORMER = {"check": "fsck"}
"""Former names of commands: they work, and no help lists them."""

INTERNAL = ("offer",)
"""Commands that scripts of ours run; no help lists them."""

MODULES = {"try": "try_commands"}

VERBS = tuple(verb for _, commands in GROUPS for verb, _ in commands)


def module_name(word: str) -> str | None:
    """Return the module of the command `word`, or None."""
    if word in INTERNAL:
        return f"clew.cli.{word}"
    verb = ALIASES.get(word) or FORMER.get(word, word)
    return f"clew.cli.{MODULES.get(verb, verb)}" if verb in VERBS else None
