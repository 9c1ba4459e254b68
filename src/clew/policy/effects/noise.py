"""Noise in effects: generated ids, times and temporary names that differ on every attempt.

In a sentence, a message or a value, noise is replaced by a placeholder that names its kind.  Whether
something is noise is a heuristic:

* a time with seconds was read from a clock; a full minute or a date was intended;
* a uuid belongs to the request, unless it follows a noun: `subscription 550e8400-…`;
* a commit, a digest and a number with a prefix (`INV-7`, `cus_9s6X`) identify an object;
* below /tmp, only the random part of a name is noise: `report-march.pdf` is not.

Everything is found in one pass, and no pattern backtracks.
"""

from __future__ import annotations

import re
from functools import cache

from clew.model.named_tuple import NamedTuple
from clew.policy.effects.keys import acting_verbs, object_nouns
from clew.policy.redaction.redact import MARK


class Noise(NamedTuple):
    """A value that was left out."""

    what: str
    """Its kind, with an article: `a time`."""
    value: str


ID = "<id>"
TIME = "<time>"
A_TIME = "a time"
AN_ID = "an id"
A_SECRET = "a secret"  # noqa: S105 - not a secret
A_TEMPORARY_PATH = "a temporary path"
A_SUFFIX = "a random suffix"


def quiet(text: str, noise: list[Noise]) -> str:
    """Return `text` with noise replaced, and append it to `noise`."""

    def replace(found: re.Match[str]) -> str:
        kind = found.lastgroup or ""
        return _REPLACERS[kind](found, noise)

    return _everything().sub(replace, text) if _may_hold_noise(text) else text


def _may_hold_noise(text: str) -> bool:
    """Return whether a text may contain noise; a fast check that most texts fail."""
    if len(text) > 200 or any(sign in text for sign in _SIGNS):
        return True
    digits = sum(map(str.isdigit, text))
    return digits >= 4 or (digits > 0 and any(label in text.lower() for label in _LABELS))


def is_random_id(text: str) -> bool:
    """Return whether a whole value looks machine-generated."""
    if not 16 <= len(text) <= 80:
        return False
    if _pattern("id").fullmatch(text):
        return True
    prefix = _pattern("prefixed").match(text)
    if prefix is not None:
        return prefix[1].lower() in _NOISE_PREFIXES
    return _looks_random(text)


def is_clock_time(text: str) -> bool:
    """Return whether a whole value is a time with seconds, as read from a clock."""
    text = text.strip()
    if len(text) > 60 or not (":" in text or text[:8].isdigit()):
        return False
    found = _pattern("time").fullmatch(text)
    return found is not None and _has_seconds(found[0])


def is_epoch(text: str) -> bool:
    return _pattern("epoch").fullmatch(text) is not None


def is_temporary_path(text: str) -> bool:
    return _pattern("temporary").match(text) is not None


def tidy_time(text: str) -> str:
    """Return a time in canonical form: `2026-12-01 10:00Z`."""
    text = re.sub(r"(?<=\d)[Tt](?=\d)", " ", text)
    text = re.sub(r"(?<=\d\d:\d\d):00(?:[.,]0{1,9})?(?!\d)", "", text)
    return re.sub(r"(?i)(?<=\d)\s?(?:z|utc|gmt|\+00:?00)$", "Z", text)


def without_suffix(name: str, noise: list[Noise], *, only_times: bool) -> str:
    """Return a name without its random or time suffix."""
    found = _pattern("suffix").fullmatch(name)
    if found is None:
        return name
    stem, end = found[1], found[2]
    if is_epoch(end) or _pattern("stamp").fullmatch(end):
        noise.append(Noise(A_TIME, end))
        return stem + TIME
    if only_times or not _is_random_suffix(end):
        return name
    noise.append(Noise(A_SUFFIX, end))
    return stem + ID


_SIGNS = ("$", MARK, "/tmp/", "/dev/shm/", "/var/folders/")  # noqa: S108 - only searched for
_LABELS = (
    "req", "trace", "correlation", "idempotency", "session", "span", "message", "invocation", "run",
    "nonce",
)  # fmt: skip
_NOISE_PREFIXES = frozenset(
    ("req", "request", "idem", "idempotency", "trace", "span", "corr", "nonce", "sess", "session",
     "run", "attempt", "call", "toolu", "msg", "chatcmpl")
)  # fmt: skip


def _id(found: re.Match[str], noise: list[Noise]) -> str:
    if _names_something(found):
        return found[0]
    noise.append(Noise(AN_ID, found[0]))
    return ID


def _time(found: re.Match[str], noise: list[Noise]) -> str:
    if not _has_seconds(found[0]):
        return tidy_time(found[0])
    noise.append(Noise(A_TIME, found[0]))
    return TIME


def _written(found: re.Match[str], noise: list[Noise]) -> str:
    """Replace a time after `Generated:`, which is the time of writing, with or without seconds."""
    noise.append(Noise(A_TIME, found["at"]))
    return found[0][: found.start("at") - found.start()] + TIME


def _epoch(found: re.Match[str], noise: list[Noise]) -> str:
    if _names_something(found):
        return found[0]
    noise.append(Noise(A_TIME, found[0]))
    return TIME


def _labelled(found: re.Match[str], noise: list[Noise]) -> str:
    is_object = _word_before(found) in acting_verbs()  # `approve request id 17`
    if is_object or not any(map(str.isdigit, found["token"])):
        return found[0]
    name = " ".join(re.split(r"[\s_-]+", found["name"].lower()))
    noise.append(Noise(f"a {name}", found["token"]))
    return found[0][: found.start("token") - found.start()] + ID


def _hashed(found: re.Match[str], noise: list[Noise]) -> str:
    noise.append(Noise(f"a {found['of'].lower()}", found["hash"]))
    return found[0].removesuffix(found["hash"]) + ID


def _shell(found: re.Match[str], noise: list[Noise]) -> str:
    is_time = "date" in found[0] or "SECONDS" in found[0]
    noise.append(Noise(A_TIME if is_time else AN_ID, found[0]))
    return TIME if is_time else ID


def _temporary(found: re.Match[str], noise: list[Noise]) -> str:
    def replace_piece(piece: re.Match[str]) -> str:
        is_above = "/" in piece.string[piece.end() :]
        return ID if _is_temporary(piece[0], is_above) else piece[0]

    path = _pattern("piece").sub(replace_piece, found["rest"])
    if path != found["rest"]:
        noise.append(Noise(A_TEMPORARY_PATH, found[0]))
    return found[0].removesuffix(found["rest"]) + path


def _secret(found: re.Match[str], noise: list[Noise]) -> str:
    noise.append(Noise(A_SECRET, found[0]))
    return ID


_REPLACERS = {
    "secret": _secret,
    "shell": _shell,
    "labelled": _labelled,
    "hashed": _hashed,
    "written": _written,
    "temporary": _temporary,
    "time": _time,
    "id": _id,
    "epoch": _epoch,
}


def _names_something(found: re.Match[str]) -> bool:
    """Return whether the preceding word says that the value identifies an object."""
    if found.string[max(found.start() - 7, 0) : found.start()].endswith(("/", "@", "sha256:")):
        return True
    word = _word_before(found)
    return word in object_nouns() or word in acting_verbs()


def _word_before(found: re.Match[str]) -> str:
    before = found.string[max(found.start() - 40, 0) : found.start()]
    word = _pattern("word before").search(before)
    return "" if word is None else word[1].lower()


def _has_seconds(text: str) -> bool:
    if "23:59:59" in text:  # means the end of the day
        return False
    seconds = _pattern("seconds").search(text)
    return seconds is not None and (seconds[1] != "00" or bool(seconds[2]))


def _looks_random(text: str) -> bool:
    kinds = any(map(str.isdigit, text)), any(map(str.islower, text)), any(map(str.isupper, text))
    if not all(kinds) or not _pattern("solid").fullmatch(text):
        return False
    runs = _pattern("run").findall(text)
    return len("".join(runs)) < 2.2 * len(runs)


def _is_random_suffix(text: str) -> bool:
    """Return whether the end of a name mixes letters and digits as only a generator does."""
    if len(text) < 5 or not any(map(str.isdigit, text)) or not any(map(str.isalpha, text)):
        return False
    if text[0] in "vV" and text[1].isdigit():
        return False
    if len(text) >= 6 and all(char in "0123456789abcdef" for char in text):
        return True
    return len(_pattern("run").findall(text)) >= 3


def _is_temporary(piece: str, is_above: bool) -> bool:
    if _pattern("mktemp").fullmatch(piece) or _is_random_suffix(piece):
        return True
    if piece.isdigit():
        return len(piece) >= (2 if is_above else 5) and not _pattern("day").fullmatch(piece)
    return _pattern("numbered").fullmatch(piece) is not None


_CLOCK = r"\d{1,2}:\d\d(?::(?:[0-5]\d|60)(?:[.,]\d{1,9})?)?"
_ZONE = r"(?:\s?(?:[AaPp][Mm]\b|Z\b|UTC\b|GMT\b|[+-]\d\d:?\d\d(?!\d)))?+"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_TIMES = (
    rf"\d{{4}}[-/]\d\d[-/]\d\d(?:[Tt ,]{{1,2}}{_CLOCK}{_ZONE})",
    rf"(?:{_DAY},?\s)?\d{{1,2}}\s{_MONTH}\s\d{{4}}(?:,?\s{_CLOCK}{_ZONE})",
    rf"(?:{_DAY}\s)?{_MONTH}\s{{1,2}}\d{{1,2}}\s{_CLOCK}(?:\s[A-Z]{{3,4}})?(?:\s\d{{4}})?",
    rf"\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{4}},?\s{_CLOCK}{_ZONE}",
    r"20\d{6}[T-]?(?:[01]\d|2[0-3])[0-5]\d[0-5]\d(?:\d{3})?Z?(?!\d)",
    rf"{_CLOCK}{_ZONE}",
)
_IDS = (
    r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}",
    r"00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}",
    r"[0-7][0-9A-HJKMNP-TV-Z]{25}",
    r"(?:[A-Z]{2})?(?:[0-9a-f]{64}|[0-9a-f]{32})",
)
_TEMPORARY = r"(?:(?:/private)?(?:/var)?/tmp/|/dev/shm/|/var/folders/|\$TMPDIR/)"
_EPOCH = r"1[4-9]\d{8}(?:\d{3}|\d{6}|\d{9}|\.\d{1,9})?"


@cache
def _everything() -> re.Pattern[str]:
    """Return one pattern for all kinds, so that a text is scanned once; longer kinds come first."""
    times, ids = "|".join(_TIMES), "|".join(_IDS)
    return re.compile(
        rf"(?P<secret>{re.escape(MARK)})"
        r"|(?P<shell>\$\((?:uuidgen|date|mktemp|openssl\srand|cat\s/proc/sys/kernel/random/uuid"
        r"|python3?\s-c\s[^()]{0,20}uuid)\b[^()]{0,80}(?:\(\)[^()]{0,20})?\)"
        r"|\$\{?(?:RANDOM|EPOCHSECONDS|EPOCHREALTIME|SECONDS)\b\}?|\$\$)"
        r"|(?P<labelled>(?<![\w-])(?P<name>(?i:(?:request|req|trace|correlation|idempotency|session"
        r"|span|message|invocation|run)[ _-]?(?:id|key|token)|(?:nonce|traceparent|trace)(?=[\"']?[:=])))"
        r"[\"']?\s{0,3}(?:[:=#]\s{0,3}|\s)[\"']?(?P<token><[^<>\s]{1,200}>|[\w.:/+@=-]{1,200}))"
        r"|(?P<hashed>(?<![\w-])(?P<of>(?i:request|req|trace|session|run|attempt))[\s:#]{1,3}"
        r"(?P<hash>(?=[a-f]*[0-9])[0-9a-f]{8,64})(?![\w-]))"
        rf"|(?P<written>(?<![\w-])(?i:generated|timestamp|printed|logged|as\sof|(?:sent|created)\sat)"
        rf"(?:\s(?:at|on))?\s?[:=]?\s{{0,3}}(?P<at>{times}|\d{{4}}-\d\d-\d\d|{_EPOCH})(?!\w))"
        rf"|(?P<temporary>(?<![\w.-]){_TEMPORARY}"
        r"(?P<rest>[^\s'\"<>,;:)]{1,1000}))"
        rf"|(?P<time>(?<![\w.:/-])(?:{times})(?!\w))"
        rf"|(?P<id>(?<![\w-])(?:{ids})(?![\w-]))"
        rf"|(?P<epoch>(?<![\w.+-]){_EPOCH}(?![\w-]))"
    )


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern, compiled on first use to keep the import fast."""
    return re.compile(
        {
            "id": "|".join(_IDS),
            "time": "|".join(_TIMES),
            "epoch": _EPOCH,
            "temporary": _TEMPORARY,
            "stamp": r"20\d{6}[T-]?(?:[01]\d|2[0-3])[0-5]\d[0-5]\d(?:\d{3})?Z?",
            "day": r"20\d\d(?:[01]\d[0-3]\d)?",
            "seconds": r"(?::\d\d:|20\d{6}[T-]?\d{4})(\d\d)([.,]\d*[1-9])?",
            "prefixed": r"([A-Za-z]{2,12})_",
            "solid": r"[A-Za-z0-9_-]+",
            "run": r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+",
            "suffix": r"(.{1,200}[-_.])([A-Za-z0-9-]{5,40}?)",
            "piece": r"tmp[A-Za-z0-9_]{5,12}|[A-Za-z0-9]+",
            "mktemp": r"tmp(?=.{0,12}[0-9])[A-Za-z0-9_]{5,12}",
            "numbered": r"[A-Za-z]{1,12}(?!(?:19|20)\d\d\Z)\d{3,}",
            "word before": r"([A-Za-z]+)(?:[\s_-](?:id|no|number|uuid))?[\s:#=\"'(\[]{1,4}\Z",
        }[name],
        re.DOTALL,
    )
