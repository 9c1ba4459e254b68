"""Redaction of file contents, for patches and files that are shown.

`redact` recognizes secrets in the output of commands.
The kind of a file says more: an environment file holds only names and values, a key file only the key,
a shell history arbitrary commands, and in a settings file the name decides.
In doubt the value is redacted: `--reveal` shows it.
A value marked as a digest is not a secret, nor is a public key, and words chosen by people are not
redacted, however long.

Each line remains one line, so that a patch can be computed from the originals and shown with these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, groupby, islice

from clew.model.named_tuple import NamedTuple
from clew.policy.redaction.blocks import find_blocks
from clew.policy.redaction.names import is_about_secret, looks_made_up, names_password, names_secret
from clew.policy.redaction.redact import MARK, redact, replace_spans, sounds_secret

_KEYS = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519")
_SECRET_NAMES = (
    *_KEYS, "shadow", "gshadow", ".vault-token", "sasl_passwd", "chap-secrets", "pap-secrets",
)  # fmt: skip
_SECRET_ENDS = (
    ".pem", ".key", ".p8", ".ppk", ".keystore", ".jks", ".kdbx", ".gpg", ".asc", "_history",
)  # fmt: skip
_ENV_NAMES = ("environment", "credentials", ".git-credentials")
_ENV_ENDS = (
    ".env", ".envrc", ".netrc", ".pgpass", ".npmrc", ".pypirc", ".htpasswd", ".tfvars",
)  # fmt: skip
_SETTINGS_ENDS = (
    ".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".cnf", ".properties", ".xml",
    ".config", ".plist", ".service", ".tfstate", ".nmconnection", "user-data",
)  # fmt: skip
_SPACED_ENDS = (".conf", ".cnf", ".cfg")
"""Settings that may have a space between name and value."""

_MIN_MEAN_RUN = 2.6
"""Average run length of letters or digits below which a word is random."""
_MIN_LETTERS = 40
"""Minimum length of a random word without digits."""


_WINDOW = 50_000
"""Lines in which a table or another block is searched for; a patch has no more."""


def conceal(path: str, lines: Sequence[str]) -> list[str]:
    """Return the lines with possible secrets of the file at `path` replaced, one for one."""
    return list(concealed(path, lines))


def conceal_content(path: str, content: bytes) -> bytes:
    """Return the content of a file with possible secrets replaced."""
    lines = content.decode("utf-8", "surrogateescape").split("\n")
    return "\n".join(concealed(path, lines)).encode("utf-8", "surrogateescape")


def concealed(path: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines with possible secrets of the file at `path` replaced, one for one."""
    name = path.rpartition("/")[2].lower()
    if _is_secret(name):
        return (MARK for _ in lines)
    if _is_environment(name):
        return map(_conceal_value, lines)
    if name.endswith(".ipynb"):
        lines = chain.from_iterable(_without_printed_blocks(lines))
    return _conceal_lines(chain.from_iterable(_without_blocks(lines)), name)


def _without_blocks(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield the lines, some at a time, without values whose name is on another line."""
    rest = iter(lines)
    while window := list(islice(rest, _WINDOW)):
        text = "\n".join(window)
        clean = replace_spans(text, sorted(find_blocks(text)), keep_lines=True)
        yield window if clean is text else clean.split("\n")


def _without_printed_blocks(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield the lines of a notebook the same way: what it printed is a list of strings, a line each."""
    from json import dumps  # noqa: PLC0415  costs 10 ms, and few patches need it

    for is_string, group in groupby(lines, lambda line: line.lstrip().startswith('"')):
        strings = list(group)
        if not is_string or len(strings) < 2:
            yield strings
            continue
        bare = [_unquoted(line) for line in strings]
        clean = next(_without_blocks(bare))
        yield [
            line if one == other else f"{dumps(one)},"
            for line, one, other in zip(strings, clean, bare, strict=True)
        ]


def _unquoted(line: str) -> str:
    """Return what a line of JSON says, if it is a string of one line."""
    from json import loads  # noqa: PLC0415  as above

    try:
        text = loads(line.strip().rstrip(","))
    except ValueError:
        return line
    is_line = isinstance(text, str) and "\n" not in text.removesuffix("\n")
    return text.removesuffix("\n") if is_line else line


def _is_secret(name: str) -> bool:
    if name.endswith(".pub"):
        return False
    bare = name.partition(".")[0].rstrip("-~") or name
    is_key = name.startswith(_KEYS) and "." not in name  # `id_rsa_work`
    return is_key or bare in _SECRET_NAMES or name.endswith(_SECRET_ENDS)


def _is_environment(name: str) -> bool:
    if name.startswith(".env") or name.endswith(_ENV_ENDS) or name in _ENV_NAMES:
        return True
    holds_secrets = "secret" in name or "credential" in name
    return holds_secrets and ("." not in name or name.endswith((*_SETTINGS_ENDS, ".txt")))


class _Block(NamedTuple):
    """The lines below a secret name in a settings file."""

    indent: int
    may_be_names: bool
    """Whether they may name secrets that are elsewhere, as below `secretKeyRef:`."""

    def holds(self, line: str) -> bool:
        own = _indent(line)
        return own > self.indent or (own == self.indent and line.lstrip().startswith("- "))

    def hides(self, line: str) -> bool:
        """Return whether a line may be or contain a secret."""
        if not line.strip():
            return False
        entry = _pattern("entry").match(line)
        value = line[entry.end() :] if entry else line
        return not self.may_be_names or looks_made_up(value) or " " in value.strip()


def _conceal_lines(lines: Iterable[str], name: str) -> Iterator[str]:
    is_settings = name.endswith(_SETTINGS_ENDS)
    is_key = is_public = False
    block: _Block | None = None
    for line in lines:
        if "-----BEGIN " in line:
            is_key = "PRIVATE KEY" in line
            is_public = not is_key
        if block is not None and line.strip() and not block.holds(line):
            block = None
        if is_key or (block is not None and block.hides(line)):
            yield MARK if line.strip() or is_key else line
        else:
            shown = redact(line)
            shown = _conceal_setting(shown, name) if is_settings else shown
            yield shown if is_public or name.endswith(".pub") else _conceal_words(shown)
            block = block or (_opened_block(line) if is_settings else None)
        if "-----END " in line:
            is_key = is_public = False


def _opened_block(line: str) -> _Block | None:
    """Return the block that begins below a line of a settings file, if it is one of secrets."""
    found = _pattern("opening").match(line)
    if found is None or not sounds_secret(found[1]):
        return None
    may_name = found[1].lower() in ("secret", "secrets") or is_about_secret(found[1])
    is_text = found[2] is not None and found[2][0] in "|>"
    return _Block(_indent(line), may_name and not is_text and not names_password(found[1]))


def _conceal_value(line: str) -> str:
    found = _pattern("assignment").match(line)
    if found:
        return found[1] + MARK
    is_prose = not line.strip() or line.lstrip().startswith(("#", ";", "//"))
    return _conceal_words(redact(line)) if is_prose else MARK


def _conceal_setting(line: str, name: str) -> str:
    """Redact what `redact` does not: values of names too short for prose, and XML elements."""

    def between(found: re.Match[str]) -> str:
        return found[1] + MARK if sounds_secret(found[2]) else found[0]

    line = _pattern("short name").sub(lambda found: found[1] + MARK, line)
    if name.endswith(_SPACED_ENDS) and (found := _pattern("spaced").fullmatch(line)):
        line = found[1] + MARK if names_secret(found[2]) else line
    return _pattern("element").sub(between, line)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _conceal_words(line: str) -> str:
    """Replace the words that look random."""

    def shown(found: re.Match[str]) -> str:
        start = max(found.start() - len("sha512:"), 0)
        is_random = _is_random(found[0]) and not _pattern("digest").search(line, start, found.end())
        is_public = is_random and _pattern("public key").match(found[0]) is not None
        return MARK if is_random and not is_public else found[0]

    return _pattern("word").sub(shown, line)


def _is_random(word: str) -> bool:
    kinds = (any(map(str.isdigit, word)), any(map(str.islower, word)), any(map(str.isupper, word)))
    if sum(kinds) < 2 or (not kinds[0] and len(word) < _MIN_LETTERS):
        return False
    runs = [len(run) for run in _pattern("row").findall(word)]
    if sum(runs) < _MIN_MEAN_RUN * len(runs):
        return True
    is_ragged = all(kinds) and sum(run <= 2 for run in runs) * 2 >= len(runs)
    return is_ragged or any(
        len(_pattern("number").findall(part)) > 2 for part in _pattern("part").findall(word)
    )


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern, compiled on first use to keep the import fast."""
    return re.compile(
        {
            "assignment": r"([\s#;]*+(?:export\s++)?+[^\s=:#;][^\s=:]{0,200}\s*+[=:]\s*+)",
            "opening": r"[\s-]*+[\"']?+([\w.-]++)[\"']?+\s*+[:=]\s*+([|>][-+0-9]*+|[\[{])?+\s*+$",
            "entry": r"[\s-]*+(?:[\"']?[\w.-]{1,100}+[\"']?[ \t]*+:(?=\s|$)[ \t]*+)?+",
            "spaced": r"([ \t]*+([\w.-]{1,100}+)[ \t]++)[^\s=:;][^\s;]*+;?[ \t]*+",
            "short name": (
                r"(?i)((?<![\w-])[\w-]*(?:pass|pwd|auth)[\"']?+[ \t]*+[:=][ \t]*+)"
                r"(?!\[redacted\]|[\"']?(?:true|false|null|none)\b)"
                r"(?:\"[^\"]*+\"?|'[^']*+'?|[^\s,;}\[{|>][^,;}]*+)"
            ),
            "element": r"(<([\w.:-]{1,100})>)[^<>]++(?=</)",
            "digest": r"(?i)(?:\bsha(?:1|224|256|384|512)[:=-]|@(?=[0-9a-f]{40}\Z))[A-Za-z0-9+/=_-]++\Z",
            "public key": r"AAAA(?:[BC]3NzaC1|E2VjZHNh|G[a-zA-Z0-9]{6,12}c2gt)",
            "word": r"[A-Za-z0-9+/_=-]{20,}+",
            "row": r"[A-Z]?+[a-z]++|[A-Z]++|[0-9]++",
            "part": r"[A-Za-z0-9]{16,}+",
            "number": r"[0-9]++",
        }[name]
    )
