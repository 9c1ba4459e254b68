"""Canonical form of the arguments of an action, to compare effects.

Keys and sets are sorted, numbers and amounts have one spelling, JSON inside a string is parsed, and
values that are noise by their key or their appearance are left out.

Arguments may be of any size and depth: long texts are replaced by a digest, and so is everything
below a maximum depth or beyond a maximum number of values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from clew.policy.effects.keys import (
    ActionKind,
    KeyRole,
    is_ordered,
    is_ticker,
    key_words,
    may_be_generated,
    names_object,
    role_of,
)
from clew.policy.effects.noise import (
    A_SECRET,
    A_TIME,
    AN_ID,
    ID,
    TIME,
    Noise,
    is_clock_time,
    is_random_id,
    is_temporary_path,
    quiet,
    tidy_time,
    without_suffix,
)
from clew.policy.effects.spelling import (
    digest_of,
    parsed_json,
    plain_number,
    scalar,
    shown,
    small_domains,
    tidy_lines,
    tidy_sql,
    unquoted,
)
from clew.policy.redaction.redact import MARK

DEEPEST = 32
VALUES_READ = 50_000
LONGEST_LIST = 10_000
LONGEST_SCANNED = 1 << 17
"""The rest of a longer text is not searched for noise."""


class Values:
    """Writes values in canonical form, and collects the noise that it leaves out."""

    def __init__(self, action_kind: ActionKind) -> None:
        self.action_kind = action_kind
        self.noise: list[Noise] = []
        self._count = 0

    def written(self, value: object, key: str = "", depth: int = 0) -> str | None:
        """Return a value in canonical form; None if it carries no meaning."""
        self._count += 1
        if self._is_noise(key, value):
            return None
        if isinstance(value, (Mapping, list, tuple)):
            if depth > DEEPEST or self._count > VALUES_READ or len(value) > LONGEST_LIST:
                return f"<{digest_of(value)}>"
            if isinstance(value, Mapping):
                return self._mapping(value, key, depth)
            return self._sequence(value, key, depth)
        if isinstance(value, str):
            return self._string(value, key, depth)
        return scalar(value)

    def pairs(self, pairs: Sequence[tuple[str, object]], depth: int = 0) -> list[str]:
        """Return `key=value` for each pair that carries meaning, sorted."""
        found = []
        for key, value in pairs:
            text = self.written(value, key, depth + 1)
            if text is not None:
                found.append(f"{_written_key(key)}={text}")
        return sorted(found)

    def _mapping(self, value: Mapping[object, object], key: str, depth: int) -> str | None:
        pairs = [(str(name), item) for name, item in value.items()]
        if key_words(key)[-1:] in (("headers",), ("header",)):
            pairs = [(name, item) for name, item in pairs if not is_transport_header(name)]
        found = self.pairs(pairs, depth)
        return "{" + ", ".join(found) + "}" if found else None

    def _sequence(self, value: Sequence[object], key: str, depth: int) -> str | None:
        found = [self.written(item, _singular(key), depth + 1) for item in value]
        texts = [text for text in found if text is not None]
        if role_of(key) == KeyRole.SET or (not is_ordered(key) and all(map(_is_short_text, value))):
            texts = sorted(set(texts))
        return "[" + ", ".join(texts) + "]" if texts else None

    def _is_noise(self, key: str, value: object) -> bool:
        role = role_of(key)
        if role not in (KeyRole.NOISE, KeyRole.SECRET, KeyRole.TIME) or names_object(
            key, self.action_kind
        ):
            return False
        if isinstance(value, bool) or (role == KeyRole.SECRET and is_ticker(value)):
            return False
        if value is not None and value != "":
            what = {KeyRole.SECRET: A_SECRET, KeyRole.TIME: A_TIME}.get(role) or _with_article(key)
            self.noise.append(
                Noise(what, str(value)[:200] if isinstance(value, str) else digest_of(value))
            )
        return True

    def _string(self, text: str, key: str, depth: int) -> str | None:
        bare = text.strip()
        if not bare or (bare == "default" and key_words(key)[-1:] == ("profile",)):
            return None
        if bare == MARK:
            self.noise.append(Noise(A_SECRET, MARK))
            return None
        if bare[0] in "{[" and bare[-1] in "}]":
            parsed = parsed_json(bare)
            if parsed is not None:
                return self.written(parsed, key, depth + 1)
        role = role_of(key)
        if role == KeyRole.SET and _pattern("addresses").fullmatch(bare):
            return self._sequence(
                [one.strip() for one in re.split("[,;]", bare) if one.strip()], key, depth
            )
        if role == KeyRole.SET:
            text_of_one = self.word(bare, key)
            return None if text_of_one is None else f"[{text_of_one}]"
        if key_words(key)[-1:] in _SQL_KEYS and _pattern("sql").match(bare):
            return shown(self._sql(bare))
        return self.word(bare, key)

    def word(self, text: str, key: str = "") -> str | None:
        """Return one text without its noise; None if nothing else remains."""
        role = role_of(key)
        if role == KeyRole.WORD:
            return shown(text.lower())
        if role == KeyRole.WHEN and not is_clock_time(text):
            return shown(tidy_time(text))
        if role == KeyRole.MONEY:
            return shown(plain_number(text))
        if "://" in text[:12]:
            return shown(self.url(text))
        if text.isdigit():
            return shown(text)
        if self._is_generated(text, key):
            return None
        return self._text(text, key, role)

    def url(self, text: str) -> str:
        """Return a URL without noise: lower-case host, sorted query, no user."""
        if len(text) > LONGEST_SCANNED:
            return text
        found = _pattern("url").fullmatch(text)
        if found is None:
            text = self._quiet(text)  # a `$(date +%s)` contains a space
            found = _pattern("url").fullmatch(text)
        if found is None:
            return text
        scheme, host, port, path, query = found.groups()
        usual = {"http": ":80", "https": ":443"}.get(scheme.lower())
        port = "" if port is None or port == usual else port
        pairs = [part.partition("=") for part in (query or "").split("&") if part]
        kept = self.pairs([(unquoted(name), unquoted(value)) for name, _, value in pairs])
        path = "" if path == "/" else self._quiet(path or "")
        return f"{scheme.lower()}://{host.lower()}{port}{path}" + (
            "?" + "&".join(kept) if kept else ""
        )

    def _is_generated(self, text: str, key: str) -> bool:
        if is_clock_time(text):
            self.noise.append(Noise(A_TIME, text))
            return True
        if not is_random_id(text) or not may_be_generated(key, self.action_kind):
            return False
        self.noise.append(Noise(AN_ID, text))
        return True

    def _text(self, text: str, key: str, role: str) -> str | None:
        is_name = len(text) <= 200 and " " not in text
        if is_name and not self.action_kind.acts and (key or self.action_kind.creates):
            only_times = role == KeyRole.OBJECT or not self.action_kind.creates
            text = without_suffix(text, self.noise, only_times=only_times)
        is_object = role == KeyRole.OBJECT and not is_temporary_path(text)
        if not (is_name and (is_object or is_random_id(text))):
            text = self._quiet(text)
        return None if text in ("", ID, TIME) else shown(small_domains(text))

    def _sql(self, text: str) -> str:
        text = tidy_sql(text)
        return self._quiet(text) if text.startswith(("insert", "copy")) else text

    def _quiet(self, text: str) -> str:
        text = tidy_lines(text)
        return quiet(text[:LONGEST_SCANNED], self.noise) + text[LONGEST_SCANNED:]


def _written_key(key: str) -> str:
    return "_".join(key_words(key)) if len(key) < 200 and key.strip("_-. ") else shown(key)


def is_transport_header(name: str) -> bool:
    """Return whether a header concerns the transport, not the content."""
    words = key_words(name)
    return words[-1:] == ("date",) or "-".join(words) in _TRANSPORT


_SQL_KEYS = (("sql",), ("query",), ("statement",), ("command",), ("execute",), ("script",))
_TRANSPORT = frozenset(
    ("accept", "accept-encoding", "accept-language", "cache-control", "connection", "content-type",
     "expect", "host", "origin", "pragma", "referer")
)  # fmt: skip


def _singular(key: str) -> str:
    """Return the key for one item of a list: `order_id` for `order_ids`."""
    return key[:-1] if key.endswith("s") and role_of(key) != KeyRole.SET else ""


def _is_short_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= 80


def _with_article(key: str) -> str:
    name = " ".join(key_words(key))
    return f"an {name}" if name[:1] in "aeiou" else f"a {name}"


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern, compiled on first use to keep the import fast."""
    return re.compile(
        {
            "addresses": r"[^,;]{1,200}(?:[,;][^,;]{1,200}){1,500}",
            "url": (
                r"([A-Za-z][A-Za-z0-9+.-]{0,20})://(?:[^/?#@\s]{0,500}@)?"
                r"(\[[0-9a-fA-F:.]{2,50}\]|[^/?#:@\s]{0,500})(:\d{1,5})?(/[^?#\s]*)?"
                r"(?:\?([^#\s]*))?(?:#\S*)?"
            ),
            "sql": (
                r"(?i)(?:select|insert|update|delete|drop|create|alter|truncate|merge|grant|revoke"
                r"|with|begin|copy|replace)\s+(?:\*|\w+[\s,(]|\w+\.\w|\w+$|\w+;)"
            ),
        }[name],
        re.DOTALL,
    )
