"""Wheels and npm packages, fetched before the recording: inside there is no network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

WHEELS = (
    "anyio==3.7.1",
    "fastapi==0.95.2",
    "idna==3.10",
    "pydantic==1.9.2",
    "pydantic==1.10.24",
    "python-multipart==0.0.20",
    "sniffio==1.3.1",
    "starlette==0.27.0",
    "typing_extensions==4.12.2",
)
"""Pure Python, so that the fixture is small."""

NODE = ("date-fns@1.30.1", "lodash-es@4.17.21", "mitt@3.0.1")


def fetch(place: Path) -> None:
    """Download everything to `wheels` and `npm-cache` in a directory."""
    download = (sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", place / "wheels")
    anywhere = ("--only-binary", ":all:", "--platform", "any", "--python-version", "3.11")
    for wheel in WHEELS:
        subprocess.run([*download, *anywhere, wheel], check=True)
    web = place / "web"
    web.mkdir()
    (web / "package.json").write_text("{}")
    install = ("npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts")
    subprocess.run([*install, "--cache", place / "npm-cache", *NODE], cwd=web, check=True)
