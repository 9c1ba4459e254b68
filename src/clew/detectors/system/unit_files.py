"""Parser for systemd unit files: commands, user, schedule, and preloaded libraries.

The syntax is systemd's (systemd.syntax(7)): sections, `Key=value`, a backslash at the end of a
line, comments of `#` and `;`, and repeatable keys.
Values are not shown, except the command, without its secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.detectors.detector import Tree
from clew.detectors.system.shown_command import shown_command
from clew.model.named_tuple import NamedTuple

SIZE_LIMIT = 1 << 20
"""systemd itself rejects larger files."""

_STARTERS = (
    "ExecStart", "OnCalendar", "OnBootSec", "OnStartupSec", "OnUnitActiveSec", "OnActiveSec",
    "OnUnitInactiveSec", "ListenStream", "ListenDatagram", "ListenFIFO", "PathExists",
    "PathChanged", "PathModified", "PathExistsGlob", "DirectoryNotEmpty", "What",
)  # fmt: skip
"""Keys that say how a unit is started or what it is, the most informative first."""
_ENVIRONMENTS = frozenset(("Environment", "DefaultEnvironment", "ManagerEnvironment"))
_LOADERS = re.compile(r"(?:^|[\s\"';,=])(LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT)=([^\s\"';]{0,4096}+)")
_ESCAPE = re.compile(r"\\x([0-9a-fA-F]{2})|\\([0-7]{3})")
_PREFIXES = "@-:+!|"
"""Prefixes of the program in an Exec line; not part of it."""


class UnitFile(NamedTuple):
    """Settings of one file, in order."""

    settings: tuple[tuple[str, str], ...] = ()
    """Key and value; sections are ignored, because no two share a key that matters here."""

    @property
    def starts(self) -> str | None:
        """The trigger: a command without its secrets, a calendar, an address."""
        for key in _STARTERS:
            values = [value for name, value in self.settings if name == key and value]
            if values:
                text = values[-1] if key == "OnCalendar" else values[0]
                return shown_command(text.lstrip(_PREFIXES) if key == "ExecStart" else text)
        return None

    @property
    def runs(self) -> tuple[str, ...]:
        """Every command with its user; if this changes, other code will run."""
        return tuple(
            f"{key}={value}"
            for key, value in self.settings
            if key.startswith("Exec") or key in ("User", "Group", "RootDirectory", "RootImage")
        )

    @property
    def loads(self) -> dict[str, frozenset[str]]:
        """Variables that make the loader load libraries, each with its values."""
        found: dict[str, set[str]] = {}
        for key, value in self.settings:
            if key in _ENVIRONMENTS or key.startswith("Exec"):
                for match in _LOADERS.finditer(_ESCAPE.sub(_unescaped, value)):
                    found.setdefault(match[1], set()).add(match[2])
        return {name: frozenset(values) for name, values in found.items()}

    @property
    def user(self) -> str | None:
        return next((value for key, value in reversed(self.settings) if key == "User"), None)


NOTHING = UnitFile()


def read_unit(tree: Tree, path: str) -> UnitFile:
    """Return the settings of a unit file; empty if there is none."""
    content = tree.read(path, SIZE_LIMIT)
    return NOTHING if content is None else parse_unit(content)


def parse_unit(content: bytes) -> UnitFile:
    """Return the settings in the bytes of a unit file."""
    text = content.decode("utf-8", "replace")
    return UnitFile(tuple(_settings(text)))


def different_keys(old: UnitFile, new: UnitFile) -> list[str]:
    """Return the keys with other values."""
    before, after = _by_key(old), _by_key(new)
    return sorted(key for key in {*before, *after} if before.get(key) != after.get(key))


def new_loads(old: UnitFile, new: UnitFile) -> list[str]:
    """Return the variables that load other libraries than before."""
    before = old.loads
    return sorted(
        name for name, values in new.loads.items() if values - before.get(name, frozenset())
    )


def _settings(text: str) -> Iterator[tuple[str, str]]:
    for line in _whole_lines(text):
        key, equals, value = line.partition("=")
        if equals and key[:1] != "[":
            yield key.strip()[:100], value.strip()


def _whole_lines(text: str) -> Iterator[str]:
    """Yield logical lines; a comment between continued lines does not end one."""
    parts: list[str] = []
    for raw in text.split("\n"):
        line = raw.strip()
        if line[:1] in ("#", ";") or (not line and not parts):
            continue
        if line.endswith("\\"):
            parts.append(line[:-1])
            continue
        parts.append(line)
        yield " ".join(parts)
        parts = []
    if parts:
        yield " ".join(parts)


def _by_key(unit: UnitFile) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, value in unit.settings:
        found.setdefault(key, []).append(value)
    return found


def _unescaped(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else chr(int(match[2], 8))
