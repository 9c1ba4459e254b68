"""Skips these tests if Pydantic AI is not installed."""

from __future__ import annotations

import pytest

pytest.importorskip("pydantic_ai")
