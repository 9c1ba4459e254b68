"""Every command, with the lines that are tried on a workspace full of secrets.

A command without a line here fails a test.  Lines are run in this order, as text and as JSON.
"""

from __future__ import annotations

from typing import Any

Line = tuple[str, ...]

LOOKING: dict[str, list[Line]] = {
    "log": [("log",), ("log", "-n", "200"), ("log", "--path", "named")],
    "status": [("status",)],
    "show": [
        *[("show", name) for name in ("start", "contents", "names", "rotated", "@")],
        ("show", "names", "--paths"),
        ("show", "rotated", "--paths"),
    ],
    "good": [("good",)],
    "diff": [
        ("diff",),
        ("diff", "--patch"),
        ("diff", "names", "rotated", "--patch"),
        ("diff", "start", "rotated", "--facts"),
        ("diff", "start", "rotated", "--stat"),
        ("diff", "start", "rotated", "--name-status"),
    ],
    "blame": [
        ("blame", "notes.md"),
        ("blame", "app.db"),
        ("blame", "repository"),
    ],
    "ls": [("ls", "@"), ("ls", "@", "named"), ("ls", "@", "dirs"), ("ls", "@", "node_modules")],
    "cat": [("cat", "@", path) for path in ("notes.md", ".env", "data.json", "job.ipynb")],
    "forks": [("forks",)],
    "grep": [
        ("grep", "."),
        ("grep", "-i", "password|token|secret|key", "--generated"),
        ("grep", "-l", "."),
        ("grep", ".", "--at", "names"),
    ],
    "search": [
        *[("search", word) for word in ("password", "token", "secret", "key", "named", "db")],
        ("search", "a", "--all-workspaces"),
    ],
    "workspaces": [("workspaces",)],
    "brief": [("brief",), ("brief", "start"), ("brief", "names")],
    "compare": [("compare", "names", "rotated"), ("compare", "other", "@")],
    "stats": [("stats",)],
    "config": [("config",), ("config", "get", "verify"), ("config", "get", "gate.rules")],
    "completion": [("completion", "bash")],
    "prompt": [("prompt",)],
    "fsck": [("fsck", "--read-data")],
    "doctor": [("doctor",)],
    "repl": [("repl", "/checkpoint list"), ("repl", "/help")],
}
"""Commands that change nothing."""

SAID: dict[str, list[Line]] = {
    "log": [("log", "-n", "300")],
    "show": [("show", "start"), ("show", "@"), ("show", "@~7")],
    "status": [("status",)],
    "session": [
        ("session", "list"),
        ("session", "show", "--messages", "1000"),
        ("session", "files"),
        ("session", "files", "--checkpoint", "@"),
    ],
    "task": [("task", "list")],
    "resume": [("resume",)],
    "effect": [("effect", "list"), ("effect", "list", "--outstanding")],
    "brief": [("brief",), ("brief", "start")],
    "diff": [("diff", "start", "@", "--facts")],
    "restore": [
        ("restore", "start", "--dry-run"),
        ("restore", "start", "--yes"),
        ("brief",),
        ("undo", "--yes"),
    ],
    "good": [("good",)],
    "repl": [("repl", "/checkpoint list")],
    "doctor": [("doctor",)],
}
"""Commands that tell what was said, planned and done."""

DOING: dict[str, list[Line]] = {
    "init": [("init",)],
    "edit": [("edit", "@", "--description", "x")],
    "verdict": [("verdict", "names", "passing")],
    "verify": [("verify", "@", "--", "cat check.txt; false"), ("verify", "names", "--", "true")],
    "drill": [("drill", "contents", "--no-check")],
    "exec": [("exec", "names", "--", "rm -r named dirs app.db; echo x > notes.md")],
    "bisect": [("bisect", "start", "@", "--", "! test -e notes.md")],
    "fork": [("fork", "names", "--name", "second")],
    "try": [
        ("try", "names", "--attempt", "one=rm -r dirs; cat check.txt", "--verify", "cat check.txt")
    ],
    "enter": [("enter", "second", "--", "rm notes.md; true")],
    "adopt": [("adopt", "second"), ("adopt", "second", "--yes")],
    "discard": [("discard", "second"), ("discard", "second", "--yes")],
    "save": [("save", "again"), ("checkpoint", "and again", "--verify", "cat check.txt; false")],
    "restore": [
        ("restore", "contents", "--dry-run"),
        ("restore", "contents"),
        ("restore", "names", "named", "--yes"),
        ("restore", "start", "--yes"),
    ],
    "undo": [("undo", "--yes")],
    "redo": [("redo", "--yes"), ("undo", "--yes")],
    "enable": [("enable", "claude-code", "--mcp", "--gate"), ("doctor",)],
    "disable": [("disable", "claude-code")],
    "hook": [("hook", "claude-code")],
    "prune": [("prune", "--keep-last", "2", "--dry-run"), ("prune", "--keep-last", "50", "--yes")],
    "gc": [("gc",)],
    "delete": [("delete", "contents", "--purge", "--yes")],
}
"""Commands that act."""

ELSEWHERE = ("mcp",)
"""Serves until it is stopped: the tools are tried instead."""

EXACT: dict[Line, str] = {
    ("cat", "@", "notes.md"): "a file is got back with `cat REF PATH > PATH`",
    ("diff", "names", "rotated", "--patch", "--reveal"): "it was asked for",
    ("cat", "@", "notes.md", "--json", "--reveal"): "it was asked for",
    ("ls", "@", "named", "--reveal"): "it was asked for: a path is needed to act",
    ("status", "--all", "--reveal"): "it was asked for: a path is needed to act",
    ("show", "names", "--paths", "--reveal"): "it was asked for: a path is needed to act",
    (
        "restore",
        "start",
        "--dry-run",
        "--reveal",
        "--json",
    ): "it was asked for: a path is needed to act",
    ("exec", "names", "--", "cat notes.md"): "what a command prints live is its own",
}
"""Lines that show secrets, and why."""

TOOLS: dict[str, list[dict[str, Any]]] = {
    "log": [{}, {"limit": 200}],
    "show": [{"ref": "names"}, {"ref": "rotated", "paths": True}],
    "status": [{}],
    "diff": [
        {},
        {"a": "start", "b": "rotated"},
        {"a": "names", "b": "rotated", "patch": True},
        *[
            {"a": "names", "b": "rotated", "patch": True, "paths": [path]}
            for path in ("notes.md", "data.json", "job.ipynb", ".env", "app.log", "files")
        ],
    ],
    "good": [{}],
    "blame": [{"subject": "notes.md"}, {"subject": "app.db"}],
    "cat": [
        {"ref": "@", "path": path}
        for path in ("notes.md", ".env", "data.json", "job.ipynb", "app.log", ".bash_history")
    ],
    "tasks": [{}],
    "effects": [{}],
    "save": [{"intent": "x"}],
    "save_and_verify": [{"intent": "x", "command": "cat check.txt; false"}],
    "verify": [{"ref": "@", "command": "cat check.txt; false"}],
    "drill": [{"ref": "names"}],
    "fork": [{"ref": "names", "name": "third"}],
    "try": [
        {
            "ref": "names",
            "attempts": {"two": "rm -r dirs; cat check.txt"},
            "verify": "cat check.txt",
        }
    ],
    "bisect": [{"good": "start", "bad": "@", "command": "! test -e notes.md"}],
    "adopt": [{"fork": "two"}],
    "undo": [{}],
    "restore": [{"ref": "names"}],
    "add_task": [{"title": "x"}],
    "mark_task": [{"number": 1, "status": "completed"}],
    "record_effect": [{"action": "x"}],
    "settle_effect": [{"number": 1, "status": "done"}],
}
"""Every tool, with the arguments that are tried."""
