"""Plants secrets of every kind in every kind of place of a workspace."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from pathlib import Path

from tests.canary_matrix.plants import (
    Plants,
    kinds_of_file,
    kinds_of_line,
    kinds_of_text,
    kinds_of_token,
)

_AT_ONCE = 10
STRICT = ("twitter-bearer", "resend")
"""Tokens that are recognized only where a word begins."""


def plant_contents(root: Path, plants: Plants, turn: str) -> None:
    """Write files with secrets of every kind; `turn` tells the values apart."""
    for kind, text in plants.every_text(f"own file, {turn}", kinds_of_file()):
        _write(root / "files" / kind.name / kind.path, text + "\n")
    _write(root / "notes.md", _lines(plants, f"notes, {turn}"))
    _write(root / "app.log", _lines(plants, f"log lines, {turn}"))
    _write(root / "job.ipynb", _notebook(_lines(plants, f"notebook output, {turn}")))
    texts = plants.every_text(f"JSON values, {turn}", kinds_of_text())
    _write(
        root / "data.json",
        json.dumps({kind.name: text for kind, text in texts}, indent=1, ensure_ascii=False),
    )
    _write(root / ".bash_history", _lines(plants, f"shell history, {turn}"))
    _write(root / "check.txt", _lines(plants, f"check output, {turn}"))
    tokens = [plants.token(kind, f".env, {turn}") for kind in kinds_of_token()]
    _write(root / ".env", "".join(f"V{n}={token}\n" for n, token in enumerate(tokens)))


def plant_names(root: Path, plants: Plants, turn: str) -> None:
    """Write files, tables, packages and services that are named after tokens."""
    plant_file_names(root, plants, turn)
    for name in _names(plants, f"directory name, {turn}"):
        _write(root / "dirs" / name / "a.txt", "x\n")
        _write(root / "dirs" / name / "b.txt", "x\n")
    _plant_database(root / "app.db", plants, turn)
    _plant_packages(root, plants, turn)
    _plant_settings(root, plants, turn)
    _plant_machine(root, plants, turn)
    _plant_git(root / "repository", plants, turn)


def plant_file_names(root: Path, plants: Plants, turn: str) -> None:
    """Write files that are named after tokens."""
    for name in _names(plants, f"file name, {turn}"):
        _write(root / "named" / f"{name}.txt", "x\n")


def _plant_database(path: Path, plants: Plants, turn: str) -> None:
    with sqlite3.connect(path) as database:
        for name in _names(plants, f"table name, {turn}"):
            database.execute(f'CREATE TABLE "{name}" (id INTEGER)')
        columns = _names(plants, f"column name, {turn}")
        title = f"wide_{turn}"
        database.execute(f"CREATE TABLE {title} (id, {', '.join(map(_quoted, columns))})")
        database.execute(f"CREATE TABLE rows_{turn} (name TEXT, password TEXT)")
        for kind, text in plants.every_text(f"table rows, {turn}", kinds_of_line()):
            database.execute(f"INSERT INTO rows_{turn} VALUES (?, ?)", (kind.name, text))
    database.close()


def _plant_packages(root: Path, plants: Plants, turn: str) -> None:
    wanted = dict.fromkeys(_names(plants, f"npm package, {turn}"), "1.0.0")
    package = {"name": "shop", "version": "1.0.0", "dependencies": wanted}
    _write(root / "package.json", json.dumps(package, indent=1))
    locked = {f"node_modules/{name}": {"version": "1.0.0"} for name in wanted}
    lock = {"name": "shop", "lockfileVersion": 3, "packages": {"": package, **locked}}
    _write(root / "package-lock.json", json.dumps(lock, indent=1))
    for name in wanted:
        own = {"name": name, "version": "1.0.0"}
        _write(root / "node_modules" / name / "package.json", json.dumps(own))
    versions = _names(plants, f"package version, {turn}")
    for number, version in enumerate(versions):
        info = root / f".venv/lib/python3.11/site-packages/p{turn}{number}-1.0.dist-info"
        _write(
            info / "METADATA", f"Metadata-Version: 2.1\nName: p{number}\nVersion: 1.0+{version}\n"
        )
    _write(root / ".venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n")
    wheels = _names(plants, f"requirement, {turn}")
    _write(root / "requirements.txt", "".join(f"{name}==1.0\n" for name in wheels))


def _plant_settings(root: Path, plants: Plants, turn: str) -> None:
    services = [
        f"  {name}:\n    image: r.example/{other}:1\n    container_name: {third}\n"
        for name, other, third in zip(
            _names(plants, f"compose service, {turn}"),
            _names(plants, f"image name, {turn}"),
            _names(plants, f"container name, {turn}"),
            strict=True,
        )
    ]
    _write(root / "compose.yaml", "services:\n" + "".join(services))
    keys = _names(plants, f"JSON key, {turn}")
    _write(root / "keys.json", json.dumps(dict.fromkeys(keys, 1), indent=1))
    _write(
        root / "keys.toml", "".join(f'"{key}" = 1\n' for key in _names(plants, f"TOML key, {turn}"))
    )
    _write(
        root / "keys.yaml", "".join(f"{key}: 1\n" for key in _names(plants, f"YAML key, {turn}"))
    )
    sections = _names(plants, f"INI section, {turn}")
    _write(root / "keys.ini", "".join(f"[{name}]\na = 1\n" for name in sections))
    images = _names(plants, f"base image, {turn}")
    _write(root / "Dockerfile", "".join(f"FROM r.example/{name}:1\n" for name in images))
    functions = _names(plants, f"function name, {turn}")
    code = "".join(f"def f_{_identifier(name)}():\n    pass\n\n\n" for name in functions)
    _write(root / "code.py", code)


def _plant_machine(root: Path, plants: Plants, turn: str) -> None:
    for name in _names(plants, f"unit name, {turn}"):
        _write(root / f"etc/systemd/system/{name}.service", "[Service]\nExecStart=/bin/true\n")
    texts = [text for _, text in plants.every_text(f"unit command, {turn}", kinds_of_line())]
    for at in range(0, len(texts), _AT_ONCE):
        steps = "".join(f"ExecStartPre=/bin/sh -c {text!r}\n" for text in texts[at : at + _AT_ONCE])
        unit = f"[Service]\nExecStart={texts[at]}\n{steps}"
        _write(root / f"etc/systemd/system/u{turn}{at}.service", unit)
    commands = plants.every_text(f"cron command, {turn}", kinds_of_line())
    _write(
        root / f"etc/cron.d/jobs{turn}", "".join(f"1 2 * * * root {text}\n" for _, text in commands)
    )
    users = _names(plants, f"user name, {turn}")
    accounts = [
        f"{name}:x:{2000 + n}:{2000 + n}::/home/x:/bin/sh\n" for n, name in enumerate(users)
    ]
    _write(root / "etc/passwd", "root:x:0:0:root:/root:/bin/bash\n" + "".join(accounts))
    hosts = _names(plants, f"host name, {turn}")
    _write(root / "etc/hosts", "".join(f"10.0.0.{n} {name}\n" for n, name in enumerate(hosts)))
    for path in ("usr/bin/x", "var/lib/x"):
        _write(root / path, "x\n")
    packages = _names(plants, f"system package, {turn}")
    status = [
        f"Package: {name}\nStatus: install ok installed\nVersion: 1.0\n\n" for name in packages
    ]
    _write(root / "var/lib/dpkg/status", "".join(status))


def _plant_git(root: Path, plants: Plants, turn: str) -> None:
    root.mkdir(exist_ok=True)
    if not (root / ".git").exists():
        _git(root, "init", "-q", "-b", "main")
    _write(root / f"{turn}.txt", "x\n")
    _git(root, "add", ".")
    _git(root, "commit", "-q", "-m", _one(plants, f"commit message, {turn}"))
    head = subprocess.check_output(["git", "-C", root, "rev-parse", "HEAD"], text=True).strip()
    for name in _names(plants, f"branch name, {turn}"):
        _write(root / ".git/refs/heads" / name, head + "\n")
    for name in _names(plants, f"tag name, {turn}"):
        _write(root / ".git/refs/tags" / name, head + "\n")
    remotes = "".join(
        f'[remote "{name}"]\n\turl = https://x.example/{other}.git\n'
        for name, other in zip(
            _names(plants, f"remote name, {turn}"),
            _names(plants, f"remote URL, {turn}"),
            strict=True,
        )
    )
    config = root / ".git/config"
    config.write_text(config.read_text() + remotes)


def _names(plants: Plants, where: str) -> list[str]:
    """Return names with a token in them, most of them in the middle."""
    return [
        plants.token(kind, where) if kind.name in STRICT else f"k_{plants.token(kind, where)}"
        for kind in kinds_of_token()
        if "~" not in kind.only_secret().text and ".." not in kind.text
    ]


def _one(plants: Plants, where: str) -> str:
    kind = next(kind for kind in kinds_of_line() if kind.name == "curl-user")
    return plants.text(kind, where)


def _lines(plants: Plants, where: str) -> str:
    return "\n\n".join(text for _, text in plants.every_text(where, kinds_of_text())) + "\n"


def _notebook(output: str) -> str:
    stream = {"output_type": "stream", "name": "stdout", "text": output.splitlines(keepends=True)}
    cell = {
        "cell_type": "code",
        "metadata": {},
        "source": ["run()"],
        "outputs": [stream],
        "execution_count": 1,
    }
    return json.dumps(
        {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5},
        indent=1,
        ensure_ascii=False,
    )


def _quoted(name: str) -> str:
    return f'"{name}"'


def _identifier(name: str) -> str:
    return "".join(char if char.isalnum() else "_" for char in name)


def _git(root: Path, *words: str) -> None:
    identity = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_CONFIG_GLOBAL": "/dev/null"}
    identity |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    subprocess.run(["git", "-C", root, *words], check=True, env={**os.environ, **identity})


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
