r"""Escaping of hostile text.

File names, labels, patches and the output of commands come from untrusted sources.
On a terminal they could move the cursor, set its title, or reverse the order in which a line reads.
Everything that is shown to a person passes through `safe`, which keeps letters of any language and
escapes the rest:

* control characters as ``\x1b``, ``\n``, ``\t``, and those above ASCII as ``\u009b``;
* invisible formatting, the bidirectional controls among it, as ``\u202e``;
* bytes that are not UTF-8, which arrive as surrogates, as ``\xff``.

A token in a path is redacted (`shown_name`), except inside `revealing`, which `--reveal` enters.
"""

from __future__ import annotations

from clew.policy.redaction.redact import redact_name

_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}

_JOINERS = "\u200c\u200d"
"""Needed inside words of several scripts and inside emoji; they only touch their neighbours."""

_HOSTILE_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))


def safe(text: str, keep: str = "") -> str:
    """Return `text` with hostile characters escaped, except those in `keep`."""
    if text.isprintable():  # no hostile character is printable
        return text
    return "".join(
        char if char.isprintable() or char in keep or _is_harmless(char) else _escape(char)
        for char in text
    )


def safe_path(path: bytes) -> str:
    """Return a path for display, with tokens redacted and bytes that are not UTF-8 escaped."""
    return safe(shown_name(path.decode("utf-8", "surrogateescape")))


class revealing:
    """Shows names as they are, tokens included; only the command line does, for one result."""

    is_on = False

    def __enter__(self) -> None:
        revealing.is_on = True

    def __exit__(self, *_: object) -> None:
        revealing.is_on = False


def shown_name(name: str) -> str:
    """Return the name of a file, with a token in it redacted unless `revealing`."""
    return name if revealing.is_on else redact_name(name)


def safe_line(text: str, limit: int = 200) -> str:
    """Return the first line of `text`, escaped, with `…` if it was cut."""
    head, *more = text[:limit].strip().split("\n", 1)
    return safe(head.rstrip()) + ("…" if more or len(text) > limit else "")


def _is_harmless(char: str) -> bool:
    if char.isascii():
        return False
    from unicodedata import category  # costs a millisecond and is rarely needed

    return char in _JOINERS or category(char) not in _HOSTILE_CATEGORIES


def _escape(char: str) -> str:
    number = ord(char)
    if char in _ESCAPES:
        return _ESCAPES[char]
    if 0xDC80 <= number <= 0xDCFF:
        return f"\\x{number - 0xDC00:02x}"
    if number < 0x80:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
