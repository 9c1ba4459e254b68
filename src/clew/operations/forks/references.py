"""References to states: a checkpoint of this workspace, or the newest state of a fork.

`fork:NAME` names only a fork.
"""

from __future__ import annotations

from clew.errors import AmbiguousReference, UnknownReference
from clew.model.checkpoint import Checkpoint, ForkInfo
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.forks.compare import Asked
from clew.operations.forks.list_forks import find_fork, fork_context, fork_tip
from clew.operations.history.references import resolve
from clew.policy.labels import label

FORK = "fork:"


def resolve_state(context: Context, text: str, monitor: Monitor) -> Asked:
    """Return the state that `text` names; unsaved work in a fork's directory is saved first.

    A name that both a checkpoint and a fork have is refused as ambiguous.
    """
    fork = fork_named(context, text)
    if fork is None:
        return Asked(text, "", resolve(context, text, monitor))
    if _is_checkpoint(context, text, monitor):
        raise AmbiguousReference(text, [f"{FORK}{text}", f"name:{text}"])
    return Asked(text, fork.name, fork_tip(context, fork, monitor))


def newest_of_fork(context: Context, text: str) -> Checkpoint:
    """Return the newest checkpoint of a fork, as saved."""
    fork = fork_named(context, text)
    here = fork_context(context, fork).here if fork is not None else None
    if here is None:
        raise UnknownReference(text)
    return here


def fork_named(context: Context, text: str) -> ForkInfo | None:
    """Return the fork of a name, with or without `fork:`; None if a name without it is none."""
    if text.startswith(FORK):
        return find_fork(context, text.removeprefix(FORK))
    forks = context.store.forks.of(context.workspace)
    return next((fork for fork in forks if fork.name in (text, label(text))), None)


def _is_checkpoint(context: Context, text: str, monitor: Monitor) -> bool:
    try:
        resolve(context, text, monitor)
    except UnknownReference:
        return False
    return True
