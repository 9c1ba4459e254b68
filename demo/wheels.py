"""Two versions of a tiny package, built by hand: the demo needs no network."""

from __future__ import annotations

import zipfile
from pathlib import Path

_CENTS = '''\
"""Money as people write it."""


def show(cents):
    """Return an amount in cents: 1250 is `12.50`."""
    return f"{cents / 100:,.2f}"
'''

_UNITS = '''\
"""Money as people write it."""


def show(amount, currency=""):
    """Return an amount in whole units: 12.5 is `12.50`."""
    return f"{amount:,.2f}" + (f" {currency}" if currency else "")
'''

VERSIONS = {"1.4.0": _CENTS, "2.0.0": _UNITS}


def build(directory: Path) -> None:
    """Write a wheel of each version."""
    directory.mkdir()
    for version, code in VERSIONS.items():
        _wheel(directory / f"moneyfmt-{version}-py3-none-any.whl", version, code)


def _wheel(path: Path, version: str, code: str) -> None:
    info = f"moneyfmt-{version}.dist-info"
    files = {
        "moneyfmt.py": code,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: moneyfmt\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in {**files, f"{info}/RECORD": record}.items():
            wheel.writestr(name, text)
