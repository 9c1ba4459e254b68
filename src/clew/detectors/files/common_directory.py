"""The directory that some paths have in common."""

from __future__ import annotations

from collections.abc import Sequence


def common_directory(paths: Sequence[str]) -> str:
    """Return the deepest directory that contains all `paths`; empty for the root."""
    first = min(paths).split("/")[:-1]
    last = max(paths).split("/")[:-1]
    same = 0
    for one, other in zip(first, last, strict=False):
        if one != other:
            break
        same += 1
    return "/".join(first[:same])
