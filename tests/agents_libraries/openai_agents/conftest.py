"""Disables all network access of the SDK."""

from __future__ import annotations

import pytest

agents = pytest.importorskip("agents")


@pytest.fixture(autouse=True)
def _no_tracing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the SDK from sending traces: no key, no exporter."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    agents.set_tracing_disabled(True)
