"""Secrets on command lines: `curl -u me:x`, `mysql -px`, `echo x | docker login --password-stdin`.

A line is read from the name of a program that takes secrets, wherever it occurs: in a script, within
the quotes of `bash -c`, in the middle of a sentence.  Each word is read once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import takewhile

from clew.policy.redaction.assignments import sounds_secret
from clew.policy.redaction.names import (
    FUNCTION_WORDS,
    assigns_secret,
    is_open,
    looks_random,
    names_secret,
    signs_address,
)
from clew.policy.redaction.programs import PROGRAMS, READERS, Takes
from clew.policy.redaction.shell import PlacedWord, words_from

Span = tuple[int, int]

_MAX_DEPTH = 4
"""Maximum nesting of quoted command lines."""
_BEFORE = 4_096
"""Characters before a reader in which its input is searched for."""


def find_in_commands(text: str) -> Iterator[Span]:
    """Yield the spans of secrets that a command line passes to a program."""
    # Patterns are compiled only if they may match: a hook process reads one line and exits.
    named = tuple(name for name in PROGRAMS if name in text)
    if named:
        yield from _given_to_programs(text, _programs(named), 0, len(text), 0)
    if any(reader in text for reader in READERS):
        yield from _given_on_input(text)
    if "set" in text:
        yield from _exported(text)
    if "<" in text:
        yield from _redirected_to_name(text)
    if "login" in text or "auth" in text:
        yield from _logged_in(text)


def _given_to_programs(
    text: str, programs: re.Pattern[str], at: int, end: int, depth: int
) -> Iterator[Span]:
    while found := programs.search(text, at, end):
        words = list(
            takewhile(lambda word: word.start < end, words_from(text, found.start("name")))
        )
        yield from _Command(text, words).secrets()
        for word in words:  # `docker exec db sh -c "mysql -px"`
            is_quoted = word.raw.rstrip(",;)]}")[-1:] in ('"', "'")
            if depth < _MAX_DEPTH and " " in word.raw and is_quoted:
                yield from _given_to_programs(text, programs, word.start + 1, word.end, depth + 1)
        at = max(found.end(), words[-1].end if words else 0)


class _Command:
    """One command and its words."""

    def __init__(self, text: str, words: Sequence[PlacedWord]) -> None:
        self._text = text
        self._words = words
        self._takes = Takes()
        self._program = ""
        self._plain: list[str] = []  # the words after the program, without options
        self._applies = False

    def secrets(self) -> Iterator[Span]:
        at = 0
        while at < len(self._words):
            word = self._words[at]
            if word.is_operator:
                at += 1 if not word.raw.startswith("<") else 2  # skip the source of input
                continue
            name = word.raw.strip("\"'`(").rpartition("/")[2].removesuffix(".exe")
            if name in PROGRAMS and not (self._program and self._is_argument(name)):
                self._program, self._takes, self._plain = name, PROGRAMS[name], []
                self._applies = not self._takes.only
                at += 1
            elif word.raw.startswith("-") and len(word.raw) > 1:
                taken, span = self._option(word, self._next(at))
                yield from filter(None, [span])
                at += taken
            else:
                yield from filter(None, [self._positional(word)])
                self._plain.append(word.text)
                self._applies = self._applies or self._plain[-1] in self._takes.only
                at += 1

    def _is_argument(self, name: str) -> bool:
        """Return whether a name is an argument, as in `docker run mysql` or `brew install redis-cli`."""
        return bool(self._plain) and self._plain[-1] in ("install", "pull", "start", "restart")

    def _next(self, at: int) -> PlacedWord | None:
        following = self._words[at + 1] if at + 1 < len(self._words) else None
        return None if following is None or following.is_operator else following

    # Options

    def _option(self, word: PlacedWord, following: PlacedWord | None) -> tuple[int, Span | None]:
        """Return how many words an option takes, and the span of its secret."""
        if not self._program or not self._applies:
            return 1, None
        name, length, is_glued = self._read_option(word)
        kind = self._kind(name)
        if not kind:
            return (2 if not is_glued and name in self._takes.options and following else 1), None
        if is_glued:
            start, end = word.after(length)
            return 1, self._secret(kind, name, word, start, end)
        if kind == "glued" or following is None:
            return 1, None
        start, end = following.after(0)
        return 2, self._secret(kind, name, following, start, end)

    def _read_option(self, word: PlacedWord) -> tuple[str, int, bool]:
        """Return the name of an option, its length as written, and whether its value is attached."""
        raw = word.raw
        dashes = len(raw) - len(raw.lstrip("-"))
        name, sign, _ = raw[dashes:].partition("=")
        if sign and (dashes == 2 or len(name) > 1 or self._kind(name)):
            return name, dashes + len(name) + 1, True
        if dashes == 2 or self._kind(name) or name in self._takes.options:
            return name, len(raw), False
        if self._takes.is_exact:
            return name, len(raw), False
        # letters: `-uroot`, `-sSfu`, `-hpx`
        known = self._known()
        for option in sorted((one for one in known if len(one) <= 2), key=len, reverse=True):
            if name.startswith(option):
                return option, dashes + len(option), True
        for at, letter in enumerate(name[:12]):
            if letter in known:
                is_last = at + 1 == len(name)
                return letter, dashes + at + 1, not is_last
            if letter not in self._takes.letters:
                break
        return name, len(raw), False

    def _known(self) -> frozenset[str]:
        takes = self._takes
        return takes.value | takes.glued | takes.pair | takes.header | takes.cookie | takes.prefixed

    def _kind(self, name: str) -> str:
        takes = self._takes
        for kind in ("value", "glued", "pair", "header", "cookie", "prefixed", "assigned"):
            if name in getattr(takes, kind):
                return kind
        return ""

    def _secret(self, kind: str, name: str, word: PlacedWord, start: int, end: int) -> Span | None:
        value = self._text[start:end]
        quote = "'" if "'" in word.raw else ""
        if kind in ("pair", "assigned", "cookie"):
            signs = {"pair": self._takes.pair_signs, "assigned": "=", "cookie": "="}[kind]
            found = re.search(f"[{re.escape(signs)}]", value)
            if found is None:  # `bearer` authentication has no user
                is_token = (
                    kind == "pair" and self._program in ("http", "https", "xh") and len(value) > 20
                )
                return (start, end) if is_token and not is_open(value) else None
            start += found.end()
            start, end = word.trimmed(start, end)
            value = self._text[start:end]
        elif kind == "prefixed":
            if not value.startswith("pass:"):
                return None
            start += len("pass:")
            value = value[len("pass:") :]
        elif kind == "header":
            return self._header(value, start, end)
        if not value or is_open(value, quoted=quote) or _pattern("ports").fullmatch(value):
            return None
        if value.lower() in FUNCTION_WORDS or (kind == "value" and value.startswith("-")):
            return None
        return start, end

    def _header(self, value: str, start: int, end: int) -> Span | None:
        name, sign, said = value.partition(":")
        name = name.lower()
        is_secret = name.strip() in _SECRET_HEADERS or (
            signs_address(name) and "idempotency" not in name
        )
        if not sign or not is_secret:
            return None
        scheme = _pattern("scheme").match(said)
        start += len(name) + 1 + (scheme.end() if scheme else 0)
        return None if start >= end or is_open(self._text[start:end]) else (start, end)

    # Positional arguments

    def _positional(self, word: PlacedWord) -> Span | None:
        if not self._program or not self._applies:
            return None
        takes, plain = self._takes, self._plain
        if any(_matches(pattern, plain) for pattern in takes.assigns_behind):
            return self._secret("assigned", "", word, *word.after(0)) if "=" in word.raw else None
        is_next = any(
            len(pattern) == len(plain) and _matches(pattern, plain) for pattern in takes.behind
        )
        if not is_next:
            is_next = _takes_next(self._program, plain, self._words)
        return self._secret("value", "", word, *word.after(0)) if is_next else None


_SECRET_HEADERS = frozenset(("authorization", "proxy-authorization", "cookie", "set-cookie"))


def _matches(pattern: Sequence[str], plain: Sequence[str]) -> bool:
    """Return whether the words begin with a pattern."""
    if len(plain) < len(pattern):
        return False
    return all(
        wanted == "*"
        or wanted == word.lower()
        or (wanted.endswith("*") and word.lower().startswith(wanted[:-1]))
        for wanted, word in zip(pattern, plain, strict=False)
    )


def _takes_next(program: str, plain: Sequence[str], words: Sequence[PlacedWord]) -> bool:
    """Return whether the next word is a secret, for programs that `Takes` cannot describe."""
    if program in ("npm", "pnpm", "yarn"):  # `npm config set //registry/:_authToken x`
        return plain[-1:] != [] and plain[:1] in (["config"], ["set"]) and _ends_secret(plain[-1])
    if program == "aws":
        is_set = plain[:2] == ["configure", "set"] and len(plain) == 3
        return is_set and (names_secret(plain[2]) or plain[2].endswith("aws_access_key_id"))
    if program == "composer":
        return plain[:1] == ["config"] and len(plain) == 3 and plain[1].startswith("http-basic.")
    if program == "mc":
        return plain[:2] == ["alias", "set"] and len(plain) in (4, 5)
    if program == "poetry":
        return plain[:1] == ["config"] and len(plain) == 2 and plain[1].startswith("pypi-token.")
    if program == "htpasswd":  # with -b the password is the last word
        return len(plain) == 2 and any(
            word.raw.startswith("-") and "b" in word.raw for word in words[:4]
        )
    return False


def _ends_secret(key: str) -> bool:
    return assigns_secret(key.rpartition(":")[2])


# Standard input


def _given_on_input(text: str) -> Iterator[Span]:
    """Yield secrets on standard input: `echo x | docker login --password-stdin`."""
    done = 0
    for found in _pattern("reader").finditer(text):
        if found.start() < done:
            continue  # belongs to the previous reader
        line_start = max(text.rfind("\n", done, found.start()) + 1, found.start() - _BEFORE, done)
        yield from _printed(text, line_start, found.start())
        done = found.end()
        for span in _here(text, found.end()):
            yield span
            done = span[1]


def _printed(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the arguments of `echo` or `printf` in the pipe before a reader."""
    printers = list(_pattern("speaker").finditer(text, start, end))
    if not printers:
        return
    printed = printers[-1]
    words = list(takewhile(lambda word: word.start < end, words_from(text, printed.end())))
    if not words or words[-1].raw != "|":
        return
    said = [word for word in words[:-1] if not word.is_operator and not word.raw.startswith("-")]
    if printed[0].startswith("printf") and len(said) > 1:
        said = said[1:]
    for word in said:
        first, last = word.after(0)
        value = text[first:last]
        if found := _pattern("account").match(value):  # `bob:x` for chpasswd
            first += found.end()
        if not is_open(text[first:last], quoted="'" if "'" in word.raw else ""):
            yield first, last


def _here(text: str, at: int) -> Iterator[Span]:
    """Yield the here-string or here-document of a reader."""
    found = _pattern("here").match(text, at)
    if found is None:
        return
    if found["string"]:
        for word in words_from(text, found.end()):
            if not word.is_operator:
                first, last = word.after(0)
                if not is_open(text[first:last]):
                    yield first, last
            return
        return
    start = text.find("\n", found.end()) + 1
    closing = re.compile(rf"^[ \t]*{re.escape(found['end'])}[ \t)\"']*$", re.MULTILINE)
    end = closing.search(text, start) if start else None
    last = end.start() if end is not None else len(text)
    body = text[start:last].strip()
    if start and body and not is_open(body):
        yield start, start + len(text[start:last].rstrip())


def _exported(text: str) -> Iterator[Span]:
    """Yield values of `set -x TOKEN x` (fish) and `setenv TOKEN x` (csh)."""
    for found in _pattern("exported").finditer(text):
        if assigns_secret(found["name"]) and not is_open(found["value"].strip("\"'")):
            yield found.span("value")


def _redirected_to_name(text: str) -> Iterator[Span]:
    """Yield values of `read TOKEN <<< x` and `--password-file=<(echo x)`."""
    for found in _pattern("told").finditer(text):
        if sounds_secret(found["name"]) and not is_open(found["value"]):
            yield found.span("value")


def _logged_in(text: str) -> Iterator[Span]:
    """Yield secrets of unlisted programs: `conan remote login acme bob -p x`, `snyk auth x`."""
    for found in _pattern("logged in").finditer(text):
        value = found["value"]
        is_secret = not value.isdigit() if found["option"] else looks_random(value)
        if is_secret and len(value) >= (1 if found["option"] else 20) and not is_open(value):
            yield found.span("value")


@lru_cache(maxsize=64)
def _programs(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern that finds the programs where a command may begin."""
    any_of = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    setting = r"(?:^[ \t]{0,40}+\w{1,40}+[ \t]?|(?<![\w-])Exec[A-Z]\w{0,20}+)=[-@:+!|]{0,3}"
    return re.compile(
        rf"(?:{setting}|(?<![\w.@:=-]))(?P<name>{any_of})(?=(?:\.exe)?[\s\"'])(?![\"']\s{{0,4}}:)",
        re.MULTILINE,
    )


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern, compiled on first use to keep the import fast."""
    readers = "|".join(sorted(map(re.escape, READERS), key=len, reverse=True))
    return re.compile(
        {
            "reader": rf"(?<![\w-])(?:{readers})(?![\w-])",
            "speaker": r"(?<![\w-])(?:echo|printf)(?=[ \t])",
            "ports": r"\d{1,5}:\d{1,5}",
            "scheme": r"[ \t]*+(?:(?i:bearer|basic|digest|token|negotiate|apikey|key)[ \t]++)?+",
            "account": r"[a-z_][\w.-]{0,40}:",
            "here": (
                r"[^\n<]{0,400}+(?:(?P<string><<<)"
                r"|<<-?[ \t]{0,4}\\?[\"']?(?P<end>[A-Za-z_]\w{0,60})[\"']?)"
            ),
            "logged in": (
                r"(?<![\w-])(?:login|auth)[ \t]{1,4}(?:[^\n;|&]{0,120}?[ \t](?P<option>-p[ \t=]{1,4}))?+"
                r"[\"']?(?P<value>[^\s;|&<>\"'`-][^\s;|&<>\"'`]*+)"
            ),
            "told": (
                r"(?<![\w-])-{0,2}+(?P<name>\w[\w-]{0,80}+)[ \t=]{0,3}+(?:<<<[ \t]{0,3}|<\((?:echo|printf)[ \t]{1,3})"
                r"[\"']?(?P<value>[^\s\"'`;|&)]++)"
            ),
            "exported": (
                r"(?<![\w-])(?:set[ \t]{1,4}-[a-zA-Z]{1,6}|setenv)[ \t]{1,4}(?P<name>\w{1,100}+)[ \t]{1,4}"
                r"(?P<value>\"[^\"\n]*+\"|'[^'\n]*+'|[^\s;|&]++)"
            ),
        }[name],
        re.MULTILINE,
    )
