"""The labelled corpus: texts with marked secrets, and texts without secrets."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

_HERE = Path(__file__).parent / "corpus"
_ALPHABETS = {
    "a": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "u": string.ascii_uppercase + string.digits,
    "d": string.digits,
    "b": string.ascii_letters + string.digits + "+/",
}


class Labelled(NamedTuple):
    """One text and the secrets in it."""

    text: str
    secrets: tuple[str, ...] = ()


class Kind(NamedTuple):
    """One kind of secret: a text, and a file in which it may be."""

    name: str
    path: str
    text: str
    secrets: tuple[str, ...]
    needs_file: bool
    """Whether only the file tells that it is a secret."""


class Template(NamedTuple):
    """A kind as written, from which any number of secrets can be made."""

    name: str
    path: str
    text: str
    needs_file: bool

    @property
    def sizes(self) -> list[int]:
        """The lengths of its random parts."""
        return [int(size) for _, size in re.findall(r"\{([ahudb])(\d+)\}", self.text)]

    @property
    def is_name(self) -> bool:
        """Whether it can be part of a file's name, and has a prefix that tells its service."""
        bare = re.sub(r"\{[ahudb]\d+\}", "", self.text.replace("⟦", "").replace("⟧", ""))
        is_distinct = len(re.sub(r"[^A-Za-z0-9]", "", bare)) >= 3
        is_distinct = is_distinct and "{b" not in self.text  # a name has no slash
        return (
            is_distinct and bool(re.fullmatch(r"[A-Za-z0-9_.~-]{3,40}", bare)) and bool(self.sizes)
        )

    def only_secret(self) -> Template:
        """Return the kind without the text around its secret."""
        found = re.findall("⟦(.*?)⟧", self.text)
        return self._replace(text=f"⟦{found[0]}⟧")

    def expanded(self, source: random.Random, made_up: Callable[[str], None]) -> str:
        """Return the text with its placeholders replaced; `made_up` is told of those of a secret."""

        def replaced(found: re.Match[str]) -> str:
            return "".join(source.choices(_ALPHABETS[found[1]], k=int(found[2])))

        parts = []
        for part in re.split("(⟦.*?⟧)", self.text):
            for at, piece in enumerate(re.split(r"(\{[ahudb]\d+\})", part)):
                made = re.sub(r"\{([ahudb])(\d+)\}", replaced, piece)
                if part.startswith("⟦") and at % 2:
                    made_up(made)
                parts.append(made)
        return "".join(parts).replace("⟦", "").replace("⟧", "").replace("⏎", "\n")


class Score(NamedTuple):
    """The results of a function on a corpus."""

    missed: list[str]
    """Texts in which a secret was missed."""
    spoiled: list[str]
    """Texts without a secret that were changed."""
    secrets: int
    benign: int

    @property
    def recall(self) -> float:
        return 1 - len(self.missed) / self.secrets

    @property
    def precision(self) -> float:
        """The share of changed texts that contained a secret."""
        right = self.secrets - len(self.missed)
        return right / (right + len(self.spoiled))


def secrets(name: str) -> list[Labelled]:
    """Return the texts of a file, each with its secrets."""
    return [_labelled(line) for line in _lines(name)]


def benign(name: str) -> list[str]:
    """Return the texts of a file that must not be changed."""
    return [_expanded(line) for line in _lines(name)]


def kinds(name: str) -> list[Kind]:
    """Return the kinds of a file."""
    found = []
    for line in _lines(name):
        kind, path, text = line.split("\t", 2)
        hidden = _labelled(text, "⏎")
        found.append(
            Kind(kind, path.removeprefix("!"), hidden.text, hidden.secrets, path.startswith("!"))
        )
    return found


def templates(*names: str) -> list[Template]:
    """Return the kinds of files as they are written."""
    lines = (line.split("\t", 2) for name in names for line in _lines(name))
    return [
        Template(kind, path.removeprefix("!"), text, path.startswith("!"))
        for kind, path, text in lines
    ]


def benign_files(name: str) -> list[tuple[str, str]]:
    """Return the paths and texts of a file that must not be changed."""
    lines = (line.split("\t", 1) for line in _lines(name))
    return [(path, _expanded(text, "⏎")) for path, text in lines]


def score(redact: Callable[[str], str], names: Iterable[str] = ("", "_held_out")) -> Score:
    """Evaluate a function on the corpus."""
    hidden = [case for name in names for case in secrets(f"secrets{name}.txt")]
    open_ = [text for name in names for text in benign(f"benign{name}.txt")]
    missed = [one.text for one in hidden if any(s in redact(one.text) for s in one.secrets)]
    spoiled = [text for text in open_ if redact(text) != text]
    return Score(missed, spoiled, len(hidden), len(open_))


def _lines(name: str) -> list[str]:
    lines = (_HERE / name).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("# ")]


def _labelled(line: str, line_end: str = "\\n") -> Labelled:
    text = _expanded(line, line_end)
    found = tuple(piece for secret in re.findall("⟦(.*?)⟧", text) for piece in secret.split("\n"))
    return Labelled(text.replace("⟦", "").replace("⟧", ""), found)


def _expanded(line: str, line_end: str = "\\n") -> str:
    """Return a line with its placeholders replaced by fake tokens, the same ones each time."""
    source = random.Random(line)

    def made_up(found: re.Match[str]) -> str:
        return "".join(source.choices(_ALPHABETS[found[1]], k=int(found[2])))

    text = re.sub(r"\{([ahudb])(\d+)\}", made_up, line)
    return text.replace(line_end, "\n")
