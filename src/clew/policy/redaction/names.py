"""Heuristics for names of secrets, and for values that are not secret."""

from __future__ import annotations

import re
from functools import cache, lru_cache

_SECRET_WORDS = (
    "token", "secret", "password", "passwd", "passphrase", "passcode", "apikey", "accesskey",
    "privatekey", "secretkey", "accountkey", "signingkey", "encryptionkey", "masterkey", "credential",
    "storepass", "keypass", "becomepass", "sshpass", "sessionid", "presharedkey", "sharedkey",
    "licensekey", "licencekey", "subscriptionkey", "authkey", "appkey", "servicekey", "keydata",
    "privkey", "mnemonic", "seedphrase", "recoverycode", "connectionstring", "requirepass",
    "masterauth", "passwort", "kennwort", "motdepasse", "contrasena", "wachtwoord",
)  # fmt: skip
_SECRET_LAST = frozenset(("dsn", "psk", "senha"))
"""Last words of secret names, however the value is assigned."""
_SECRET_ENDS = frozenset(("pass", "pwd", "pw", "auth", "otp", "jwt", "apikeys", "creds"))
"""Last words of secret names, if the value is assigned without spaces."""
_GLUED_ENDS = ("pass", "passwd", "pwd", "pw")
"""Ends of last words, as in `rootpw` and `dbpass`."""
_NOT_PASS = frozenset(
    ("bypass", "compass", "encompass", "overpass", "surpass", "trespass", "oldpwd")
)
_SIGNED = frozenset(("sig", "signature", "key", "auth", "pwd", "pass", "sid", "session", "jwt"))
"""URL parameters that authenticate."""
_HARMLESS_WORDS = (
    "tokeniz", "tokenis", "passthrough", "secretary", "secretsmanager", "secretmanager",
)  # fmt: skip
_HARMLESS_ENDS = frozenset(
    ("id", "ids", "name", "names", "type", "file", "files", "path", "dir", "url", "uri", "host",
     "count", "length", "len", "limit", "size", "expiry", "expires", "ttl", "stdin", "env", "var",
     "field", "label", "hint", "policy", "strength", "version", "arn", "algorithm", "alg", "manager",
     "prompt", "reset", "form", "page", "validator", "ref", "usage", "budget", "role", "scope", "fd",
     "endpoint", "provider", "class", "format", "enabled", "required", "timeout", "index", "hasher",
     "hashers", "validators", "toggle", "input", "button", "icon", "min", "max", "days", "hours",
     "minutes", "minute", "seconds", "age", "rate", "expire", "expiration", "lifetime", "rotation",
     "complexity", "pattern", "regex", "mask", "kind", "status", "backend", "attempts", "retries",
     "total", "encryption", "authentication", "generator", "parser", "lexer", "counter", "column")
)  # fmt: skip
_HARMLESS_VALUES = frozenset(
    ("", "true", "false", "null", "none", "nil", "undefined", "required", "optional", "str", "string",
     "text", "bytes", "int", "bool", "any", "yes", "no", "on", "off", "invalid", "wrong", "expired",
     "missing", "empty", "incorrect", "fixed", "removed", "changed", "revoked", "rejected", "unset",
     "bearer", "basic", "digest", "password", "passwd", "token", "secret", "default", "hidden")
)  # fmt: skip
_TECHNICAL = frozenset(
    ("oauth2", "oauth1", "sha1", "sha224", "sha256", "sha384", "sha512", "md5", "base32", "base64",
     "base64url", "argon2", "argon2id", "bcrypt", "scrypt", "pbkdf2", "utf8", "utf-8", "ed25519",
     "x509", "rs256", "hs256", "es256", "aes128", "aes256", "k8s", "http2", "http3", "ipv4", "ipv6",
     "web3", "auth0", "l10n", "i18n", "a11y", "p256", "rsa2048", "rsa4096", "totp6", "e2e")
)  # fmt: skip
FUNCTION_WORDS = frozenset(
    ("a", "an", "and", "are", "as", "at", "be", "by", "flag", "for", "from", "has", "if", "in",
     "instead", "into", "is", "it", "of", "on", "option", "or", "parameter", "argument", "should",
     "switch", "than", "that", "the", "then", "this", "to", "was", "when", "which", "will", "with")
)  # fmt: skip


@lru_cache(maxsize=1024)
def names_secret(name: str) -> bool:
    """Return whether a name is that of a secret, not of something about a secret."""
    words = _words(name)
    if not words or words[-1] in _HARMLESS_ENDS:
        return False
    if words[-1] == "tokens":  # a count
        return False
    if words[-1] in _SECRET_LAST:
        return True
    bare = "".join(words)
    for word in _HARMLESS_WORDS:
        bare = bare.replace(word, "")
    return any(word in bare for word in _SECRET_WORDS)


@lru_cache(maxsize=1024)
def assigns_secret(name: str) -> bool:
    """Return the same for a name right before `=`, where `DB_PASS` is one, too."""
    if names_secret(name):
        return True
    last = (_words(name) or [""])[-1]
    return last in _SECRET_ENDS or (last.endswith(_GLUED_ENDS) and last not in _NOT_PASS)


def is_about_secret(name: str) -> bool:
    """Return whether a name is that of a property of a secret: its length, its file, its age."""
    return (_words(name) or [""])[-1] in _HARMLESS_ENDS


def names_password(name: str) -> bool:
    """Return whether a name is that of a password, whose value may be any word."""
    bare = "".join(_words(name))
    return names_secret(name) and any(word in bare for word in ("passw", "passp", "kennw"))


def signs_address(name: str) -> bool:
    """Return the same for a URL parameter."""
    words = _words(name)
    return assigns_secret(name) or (bool(words) and words[-1] in _SIGNED)


def _words(name: str) -> list[str]:
    plain = name[-200:].replace("ñ", "n").replace("Ñ", "N")
    return [word.lower() for word in _pattern("words").findall(plain)]


def is_open(value: str, *, quoted: str = "") -> bool:
    """Return whether a value is not secret: empty, a variable, a placeholder, a call."""
    bare = value.strip(" \t\r\n,;")
    if bare.lower() in _HARMLESS_VALUES or bare.startswith("[redacted]"):
        return True
    if not any(map(str.isalnum, bare[:200])):
        return True
    if quoted == "'" and _pattern("shell variable").fullmatch(bare):
        return bare.upper() == bare  # in single quotes `$name` is literal
    return _pattern("open").fullmatch(bare) is not None


def looks_made_up(word: str) -> bool:
    """Return whether a word named as a secret may be one: not a plain word, not a number."""
    bare = word.strip("\"'`.,;:!?()[]{}<>")
    if len(bare) < 4 or bare.lower() in _TECHNICAL or is_open(bare):
        return False
    if _pattern("version").fullmatch(bare) or _pattern("word").fullmatch(bare):
        return False
    has_letter, has_digit = any(map(str.isalpha, bare)), any(map(str.isdigit, bare))
    if has_letter and has_digit:
        return True
    return has_letter and _pattern("sign").search(bare) is not None


def looks_random(word: str) -> bool:
    """Return whether a word looks random, like a generated key or a mixed password."""
    bare = word.strip("\"'`.,;:!?()[]{}<>")
    if len(bare) < 8 or not looks_made_up(bare) or ("/" in bare[:-1] and "." in bare):
        return False
    if _pattern("sign").search(bare):
        return True
    if len(bare) >= 20 and any(map(str.isdigit, bare)):
        return True
    return len(_pattern("run").findall(bare)) >= 4


def looks_chosen(word: str) -> bool:
    """Return whether a word is a mixture typical of chosen passwords: `Hq9!tz`."""
    bare = word.strip("\"'`.,;:?()[]{}<>")
    is_mixed = any(map(str.isalpha, bare)) and any(map(str.isdigit, bare))
    return len(bare) >= 6 and is_mixed and "/" not in bare and bool(_pattern("chosen").search(bare))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern, compiled on first use to keep the import fast."""
    return re.compile(
        {
            "words": r"[A-Z]++(?![a-z])[0-9]*+|[A-Z]?[a-z]++[0-9]*+|[A-Z]|[0-9]++",
            "shell variable": r"\$\w{1,200}+",
            "open": (
                r"\$\w{1,200}+|\$\{[\w.!?@ -]{1,200}+\}|\$\{\{[^{}]{0,200}+\}\}|\{\{[^{}]{0,200}+\}\}"
                r"|\$\((?!\s{0,8}(?:echo|printf)\s).*+|`.*+|%\w{1,100}+%|<[\w .:/-]{1,100}+>|\{\w{0,100}+\}|@[\w./-]++"
                r"|[*xX.•…]{3,}+|[A-Za-z_][\w.]{0,100}+\(.*+"  # `****`, `make_token(user)`
                r"|[A-Z_]{0,40}(?:TOKEN|SECRET|PASSWORD|KEY)[A-Z_]{0,40}"  # `YOUR_TOKEN`
                r"|(?:process\.env|os\.environ|os\.getenv|secrets|vars?|env|settings|config|self|user"
                r"|args|options|this|request|response|req|local|data|module|each)[.\[].*+"
            ),
            "version": r"v?\d[\d.]*+(?:[-+.]?(?:rc|a|b|alpha|beta|dev|post)[\d.]*+)?",
            "word": r"[A-Z]?[a-z]++(?:[-_'’/.][A-Za-z]?[a-z]*+)*+|[A-Z]++(?:[-_/][A-Z]++)*+",
            "chosen": r"[!#$%^&*?~]",
            "sign": r"[!#$%^&*+?@~|\\]",
            "run": r"[A-Z]++|[a-z]++|[0-9]++",
        }[name],
        re.DOTALL,
    )
