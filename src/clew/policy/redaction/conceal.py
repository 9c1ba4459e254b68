"""Redaction of file contents, for patches shown to users.

`redact` recognizes secrets in the output of commands.
The kind of a file says more: an environment file holds only names and values, a key file only the key,
a shell history arbitrary commands, and in a settings file the name decides.
In doubt the value is redacted: `--show-secrets` shows it.
A value marked as a digest is not a secret, and words chosen by people are not redacted, however long.

Each line remains one line, so that a patch can be computed from the originals and shown with these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from clew.policy.redaction.redact import MARK, redact, sounds_secret

_KEYS = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519")
_SECRET_NAMES = (*_KEYS, "shadow", "gshadow", ".vault-token")
_SECRET_ENDS = (
    ".pem", ".key", ".p8", ".ppk", ".keystore", ".jks", ".kdbx", ".gpg", ".asc", "_history",
)  # fmt: skip
_ENV_NAMES = ("environment", "credentials", ".git-credentials")
_ENV_ENDS = (
    ".env", ".envrc", ".netrc", ".pgpass", ".npmrc", ".pypirc", ".htpasswd", ".tfvars",
)  # fmt: skip
_SETTINGS_ENDS = (
    ".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".cnf", ".properties", ".xml",
)  # fmt: skip

_MIN_MEAN_RUN = 2.6
"""Average run length of letters or digits below which a word is random."""
_MIN_LETTERS = 40
"""Minimum length of a random word without digits."""


def conceal(path: str, lines: Sequence[str]) -> list[str]:
    """Return the lines with possible secrets of the file at `path` replaced, one for one."""
    name = path.rpartition("/")[2].lower()
    if _is_secret(name):
        return [MARK for _ in lines]
    if _is_environment(name):
        return [_conceal_value(line) for line in lines]
    return list(_conceal_lines(lines, is_settings=name.endswith(_SETTINGS_ENDS)))


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


def _conceal_lines(lines: Sequence[str], *, is_settings: bool) -> Iterator[str]:
    is_key = False
    block: int | None = None  # indentation of the name above a multi-line secret
    for line in lines:
        if "-----BEGIN " in line and "PRIVATE KEY" in line:
            is_key = True
        if block is not None and line.strip() and not _is_below(line, block):
            block = None
        if is_key or (block is not None and line.strip()):
            yield MARK
        else:
            yield _conceal_words(_conceal_setting(redact(line)) if is_settings else redact(line))
            block = _indent(line) if is_settings and _opens_secret(line) else block
        if "-----END " in line:
            is_key = False


def _conceal_value(line: str) -> str:
    found = _pattern("assignment").match(line)
    if found:
        return found[1] + MARK
    is_prose = not line.strip() or line.lstrip().startswith(("#", ";", "//"))
    return _conceal_words(redact(line)) if is_prose else MARK


def _conceal_setting(line: str) -> str:
    """Redact what `redact` does not: values of names too short for prose, and XML elements."""

    def between(found: re.Match[str]) -> str:
        return found[1] + MARK if sounds_secret(found[2]) else found[0]

    line = _pattern("short name").sub(lambda found: found[1] + MARK, line)
    return _pattern("element").sub(between, line)


def _opens_secret(line: str) -> bool:
    """Return whether a secret begins below this line of a settings file."""
    found = _pattern("opening").match(line)
    return found is not None and sounds_secret(found[1])


def _is_below(line: str, indent: int) -> bool:
    own = _indent(line)
    return own > indent or (own == indent and line.lstrip().startswith("- "))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _conceal_words(line: str) -> str:
    """Replace the words that look random."""

    def shown(found: re.Match[str]) -> str:
        start = max(found.start() - len("sha512:"), 0)
        is_random = _is_random(found[0]) and not _pattern("digest").search(line, start, found.end())
        return MARK if is_random else found[0]

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
            "opening": r"[\s-]*+[\"']?+([\w.-]++)[\"']?+\s*+[:=]\s*+(?:[|>][-+0-9]*+|[\[{])?+\s*+$",
            "short name": (
                r"(?i)((?<![\w-])[\w-]*(?:pass|pwd|auth)[\"']?+[ \t]*+[:=][ \t]*+)"
                r"(?!\[redacted\]|[\"']?(?:true|false|null|none)\b)"
                r"(?:\"[^\"]*+\"?|'[^']*+'?|[^\s,;}\[{|>][^,;}]*+)"
            ),
            "element": r"(<([\w.:-]{1,100})>)[^<>]++(?=</)",
            "digest": r"(?i)(?:\bsha(?:1|224|256|384|512)[:=-]|@(?=[0-9a-f]{40}\Z))[A-Za-z0-9+/=_-]++\Z",
            "word": r"[A-Za-z0-9+/_=-]{20,}+",
            "row": r"[A-Z]?+[a-z]++|[A-Z]++|[0-9]++",
            "part": r"[A-Za-z0-9]{16,}+",
            "number": r"[0-9]++",
        }[name]
    )
