"""Linters that do the work of others: a hook that was replaced by one of them is no lost check."""

from __future__ import annotations

import re
from collections.abc import Collection

_FORMATTERS = (
    "black", "isort", "autopep8", "yapf", "reorder-python-imports", "docformatter", "add-trailing-comma",
    "double-quote-string-fixer", "trailing-whitespace", "end-of-file-fixer",
)  # fmt: skip
_PYTHON_LINTERS = (
    "flake8", "pylint", "pyupgrade", "pydocstyle", "pycodestyle", "pyflakes", "bandit", "autoflake",
    "pycln", "python-check-blanket-noqa", "python-check-blanket-type-ignore",
    "python-no-eval", "python-use-type-annotations", "eradicate", "mccabe", "blacken-docs", "ruff",
)  # fmt: skip
_TYPE_CHECKERS = ("mypy", "pyright", "basedpyright", "ty", "pyrefly", "pyre", "pytype")
_SCRIPT_LINTERS = (
    "eslint",
    "prettier",
    "tslint",
    "standard",
    "xo",
    "jshint",
    "oxlint",
    "biome",
    "rome",
)
_SECRET_SEARCHES = ("gitleaks", "detect-secrets", "trufflehog", "ggshield", "detect-private-key")

_WORK: dict[str, tuple[str, ...]] = {
    r"ruff.*format": _FORMATTERS,
    r"ruff": (*_FORMATTERS, *_PYTHON_LINTERS),
    r"(?:mypy|pyright|basedpyright|ty|pyrefly)": _TYPE_CHECKERS,
    r"(?:biome|oxlint|eslint|prettier)": _SCRIPT_LINTERS,
    r"(?:gitleaks|detect-secrets|trufflehog|ggshield)": _SECRET_SEARCHES,
    r"(?:black|yapf)": _FORMATTERS,
}
"""Names of hooks, and what each of them may replace."""
_SUFFIX = re.compile(r"(?:-(?:check|lint|format|hook|ci|docker|system|local|fix|py))+$")


def stands_in(hooks: Collection[str], lost: str) -> bool:
    """Return whether one of `hooks` does what the lost hook did."""
    name = _SUFFIX.sub("", lost)
    return any(
        _SUFFIX.sub("", hook) == name
        or any(
            re.match(rf"{pattern}(?![a-z])", hook) and name in work
            for pattern, work in _WORK.items()
        )
        for hook in hooks
        if not hook.endswith(" (manual)")
    )
