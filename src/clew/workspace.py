"""The library: a workspace and its verbs.

`clew.open(path)` gives a `Workspace`; every surface, the command line included, works through it,
so none has a power that the others lack.

Paths given to the verbs are text, absolute or relative to the current directory.
`confirm` is asked, with the preview, before anything is overwritten; without it the answer is yes.
"""

from __future__ import annotations

from clew.verbs.bisecting import Bisecting
from clew.verbs.confirm import Confirm
from clew.verbs.effecting import Effecting
from clew.verbs.forking import Forking
from clew.verbs.going_back import GoingBack
from clew.verbs.looking import Looking
from clew.verbs.merging import Merging
from clew.verbs.stepping import Stepping
from clew.verbs.tasking import Tasking
from clew.verbs.trying import Trying
from clew.verbs.upkeep import Upkeep

__all__ = ["Confirm", "Workspace"]


class Workspace(
    Tasking, Effecting, Stepping, Looking, GoingBack, Forking, Trying, Merging, Bisecting, Upkeep
):
    """A directory tree and its history."""
