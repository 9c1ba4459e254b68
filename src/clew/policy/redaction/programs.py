"""Programs that take secrets on their command line, and in which arguments.

Options are listed without dashes.  Unlisted ones are recognized by name: `--password`.
"""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple


class Takes(NamedTuple):
    """The arguments in which a program takes secrets."""

    value: frozenset[str] = frozenset()
    """Options with a secret as their value, attached or as the next word."""
    glued: frozenset[str] = frozenset()
    """Options with a secret only if it is attached: `mysql -p` alone prompts for it."""
    pair: frozenset[str] = frozenset()
    """Options with `user:secret`."""
    pair_signs: str = ":"
    header: frozenset[str] = frozenset()
    cookie: frozenset[str] = frozenset()
    prefixed: frozenset[str] = frozenset()
    """Options with `pass:secret`."""
    assigned: frozenset[str] = frozenset()
    """Options with `name=secret`, whatever the name."""
    behind: tuple[tuple[str, ...], ...] = ()
    """Words after which the next word is a secret; `*` matches any word."""
    assigns_behind: tuple[tuple[str, ...], ...] = ()
    """Words after which `name=secret` follows, whatever the name."""
    options: frozenset[str] = frozenset()
    """Options with a value that is not secret, so that it is not taken for an argument."""
    only: frozenset[str] = frozenset()
    """Applies only if one of these words follows the program."""
    is_exact: bool = False
    """Whether options are whole words: `openssl -key` is not `-k`."""
    letters: str = ""
    """One-letter options without a value, which may precede another: `-sSfu`."""


def _takes(**given: str) -> Takes:
    behind = tuple(tuple(line.split()) for line in given.pop("behind", "").split(",") if line)
    after = tuple(
        tuple(line.split()) for line in given.pop("assigns_behind", "").split(",") if line
    )
    kept = {key: given.pop(key) for key in ("pair_signs", "letters") if key in given}
    sets = {key: frozenset(value.split()) for key, value in given.items()}
    return Takes(behind=behind, assigns_behind=after, **kept, **sets)  # type: ignore[arg-type]


def _exactly(**given: str) -> Takes:
    return _takes(**given)._replace(is_exact=True)


_CURL = _takes(
    pair="u user U proxy-user E cert proxy-cert",
    header="H header proxy-header",
    cookie="b cookie",
    value="oauth2-bearer pass proxy-pass tlspassword proxy-tlspassword",
    letters="sSfLkvigGIONRaqnp#046jJlZ",
)
_MYSQL = _takes(glued="p", behind="password")
_MONGO = _takes(value="p password")
_ARCHIVE = _takes(glued="p hp")
_LOGIN = _takes(value="p password", only="login", options="u username")
_HTTPIE = _takes(pair="a auth", options="A auth-type p print o output s style")

PROGRAMS: dict[str, Takes] = {
    "curl": _CURL,
    "curlie": _CURL,
    "http": _HTTPIE,
    "https": _HTTPIE,
    "xh": _HTTPIE,
    "wget": _takes(header="header"),
    "ab": _takes(pair="A P", header="H", cookie="C"),
    "hey": _takes(pair="a", header="H"),
    "mysql": _takes(glued="p"),
    "mysqldump": _takes(glued="p"),
    "mysqlimport": _takes(glued="p"),
    "mysqlcheck": _takes(glued="p"),
    "mysqlshow": _takes(glued="p"),
    "mysqlslap": _takes(glued="p"),
    "mysqladmin": _MYSQL,
    "mariadb": _takes(glued="p"),
    "mariadb-dump": _takes(glued="p"),
    "mariadb-admin": _MYSQL,
    "mycli": _takes(value="p"),
    "redis-cli": _takes(value="a pass", behind="auth,auth *", options="h p n u"),
    "valkey-cli": _takes(value="a pass", behind="auth,auth *", options="h p n u"),
    "keydb-cli": _takes(value="a pass", behind="auth", options="h p n u"),
    "mongo": _MONGO,
    "mongosh": _MONGO,
    "mongodump": _MONGO,
    "mongorestore": _MONGO,
    "mongoexport": _MONGO,
    "mongoimport": _MONGO,
    "cqlsh": _takes(value="p password"),
    "sqlcmd": _takes(value="P"),
    "bcp": _takes(value="P"),
    "isql": _takes(value="P"),
    "clickhouse-client": _takes(value="password"),
    "ldapsearch": _takes(value="w"),
    "ldapadd": _takes(value="w"),
    "ldapmodify": _takes(value="w"),
    "ldapdelete": _takes(value="w"),
    "ldappasswd": _takes(value="w s a"),
    "ldapwhoami": _takes(value="w"),
    "sshpass": _takes(value="p"),
    "docker": _LOGIN,
    "podman": _LOGIN,
    "nerdctl": _LOGIN,
    "buildah": _LOGIN,
    "helm": _LOGIN,
    "oras": _LOGIN,
    "crane": _LOGIN,
    "skopeo": _LOGIN._replace(
        pair=frozenset(("creds", "src-creds", "dest-creds")), only=frozenset()
    ),
    "az": _takes(value="p value", only="login secret keyvault"),
    "aws": _takes(value="secret-string secret-binary value"),
    "openssl": _exactly(
        prefixed="pass passin passout", value="k K", options="in out inkey certfile name"
    ),
    "zip": _takes(value="P"),
    "unzip": _takes(value="P"),
    "zipinfo": _takes(value="P"),
    "7z": _ARCHIVE,
    "7za": _ARCHIVE,
    "7zr": _ARCHIVE,
    "7zz": _ARCHIVE,
    "rar": _ARCHIVE,
    "unrar": _ARCHIVE,
    "keytool": _exactly(
        value="storepass keypass srcstorepass deststorepass srckeypass destkeypass new"
    ),
    "jarsigner": _exactly(value="storepass keypass"),
    "ansible-vault": _takes(behind="encrypt_string"),
    "kubectl": _takes(assigned="from-literal"),
    "oc": _takes(assigned="from-literal"),
    "vault": _takes(
        behind="login", assigns_behind="kv put *,kv patch *,write *", options="method path mount"
    ),
    "npm": _takes(),
    "pnpm": _takes(),
    "yarn": _takes(),
    "poetry": _takes(behind="config http-basic.* *"),
    "composer": _takes(),
    "mc": _takes(),
    "cargo": _takes(behind="login"),
    "gh": _takes(value="b body", only="secret"),
    "twine": _takes(value="p password"),
    "htpasswd": _takes(),
    "smbclient": _takes(pair="U user", pair_signs="%"),
    "rpcclient": _takes(pair="U user", pair_signs="%"),
    "smbmap": _takes(value="p"),
    "lftp": _takes(pair="u user", pair_signs=","),
    "ncftpput": _takes(value="p"),
    "ncftpget": _takes(value="p"),
    "rabbitmqctl": _takes(behind="add_user *,change_password *,authenticate_user *"),
    "rabbitmqadmin": _takes(value="p password"),
    "useradd": _takes(value="p password"),
    "usermod": _takes(value="p password"),
    "evil-winrm": _takes(value="p"),
    "xfreerdp": _takes(glued="p:"),
    "snmpwalk": _takes(value="c A X"),
    "snmpget": _takes(value="c A X"),
    "ipmitool": _takes(value="P"),
    "svn": _takes(value="password"),
    "ssh-keygen": _exactly(value="N P", options="t f b C m O"),
    "ConvertTo-SecureString": Takes(behind=((),)),
    "nmcli": _takes(behind="wifi connect * password"),
    "wpa_passphrase": _takes(behind="*"),
}

READERS = (
    "--password-stdin", "--with-token", "--token-stdin", "--passphrase-fd", "--stdin", "--data-file=-",
    "--data-file -", "chpasswd", "sudo -S", "secret create", "secret set", "secret put", "secrets set",
    "wrangler secret", "-pass stdin", "-passin stdin", "--pinentry-mode loopback", "kinit",
)  # fmt: skip
"""Arguments of commands that read a secret from standard input."""
