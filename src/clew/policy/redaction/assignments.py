r"""Values assigned to a secret name: `TOKEN=x`, `"api_key": "x"`, `--password x`.

In the output of a command, an assignment alone on its line extends to the end of the line, spaces
included, and the value of every secret name is redacted.  In typed text, `password: use bcrypt` is a
sentence, and `TOKEN=abc deploy prod` a command: the value ends with its word, and after a colon and a
space it must look like a secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain

from clew.model.named_tuple import NamedTuple
from clew.policy.redaction.names import (
    FUNCTION_WORDS,
    assigns_secret,
    is_about_secret,
    is_open,
    looks_made_up,
    looks_random,
    names_password,
    names_secret,
    signs_address,
)

Span = tuple[int, int]

_OUTPUT_WORDS = (
    "token", "secret", "password", "passwd", "passphrase", "apikey", "accesskey", "privatekey",
    "credential", "passwort", "kennwort",
)  # fmt: skip
_COUNTED = ("tokens", "secrets", "passwords", "keys", "credentials")
_HARMLESS_WORDS = ("tokeniz", "tokenis")
_DIRECTORIES = ("PWD", "OLDPWD")
_NAMING = frozenset(("secret", "secrets", "credential", "credentials"))
"""Options that usually name a secret stored elsewhere: `--secret=db`."""


def sounds_secret(key: str) -> bool:
    """Return whether a name may be that of a secret; in doubt, it is."""
    key = key.replace("_", "").replace("-", "").lower()
    for word in _HARMLESS_WORDS:
        key = key.replace(word, "")
    return any(word in key for word in _OUTPUT_WORDS)


class _AssignedValue(NamedTuple):
    """A value, and whether it is redacted."""

    start: int
    end: int
    is_secret: bool


_LONG_VALUE = 4_096


def find_assignments(text: str, *, typed: bool) -> Iterator[Span]:
    """Yield the spans of values assigned to secret names."""
    done = 0
    for match in _pattern("assignment").finditer(text):
        if match.start("key") < done:
            continue
        if text.startswith("[", match.end()):
            yield from _elements(text, match)
            continue
        match = _pattern("declared").match(text, match.start("key")) or match
        given = _typed_value(text, match) if typed else _output_value(text, match)
        if given is None:
            continue
        if given.is_secret:
            yield given.start, given.end
        if given.is_secret or given.end - given.start > _LONG_VALUE:  # each character is read once
            done = given.end
    yield from _options(text)
    yield from _slash_options(text)
    yield from _parameters(text)
    yield from _statements(text)
    yield from _pairs(text)
    yield from _directives(text)


def _elements(text: str, match: re.Match[str]) -> Iterator[Span]:
    """Yield the strings of a list that is assigned to a secret name."""
    key = match["key"]
    if not sounds_secret(key) or is_about_secret(key):
        return
    end = text.find("]", match.end(), match.end() + _LONG_VALUE)
    for found in _pattern("string").finditer(text, match.end(), end if end > 0 else match.end()):
        value = found["value"]
        if not is_open(value) and (names_password(key) or looks_made_up(value)):
            yield found.span("value")


# Command output


def _output_value(text: str, match: re.Match[str]) -> _AssignedValue | None:
    key = match["key"]
    is_tight = match["sign"] == "="  # tests print `pass: 12`
    if not sounds_secret(key) and not names_secret(key) and not (is_tight and assigns_secret(key)):
        return _short_name_value(text, match)
    start, end, quote = _value(text, match, whole_line=match["line"] is not None)
    value = text[start:end]
    first = value if quote else (value.split() or [""])[0]
    is_variable = not quote and _pattern("variable").fullmatch(first) is not None
    if is_variable or _is_count(key, first) or is_open(value, quoted=quote):
        return _AssignedValue(start, end, False)
    if is_tight and first.isdigit() and len(first) < 4:
        return _AssignedValue(start, end, False)  # `pass=12 fail=0`
    if _is_directory(key, value) or (is_about_secret(key) and not looks_made_up(first)):
        return _AssignedValue(start, end, False)
    return _AssignedValue(start, end, quote != "" or not _is_reference(match, value))


def _short_name_value(text: str, match: re.Match[str]) -> _AssignedValue | None:
    """Return the value of `pass = x` and `"auth": "x"`: a name too short to trust, and a mixed value."""
    is_alone = match["line"] is not None and _is_last(text, match.end())
    is_variable = text.endswith("$", 0, match.start("key"))
    is_certain = is_alone or is_variable or _is_quoted_name(text, match)
    if not is_certain or not assigns_secret(match["key"]):
        return None
    start, end, _ = _value(text, match, whole_line=False)
    return _AssignedValue(start, end, looks_made_up(text[start:end]))


def _is_quoted_name(text: str, match: re.Match[str]) -> bool:
    return text[match.end("key") : match.end("key") + 1] in ('"', "'")


def _is_reference(match: re.Match[str], value: str) -> bool:
    """Return whether a value without quotes is code: a call, or another variable of such a name."""
    is_call = match["sign"][0] in " \t" and _pattern("call").match(value) is not None
    return is_call or (_pattern("reference").fullmatch(value) is not None and names_secret(value))


def _is_directory(key: str, value: str) -> bool:
    """Return whether it is the shell's working directory, not a password."""
    return key.upper() in _DIRECTORIES and value[:1] in ("/", "~", ".")


def _is_count(key: str, value: str) -> bool:
    return value.strip(" \t\r,;").isdigit() and key.lower().endswith(_COUNTED)


# Typed text


def _typed_value(text: str, match: re.Match[str]) -> _AssignedValue | None:
    key, sign = match["key"], match["sign"]
    if key.startswith("-"):
        return None  # handled by `_options`
    is_tight = sign.strip() == sign and ":" not in sign
    names = assigns_secret(key) if is_tight or _is_constant(key) else names_secret(key)
    if not names:
        found = _random_key_value(text, match) if is_tight and _is_constant(key) else None
        return found or _short_name_value(text, match)
    start, end, quote = _value(text, match, whole_line=False)
    return _AssignedValue(start, end, _is_typed_secret(text, match, text[start:end], quote))


def _is_typed_secret(text: str, match: re.Match[str], value: str, quote: str) -> bool:
    key, sign = match["key"], match["sign"]
    if is_open(value, quoted=quote) or not value.strip() or _is_count(key, value):
        return False
    if quote and value[0] in " \t":
        return False  # the quote closes: `'Password: '`
    if "==" in sign:
        return looks_made_up(value)
    if value.isdigit() and len(value) < 4:
        return False  # `PASS=1`, `pass=12 fail=0`
    if _is_directory(key, value):
        return False
    if quote or (sign.strip() == sign and ":" not in sign):
        return bool(quote) or not _is_code(text, match, value)
    if value.strip().isdigit() and len(value.strip()) < 6:
        return False
    if looks_made_up(value) or _is_constant(key):
        return True
    # a word of letters is a value only in text like a settings file: alone on its line
    is_alone = match["line"] is not None and _is_last(text, match.end())
    return is_alone and not ("_" in value or "." in value or names_secret(value))


def _random_key_value(text: str, match: re.Match[str]) -> _AssignedValue | None:
    """Return the value of `STRIPE_KEY=…`, whose name is vague but whose value looks random."""
    if not match["key"].endswith("KEY"):
        return None
    start, end, _ = _value(text, match, whole_line=False)
    return _AssignedValue(start, end, looks_random(text[start:end]))


def _is_constant(key: str) -> bool:
    return key.upper() == key and "_" in key


def _is_code(text: str, match: re.Match[str], value: str) -> bool:
    """Return whether it is a keyword argument in code: `check(password=password)`."""
    is_argument = text[max(match.start() - 8, 0) : match.start()].rstrip(" \t")[-1:] in ("(", ",")
    return is_argument and not looks_made_up(value) and names_secret(value)


def _is_last(text: str, at: int) -> bool:
    """Return whether exactly one word is left on the line."""
    return _pattern("last word").match(text, at) is not None


# Command options, URL parameters, statements


def _options(text: str) -> Iterator[Span]:
    """Yield the values of `--password x` and `-token x`, unless x is a function word."""
    done = 0
    for found in _pattern("option").finditer(text):
        if found.start() < done:
            continue
        is_tight = found[0].endswith("=")
        if not (assigns_secret if is_tight else names_secret)(found["name"]):
            continue
        start, end = found.end(), found.end()
        value, quote = "", ""
        if opening := _pattern("opening").match(text, start):
            start, quote = opening.end(), opening[2]
            value_found = _pattern("escaped" if opening[1] else quote).match(text, start)
        else:
            value_found = _pattern("argument").match(text, start)
        if value_found is not None:
            end = value_found.end()
            value = text[start:end]
        done = end
        is_word = not quote and value.lower() in FUNCTION_WORDS
        if found["name"].lower() in _NAMING and (not looks_made_up(value) or "=" in value):
            continue
        if value and not is_word and not is_open(value, quoted=quote):
            yield start, end


def _slash_options(text: str) -> Iterator[Span]:
    """Yield the values of `/pass:x`, as programs of Windows take them."""
    for found in _pattern("slash option").finditer(text):
        if assigns_secret(found["name"]) and not is_open(found["value"]):
            yield found.span("value")


def _parameters(text: str) -> Iterator[Span]:
    """Yield the values of URL parameters, `?sig=…&key=…`, with names too short to match elsewhere."""
    found_in = [_pattern("parameter").finditer(text)]
    if "%3" in text:  # a URL as a parameter of another
        found_in.append(_pattern("encoded parameter").finditer(text))
    for found in chain.from_iterable(found_in):
        if signs_address(found["name"]) and not is_open(found["value"]):
            if assigns_secret(found["name"]) or len(found["value"]) >= 16:
                yield found.span("value")


def _statements(text: str) -> Iterator[Span]:
    """Yield passwords without an assignment sign: SQL, `.netrc`, XML."""
    for name, sign in (
        ("sql", "'"),
        ("pragma", "key"),
        ("netrc", "ogin"),
        ("signed", "jwt"),
        ("mail", "AUTH "),
        ("login", "LOGIN "),
        ("ftp", "PASS "),
        ("oracle", "DENTIFIED"),
        ("oracle", "dentified"),
        ("basic", "auth"),
    ):
        for found in _pattern(name).finditer(text) if sign in text else ():
            if not is_open(found["value"]):
                yield found.span("value")
    for name, sign in (
        ("element", "</"),
        ("property", "alue="),
        ("property element", "</"),
        ("nested element", "</"),
        ("declaration", "string ="),
        ("auto property", "get;"),
        ("fallback", "||"),
        ("fallback", "??"),
        ("fallback", " or "),
    ):
        for found in _pattern(name).finditer(text) if sign in text else ():
            value = found["value"]
            is_named = names_secret(found["name"])
            if (is_named and not is_open(value)) or (
                assigns_secret(found["name"]) and looks_made_up(value)
            ):
                yield found.span("value")


def _pairs(text: str) -> Iterator[Span]:
    """Yield values beside the name in a call: `define('DB_PASSWORD', 'x')`, `getenv("TOKEN", "x")`."""
    for found in _pattern("keyword").finditer(text) if '"' in text else ():
        if names_secret(found["name"]) and looks_made_up(found["value"]):
            yield found.span("value")
    for found in _pattern("listed option").finditer(text) if "-" in text else ():
        if assigns_secret(found["name"]) and not is_open(found["value"]):
            yield found.span("value")
    for found in _pattern("set").finditer(text) if "(" in text else ():
        if names_secret(found["name"]) and looks_made_up(found["value"]):
            yield found.span("value")
    for found in _pattern("connect").finditer(text) if "(" in text else ():
        if not is_open(found["value"]):
            yield found.span("value")
    for found in _pattern("pair").finditer(text) if "(" in text else ():
        name, value = found["name"], found["value"]
        if not names_secret(name) or is_open(value) or names_secret(value):
            continue
        before = text[max(found.start() - 20, 0) : found.start()]
        if not _pattern("called").search(before):
            continue
        if _pattern("setter").search(before) or looks_made_up(value):
            yield found.span("value")


def _directives(text: str) -> Iterator[Span]:
    """Yield values behind a name and a space: `ENV DB_PASSWORD x`, `requirepass x`."""
    for found in _pattern("directive").finditer(text):
        value = found["value"]
        is_word = value.lower() in FUNCTION_WORDS
        is_named = found["own"] is not None or assigns_secret(found["name"])
        if is_named and not is_word and not is_open(value):
            yield found.span("value")


def _value(text: str, match: re.Match[str], *, whole_line: bool) -> tuple[int, int, str]:
    """Return start and end of the value after a sign, and the quote around it."""
    at, quote = match.end(), ""
    if tag := _pattern("tag").match(text, at):
        at = tag.end()
    opening = _pattern("opening").match(text, at)
    if opening is not None:
        at, quote = opening.end(), opening[2]
        how = "escaped" if opening[1] else quote
    else:
        how = "line" if whole_line else "word"
    found = _pattern(how).match(text, at)
    return at, at if found is None else found.end(), quote


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern, compiled on first use to keep the import fast."""
    return re.compile(
        {
            "assignment": (
                r"(?P<line>^[-+>$# \t]{0,80}(?:export[ \t]{1,8}+)?+[\"']?+)?(?<![\w-])"
                r"(?P<key>[\w-]++)(?:\\{0,4}[\"'])?+\]?+"
                r"(?P<sign>[ \t]{0,20}+(?:={1,3}+>?+|:=|:(?!:|//))[ \t]{0,20}+)"
            ),
            "opening": r"(\\{0,4})([\"'])",
            "tag": r"[&!][\w!/.-]{1,60}+[ \t]{1,4}",  # an anchor or a tag of YAML
            '"': r"(?:[^\"\\\n]|\\.)*+",
            "'": r"(?:[^'\\\n]|\\.)*+",
            "escaped": r"[^\"'\\\n]*+",
            # alone on its line it may hold blanks, but not when another assignment follows
            "line": r"[^\s,;]++(?=[,;][ \t]|[ \t]++[\w-]++[ \t]?[=:])|[^\n]*+",
            "word": (
                r"(?:\[redacted\]|\$\{\{?[^{}\n]{0,200}+\}{1,2}|\$\([^()\n]{0,400}+\)"
                r"|[^\s,;&|\"')}\]])*+"
            ),
            "argument": r"[^\s;|\"'`]++",
            "last word": r"[\"']?[^\s]++[\"']?[,;]?[ \t]*+(?:$|#)",
            "call": r"[A-Za-z_][\w.]{0,200}\(",
            "option": (
                r"(?<![\w-])--?(?P<name>[A-Za-z][A-Za-z0-9]{0,40}+(?:[-_.][A-Za-z0-9]{1,40}+){0,6}+)"
                r"(?:[ \t]{1,8}+(?![-=<>|&])|=)(?!\[redacted\])"
            ),
            "parameter": r"[?&#;](?P<name>[\w.-]{1,80}+)=(?P<value>[^\s&#\"'<>;]++)",
            "encoded parameter": (
                r"(?:%26|%3[Ff])(?P<name>[\w.-]{1,80}+)%3[Dd](?P<value>[^\s&#\"'<>;%]++)"
            ),
            "sql": (
                r"(?i:\b(?:password|identified\s{1,8}by(?:\s{1,8}password)?|with\s{1,8}encryption\s{1,8}key)"
                r"(?:\s{1,8}(?:for\s{1,8}\S{1,200}))?\s{0,8}(?:[\s=(]\s{0,8}))"
                r"\\{0,4}'(?P<value>[^'\\\s][^'\\]*+)"
            ),
            "netrc": r"(?i:\blogin\s{1,8}\S{1,200}\s{1,8}password\s{1,8})(?P<value>\S++)",
            "element": r"<(?P<name>[\w.:-]{1,100}+)>(?P<value>[^<>]++)(?=</)",
            # `<add key="Password" value="x"/>`, `<string name="api_key">x</string>`
            "property": (
                r"(?i:\b(?:key|name|id)=\\{0,4}\")(?P<name>[\w.:-]{1,100}+)\\{0,4}\"\s{1,8}"
                r"(?i:value=\\{0,4}\")(?P<value>[^\\\"<>]{1,4000}+)"
            ),
            "property element": (
                r"(?i:\b(?:key|name|id)=\")(?P<name>[\w.:-]{1,100}+)\"[^<>]{0,200}+>(?P<value>[^<>]{1,4000}+)(?=</)"
            ),
            # `const token: string = "x"`, `password: str = Field(…)`
            "declared": (
                r"(?P<line>(?!))?(?P<key>[\w-]{1,100}+)(?P<sign>[ \t]{0,4}:[ \t]{0,4}"
                r"(?:(?:Optional|Final)\[\w{1,40}\]|&(?:'static )?str|str|[sS]tring|bytes|Text|SecretStr|Final|any)"
                r"(?:[ \t]?\|[ \t]?(?:None|null|undefined))?\??[ \t]{1,4}=[ \t]{0,4})(?=[\"'`A-Za-z])"
            ),
            # `var token string = "x"`
            "declaration": (
                r"(?<![\w-])(?P<name>\w{1,100}+)[ \t]{1,4}\*?string[ \t]{0,4}=[ \t]{0,4}[\"`](?P<value>[^\"`\n]{1,400}+)"
            ),
            "auto property": (
                r"(?<![\w-])(?P<name>\w{1,100}+)[ \t]{0,4}\{[^{}\n]{0,60}get;[^{}\n]{0,60}\}[ \t]{0,4}="
                r"[ \t]{0,4}\"(?P<value>[^\"\n]{1,400}+)"
            ),
            "nested element": r"<(?P<name>[\w.:-]{1,100}+)>\s{0,40}<[\w.:-]{1,100}+>(?P<value>[^<>]++)(?=</)",
            # `{password, "x"}`, `:password "x"`
            "oracle": (
                r"(?i:\b(?:create|alter)\s{1,8}user\s{1,8}\S{1,100}+\s{1,8}identified\s{1,8}by)\s{1,8}(?P<value>[^\s'\";]{1,200}+)"
            ),
            "basic": r"(?i:auth)[ \t]{0,2}[=:][ \t]{0,2}[(\[][\"'][^\"'\n]{0,100}+[\"'],[ \t]{0,4}[\"'](?P<value>[^\"'\n]{1,400}+)",
            # `secret = process.env.SECRET || "x"`
            "fallback": (
                r"(?<![\w-])(?P<name>[\w-]{1,100}+)[ \t]{0,4}[:=][ \t]{0,4}[\w.()\[\]\"'-]{1,100}+[ \t]{1,4}"
                r"(?:\|\||\?\?|or)[ \t]{1,4}[\"'](?P<value>[^\"'\n]{1,400}+)"
            ),
            "listed option": r"[\"']--?(?P<name>[A-Za-z][\w-]{0,60}+)[\"'],[ \t]{0,4}[\"'](?P<value>[^\"'\n]{1,400}+)[\"']",
            "set": r"(?:(?<=\.)|(?<=[ \t>]))(?:set|with)?_?(?P<name>[A-Za-z]\w{2,60}+)\([ \t]{0,2}[\"'](?P<value>[^\"'\n]{1,400}+)[\"'][ \t]{0,2}\)",
            # an address, a user and a password; a user and a password
            "connect": (
                r"(?:\b(?:PDO|mysqli|mysqli_connect|mysql_connect|pg_connect|getConnection)\([^()\n,]{1,200}+,[^()\n,]{1,100}+,"
                r"|\b(?:HTTPBasicAuth|[bB]asicAuth|SetBasicAuth|BasicAWSCredentials)\([^()\n,]{1,200}+,"
                r"|\bCredentials\((?:[^()\n,]{1,200}+,){3})[ \t]{0,4}[\"'](?P<value>[^\"'\n]{1,400}+)[\"']"
            ),
            "keyword": r"[{(:][ \t]{0,4}(?P<name>[A-Za-z][\w-]{0,99}+)[ \t]{0,4}[, \t][ \t]{0,4}\"(?P<value>[^\"\n]{1,400}+)\"",
            "pragma": r"(?i:\bpragma\s{1,4}(?:re|hex)?key)\s{0,4}=\s{0,4}[\"'](?P<value>[^\"'\n]{1,400}+)",
            "signed": r"(?i:\bjwt\.(?:sign|verify|encode|decode))\([^()\n]{0,200}?,[ \t]{0,4}[\"'](?P<value>[^\"'\n]{1,400}+)",
            "mail": r"\bAUTH (?:PLAIN|LOGIN|XOAUTH2|CRAM-MD5)[ \t]{1,4}(?P<value>[A-Za-z0-9+/=]{8,}+)",
            "login": r"(?<!\w)\w{1,8}+ LOGIN \S{1,200}+ (?P<value>[^\s\"']{1,200}+)[\"' \t\r,]{0,4}$",
            "ftp": r"(?:\bUSER |\b331 )[^\n]{0,200}+\n[^\w\n]{0,8}+PASS (?P<value>\S{1,200}+)[ \t\r]{0,4}$",
            "slash option": r"(?<=[ \t])/(?P<name>[A-Za-z]\w{0,40}+):[\"']?(?P<value>[^\s\"']{1,400}+)",
            "variable": r"\$\w{1,200}+|\$\{\w{1,200}+\}",
            "reference": r"[A-Za-z_]\w{0,100}+(?:\.[A-Za-z_]\w{0,100}+){1,10}+",
            "string": r"(?P<quote>\\{0,4}[\"'])(?P<value>[^\"'\\\n]*+)(?P=quote)",
            "pair": (
                r"\([ \t]{0,4}[\"'](?P<name>[\w.-]{1,100}+)[\"'][ \t]{0,4}(?:,| to )[ \t]{0,4}[\"'](?P<value>[^\"'\n]{1,400}+)[\"']"
            ),
            "called": r"\w\Z",
            "setter": r"(?i:define|putenv|setenv|getenv|set_?property|setdefault|fetch|environ\.get)\Z",
            "directive": (
                r"(?:(?:^[ \t]{0,40}+(?:ENV|ARG)|(?<![\w$.-])(?:SetEnv|fastcgi_param|uwsgi_param|set(?=[ \t]{1,8}\$)))[ \t]{1,8}+"
                r"\$?(?P<name>\w{1,100}+)"
                r"|(?<![\w-])(?P<own>requirepass|masterauth|rootpw|bindpw|ldap_default_authtok)"
                r"(?:[ \t]{1,8}+--\w{1,20}+)?+)"
                r"[ \t]{1,8}+[\"']?+(?P<value>[^\s\"';=-][^\s\"';]{0,400}+)[\"',;]{0,3}+[ \t]{0,8}+$"
            ),
        }[name],
        re.MULTILINE,
    )
