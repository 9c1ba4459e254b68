"""INI reader: sections, keys and values of the dialects that programs use.

They differ in what an indented line is.  For Python's configparser (`tox.ini`, `setup.cfg`,
`pip.conf`) a line that is indented deeper than its key continues the value; one at the same column
is the next key.  For git, MySQL, systemd and editors indentation means nothing.

A value of several lines, or a key that is repeated, is a list.
"""

from __future__ import annotations

import re

from clew.detectors.formats.values import NodeCounter, Plain, Unreadable, Value
from clew.model.named_tuple import NamedTuple

_SECTION = re.compile(r"\[([^\r\n]{1,200}?)\]\s*+(?:[#;].*+)?$")
_SUBSECTION = re.compile(r"([\w.-]{1,80}+)[ \t]++\"((?:[^\"\\]|\\.){0,200}+)\"")
_KEY = re.compile(r"[A-Za-z_.*$@/][\w.*$@/\[\]-]{0,99}+")
"""One word: in `requirepass hunter2=` the second word is not a name."""
_GIT_TOKEN = re.compile(r"\\(.)|\"|[#;]|[^\\\"#;]++")
_GIT_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}


class IniDialect(NamedTuple):
    """What a program accepts."""

    signs: str = "=:"
    """What may stand between key and value."""
    is_indented: bool = False
    """Whether a line that is indented deeper than its key continues the value."""
    has_bare_keys: bool = False
    """Whether a key may have no value."""
    is_git: bool = False
    """Whether values are quoted and commented as git does."""
    has_backslashes: bool = True
    """Whether a line that ends in a backslash continues."""


CONFIGPARSER = IniDialect(is_indented=True, has_backslashes=False)
LOOSE = IniDialect(is_indented=True)
"""For files of any program."""
GIT = IniDialect(signs="=", has_bare_keys=True, is_git=True)
MYSQL = IniDialect(signs="=", has_bare_keys=True, has_backslashes=False)
UNITS = IniDialect(signs="=")


def read_ini(text: str, dialect: IniDialect = CONFIGPARSER) -> dict[str, Value]:
    """Return the settings by section; those before the first section are at the top."""
    reader = _IniReader(dialect)
    for line in text.splitlines():
        reader.take(line)
    return reader.finish()


class _IniReader:
    """Reads a file line by line."""

    def __init__(self, dialect: IniDialect) -> None:
        self._dialect = dialect
        self._counter = NodeCounter()
        self._top: dict[str, list[list[str]]] = {}
        self._sections: dict[str, dict[str, list[list[str]]]] = {}
        self._keys = self._top
        self._last: list[str] | None = None
        """The lines of the last value."""
        self._indent = 0
        """The indentation of the last key."""
        self._goes_on = False

    def take(self, line: str) -> None:
        text = line.strip()
        is_comment = text[:1] in ("#", ";")
        if self._goes_on and self._last is not None:
            self._last[-1] += text  # the backslash was removed
        elif not text or is_comment:
            return
        elif self._continues(line):
            self._append(text)
        elif found := _SECTION.fullmatch(text):
            self._begin_section(found[1].strip())
        else:
            self._begin_key(line, text)
        self._goes_on = self._dialect.has_backslashes and self._last is not None and _is_cut(text)
        if self._goes_on and self._last is not None:
            self._last[-1] = self._last[-1].removesuffix("\\")

    def finish(self) -> dict[str, Value]:
        found: dict[str, Value] = {key: self._value(value) for key, value in self._top.items()}
        for name, keys in self._sections.items():
            if name in found:
                raise Unreadable("a key with the name of a section")
            found[name] = {key: self._value(value) for key, value in keys.items()}
        return found

    def _continues(self, line: str) -> bool:
        if not self._dialect.is_indented or self._last is None:
            return False
        return len(line) - len(line.lstrip()) > self._indent

    def _append(self, text: str) -> None:
        self._counter.count()
        assert self._last is not None
        self._last.append(text)

    def _begin_section(self, name: str) -> None:
        sub = _SUBSECTION.fullmatch(name)
        if sub is not None:
            name = f"{sub[1]}.{sub[2]}"
        self._counter.count()
        self._keys = self._sections.setdefault(name, {})
        self._last = None

    def _begin_key(self, line: str, text: str) -> None:
        places = [at for sign in self._dialect.signs if (at := text.find(sign)) > 0]
        at = min(places, default=len(text))
        key = text[:at].rstrip()
        if not _KEY.fullmatch(key) or (not places and not self._dialect.has_bare_keys):
            raise Unreadable("not a setting")
        self._counter.count()
        self._indent = len(line) - len(line.lstrip())
        self._last = [text[at + 1 :].strip()]
        self._keys.setdefault(key, []).append(self._last)

    def _value(self, given: list[list[str]]) -> Value:
        lines = [line for value in given for line in value if line]
        if self._dialect.is_git:
            return _one_or_all([_git_value(value[0]) for value in given])
        return _one_or_all(lines)


def _one_or_all(lines: list[str]) -> Value:
    if len(lines) > 1:
        return [Plain(line) for line in lines]
    return Plain(lines[0]) if lines else Plain("")


def _is_cut(text: str) -> bool:
    """Return whether a line ends in a backslash that is not itself escaped."""
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


def _git_value(text: str) -> str:
    """Return a value without quotes, escapes, comment, and blanks at its end that are not quoted."""
    value, end = "", 0
    is_quoted = False
    for found in _GIT_TOKEN.finditer(text):
        piece = found[0]
        if found[1]:
            if found[1] not in _GIT_ESCAPES:
                raise Unreadable("unknown escape")
            value += _GIT_ESCAPES[found[1]]
        elif piece == '"':
            is_quoted = not is_quoted
        elif piece in ("#", ";") and not is_quoted:
            break
        else:
            value += piece
            if not is_quoted:
                end = len(value.rstrip()) if piece.strip() else end
                continue
        end = len(value)
    return value[:end]
