"""`make demo`: an agent works on two projects, breaks them, and clew finds the way back.

Nothing is staged: every line after a `$` is run as it stands, in a temporary directory with a store
of its own.  Every claim (✓) is checked without clew's help, and one that does not hold ends the demo
with exit code 1.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from demo import upgrade, way_back
from demo.stage import ClaimFailed, Stage


def main() -> int:
    base = Path(tempfile.mkdtemp(prefix="clew-demo-"))
    try:
        way_back.play(Stage(base / "one", "shop"))
        upgrade.play(Stage(base / "two", "till"))
    except ClaimFailed as failed:
        print(f"\nThis should not have happened: {failed}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print("\nThat is clew. Try it on something of yours: `clew save`.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
