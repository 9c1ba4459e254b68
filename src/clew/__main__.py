"""`python -m clew` is the `clew` command."""

from __future__ import annotations

import sys

from clew.app import main

sys.exit(main())
