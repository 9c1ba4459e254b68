"""Effects of commands: the families of facts that a command line accounts for.

An intent is often a command line itself: hooks record `rm -rf uploads` as it was run.
What such a command does by its nature was intended; everything else was not mentioned.
A script may do anything but what must always be named: lost data, weaker tests, broken states and
weaker security.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

from clew.model.fact import Fact
from clew.model.named_tuple import NamedTuple
from clew.model.vocabulary import FAMILY, family_of
from clew.policy.shell.commands import ShellCommand, joined_path

ALWAYS_NAMED = frozenset(("loss", "test", "check", "broken", "security"))
"""Families that only a command which names them accounts for."""

_PACKAGES = frozenset(("package", "lock", "toolchain", "executable", "source", "generated"))
_SYSTEM = _PACKAGES | {"service", "user", "group", "cron", "config", "process", "port", "env"}
_DATA = frozenset(("table", "data", "loss"))
_RUNNING = frozenset(("process", "port", "container", "data", "resource", "service"))
_ACCOUNTS = frozenset(("user", "group"))
_TREE = frozenset(FAMILY) - {"loss", "security", "broken", "package", "table", "service"}
"""What changes with the files of a working tree."""
_ANYTHING = frozenset(FAMILY) - ALWAYS_NAMED


class CommandEffects(NamedTuple):
    """What one command accounts for."""

    families: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    """Single kinds of other families: `git.reset`."""
    paths: tuple[str, ...] = ()
    """Paths that it writes or deletes; it accounts for every fact about them but a broken state."""
    subjects: tuple[str, ...] = ()
    """Names in its text, such as tables of a statement."""


class _Rule(NamedTuple):
    families: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    """Subcommands that have the effect; any if empty."""
    is_bare: bool = False
    """Whether it also has the effect without a subcommand, like `yarn`."""


def effects_of(command: ShellCommand) -> CommandEffects | None:
    """Return what a command accounts for; None for a program that is not known."""
    name = command.program.lower().removesuffix(".exe")
    words = [word for word in command.arguments if not word.startswith("-")]
    special = _SPECIAL.get(name)
    written = tuple(_placed(command, path) for path in command.writes if path != "/dev/null")
    if special is not None:
        found = special(command, words)
        return found._replace(paths=(*found.paths, *written))
    rule = _RULES.get(name) or _RULES.get(name.rstrip("0123456789."))
    if rule is not None:
        verb = words[0] if words else ""
        is_due = not rule.verbs or verb in rule.verbs or (rule.is_bare and not words)
        return CommandEffects(rule.families if is_due else frozenset(), paths=written)
    if name in _READERS:
        return CommandEffects(paths=written)
    return CommandEffects(_ANYTHING, paths=written) if _is_script(name) else None


def statement_effects(text: str) -> CommandEffects | None:
    """Return what an SQL statement accounts for; None for another text."""
    if not _STATEMENT.match(text):
        return None
    return CommandEffects(_DATA - {"loss"}, subjects=tuple(_NAME.findall(text.lower())))


def anything() -> CommandEffects:
    """Return the effects of what is not known: a script, or a command that was cut off."""
    return CommandEffects(_ANYTHING)


def accounts_for(effects: CommandEffects, fact: Fact) -> bool:
    """Return whether a command accounts for a fact."""
    family = family_of(fact.kind).name
    if effects.subjects:
        is_named = fact.subject.lower() in effects.subjects
        if family in effects.families:
            return is_named
        return family == "loss" and any(name in effects.subjects for name in _names_of(fact))
    if family in effects.families or fact.kind in effects.kinds:
        return True
    if family == "broken":
        return False
    return any(_covers(path, one) for path in effects.paths for one in _paths_of(fact))


def _paths_of(fact: Fact) -> list[str]:
    place = fact.scope.partition(":")[2]
    return [path for path in (fact.subject, place, *fact.evidence) if path and path != "."]


def _names_of(fact: Fact) -> list[str]:
    return [name.lower() for path in _paths_of(fact) for name in re.split(r"[/.:]", path)]


def _covers(argument: str, path: str) -> bool:
    """Return whether an argument of a command means a path, or a directory above it."""
    wanted = argument.rstrip("/").removeprefix("./")
    if wanted in ("", ".", "*", "./*") or wanted.startswith("$"):
        return True
    wanted, is_cut = wanted.removesuffix("…"), wanted.endswith("…")
    names = f"/{path.strip('/')}/"
    if is_cut:
        return f"/{wanted.lstrip('/~')}" in names
    if any(sign in wanted for sign in "*?["):
        pattern = wanted.lstrip("/~")
        return any(
            fnmatchcase(names.strip("/"), one) for one in (pattern, f"{pattern}/*", f"*/{pattern}")
        )
    if f"/{wanted.lstrip('/~')}/" in names:
        return True
    if not wanted.startswith(("/", "~")):
        return False
    above = path.strip("/")
    while above:  # the workspace is somewhere above
        if f"{wanted}".endswith(f"/{above}"):
            return True
        above = above.rpartition("/")[0]
    return False


def _placed(command: ShellCommand, path: str) -> str:
    if not command.directory or path in (".", "./", "*", "./*"):
        return path
    return joined_path(command.directory, path)


def _all_placed(command: ShellCommand, paths: Sequence[str]) -> tuple[str, ...]:
    return tuple(_placed(command, path) for path in paths)


# Programs whose arguments decide

_GIT_TREE = frozenset((
    "checkout", "switch", "restore", "reset", "merge", "pull", "rebase", "cherry-pick", "revert",
    "stash", "apply", "am", "clone", "read-tree", "bisect",
))  # fmt: skip
_GIT_LOSSES = {
    "reset": ("git.reset", "git.discarded", "git.branch"),
    "checkout": ("git.discarded", "git.branch", "git.reset"),
    "restore": ("git.discarded",),
    "switch": ("git.discarded", "git.branch", "git.reset"),
    "clean": ("loss.deleted", "code.deleted", "env.removed", "config.removed",
              "data.changed", "generated.changed", "package.removed"),
    "filter-branch": ("git.reset",),
    "filter-repo": ("git.reset",),
}  # fmt: skip


def _git(command: ShellCommand, words: Sequence[str]) -> CommandEffects:
    verb = words[0] if words else ""
    if verb in ("rm", "mv"):
        return CommandEffects(frozenset(("git", "move")), paths=_all_placed(command, words[1:]))
    if verb in ("status", "log", "diff", "show", "blame", "fetch", "ls-files", "grep", "describe"):
        return CommandEffects(frozenset(("git",)) if verb == "fetch" else frozenset())
    families = {"git"} | (_TREE if verb in _GIT_TREE else set())
    kinds = {*_GIT_LOSSES.get(verb, ()), *(("security.git_hook",) if verb == "config" else ())}
    return CommandEffects(frozenset(families), frozenset(kinds))


def _deletes(command: ShellCommand, words: Sequence[str]) -> CommandEffects:
    return CommandEffects(paths=_all_placed(command, words))


def _moves(command: ShellCommand, words: Sequence[str]) -> CommandEffects:
    return CommandEffects(frozenset(("move", "code")), paths=_all_placed(command, words))


def _find(command: ShellCommand, words: Sequence[str]) -> CommandEffects:
    text = " ".join(command.arguments)
    if "-delete" not in command.arguments and "rm" not in text.split():
        return CommandEffects()
    patterns = [
        word
        for before, word in zip(command.arguments, command.arguments[1:], strict=False)
        if before in ("-name", "-path", "-iname")
    ]
    tops = []
    for word in command.arguments:
        if word.startswith("-"):
            break
        tops.append(word)
    return CommandEffects(paths=_all_placed(command, patterns or tops or ["."]))


def _sync(command: ShellCommand, words: Sequence[str]) -> CommandEffects:
    is_deleting = any(word.startswith("--del") for word in command.arguments)
    families = _TREE | {"data", "table"}
    return CommandEffects(families, paths=_all_placed(command, words[-1:]) if is_deleting else ())


_STATEMENT = re.compile(
    r"\s{0,20}(?:drop\s{1,9}(?:table|database|schema|view|index|column)|truncate\s|delete\s{1,9}from\s"
    r"|alter\s{1,9}table|create\s{1,9}(?:unique\s{1,9})?(?:table|index|database|view)|insert\s{1,9}into\s"
    r"|update\s{1,9}[\w.\"`]{1,80}\s{1,9}set\s)",
    re.I,
)
_NAME = re.compile(r"[a-z_][\w$]{0,80}")
_WRITES = re.compile(
    r"\b(?:drop|truncate|delete|alter|create|insert|update|replace|vacuum|flushall|flushdb|del|set"
    r"|remove|deletemany|dropdatabase|\.read|\.restore|\.import|copy)\b", re.I
)  # fmt: skip


def _database(command: ShellCommand, words: Sequence[str]) -> CommandEffects:
    text = " ".join([*command.arguments, command.given])
    is_read = re.search(
        r"\b(?:select|show|explain|\.schema|\.tables|\.dump|ping|info|keys|get)\b", text, re.I
    )
    if is_read and not _WRITES.search(text):
        return CommandEffects()
    named = [name.lower() for name in _TABLE.findall(text)]
    if named:
        return CommandEffects(_DATA - {"loss"}, subjects=tuple(named))
    return CommandEffects(_DATA, paths=_all_placed(command, words[:1]))


_TABLE = re.compile(
    r"\b(?:table|from|into|update)\s{1,9}(?:if\s{1,9}(?:not\s{1,9})?exists\s{1,9})?[\"`']?([A-Za-z_][\w$.]{0,80})",
    re.I,
)


def _manage(command: ShellCommand, words: Sequence[str]) -> CommandEffects:
    """`manage.py`, `rails`, `rake`, `artisan`, `mix`: a migration, a test run, or a script."""
    text = " ".join(words)
    if re.search(r"\b(?:test|check|lint|routes|shell|runserver|server|console)\b", text):
        return CommandEffects(frozenset(("process", "port", "generated")))
    if re.search(r"migrat|flush|loaddata|\bdb:|ecto\.|seed|reset|sqlsequence|collectstatic", text):
        return CommandEffects(_ANYTHING | _DATA)
    return CommandEffects(_ANYTHING)


def _python(command: ShellCommand, words: Sequence[str]) -> CommandEffects:
    if not words and not command.given:
        return CommandEffects()
    if words and words[0].endswith("manage.py"):
        return _manage(command, words[1:])
    if "venv" in words[:1] or "virtualenv" in words[:1]:
        return CommandEffects(_PACKAGES)
    return CommandEffects(_ANYTHING)


def _task(command: ShellCommand, words: Sequence[str]) -> CommandEffects:
    """A task of a runner: a check does not change data, any other task may."""
    text = " ".join(words)
    if re.search(
        r"\b(?:test|tests|check|lint|fmt|format|build|docs?|typecheck|coverage|help)\b", text
    ):
        return CommandEffects(_PACKAGES | {"code", "config"})
    return CommandEffects(_ANYTHING)


_NPM_INSTALLS = frozenset((
    "install", "i", "in", "ci", "add", "update", "up", "upgrade", "uninstall", "remove", "rm", "un",
    "unlink", "link", "audit", "dedupe", "ddp", "prune", "rebuild", "dlx", "import", "clean-install",
    "install-test", "it", "set", "patch", "global", "create", "init", "autoclean",
))  # fmt: skip


def _npm(command: ShellCommand, words: Sequence[str]) -> CommandEffects:
    verb = words[0] if words else ""
    if verb in _NPM_INSTALLS or (not words and command.program != "npm"):
        return CommandEffects(_PACKAGES | {"config"})
    if verb in ("run", "run-script", "start", "exec", "x", "stop", "restart"):
        return _task(command, words[1:])
    return _task(command, words) if verb in ("test", "t", "tst") or verb else CommandEffects()


def _docker(command: ShellCommand, words: Sequence[str]) -> CommandEffects:
    text = " ".join(command.arguments)
    if re.search(r"\b(?:exec|run)\b", text):
        return CommandEffects(_ANYTHING)
    is_loss = re.search(r"\b(?:prune|rm|down)\b", text) is not None
    return CommandEffects(_RUNNING | ({"loss", "table"} if is_loss else set()))


def _mode(command: ShellCommand, words: Sequence[str]) -> CommandEffects:
    """`chmod`, `setcap`, `tee`, `sed -i`, `cp`: it changes the files that it names."""
    return CommandEffects(frozenset(("code",)), paths=_all_placed(command, words))


def _fetch(command: ShellCommand, words: Sequence[str]) -> CommandEffects:
    return CommandEffects(frozenset(("executable", "data", "code", "config")))


def _unpack(command: ShellCommand, words: Sequence[str]) -> CommandEffects:
    return CommandEffects(_TREE | {"data", "executable"})


_SPECIAL: dict[str, Callable[[ShellCommand, Sequence[str]], CommandEffects]] = {
    "git": _git, "find": _find, "rsync": _sync, "mv": _moves,
    **dict.fromkeys(("rm", "rmdir", "unlink", "shred", "trash", "trash-put", "truncate", "srm"), _deletes),
    **dict.fromkeys(
        ("sqlite3", "psql", "mysql", "mariadb", "duckdb", "mongosh", "mongo", "redis-cli", "cqlsh",
         "clickhouse-client", "sqlcmd"), _database,
    ),
    **dict.fromkeys(("manage.py", "rails", "rake", "artisan", "mix", "django-admin"), _manage),
    **dict.fromkeys(("python", "python3", "pypy", "pypy3"), _python),
    **dict.fromkeys(("make", "gmake", "just", "task", "invoke", "inv", "nox", "tox", "gradle", "gradlew",
                     "mvn", "mvnw", "bazel", "nx", "turbo", "lerna"), _task),
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun", "cnpm"), _npm),
    **dict.fromkeys(("docker", "podman", "docker-compose", "podman-compose", "nerdctl"), _docker),
    **dict.fromkeys(("chmod", "chown", "setcap", "tee", "sed", "cp", "install", "ln", "dd", "touch",
                     "mkdir", "perl", "patch", "ed", "vi", "vim", "nano"), _mode),
    **dict.fromkeys(("curl", "wget", "aria2c", "scp", "sftp", "gsutil", "aws", "gh"), _fetch),
    **dict.fromkeys(("tar", "unzip", "7z", "gunzip", "unxz", "bsdtar", "cpio"), _unpack),
}  # fmt: skip


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_RULES: dict[str, _Rule] = {
    "pip": _Rule(_PACKAGES, _words("install uninstall download sync")),
    "pip-sync": _Rule(_PACKAGES),
    "pipx": _Rule(_PACKAGES),
    "uv": _Rule(_PACKAGES, _words("pip add remove sync lock tool venv init python self")),
    "poetry": _Rule(_PACKAGES, _words("add remove install update lock sync self env")),
    "pipenv": _Rule(_PACKAGES),
    "pdm": _Rule(_PACKAGES),
    "hatch": _Rule(_PACKAGES),
    "rye": _Rule(_PACKAGES),
    "virtualenv": _Rule(_PACKAGES),
    **dict.fromkeys(("conda", "mamba", "micromamba"), _Rule(_PACKAGES)),
    "gem": _Rule(_PACKAGES, _words("install uninstall update cleanup pristine")),
    "bundle": _Rule(_PACKAGES, _words("install update add remove clean"), is_bare=True),
    "cargo": _Rule(_PACKAGES, _words("install uninstall add remove rm update build fetch run test")),
    "go": _Rule(_PACKAGES, _words("get install mod work build generate")),
    "composer": _Rule(_PACKAGES),
    **dict.fromkeys(
        ("rustup", "nvm", "fnm", "pyenv", "asdf", "mise", "sdk", "volta", "rbenv", "n", "nodenv",
         "goenv", "corepack", "tfenv"), _Rule(_PACKAGES),
    ),
    **dict.fromkeys(
        ("apt", "apt-get", "aptitude"),
        _Rule(_SYSTEM, _words(
            "install remove purge upgrade dist-upgrade full-upgrade autoremove autopurge update"
            " reinstall build-dep satisfy clean autoclean"
        )),
    ),
    **dict.fromkeys(
        ("dpkg", "dpkg-reconfigure", "apk", "dnf", "yum", "zypper", "pacman", "brew", "snap", "flatpak",
         "nix-env", "nix", "apt-mark", "add-apt-repository", "unattended-upgrade", "debootstrap"),
        _Rule(_SYSTEM),
    ),
    "apt-key": _Rule(frozenset(("source",))),
    **dict.fromkeys(("systemctl", "service", "supervisorctl", "rc-service", "rc-update", "initctl",
                     "update-rc.d"), _Rule(frozenset(("service", "process", "port")))),
    "crontab": _Rule(frozenset(("cron",))),
    "at": _Rule(frozenset(("cron",))),
    **dict.fromkeys(("useradd", "adduser", "userdel", "deluser", "usermod", "groupadd", "groupdel",
                     "addgroup", "delgroup", "groupmod", "gpasswd", "passwd", "chpasswd", "chsh",
                     "vipw"), _Rule(_ACCOUNTS | {"config"})),
    **dict.fromkeys(("kill", "pkill", "killall", "nginx", "redis-server", "uvicorn", "gunicorn",
                     "flask", "http-server", "serve", "vite", "next"),
                    _Rule(frozenset(("process", "port", "generated")))),
    **dict.fromkeys(
        ("alembic", "flyway", "liquibase", "dbmate", "goose", "diesel", "sqlx", "prisma", "knex",
         "sequelize", "sequelize-cli", "typeorm", "drizzle-kit", "atlas", "migrate", "dropdb", "createdb",
         "pg_restore", "mongorestore", "mysqladmin", "initdb", "pg_upgrade", "sqldef", "tern"),
        _Rule(_DATA | {"code", "container"}),
    ),
    **dict.fromkeys(("kubectl", "helm", "terraform", "tofu", "pulumi", "ansible-playbook", "oc",
                     "kustomize", "skaffold", "fly", "flyctl", "heroku", "vercel"),
                    _Rule(_RUNNING | _PACKAGES | {"config", "env", "code"})),
    "git-lfs": _Rule(frozenset(("git",))),
    "npx": _Rule(_ANYTHING),
    "update-alternatives": _Rule(frozenset(("link", "toolchain", "executable", "config"))),
    **dict.fromkeys(("pytest", "jest", "vitest", "mocha", "rspec", "phpunit", "unittest", "ruff", "black",
                     "mypy", "eslint", "prettier", "tsc", "isort", "gofmt", "rustfmt", "pre-commit"),
                    _Rule(frozenset(("generated", "code", "log", "config")))),
}  # fmt: skip

_READERS = _words(
    "ls cat head tail grep egrep fgrep rg wc pwd echo printf true false test stat file du df which"
    " type whoami id date uname hostname ps env printenv sleep diff cmp tree basename dirname"
    " realpath readlink md5sum sha256sum cut tr sort uniq nproc free uptime ss exit return less more"
    " man history jq yq awk xxd od strings column seq yes clear top htop lsof netstat ip ping dig"
)
_SCRIPTS = (".sh", ".py", ".js", ".ts", ".mjs", ".rb", ".pl", ".php", ".bash", ".zsh", ".lua", ".r")
_INTERPRETERS = _words(
    "sh bash zsh dash ksh fish node deno ruby php lua Rscript julia source . eval"
)


def _is_script(name: str) -> bool:
    return name.endswith(_SCRIPTS) or name in _INTERPRETERS
