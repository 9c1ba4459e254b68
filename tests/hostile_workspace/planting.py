"""A workspace with a module of every name that Python could import; each leaves a mark when it is."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

from tests.kit.running import SOURCE

_CODE = """\
import posix
_file = posix.open({marks!r}, posix.O_WRONLY | posix.O_CREAT | posix.O_APPEND, 0o600)
posix.write(_file, ("%s from %s\\n" % (__name__, __file__)).encode())
posix.close(_file)
"""
"""What a planted module does; `posix` is built in, and so cannot be planted itself."""


@cache
def every_name() -> frozenset[str]:
    """Return every top-level name that clew, its dependencies or Python itself could import."""
    names = {"sitecustomize", "usercustomize", "clew"}
    names |= set(sys.stdlib_module_names)
    names |= set(packages_distributions())
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names.add(node.module.partition(".")[0])
    return frozenset(name for name in names if name.isidentifier())


@cache
def early_names(*more: str) -> frozenset[str]:
    """Return the names that are imported before clew can say where to import from."""
    names = ", ".join(("clew.app", *more, "sys", "json"))
    code = f"import {names}; print(json.dumps(sorted(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    loaded = {name.partition(".")[0] for name in json.loads(ran.stdout)}
    return frozenset(loaded | {"sitecustomize", "usercustomize", "clew"})


def plant(directory: Path, marks: Path, names: Iterable[str]) -> None:
    """Put a module of each name into a directory."""
    directory.mkdir(parents=True, exist_ok=True)
    code = _CODE.format(marks=str(marks))
    for name in names:
        if name == "clew":
            (directory / name).mkdir(exist_ok=True)
            for part in ("__init__.py", "__main__.py", "app.py"):
                (directory / name / part).write_text(code)
        else:
            (directory / f"{name}.py").write_text(code)


def console_script(directory: Path) -> Path:
    """Write the `clew` that pip would, and return its path."""
    directory.mkdir(exist_ok=True)
    script = directory / "clew"
    script.write_text(
        f"#!{sys.executable}\nimport sys\nfrom clew.app import main\n"
        'if __name__ == "__main__":\n    sys.exit(main())\n'
    )
    script.chmod(0o755)
    return script


def marks_in(marks: Path) -> str:
    """Return which planted modules were imported."""
    return marks.read_text() if os.path.exists(marks) else ""
