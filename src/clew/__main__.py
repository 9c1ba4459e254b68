"""`python -m clew` is the `clew` command.

Python puts the current directory first on its path for this, and looks there for whatever it
imports, `clew` included, before this file is read.  `clew`, or `python -P -m clew`, never does.
"""

from __future__ import annotations

import sys


def _leave_current_directory() -> None:
    """Import nothing more from the current directory, unless this clew is installed in it."""
    import os  # noqa: PLC0415 - frozen: it comes from no path

    try:
        here = os.getcwd()
    except OSError:
        return  # a directory that was deleted is on no path
    if not sys.flags.safe_path and sys.path[:1] == [here]:
        del sys.path[0]
        if os.path.dirname(os.path.dirname(os.path.abspath(__file__))) == here:
            sys.path.append(here)


if __name__ == "__main__":
    _leave_current_directory()
    from clew.app import main

    sys.exit(main())
