"""Registry detector: package registries, indexes, mirrors and proxies.

Only hosts are shown.  URLs contain user names, passwords and tokens, and so do keys
(`//registry.example/:_authToken`): a key is shown only if it is in a table of this module.
Commands run as root and disabled signature checks have high severity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.files.key_names import shown_name
from clew.detectors.security.security_rules import Alarm, content, examine, rules_between
from clew.model.fact import Severity

_NAMES = (
    ".npmrc", ".yarnrc", ".yarnrc.yml", "pip.conf", "pip.ini", ".pypirc", ".condarc",
    "condarc", ".gemrc", "bunfig.toml", ".gitconfig", ".pydistutils.cfg", "uv.toml", ".curlrc",
    ".wgetrc", "init.gradle",
)  # fmt: skip
_IN_DIRECTORY = {
    ".cargo": ("config.toml", "config"), ".m2": ("settings.xml",), ".gradle": ("gradle.properties",),
    ".bundle": ("config",), "docker": ("daemon.json",), ".docker": ("config.json",),
    "git": ("config",), ".git": ("config",), "go": ("env",), "containers": ("registries.conf",),
}  # fmt: skip
"""Files with common names, and the directory that identifies them."""

_KEYS = {
    b"registry": "registry", b"npmregistryserver": "registry", b"index-url": "index-url",
    b"extra-index-url": "extra-index-url", b"find-links": "find-links", b"index_url": "index-url",
    b"trusted-host": "trusted-host", b"proxy": "proxy", b"https-proxy": "proxy",
    b"http-proxy": "proxy", b"httpproxy": "proxy", b"httpsproxy": "proxy", b"http_proxy": "proxy",
    b"https_proxy": "proxy", b"strict-ssl": "strict-ssl", b"ssl_verify": "ssl_verify",
    b"sslverify": "sslVerify", b"repository": "repository", b"channels": "channels",
    b"channel_alias": "channels", b"default_channels": "channels", b"insteadof": "url.insteadOf",
    b"pushinsteadof": "url.pushInsteadOf", b"replace-with": "replace-with",
    b"goproxy": "GOPROXY", b"gosumdb": "GOSUMDB", b"gonosumdb": "GONOSUMDB",
    b"registry-mirrors": "registry-mirrors", b"insecure-registries": "insecure-registries",
    b"proxies": "proxy", b"credhelpers": "credHelpers", b"credsstore": "credsStore",
    b"mirror": "mirror", b"mirrors": "mirror", b"location": "location", b"insecure": "insecure",
    b"yarnpath": "yarnPath", b"yarn-path": "yarnPath", b"rustc-wrapper": "rustc-wrapper",
    b"linker": "linker", b"runner": "runner", b"script-shell": "script-shell",
    b"node-options": "node-options", b"ignore-scripts": "ignore-scripts", b"index": "index",
    b"default-index": "index", b"allow-insecure-host": "allow-insecure-host", b"url": "url",
    b"check-certificate": "check-certificate",
    b"systemprop.http.proxyhost": "proxy", b"systemprop.https.proxyhost": "proxy",
}  # fmt: skip
_NOT_IN_GIT = frozenset((b"url", b"registry", b"index", b"mirror", b"location", b"repository"))
"""`git.remote` reports the URLs of remotes."""

_APT_PLACES = (b"proxy", b"verify-peer", b"verify-host", b"allowinsecure", b"allowdowngrade",
               b"allowunauthenticated", b"allowweak")  # fmt: skip
_APT_RUNS = (
    b"pre-invoke",
    b"post-invoke",
    b"pre-install-pkgs",
    b"proxy-auto-detect",
    b"proxyautodetect",
)

_KEY = re.compile(rb"""["']?(?:export )?([A-Za-z@][\w@./:-]{0,80}+)["']?\s?(?:[=:>]|\s|$)""")
_HOST = re.compile(
    rb"[A-Za-z][A-Za-z0-9+.-]{0,20}://(?:[^/\s@\"'<>]*+@)?+([A-Za-z0-9.-]{1,253})(:\d{1,5})?"
)
_SHOWN = 5


class Registries:
    """Reports changed package sources and proxies."""

    name = "security/registries"
    version = 1
    kinds: tuple[str, ...] = ("security.registry",)
    watch = WatchedPaths(
        paths=("etc/apt/apt.conf", "etc/pip.conf", "etc/npmrc", "etc/gitconfig", "etc/docker/daemon.json"),
        below=("etc/apt/apt.conf.d",),
        names=(*_NAMES, *{name for names in _IN_DIRECTORY.values() for name in names}),
    )  # fmt: skip

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield from examine(evidence, changes, _judge)


def _judge(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    if not change.is_content or not _is_registry_file(change):
        return
    path = change.path
    rules = rules_between(content(evidence.old, path), content(evidence.new, path))
    if path.startswith("etc/apt/"):
        yield from _apt(change, rules.added)
        return
    directory = change.parent.rpartition("/")[2]
    is_git = change.name in (".gitconfig", "gitconfig") or directory in (".git", "git")
    added, removed = _places(rules.added, is_git=is_git), _places(rules.removed, is_git=is_git)
    if not added and not removed:
        return
    marks = list(dict.fromkeys(f"{key} {host}".rstrip() for key, host in added))
    marks += [f"−{key}" for key, _ in removed if key not in {name for name, _ in added}]
    yield _alarm(change, Severity.NOTE, marks)


def _is_registry_file(change: PathChange) -> bool:
    name = change.name
    if name in _NAMES or change.path.startswith(("etc/apt/", "etc/npmrc", "etc/gitconfig")):
        return True
    directory = change.parent.rpartition("/")[2]
    return name in _IN_DIRECTORY.get(directory, ()) and (
        name != "env" or ".config" in change.parent
    )


def _apt(change: PathChange, added: list[bytes]) -> Iterator[Alarm]:
    """Judge lines of apt's configuration, which may run anything as root around each package."""
    text = [line for line in added if not line.startswith(b"//")]
    runs = [sign for sign in _APT_RUNS if any(sign in line.lower() for line in text)]
    places = [sign for sign in _APT_PLACES if any(sign in line.lower() for line in text)]
    if runs:
        yield _alarm(change, Severity.HIGH, [sign.decode() for sign in runs])
    elif places:
        hosts = [_host(line) for line in text]
        yield _alarm(
            change, Severity.NOTE, [*(sign.decode() for sign in places), *filter(None, hosts)]
        )


def _places(lines: list[bytes], *, is_git: bool) -> list[tuple[str, str]]:
    """Return the known keys in lines, each with its host."""
    found = []
    for line in lines:
        tag = line.startswith(b"<")
        match = _KEY.match(line.lstrip(b"<") if tag else line)
        key = match[1].lower().rstrip(b":").rpartition(b":")[2] if match else b""
        if is_git and key in _NOT_IN_GIT:
            key = b""
        host = _host(line)
        if key in _KEYS:
            found.append((_KEYS[key], host))
        elif host and is_git and line.startswith(b'[url "'):
            found.append(("url", host))
        elif host and (tag or line.startswith(b"- ")):  # Maven's mirrors, a list of channels
            found.append(("address", host))
    return found


def _host(line: bytes) -> str:
    match = _HOST.search(line[:4_096])
    if match is None:
        return ""
    return shown_name(match[1].decode("ascii")) + (match[2] or b"").decode("ascii")


def _alarm(change: PathChange, severity: str, marks: list[str]) -> Alarm:
    shown = list(dict.fromkeys(marks))[:_SHOWN]
    return Alarm("security.registry", "registry", change.path, severity, tuple(shown))
