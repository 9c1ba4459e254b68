"""Redaction: the entry point for all text that is stored in a label or shown.

`redact_words` is for text that people and agents type: intents, titles, command lines, messages that
quote them.  `redact` is for the output of commands, where a value may fill its line.  Both find the
same kinds of secrets (`redaction/`, one kind per module) and replace them by `MARK`.

This is best effort, not a guarantee.  It preserves what makes a label useful: `tokens.py:12:`,
`max_tokens=100`, `password=None`, `fix the password form`.

Redact before truncating: half a token is not recognized.

Run time is linear in the length of the text, which may be hostile: a search starts only at the start
of a word or a line, or is bounded, and does not backtrack.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Finder = Callable[[str, bool], Iterable[tuple[int, int]]]

MARK = "[redacted]"

LONGEST = 1 << 20
"""Maximum number of characters searched at once; a longer text is split between words."""

_ROUNDS = 4
_SHORTEST = 5
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
"""Invisible characters that are copied along with a secret from a web page."""
_SHORTEST_TOKEN = 14
_DIGITS = frozenset("0123456789")
_EDGE = 4_096


def redact(text: str) -> str:
    """Return the output of a command with everything that looks like a secret replaced by `MARK`."""
    return _safely_redacted(text, typed=False)


def redact_words(text: str) -> str:
    """Return typed text with everything that looks like a secret replaced by `MARK`."""
    return _safely_redacted(text, typed=True)


def redact_name(text: str) -> str:
    """Return the name of a thing, or its path, with the tokens and passwords in it replaced by `MARK`.

    Names are not sentences: only what has the format of a secret is replaced.
    """
    if len(text) < _SHORTEST_TOKEN:
        return text
    from clew.policy.redaction.name_filter import may_hold_token  # noqa: PLC0415  short names need none

    if not may_hold_token(text):
        return text
    try:
        return replace_spans(text, sorted(_shapes(text, True)))
    except Exception:  # noqa: BLE001 - as below
        return MARK


def redact_sentence(text: str) -> str:
    """Return a sentence of a story, which quotes names, values and commands, with secrets replaced.

    Names of settings are its subjects (`API_TOKEN: added`), so an assignment says nothing.
    """
    return _safely_redacted(text, typed=True, among=_IN_SENTENCES)


def redact_value(name: str, value: str) -> str:
    """Return the value of a user-defined name, redacted for storage."""
    if any(sign in name.lower() for sign in _NAMES):
        from clew.policy.redaction.names import assigns_secret, is_open  # noqa: PLC0415  rarely needed

        if assigns_secret(name) and not is_open(value) and not value.strip().isdigit():
            return MARK
    return redact_words(value)


def may_hold_secret(text: str) -> bool:
    """Return whether `redact_words` may change a text: most have no sign of a secret."""
    return bool(_finders(text)) or not text.isascii()


def beginning(text: str, longest: int) -> str:
    """Return the beginning of a text, up to the end of a word: half a secret is not recognized."""
    return text if len(text) <= longest else text[: _edge(text, 0, longest)]


def _safely_redacted(text: str, *, typed: bool, among: tuple[Finder, ...] = ()) -> str:
    """Return a text redacted, or `MARK` if that fails: a label must not make a save fail."""
    try:
        return _redacted(text, typed=typed, among=among)
    except Exception:  # noqa: BLE001 - neither the text nor the error may leak
        return MARK


def _redacted(text: str, *, typed: bool, among: tuple[Finder, ...] = ()) -> str:
    if not text.isascii() and any(char in text for char in _INVISIBLE):
        return _redacted_visible(text, typed=typed)
    finders = _finders(text)
    if among:
        finders = [find for find in finders if find in among]
    if not finders:
        return text
    if len(text) > LONGEST:
        return "".join(_redacted(piece, typed=typed) for piece in _pieces(text))
    for _ in range(_ROUNDS):  # text beside a mark may be recognized only in the next round
        spans = [_without_escape(text, span) for find in finders for span in find(text, typed)]
        if '"' in text or "'" in text or "\\" in text:
            spans += _in_strings(text, finders, typed=typed)
        spans.sort()
        changed = replace_spans(text, spans)
        if changed == text:
            break
        text = changed
    return text


def _in_strings(text: str, finders: list[Finder], *, typed: bool) -> Iterator[tuple[int, int]]:
    """Yield secrets in quoted strings, read as what they stand for: without quotes and escapes."""
    from clew.policy.redaction.quoted import unquoted  # noqa: PLC0415  most texts need none

    for reading in unquoted(text):
        for find in finders:
            for start, end in find(reading.text, typed):
                yield _without_escape(text, (reading.original(start), reading.original(end)))


def _without_escape(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Return a span without the backslash before the quote that ends it."""
    start, end = span
    while end > start and text[end - 1] == "\\" and text[end : end + 1] in ('"', "'", "n"):
        end -= 1
    return start, end


def _redacted_visible(text: str, *, typed: bool) -> str:
    """Return a text redacted without its invisible characters, if that finds a secret."""
    visible = text.translate(dict.fromkeys(map(ord, _INVISIBLE)))
    clean = _redacted(visible, typed=typed)
    return clean if clean != visible else text


def _pieces(text: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        end = len(text) if len(text) - at <= LONGEST else _edge(text, at, at + LONGEST)
        yield text[at:end]
        at = end


def _edge(text: str, start: int, end: int) -> int:
    """Return where the last word before `end` ends; `end` itself inside a very long word."""
    near = max(end - _EDGE, start)
    edge = max(text.rfind(blank, near, end) for blank in (" ", "\n", "\t"))
    return edge if edge > start else end


def replace_spans(text: str, spans: list[tuple[int, int]], *, keep_lines: bool = False) -> str:
    """Return `text` with each of the sorted spans replaced by a mark; overlapping spans get one.

    With `keep_lines`, a span over several lines gets one for each.
    """
    parts: list[str] = []
    done = 0
    for start, end in _joined(spans):
        if MARK not in text[start:end] or text[start:end].replace(MARK, "").strip():
            lines = text.count("\n", start, end) if keep_lines else 0
            parts += text[done:start], "\n".join([MARK] * (lines + 1))
            done = end
    return "".join([*parts, text[done:]]) if parts else text


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if start >= end:
            continue
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


# Most texts contain no secret and are recognized without compiling a pattern: each finder has
# lower-case substrings, and finds nothing in a text without any of them.


def _finders(text: str) -> list[Finder]:
    if len(text) < _SHORTEST:
        return []
    small = text.lower()
    found = [find for find, signs in _FINDERS if any(sign in small for sign in signs)]
    if _shapes not in found and _may_have_token(text):
        found.append(_shapes)
    return found


def _may_have_token(text: str) -> bool:
    """Return whether a text may have a token: a long word with a sign, digits or both cases."""
    long = " ".join(word for word in text.split() if len(word) >= _SHORTEST_TOKEN)
    if not long:
        return False
    small = long.lower()
    if small == long and _DIGITS.isdisjoint(long):
        return False
    return any(sign in small for sign in _TOKENS) or _has_dotted_token(small)


def _has_dotted_token(text: str) -> bool:
    """Return whether a text has three parts with dots, like the token of a Discord bot."""
    lengths = [len(part) for part in text.split(".")]
    return any(lengths[at] == 6 and lengths[at + 1] >= 27 for at in range(1, len(lengths) - 1))


def _shapes(text: str, typed: bool) -> Iterable[tuple[int, int]]:
    from clew.policy.redaction.shapes import find_shapes  # noqa: PLC0415  most texts need none

    return find_shapes(text)


def _headers(text: str, typed: bool) -> Iterable[tuple[int, int]]:
    from clew.policy.redaction.headers import find_headers  # noqa: PLC0415  the same

    return find_headers(text, typed=typed)


def _assignments(text: str, typed: bool) -> Iterable[tuple[int, int]]:
    from clew.policy.redaction.assignments import find_assignments  # noqa: PLC0415  the same

    return find_assignments(text, typed=typed)


def _prose(text: str, typed: bool) -> Iterable[tuple[int, int]]:
    from clew.policy.redaction.prose import find_in_prose  # noqa: PLC0415  the same

    return find_in_prose(text)


def _blocks(text: str, typed: bool) -> Iterable[tuple[int, int]]:
    from clew.policy.redaction.blocks import find_blocks  # noqa: PLC0415  the same

    return find_blocks(text) if "\n" in text or "(" in text or "value" in text else ()


def _commands(text: str, typed: bool) -> Iterable[tuple[int, int]]:
    from clew.policy.redaction.commands import find_in_commands  # noqa: PLC0415  the same

    return find_in_commands(text)


_FOREIGN = ("kennwort", "contrase", "wachtwoord", "senha")
_NAMES = (
    "pass", "pwd", "pw=", "pw:", "pw ", "token", "secret", "key", "auth", "cred", "otp", "jwt", "sessionid",
    "dsn", "psk", "mnemonic", "seedphrase", "recoverycode", "recovery_code", "connectionstring",
    *_FOREIGN,
)  # fmt: skip
_HASHES = (
    "$1$", "$5$", "$6$", "$7$", "$2", "$y$", "$gy$", "$apr1$", "$md5", "$sha1$", "$scrypt$", "argon2",
    "pbkdf2_", "bcrypt", "scrypt$", "sha1$", "{ssha", "{sha", "{smd5",
)  # fmt: skip
_TOKENS = (
    *_HASHES, "hooks.slack", "discord", "office.com", "zapier", "ifttt", "/t/", "akia", "asia", "a3t", "abia",
    "acca", "amzn", "aiza", "ya29.", "gocspx-", "1//0", "q~", "ltai", "aqvn", "scw", "_v1_",
    "hrku-", "fo1_", "fm1", "fm2_", "nfp_", "rnd_", "gho_", "gho-", "ghp_", "ghp-", "ghr_", "ghr-",
    "ghs_", "ghs-", "ghu_", "ghu-", "gr1348941", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-",
    "glffct-", "glimt-", "glagent-", "gloas-", "glsoat-", "atatt", "atctt", "atbb", "npm_", "npm-",
    "gldt_", "glrt_", "glcbt_", "glptt_", "glft_", "glffct_", "glimt_", "glagent_", "gloas_", "glsoat_",
    "glpat_",
    "pypi-", "dckr", "rubygems", "clojars_", "oy2", "cio", "akcp", "cmvmd", "bkua_", "sgp_", "squ_",
    "sqp_", "sqa_", "xox", "xapp", "bot", ":aa", "sg.", "sk", "key-", "-us1", "-us2", "-us3",
    "-us4", "-us5", "-us6", "-us7", "-us8", "-us9", "re_", "rk_live_", "rk-live-", "rk_test_",
    "rk-test-", "rk_prod_", "rk-prod-", "whsec", "rzp_", "sq0", "eaa", "shpca", "shppa", "shpss",
    "shippo", "duffel", "eza", "ezt", "flwseck", "access-", "hf_", "hf-", "api_org", "r8_", "pplx-",
    "tvly-", "xai-", "xkeysib-", "lsv2_", "eyj", "hvs.", "hvb.", "hvr.", "atlasv1", "dapi", "sntry",
    "nrak-", "nrii-", "nrjs-", "nral", "glsa_", "glc_", "dt0", "pmak-", "pul-", "pnu_", "api-",
    "a3-", "v1.0-", "dp.", "sha256~", "age-secret", "age-plugin", "ico-", "p8e-", "sdk-", "pscale_",
    "sbp_", "sb_secret", "napi_", "mdb_sa", "4b1d", "pat", "_mmk", "lin_", "ntn_", "secret_",
    "figd_", "rdme_", "tfp_", "fio-u-", "phx_", "sl.", "aaaaaaaaaaaaaaaaaaaaa", "secret-token:",
)  # fmt: skip
"""Substrings of tokens; each token is at least `_SHORTEST_TOKEN` long."""
_COMMANDS = (
    "7z", "ab ", "aws", "az ", "bcp ", "buildah", "cargo", "click", "composer", "cqlsh", "crane", "curl",
    "evil-winrm", "freerdp", "gh ", "helm", "hey ", "htpasswd", "http", "ipmitool", "isql", "jarsigner",
    "keydb", "keytool", "kubectl", "ldap", "lftp", "mariadb", "mc ", "mongo", "mycli", "mysql", "ncftp",
    "nerdctl", "nmcli", "npm", "oc ", "docker", "openssl", "oras ", "passphrase", "podman", "poetry",
    "rabbitmq", "rar ", "redis", "rpcclient", "skopeo", "smb", "snmp", "sqlcmd", "sshpass", "svn ",
    "twine", "useradd", "usermod", "valkey", "vault", "wget", "xh ", "yarn", "zip", "ansible",
    # commands that read from standard input, log in or set a variable
    "stdin", "sudo -s", "chpasswd", "secret", "token", "--data-file", "--pinentry", "login", "auth",
    "set -", "setenv", "<<<", "<(", "kinit", "ssh-keygen", "convertto-securestring",
)  # fmt: skip
"""Prefixes of programs that take secrets; a test compares the lists."""
_FINDERS: tuple[tuple[Finder, tuple[str, ...]], ...] = (
    (_shapes, ("://", "-----", "%3a%2f%2f", "@tcp(", "@unix(", "@udp(")),
    (_headers, ("authorization", "bearer", "cookie")),
    (_assignments, (*_NAMES, "sig", "session", "sid", "identified", "login ", "pdo(", "getconnection(")),
    (_prose, ("pass", "pwd", "pw", "token", "secret", "key", "cred", "login", *_FOREIGN)),
    (_commands, _COMMANDS),
    (_blocks, ("pass", "pwd", "token", "secret", "api_key", "apikey", "api key", "kennwort", "private-lines")),
)  # fmt: skip


_IN_SENTENCES: tuple[Finder, ...] = (_shapes, _headers, _commands)


def sounds_secret(key: str) -> bool:
    """Return whether a name may be that of a secret; in doubt, it is."""
    from clew.policy.redaction.assignments import sounds_secret as sounds  # noqa: PLC0415

    return sounds(key)
