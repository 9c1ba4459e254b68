"""Secrets recognized by their format: private keys, tokens of known services, URLs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from clew.policy.redaction.names import is_open

Span = tuple[int, int]


def find_shapes(text: str) -> Iterator[Span]:
    """Yield the spans of secrets that are recognized without a name."""
    for shape in _whole():
        for found in shape.finditer(text):
            yield found.span()
    for shape in _with_head():
        for found in shape.finditer(text):
            if not is_open(found["value"]):
                yield found.span("value")


@cache
def _whole() -> tuple[re.Pattern[str], ...]:
    """Return the patterns that are redacted as a whole."""
    private_key = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    return (
        re.compile(rf"-----BEGIN {private_key}.*?(?:-----END {private_key}|\Z)", re.DOTALL),
        # a key without its beginning
        re.compile(rf"\A[A-Za-z0-9+/=\s]++-----END {private_key}"),
        re.compile(r"(?<![A-Za-z0-9_-])(?:" + "|".join(_TOKENS) + ")"),
    )


_END = r"(?![A-Za-z0-9_-])"
_TOKENS = (
    rf"(?:AKIA|ASIA)[A-Z0-9]{{16}}{_END}",
    r"gh[oprsu]_[A-Za-z0-9]{20,}+",
    r"github_pat_[A-Za-z0-9_]{20,}+",
    r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[A-Za-z0-9_-]{16,}+",
    r"npm_[A-Za-z0-9]{30,}+",
    r"hf_[A-Za-z0-9]{30,}+",
    r"pypi-[A-Za-z0-9_-]{50,}+",
    rf"AIza[A-Za-z0-9_-]{{35}}{_END}",
    r"ya29\.[A-Za-z0-9_-]{20,}+",
    r"xox[a-z]-[A-Za-z0-9-]{10,}+",
    r"xapp-\d-[A-Za-z0-9-]{20,}+",
    r"[rs]k_(?:live|test)_[A-Za-z0-9]{10,}+",
    r"whsec_[A-Za-z0-9]{20,}+",
    r"sk-(?=[A-Za-z_-]{0,200}+[0-9])[A-Za-z0-9_-]{20,}+",  # the digit: not `sk-learn-…`
    r"gsk_[A-Za-z0-9]{30,}+",
    r"r8_[A-Za-z0-9]{30,}+",
    r"(?:nvapi|pplx|tvly|xai|xkeysib|tskey)-[A-Za-z0-9_-]{20,}+",
    r"eyJ[A-Za-z0-9_-]{5,}+\.[A-Za-z0-9_-]{5,}+\.[A-Za-z0-9_-]*+",
    r"SG\.[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+",
    r"hv[sb]\.[A-Za-z0-9_-]{20,}+",
    rf"do[opr]_v1_[a-f0-9]{{64}}{_END}",
    rf"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{{32}}{_END}",
    r"lin_(?:api|oauth)_[A-Za-z0-9]{30,}+",
    rf"dapi[a-f0-9]{{32}}{_END}",
    rf"SK[a-f0-9]{{32}}{_END}",
    r"dckr_pat_[A-Za-z0-9_-]{20,}+",
    r"ATATT3[A-Za-z0-9_=-]{20,}+",
    r"rubygems_[a-f0-9]{40,}+",
    r"sntrys_[A-Za-z0-9_=+/-]{20,}+",
    r"figd_[A-Za-z0-9_-]{20,}+",
    r"sq0[a-z]{3}-[A-Za-z0-9_-]{20,}+",
    r"sha256~[A-Za-z0-9_-]{40,}+",
    r"AGE-SECRET-KEY-1[A-Z0-9]{30,}+",
    rf"bot\d{{8,10}}:[A-Za-z0-9_-]{{35}}{_END}",
    rf"\d{{8,10}}:AA[A-Za-z0-9_-]{{33}}{_END}",
)

_SCHEME = r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]*+://"


@cache
def _with_head() -> tuple[re.Pattern[str], ...]:
    """Return the patterns of which the group `value` is redacted."""
    user = r"[^\s/:@\"'<>]*+"
    return (
        re.compile(rf"{_SCHEME}{user}:(?P<value>[^\s/\"'<>]+)(?=@)"),
        # an unencoded slash in the password; after a port it begins the path
        re.compile(rf"{_SCHEME}{user}:(?!\d{{1,5}}/)(?P<value>[^\s@\"'<>]{{1,200}}+)(?=@[\w\[])"),
        # a URL as a parameter of another
        re.compile(
            r"(?i:%3a%2f%2f)[^\s/@%\"'<>]{0,200}+(?i:%3a)(?P<value>[^\s@\"'<>]{1,400}?)(?=%40)"
        ),
        # a token in place of the user
        re.compile(rf"{_SCHEME}(?P<value>[^\s/:@\"'<>]{{20,}}+)(?=@|:[^\s/@\"'<>]{{1,200}}+@)"),
        re.compile(
            r"(?i:hooks\.slack\.com/(?:services|workflows|triggers)/)(?P<value>[A-Za-z0-9/_-]{20,}+)"
        ),
        re.compile(
            r"(?i:discord(?:app)?\.com/api/webhooks/)\d{5,}+/(?P<value>[A-Za-z0-9_-]{20,}+)"
        ),
    )
