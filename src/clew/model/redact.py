"""Redaction: what looks like a secret in a command's output is not kept.

This is a net, not a promise: it knows assignments to names that sound secret, `Authorization`
headers, passwords in URLs, private keys, and the shapes of well-known tokens.  It would rather
blank a harmless value than keep a secret one, but leaves what people read a failing test for:
`tokens.py:12:`, `Token::new`, `max_tokens=100`, `password=None`, `token = make_token(user)`.

Redact first and cut to length after, or the half of a token that remains is not known for one.

Linear in the length of the text, which is as hostile as the command that wrote it: a search
starts only where a word or a line starts, or is bounded, and gives nothing back.
"""

from __future__ import annotations

from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

MARK = "[redacted]"

_SECRET_WORDS = (
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "accesskey",
    "privatekey",
    "credential",
)
_HARMLESS_WORDS = ("tokeniz", "tokenis")
_HARMLESS_VALUES = ("", "true", "false", "null", "none", "nil", "undefined")


def redact(text: str) -> str:
    """Return `text` with everything that looks like a secret replaced by `MARK`."""
    for shape in _shapes():
        text = shape.sub(MARK, text)
    for shape in _shapes_with_head():
        text = shape.sub(rf"\g<head>{MARK}", text)
    return _redact_assignments(text)


# Patterns are compiled at the first verdict, so that importing this costs nothing.


@cache
def _shapes() -> tuple[re.Pattern[str], ...]:
    """What goes as a whole."""
    import re  # noqa: PLC0415  what redacts nothing needs none

    private_key = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    return (
        re.compile(rf"-----BEGIN {private_key}.*?(?:-----END {private_key}|\Z)", re.DOTALL),
        # a key whose head was cut off
        re.compile(rf"\A[A-Za-z0-9+/=\s]++-----END {private_key}"),
        re.compile(
            r"(?<![A-Za-z0-9_-])(?:"
            r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9_-])"
            r"|gh[oprsu]_[A-Za-z0-9]{20,}+"
            r"|github_pat_[A-Za-z0-9_]{20,}+"
            r"|glpat-[A-Za-z0-9_-]{16,}+"
            r"|npm_[A-Za-z0-9]{30,}+"
            r"|hf_[A-Za-z0-9]{30,}+"
            r"|pypi-[A-Za-z0-9_-]{50,}+"
            r"|AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"
            r"|xox[a-z]-[A-Za-z0-9-]{10,}+"
            r"|[rs]k_(?:live|test)_[A-Za-z0-9]{10,}+"
            r"|sk-(?=[A-Za-z_-]{0,200}+[0-9])[A-Za-z0-9_-]{20,}+"  # the digit: not `sk-learn-…`
            r"|eyJ[A-Za-z0-9_-]{5,}+\.[A-Za-z0-9_-]{5,}+\.[A-Za-z0-9_-]*+"
            r")"
        ),
    )


@cache
def _shapes_with_head() -> tuple[re.Pattern[str], ...]:
    """What goes except for the group `head`."""
    import re  # noqa: PLC0415  what redacts nothing needs none

    scheme = r"(?P<head>(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]*+://"
    return (
        re.compile(scheme + r"[^\s/:@\"'<>]*+:)[^\s/\"'<>]+(?=@)"),
        re.compile(scheme + r")[^\s/:@\"'<>]{20,}+(?=@)"),  # a token in the place of the user
        re.compile(
            r"(?P<head>(?<![\w-])(?:proxy-)?authorization(?:\\{0,4}[\"'])?[ \t]{0,8}+[:=][ \t]{0,8}+"
            r"(?:\\{0,4}[\"'])?+(?:(?:bearer|basic|digest|token|negotiate|apikey)[ \t]{1,8}+)?+)"
            r"(?!\[redacted\])[^\n\\\"']++",
            re.IGNORECASE,
        ),
        re.compile(r"(?P<head>(?<![\w-])bearer[ \t]{1,8}+)[A-Za-z0-9._~+/=-]{16,}+", re.IGNORECASE),
        re.compile(
            r"(?P<head>(?<![\w-])--(?:[a-z0-9]{1,20}-){0,4}"
            r"(?:token|secret|password|passwd|passphrase|api-?key|access-?key|private-?key)"
            r"(?:-[a-z0-9]{1,20}){0,2}[ \t]{1,8}+)(?!-|\[redacted\])\S++",
            re.IGNORECASE,
        ),
    )


def _redact_assignments(text: str) -> str:
    parts: list[str] = []
    done = 0
    for match in _assignment().finditer(text):
        if match.start("key") < done or not sounds_secret(match["key"]):
            continue
        start, end = _value_span(text, match)
        if not text.startswith(MARK, start) and not _is_harmless(match, text[start:end]):
            parts += text[done:start], MARK
            done = end
    parts.append(text[done:])
    return "".join(parts)


@cache
def _assignment() -> re.Pattern[str]:
    """A name and what assigns to it; the value is looked at only if the name sounds secret."""
    import re  # noqa: PLC0415  what redacts nothing needs none

    return re.compile(
        r"(?P<line>^[-+>$# \t]{0,80}(?:export[ \t]{1,8}+)?+[\"']?+)?(?<![\w-])"
        r"(?P<key>[\w-]++)(?:\\{0,4}[\"'])?+\]?+"
        r"(?P<sign>[ \t]{0,20}+(?:={1,3}+>?+|:=|:(?!:))[ \t]{0,20}+)",
        re.MULTILINE,
    )


@cache
def _values() -> dict[str, re.Pattern[str]]:
    """How far a value reaches, by how it begins."""
    import re  # noqa: PLC0415  what redacts nothing needs none

    return {
        "opening": re.compile(r"(\\{0,4})([\"'])"),
        '"': re.compile(r"(?:[^\"\\\n]|\\.)*+"),
        "'": re.compile(r"(?:[^'\\\n]|\\.)*+"),
        "escaped": re.compile(r"[^\"'\\\n]*+"),
        # alone on its line it may hold blanks, but not when another assignment follows
        "line": re.compile(r"[^\s,;]++(?=[,;][ \t]|[ \t]++[\w-]++[ \t]?[=:])|[^\n]*+"),
        "word": re.compile(r"[^\s,;&\"')}\]]*+"),
        "call": re.compile(r"[A-Za-z_][\w.]{0,200}\("),
    }


def _value_span(text: str, match: re.Match[str]) -> tuple[int, int]:
    values, at = _values(), match.end()
    opening = values["opening"].match(text, at)
    if opening is not None:
        how = "escaped" if opening[1] else opening[2]
        at = opening.end()
    else:
        how = "word" if match["line"] is None else "line"
    found = values[how].match(text, at)
    return at, at if found is None else found.end()


def sounds_secret(key: str) -> bool:
    """Tell whether a name is one that secrets are given."""
    key = key.replace("_", "").replace("-", "").lower()
    for word in _HARMLESS_WORDS:
        key = key.replace(word, "")
    return any(word in key for word in _SECRET_WORDS)


def _is_harmless(match: re.Match[str], value: str) -> bool:
    bare = value.strip(" \t\r,;").lower()
    if bare in _HARMLESS_VALUES:
        return True
    if bare.isdigit() and match["key"].lower().endswith("tokens"):  # a number of them
        return True
    # source code in a traceback; an environment has no blanks around the sign
    return match["sign"][0] in " \t" and _values()["call"].match(value) is not None
