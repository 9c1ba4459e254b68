"""Switches in a source file that leave the whole file unchecked: `@ts-nocheck`, `eslint-disable`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.detectors.files.common_directory import common_directory
from clew.model.amount import counted
from clew.model.fact import Fact, Severity

_C = rb"^[ \t]*+(?://|/\*+)[ \t]*+"
_HASH = rb"^[ \t]*+#[ \t]*+"
_SWITCHES: dict[bytes, str] = {
    _C + rb"@ts-nocheck\b": "type check",
    _C + rb"eslint-disable[ \t]*+(?:\*/|--|$)": "eslint",
    _C + rb"tslint:disable[ \t]*+(?:\*/|$)": "tslint",
    _C + rb"(?:biome-ignore-all|oxlint-disable[ \t]*+(?:\*/|$))": "lint",
    rb"^[ \t]*+/\*[ \t]*+stylelint-disable[ \t]*+\*/": "stylelint",
    _C + rb"(?:istanbul|c8|v8) ignore file\b": "coverage",
    _C + rb"nolint:all\b": "lint",
    _C + rb"(?:phpcs:ignoreFile|@codingStandardsIgnoreFile)\b": "phpcs",
    _HASH + rb"mypy:[ \t]*+ignore-errors\b": "type check",
    rb"\A(?:#[^\n]*+\n)*" + rb"#[ \t]*+type:[ \t]*+ignore[ \t]*+$": "type check",
    _HASH + rb"pyright:[ \t]*+ignoreAll": "type check",
    _HASH + rb"(?:ruff|flake8):[ \t]*+noqa[ \t]*+$": "lint",
    _HASH + rb"pylint:[ \t]*+(?:skip-file|disable=all)\b": "pylint",
    _HASH + rb"rubocop:disable[ \t]++all\b": "rubocop",
    _HASH + rb"(?:typed: ignore|shellcheck disable=all)\b": "lint",
    rb"^[ \t]*+#!\[allow\((?:warnings|clippy::all)\)\]": "compiler warnings",
    rb"^#pragma warning disable[ \t]*+$": "compiler warnings",
}
_HINT = re.compile(
    rb"nocheck|disable|ignore|noqa|skip-file|nolint|allow\(|IgnoreFile", re.I
)  # most files have none
_PATTERNS = [(re.compile(sign, re.M), what) for sign, what in _SWITCHES.items()]
_WORDS = re.compile(
    rb"[@\w:=-]*(?:nocheck|disable|gnore|noqa|skip-file|nolint|allow)[\w:=-]*+", re.I
)
_ENABLED = re.compile(rb"(?:eslint|tslint|stylelint|oxlint)[-:]enable|rubocop:enable")
_EVIDENCE = 5


class FileSwitches:
    """Files of one group that are no longer checked as a whole."""

    def __init__(self) -> None:
        self._paths: dict[tuple[str, str], list[str]] = {}

    def add(self, path: str, before: bytes | None, after: bytes | None) -> None:
        """Compare two versions of an edited file; None for one that was not read."""
        if not before or not after or not _HINT.search(after):
            return
        for pattern, what in _PATTERNS:
            found = pattern.search(after)
            if found is None or pattern.search(before) or _ENABLED.search(after):
                continue
            word = _WORDS.search(found[0])
            sign = word[0].decode("ascii", "replace") if word else what
            self._paths.setdefault((what, sign), []).append(path)

    def facts(self) -> Iterator[Fact]:
        """Yield one fact for each check that was switched off."""
        for (what, sign), paths in self._paths.items():
            place = paths[0] if len(paths) == 1 else common_directory(paths) or "."
            said = sign if len(paths) == 1 else f"{counted(len(paths), 'file')}: {sign}"
            yield Fact(
                "check.weakened", place, what, None, said, severity=Severity.HIGH,
                evidence=tuple(paths[:_EVIDENCE]), marks=("no longer runs",),
            )  # fmt: skip
