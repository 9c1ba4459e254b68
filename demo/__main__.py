"""`make demo`: an agent breaks two projects, and clew finds and restores the good state.

Every line after a `$` is really run, in a temporary directory with its own store.  Every claim (✓)
is checked without clew, and a claim that is false ends the demo with exit code 1.
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
        print(f"\nThe demo failed: {failed}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print("\nThat is clew. Try it on a project of yours: `clew save`.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
