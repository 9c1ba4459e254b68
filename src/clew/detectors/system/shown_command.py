"""Display of commands: short, on one line, without secrets.

Units, cron tables and supervisors contain commands, and those contain passwords.
A fact names a command for recognition, not for execution; therefore this hides more than `redact`
does: values assigned to any variable, everything in a URL except host and path, and words that
look like keys.
"""

from __future__ import annotations

import re

from clew.model.shorten import shorten
from clew.policy.redaction.redact import MARK, redact

_SHOWN = 60
_LOOKED_AT = 4_096

_ASSIGNED = re.compile(
    r"(?<![\w-])([A-Za-z_]\w{0,80}=)(?!\[redacted\])(?:\"[^\"]*+\"|'[^']*+'|\S++)"
)
_URL_USER = re.compile(r"(?<=://)[^\s/@\"']{1,500}+@")
_URL_QUERY = re.compile(r"(://[^\s?#\"']{1,500}+)[?#][^\s\"']*+")
_OPTION_WITH_PASSWORD = re.compile(
    r"(?<!\S)(-u\s{0,4}[^\s:]{1,100}+:|--user[\s=][^\s:]{1,100}+:"
    r"|sshpass -p ?|redis-cli (?:\S{1,80}+ ){0,8}?-a ?|-p(?!\d{1,5}(?![^\s:]))(?=[^\s/.-]))\S++"
)
_LOOKS_LIKE_A_KEY = re.compile(r"(?<![\w+=-])(?=[\w+=-]{0,60}?\d)[\w+=-]{32,}+")


def shown_command(command: str) -> str:
    """Return at most 60 characters that identify a command."""
    text = command[:_LOOKED_AT]
    if len(command) > _LOOKED_AT:  # half a token would not be recognised
        text = text.rpartition(" ")[0]
    text = redact(" ".join(text.split()))
    text = _URL_QUERY.sub(r"\1", _URL_USER.sub("", text))
    text = _ASSIGNED.sub(rf"\1{MARK}", text)
    text = _OPTION_WITH_PASSWORD.sub(rf"\1{MARK}", text)
    text = _LOOKS_LIKE_A_KEY.sub(MARK, text)
    return shorten(text, _SHOWN)
