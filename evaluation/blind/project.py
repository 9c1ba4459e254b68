"""The project of a timeline: an application as one finds it on a developer's disk."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from pathlib import Path

from evaluation.histories import git, repository
from evaluation.place import Place

PACKAGES = ("toolz", "attrs", "idna", "rich", "click", "pluggy")
TABLES = ("customers", "orders", "invoices", "sessions", "tags", "notes", "audit")
FOLDERS = ("uploads", "backups", "media", "exports", "recordings")
TESTS = ("orders", "billing", "login", "search", "reports")
SERVICES = ("web", "worker", "cache", "mailer")
KEYS = ("DB_URL", "CACHE_TTL", "LOG_LEVEL", "MAIL_FROM", "WORKERS", "REGION")
VERSIONS = ("1.0.0", "1.1.0", "1.2.0", "2.0.0")


def make_project(place: Place) -> None:
    """Write the application, its database, its environment, its data and its tests."""
    repository(place)
    place.run("printf '/.venv/\\n/app.db*\\n/.env\\n*.log\\n' > .gitignore")
    place.run("".join(f"echo /{folder}/ >> .gitignore;" for folder in FOLDERS))
    for name in TESTS:
        place.write(f"tests/test_{name}.py", six_tests(name))
    place.write("compose.yaml", compose(SERVICES[:3]))
    place.write("config/app.toml", "".join(f"{key.lower()} = 1\n" for key in KEYS))
    place.write("data/prices.json", json.dumps([{"id": n, "price": n * 3} for n in range(800)]))
    git(place, "add -A && git commit -qm 'the application'")
    place.write(".env", "".join(f"{key}=1\n" for key in KEYS[:3]))
    for at, folder in enumerate(FOLDERS):
        for number in range(40 + at):
            place.write(f"{folder}/{number:03}.bin", bytes([at, number]) * 700)
    _make_database(place.root / "app.db")
    place.run("python3 -m venv --without-pip .venv")
    for package in PACKAGES:
        install(place, package, "1.1.0")


def six_tests(name: str) -> str:
    lines = ["import pytest\n"]
    for number in range(6):
        lines.append(f"\n\ndef test_{name}_{number}():\n    assert {number} + 1 == {number + 1}\n")
    return "".join(lines)


def compose(services: tuple[str, ...]) -> str:
    return "services:\n" + "".join(
        f"  {name}:\n    image: example/{name}:1.0\n    restart: always\n" for name in services
    )


def install(place: Place, package: str, version: str) -> None:
    """Unpack a wheel into the environment, with the record that pip writes."""
    site = next((place.root / ".venv/lib").glob("python*")) / "site-packages"
    for old in site.glob(f"{package}-*.dist-info"):
        place.run(f"rm -r '{old}'")
    wheel = _wheel(place.around, package, version)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    info = site / f"{package}-{version}.dist-info"
    (info / "INSTALLER").write_text("pip\n")


def uninstall(place: Place, package: str) -> None:
    site = next((place.root / ".venv/lib").glob("python*")) / "site-packages"
    place.run(f"rm -r '{site}/{package}' '{site}/{package}'-*.dist-info")


def _wheel(around: Path, package: str, version: str) -> Path:
    path = around / f"{package}-{version}-py3-none-any.whl"
    info = f"{package}-{version}.dist-info"
    files = {
        f"{package}/__init__.py": f"__version__ = '{version}'\n",
        f"{package}/core.py": f"def run():\n    return '{version}'\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD", f"{info}/INSTALLER"))
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in (*files.items(), (f"{info}/RECORD", record)):
            archive.writestr(name, content)
    return path


def _make_database(path: Path) -> None:
    with sqlite3.connect(path) as database:
        for at, table in enumerate(TABLES):
            database.execute(
                f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, name TEXT, value REAL)"
            )
            database.executemany(
                f"INSERT INTO {table} (name, value) VALUES (?, ?)",
                [(f"{table} {number}", number / 7) for number in range(120 + at * 11)],
            )
    database.close()
