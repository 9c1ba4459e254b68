"""The settings of a workspace: key, default, what a value may be, and what it means.

Help, docs/cli.md, the listing of `clew config` and the check of a new value come from this table.
Saves read the defaults, so it is made of constants.
"""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple


class Kind:
    """What a value may be, besides the words of the setting."""

    WORDS = "words"
    """Nothing else."""
    CHECK = "check"
    COMMAND = "command"
    COUNT = "count"
    DETECTORS = "detectors"
    DURATION = "duration"
    LIMIT = "limit"
    """A size above 0, or nothing."""
    PATTERNS = "patterns"
    RULES = "rules"
    SIZE = "size"


class Setting(NamedTuple):
    """One setting."""

    key: str
    default: str
    kind: str
    meaning: str
    """One sentence, without the full stop."""
    words: tuple[str, ...] = ()


_SWITCH = ("on", "off")

SETTINGS = (
    Setting(
        "drill.every",
        "off",
        Kind.DURATION,
        "Period of restore drills in the background, such as 7d, or `off`; see `clew drill --help`",
        ("off",),
    ),
    Setting(
        "exclude",
        "",
        Kind.PATTERNS,
        "Patterns of paths that are not captured, one per line; see `clew help excludes`",
    ),
    Setting(
        "exclude-larger-than",
        "",
        Kind.LIMIT,
        "Size above which files are not captured, such as 100MB; a restore leaves them alone",
    ),
    Setting(
        "gate",
        "off",
        Kind.WORDS,
        "Whether external actions that match `gate.rules` need approval: `on` or `off`",
        _SWITCH,
    ),
    Setting(
        "gate.rules",
        "",
        Kind.RULES,
        "Approval rules, one per line; if empty, the built-in ones, which "
        "`clew config get gate.rules` prints",
    ),
    Setting(
        "keep-last",
        "",
        Kind.COUNT,
        "Number of checkpoints that `clew prune` keeps; if this and `keep-within` are empty, "
        "automatic checkpoints are thinned out by age",
    ),
    Setting(
        "keep-within",
        "",
        Kind.DURATION,
        "Age up to which `clew prune` keeps checkpoints, such as 30d",
    ),
    Setting("max-bytes", "20GB", Kind.SIZE, "Size of the store above which a save warns"),
    Setting(
        "min-free",
        "auto",
        Kind.SIZE,
        "Disk space that a save leaves free, a size or `auto` (2 % of the disk, at most 1 GiB)",
        ("auto",),
    ),
    Setting(
        "restore.ask",
        "unsaved",
        Kind.WORDS,
        "When `clew restore`, `undo`, `redo` and `adopt` ask at a terminal: `unsaved` (if they would "
        "overwrite what the current checkpoint does not hold, or files that programs have open), "
        "`always` or `never`; without a terminal, --yes is required whatever it says",
        ("unsaved", "always", "never"),
    ),
    Setting(
        "restore.unattended",
        "off",
        Kind.WORDS,
        "Whether an agent may overwrite files through `clew mcp` without confirmation: "
        "`on` or `off`",
        _SWITCH,
    ),
    Setting(
        "story.background",
        "on",
        Kind.WORDS,
        "Whether a background process describes checkpoints that hooks have saved; if `off`, "
        "`clew log` and `clew show` describe them each time",
        _SWITCH,
    ),
    Setting(
        "story.detectors",
        "",
        Kind.DETECTORS,
        "Additional detectors, MODULE:CLASS, separated by spaces",
    ),
    Setting(
        "story.live-databases",
        "off",
        Kind.WORDS,
        "Whether the background process asks PostgreSQL, MySQL and MariaDB servers that run in the "
        "workspace for their tables after each checkpoint (without a password, read-only): "
        "`on` or `off`",
        _SWITCH,
    ),
    Setting(
        "story.writer",
        "",
        Kind.COMMAND,
        "Command that may rephrase descriptions of checkpoints",
    ),
    Setting(
        "verify",
        "",
        Kind.CHECK,
        "Check of the workspace, a command or an HTTP URL, run by `clew save --check`; the "
        "reference `good` depends on it",
    ),
)
