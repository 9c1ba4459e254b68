from __future__ import annotations

from clew.render.columns import pad, pad_left


def test_padding_counts_columns() -> None:
    assert pad("日", 4) == "日  "
    assert pad_left("日", 4) == "  日"
    assert pad("too long", 3) == "too long"
