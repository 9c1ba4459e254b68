"""The settings of a user, for the command line alone: how it shows things, never what is captured.

A save and a hook must not read another file, so nothing that they need can be set here.
"""

from __future__ import annotations

from clew.model.settings import Kind, Setting

COLOR = "color"
LOG_LIMIT = "log.limit"
PAGER = "pager"

ALWAYS = "always"
AUTO = "auto"
NEVER = "never"
OFF = "off"

USER_SETTINGS = (
    Setting(
        COLOR,
        AUTO,
        Kind.WORDS,
        "Colours: `auto` (on a terminal, unless $NO_COLOR is set, or wherever $CLICOLOR_FORCE is), "
        "`always` or `never`, whatever these variables say",
        (AUTO, ALWAYS, NEVER),
    ),
    Setting(
        LOG_LIMIT,
        "0",
        Kind.COUNT,
        "Number of checkpoints that `clew log` shows without -n; 0 for all",
    ),
    Setting(
        PAGER,
        AUTO,
        Kind.COMMAND,
        "Pager of long output on a terminal: a command, `auto` ($PAGER, or `less`) or `off`; "
        "$CLEW_PAGER comes first",
        (AUTO, OFF),
    ),
)

DEFAULTS = {setting.key: setting.default for setting in USER_SETTINGS}
