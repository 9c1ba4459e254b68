"""The settings of a workspace: `ws.settings`."""

from __future__ import annotations

from clew.operations.access import Access
from clew.operations.maintenance.settings import change, in_force


class Settings:
    """Reads and changes the settings of one workspace."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def all(self) -> dict[str, str]:
        """Return the settings in force, defaults included."""
        return in_force(self._access.context)

    def set(self, key: str, value: str) -> None:
        """Change a setting."""
        change(self._access.context, key, value)

    def unset(self, key: str) -> None:
        """Reset a setting to its default."""
        change(self._access.context, key, None)
