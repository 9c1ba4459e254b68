"""Options: hooks and session store in one call."""

from __future__ import annotations

from dataclasses import replace

from claude_agent_sdk import ClaudeAgentOptions

from clew.agents.claude_sdk.async_workspace import Where
from clew.agents.claude_sdk.hooks import Hooks, clew_hooks
from clew.agents.claude_sdk.session_store import ClewSessionStore


def with_clew(options: ClaudeAgentOptions, where: Where | None = None) -> ClaudeAgentOptions:
    """Return options with clew's hooks and session store; `where` defaults to their `cwd`.

    Existing hooks and an existing session store are preserved.  Claude's own file checkpoints
    exclude any session store; with those, only hooks are added.
    """
    where = where if where is not None else options.cwd or "."
    if options.session_store is not None or options.enable_file_checkpointing:
        store = options.session_store
        own = store if isinstance(store, ClewSessionStore) else None
        return replace(options, hooks=_joined(options, clew_hooks(where, own)))
    own = ClewSessionStore(where)
    return replace(
        options,
        hooks=_joined(options, clew_hooks(where, own)),
        session_store=own,
        session_store_flush="eager",  # otherwise entries arrive only at the end of a turn
    )


def _joined(options: ClaudeAgentOptions, ours: Hooks) -> Hooks:
    theirs = options.hooks or {}
    return {
        event: [*theirs.get(event, []), *ours.get(event, [])]
        for event in (*theirs, *(one for one in ours if one not in theirs))
    }
