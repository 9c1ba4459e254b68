"""Every command there is, in the order in which `clew --help` lists them.

A verb is also the name of its module, which is imported only when it runs; `try` is a word of the
language, so its module has another.
The summaries are repeated here for that reason; a test compares them with the modules.
"""

from __future__ import annotations

GROUPS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "Keep",
        (
            ("save", "Capture the workspace as it is now"),
            ("edit", "Mend what a checkpoint says of itself"),
            ("init", "Make a directory a workspace"),
        ),
    ),
    (
        "Look",
        (
            ("log", "Show the timeline, newest first"),
            ("status", "Show what changed since the last checkpoint"),
            ("show", "Show one checkpoint in full"),
            ("good", "Name the newest checkpoint whose check passes"),
            ("bisect", "Find the first bad checkpoint"),
            ("diff", "Show what differs between two moments"),
            ("blame", "Show when something appeared or changed"),
            ("ls", "List a directory as a checkpoint holds it"),
            ("cat", "Print a file as a checkpoint holds it"),
        ),
    ),
    (
        "Go back",
        (
            ("restore", "Make the workspace exactly what it was"),
            ("undo", "Take back the last save, restore or edits"),
            ("redo", "Take back an undo"),
        ),
    ),
    (
        "Try",
        (
            ("verify", "Check a moment in a private copy of it"),
            ("exec", "Run a command in a throw-away copy and show what it would change"),
            ("fork", "Grow a new workspace from a checkpoint"),
            ("forks", "List what grew from this workspace"),
            ("try", "Go several ways from one moment and compare where they lead"),
            ("compare", "Put forks or checkpoints side by side"),
            ("adopt", "Bring what a fork changed into the workspace"),
            ("discard", "Remove a fork and its history"),
        ),
    ),
    (
        "Work with agents",
        (
            ("enable", "Have an agent's work kept by itself"),
            ("disable", "Take our entries out of an agent's settings"),
            ("hook", "Answer an agent's hook"),
            ("doctor", "Tell whether agents are enabled and their work is kept"),
            ("session", "Say which agent is at work, and see what it did"),
            ("task", "Keep the task list of a session"),
            ("resume", "Tell where an agent would go on"),
            ("effect", "Write down what no restore takes back"),
            ("brief", "Write the message that an agent needs after a restore"),
            ("repl", "Take slash commands, one a line"),
            ("mcp", "Serve the verbs as tools to an agent"),
        ),
    ),
    (
        "Look after the store",
        (
            ("delete", "Remove checkpoints"),
            ("prune", "Thin out automatic checkpoints, or remove what is beyond a limit"),
            ("gc", "Free the space of what no checkpoint needs"),
            ("check", "Tell whether the store is whole"),
            ("stats", "Tell what history costs"),
            ("config", "List or change settings"),
            ("completion", "Print a script that completes clew commands in a shell"),
        ),
    ),
)

ALIASES = {"checkpoint": "save"}

MODULES = {"try": "try_ways"}

VERBS = tuple(verb for _, commands in GROUPS for verb, _ in commands)


def module_name(word: str) -> str | None:
    """Return the module of the command that `word` names, or None if there is none."""
    verb = ALIASES.get(word, word)
    return f"clew.cli.{MODULES.get(verb, verb)}" if verb in VERBS else None
