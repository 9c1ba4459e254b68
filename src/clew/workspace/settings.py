"""The settings of a workspace: `ws.settings`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.operations.access import Access
from clew.operations.maintenance.settings import in_force

if TYPE_CHECKING:
    from clew.model.exclude_effects import ExcludeEffects


class Settings:
    """Reads and changes the settings of one workspace."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def all(self) -> dict[str, str]:
        """Return the settings in force, defaults included."""
        return in_force(self._access.context)

    def own(self) -> frozenset[str]:
        """Return the keys of the settings that were changed; the others have their defaults."""
        from clew.operations.maintenance.change_setting import own_settings

        return own_settings(self._access.context)

    def set(self, key: str, value: str) -> None:
        """Change a setting."""
        from clew.operations.maintenance.change_setting import change_setting

        change_setting(self._access.context, key, value)

    def exclude_effects(self) -> ExcludeEffects:
        """Return what each exclude pattern would leave out of the current checkpoint."""
        from clew.operations.maintenance.exclude_effects import exclude_effects

        with self._access.reading() as context:
            return exclude_effects(context)

    def unset(self, key: str) -> None:
        """Reset a setting to its default."""
        from clew.operations.maintenance.change_setting import change_setting

        change_setting(self._access.context, key, None)
