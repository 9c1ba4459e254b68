"""Without Pydantic AI there is nothing to test."""

from __future__ import annotations

import pytest

pytest.importorskip("pydantic_ai")
