"""The journal: what was done, by whom, and the checkpoints that appeared meanwhile."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.recorded.recording import machine
from tests.recorded.recording.machine import Clock


class Journal:
    """Collects entries, oldest first; each has a name that tests use."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.entries: list[dict[str, Any]] = []
        self._known: list[str] = []

    @contextmanager
    def entry(self, name: str, who: str, what: str) -> Iterator[dict[str, Any]]:
        """Write down one step, which the body does."""
        found = self.begin(name, who, what)
        yield found
        self.end(found)

    def begin(self, name: str, who: str, what: str) -> dict[str, Any]:
        if any(entry["name"] == name for entry in self.entries):
            raise ValueError(f"There are two entries called {name}")
        time = self.clock.now().isoformat(timespec="seconds")
        return {"name": name, "who": who, "what": what, "time": time}

    def end(self, entry: dict[str, Any]) -> None:
        """Write down an entry with the checkpoints that are new."""
        now = ids()
        entry["checkpoints"] = [one for one in now if one not in self._known]
        self._known = now
        self.entries.append(entry)
        print(
            f"{entry['time'][5:19]} {entry['who']:7} {entry['name']:24} {entry['checkpoints']}",
            flush=True,
        )

    def newest(self) -> str:
        """Return the id of the newest checkpoint."""
        return self._known[-1]

    def before(self, name: str) -> str:
        """Return the newest checkpoint from before a step."""
        found = ""
        for entry in self.entries:
            if entry["name"] == name:
                return found
            found = entry["checkpoints"][-1] if entry["checkpoints"] else found
        raise KeyError(name)

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(self.entries, indent=1, ensure_ascii=False) + "\n")


def ids() -> list[str]:
    """Return the ids of all checkpoints of the shop, oldest first."""
    if not machine.STORE.exists():
        return []
    page = json.loads(machine.run("clew", "--json", "log", "-n", "100000"))
    return [one["id"][:8] for one in page["checkpoints"]][::-1]
