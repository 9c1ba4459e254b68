"""The question before anything is overwritten."""

from __future__ import annotations

from collections.abc import Callable

from clew.model.restore_results import RestorePreview

Confirm = Callable[[RestorePreview], bool]
"""Asked with what would happen; only a true answer is a yes."""
