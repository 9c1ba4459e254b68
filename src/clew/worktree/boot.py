"""Boot id: distinguishes what was seen before a reboot from what was seen after it."""

from __future__ import annotations

_PATH = "/proc/sys/kernel/random/boot_id"


def boot_id() -> str:
    """Return the id of the running kernel's boot; empty if it is not known."""
    try:
        with open(_PATH, encoding="ascii") as file:
            return file.read().strip()
    except (OSError, ValueError):
        return ""
