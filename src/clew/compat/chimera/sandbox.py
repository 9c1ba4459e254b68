"""A sandbox policy as options of `docker run`."""

from __future__ import annotations

from typing import Any


def sandbox_options(policy: Any) -> list[str]:
    """Return the options of a policy; what it does not define stays at Docker's default."""
    if policy is None:
        return []
    rules = list(getattr(policy, "network_rules", ()) or ())
    options = ["--network", "none"] if rules and not any(rule.allow for rule in rules) else []
    memory = getattr(policy, "max_memory_mb", None)
    processes = getattr(policy, "max_processes", None)
    options += ["--memory", f"{memory}m"] if memory else []
    options += ["--pids-limit", str(processes)] if processes else []
    paths = getattr(policy, "path_rules", None)
    if paths is not None and not any(_may_write(rule) for rule in paths):
        options += ["--read-only", "--tmpfs", "/tmp:size=100m"]  # noqa: S108  the container's own
    return options


def _may_write(rule: Any) -> bool:
    return getattr(rule.access, "value", rule.access) in ("write", "execute")
