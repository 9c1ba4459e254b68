"""Setting agents up, by something that remembers what it was asked."""

from __future__ import annotations

from collections.abc import Callable

from clew.model.setup_results import Checkup, Disabled, Enabled, HookStatus
from clew.monitor import Monitor
from tests.cli import samples_setup


class FakeSetup:
    """Answers with samples; `asked` holds the calls."""

    def __init__(self) -> None:
        self.asked: list[tuple[object, ...]] = []
        self.enabled: Enabled = samples_setup.ENABLED
        self.disabled: Disabled = samples_setup.DISABLED
        self.checkup: Checkup = samples_setup.CHECKUP
        self.explain: Callable[[Exception], str] | None = None

    def enable(
        self, agent: str, directory: str = ".", *, monitor: Monitor | None = None, **options: object
    ) -> Enabled:
        given = {key: value for key, value in options.items() if value or key == "shared"}
        if given["shared"] is None:
            del given["shared"]
        self.asked.append(("enable", agent, directory, given))
        return self.enabled

    def disable(
        self,
        agent: str | None = None,
        directory: str = ".",
        *,
        scope: str | None = None,
        store: str | None = None,
    ) -> Disabled:
        self.asked.append(("disable", agent, directory, scope, store))
        return self.disabled

    def hooks(self, root: str) -> list[HookStatus]:
        return list(self.checkup.agents)

    def doctor(
        self,
        directory: str = ".",
        *,
        store: str | None = None,
        forget: bool = False,
        explain: Callable[[Exception], str] | None = None,
    ) -> Checkup:
        self.explain = explain
        self.asked.append(("doctor", directory, store, forget))
        return self.checkup
