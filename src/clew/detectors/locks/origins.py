"""Origins of packages: a registry, a repository, an address, or a directory of this machine.

Only hosts and the paths of repositories leave this module: an address may contain a password.
"""

from __future__ import annotations

import re

from clew.detectors.files.key_names import shown_name
from clew.model.named_tuple import NamedTuple

_LOOKED_AT = 2_048
_ADDRESS = re.compile(
    r"(?:[a-z0-9-]{1,20}\+)?([A-Za-z][A-Za-z0-9.-]{0,20}+)://(?:[^/\s@\"'<>]{0,500}+@)?+"
    r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::(\d{1,5}))?+(?:/([^?#\s\"'<>]*+))?"
)
_SCP = re.compile(r"(?:[\w.-]{1,100}@)?([A-Za-z0-9][A-Za-z0-9.-]{0,252}):(?![/\\])([^?#\s]*+)")
"""`git@host:owner/name`."""
_SHORT = {"github": "github.com", "gitlab": "gitlab.com", "bitbucket": "bitbucket.org",
          "gist": "gist.github.com", "sourcehut": "git.sr.ht"}  # fmt: skip
_USUAL_PORTS = {"https": "443", "http": "80", "ssh": "22", "git": "9418"}
_GIT_SCHEMES = ("git+", "git:", "ssh:", "git@", "hg+", "svn+", "bzr+")
_LOCAL = ("file:", "link:", "portal:", "workspace:", "./", "../", "/", "~/", "path+")
_ARCHIVES_OF_FORGES = ("codeload.github.com", "api.github.com")

FORGES = frozenset((
    "github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "git.sr.ht", "gist.github.com",
    "codeload.github.com", "api.github.com", "go.googlesource.com", "salsa.debian.org",
))  # fmt: skip
"""Well-known hosts of repositories."""
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


class OriginKind:
    """Where a package comes from."""

    REGISTRY = "registry"
    GIT = "git"
    """A repository of any system."""
    URL = "url"
    """A file at an address."""
    PATH = "path"
    PACKAGE = "package"
    """Another package of the same registry, under this name."""


class Origin(NamedTuple):
    """Where one package comes from."""

    kind: str
    host: str = ""
    """In lower case, with an unusual port; empty if there is none."""
    repository: str = ""
    """The path of a repository on its host."""
    is_plain: bool = False
    """Whether it is fetched without encryption."""


PATH_ORIGIN = Origin(OriginKind.PATH)


def package_origin(name: str) -> Origin:
    """Return the origin of a package that another one takes the name of."""
    return Origin(OriginKind.PACKAGE, repository=name[:120])


class Address(NamedTuple):
    """The harmless parts of an address."""

    scheme: str = ""
    host: str = ""
    path: str = ""


def address_of(text: str) -> Address:
    """Return the harmless parts of a URL or of `git@host:path`; empty ones if it has no host."""
    text = text.strip()[:_LOOKED_AT]
    match = _ADDRESS.match(text)
    if match:
        scheme = match[1].lower()
        port = match[3] if match[3] and match[3] != _USUAL_PORTS.get(scheme) else ""
        host = shown_name(match[2].lower().rstrip("."))
        return Address(scheme, f"{host}:{port}" if port else host, match[4] or "")
    head, colon, rest = text.partition(":")
    if colon and head in _SHORT:
        return Address("https", _SHORT[head], rest.partition("#")[0])
    scp = _SCP.match(text)
    if scp and ("@" in text[: scp.start(1)] or "." in scp[1]):
        return Address("ssh", shown_name(scp[1].lower()), scp[2])
    return Address()


def host_of(text: str) -> str:
    """Return the host of an address, without user and password; empty if there is none."""
    return address_of(text).host


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    return host.rpartition(":")[0] in _LOOPBACK or host in _LOOPBACK


def registry_origin(url: str) -> Origin:
    """Return the origin of a package from a registry at an address."""
    address = address_of(url)
    return Origin(OriginKind.REGISTRY, address.host, is_plain=_is_plain(address))


def url_origin(url: str) -> Origin:
    """Return the origin of a file at an address."""
    address = address_of(url)
    return Origin(OriginKind.URL, address.host, is_plain=_is_plain(address))


def git_origin(url: str) -> Origin:
    """Return the origin of a package in a repository."""
    address = address_of(url)
    if not address.host:
        return PATH_ORIGIN
    is_plain = address.scheme in ("git", "http") and not is_loopback(address.host)
    return Origin(OriginKind.GIT, address.host, _repository(address.path), is_plain)


def origin_of(text: str) -> Origin | None:
    """Return the origin that an address states; None if it is no address but a version."""
    if text.startswith((*_LOCAL, "git+file:")):
        return PATH_ORIGIN
    address = address_of(text)
    if text.startswith(_GIT_SCHEMES) or address.host in _ARCHIVES_OF_FORGES:
        return git_origin(text)
    head = text.partition("#")[0].partition("?")[0]
    if head.endswith(".git") or text.partition(":")[0] in _SHORT:
        return git_origin(text)
    if address.scheme in ("http", "https"):
        return url_origin(text)
    return git_origin(text) if address.host and address.scheme == "ssh" else None


def _is_plain(address: Address) -> bool:
    return address.scheme == "http" and not is_loopback(address.host)


def _repository(path: str) -> str:
    """Return `owner/name` of the path of a repository, without commit and ending."""
    path = path.partition("@")[0].strip("/").removesuffix(".git")
    return "/".join(shown_name(part) for part in path.split("/")[:4])[:120]
