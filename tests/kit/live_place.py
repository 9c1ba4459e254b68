"""A directory for tests that is not a temporary one: in sandboxes those are private."""

from __future__ import annotations

import os
from pathlib import Path

LIVE = next(
    (place for place in ("/srv", "/opt", "/home") if os.access(place, os.W_OK)), str(Path.home())
)
