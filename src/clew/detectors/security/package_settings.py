"""Meanings of settings of package managers: where packages come from, and how they are checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from clew.detectors.locks.origins import host_of
from clew.detectors.security.settings_reading import LISTED, Setting
from clew.model.named_tuple import NamedTuple

_OFF = frozenset(("false", "0", "no", "off", "none", "never", ":none", "ignore"))
_ON = frozenset(("true", "1", "yes", "on", ""))

_PLACES = frozenset((
    "registry", "npmregistryserver", "index-url", "extra-index-url", "find-links", "default-index",
    "channels", "channel-alias", "default-channels", "custom-channels", "goproxy",
    "registry-mirrors", ":sources", "baseurl", "mirrorlist", "metalink", "distributionurl",
    "wrapperurl", "pip-index-url", "pip-extra-index-url", "pip-find-links", "uv-index-url",
    "uv-default-index", "uv-extra-index-url", "uv-index", "npm-config-registry", "yarn-registry",
    "yarn-npm-registry-server", "bun-config-registry", "pipenv-pypi-mirror", "gem-source",
    "cargo-registries-crates-io-index", "composer-repo-packagist", "hex-mirror", "hex-mirror-url",
    "pub-hosted-url", "jsr-url", "electron-mirror", "sass-binary-site", "puppeteer-download-host",
    "puppeteer-download-base-url",
))  # fmt: skip
"""Keys that name where packages come from, wherever they are."""
_CHANNELS = ("channels", "default-channels")
_TOLD_WITHOUT_HOST = ("index-url", "extra-index-url", "find-links", "registry", "goproxy")
"""They may name a directory, or a variable."""
_PLACES_BELOW = {
    "url": frozenset((
        "source", "index", "registries", "registry", "repositories", "scopes", "install",
    )),
    "index": frozenset(("registries", "registry")),
    "location": frozenset(("registry", "mirror")),
    "source": frozenset((LISTED,)),
    "repository": frozenset((LISTED,)),
    "package-source": frozenset((LISTED,)),
}  # fmt: skip
"""Keys that do so only in some tables."""
_TLS_OFF: dict[str, Callable[[str], bool]] = {}


def _switches(names: str, means_off: Callable[[str], bool]) -> None:
    for name in names.split():
        _TLS_OFF[name] = means_off


_switches(
    "strict-ssl enablestrictssl strictssl ssl-verify sslverify verify-ssl verify-peer verify-host "
    "check-certificate check-certificates ssl-verify-mode :ssl-verify-mode bundle-ssl-verify-mode "
    "bundle-ssl-verify--mode secure-http node-tls-reject-unauthorized pythonhttpsverify "
    "npm-config-strict-ssl yarn-enable-strict-ssl conda-ssl-verify http.sslverify "
    "cargo-http-ssl-verify ssl-no-verify-peer cert",
    lambda value: value.lower() in _OFF,
)
_switches(
    "disable-tls insecure git-ssl-no-verify allowinsecureprotocol allowinsecureconnections "
    "no-check-certificate insecure-skip-tls-verify insecure-tls bundle-ssl-no-verify tls-no-verify "
    "hex-unsafe-https",
    lambda value: value.lower() in _ON,
)
_switches(
    "trusted-host allow-insecure-host goinsecure insecure-registries unsafehttpwhitelist "
    "pip-trusted-host uv-insecure-host uv-allow-insecure-host",
    bool,
)

_TLS_OFF["curl --insecure"] = lambda value: True

_CHECKS_OFF: dict[str, Callable[[str], bool]] = {
    "gosumdb": lambda value: value.lower() == "off",
    "gonosumdb": lambda value: bool(value),
    "gonosumcheck": lambda value: value.lower() in _ON,
    "checksumbehavior": lambda value: value.lower() in ("ignore", "update"),
    "gpgcheck": lambda value: value.lower() in _OFF,
    "repo-gpgcheck": lambda value: value.lower() in _OFF,
    "siglevel": lambda value: "never" in value.lower(),
    "allowunauthenticated": lambda value: value.lower() in _ON,
    "allowinsecurerepositories": lambda value: value.lower() in _ON,
    "allowweakrepositories": lambda value: value.lower() in _ON,
    "allowdowngradetoinsecurerepositories": lambda value: value.lower() in _ON,
    "verify-store-integrity": lambda value: value.lower() in _OFF,
    "verifystoreintegrity": lambda value: value.lower() in _OFF,
}
"""Settings that switch off digests or signatures, and the values that do."""

_CHECKS_ON: dict[str, Callable[[str], bool]] = {
    "require-hashes": lambda value: value.lower() in _ON,
    "pip-require-hashes": lambda value: value.lower() in _ON,
    "distributionsha256sum": bool,
}

_SCRIPTS_REFUSED: dict[str, Callable[[str], bool]] = {
    "ignore-scripts": lambda value: value.lower() in _ON,
    "ignorescripts": lambda value: value.lower() in _ON,
    "npm-config-ignore-scripts": lambda value: value.lower() in _ON,
    "--install.ignore-scripts": lambda value: value.lower() in _ON,
    "enablescripts": lambda value: value.lower() in _OFF,
    "only-binary": lambda value: ":all:" in value,
}
_SCRIPTS_ALLOWED: dict[str, Callable[[str], bool]] = {
    "enablescripts": lambda value: value.lower() in _ON,
    "dangerouslyallowallbuilds": lambda value: value.lower() in _ON,
    "dangerously-allow-all-builds": lambda value: value.lower() in _ON,
    "dangerously-allow-all-scripts": lambda value: value.lower() in _ON,
    "allow-plugins": lambda value: value.lower() == "true",
}
"""Settings that let install scripts run where they do not by default."""

_PROXIES = frozenset((
    "proxy", "https-proxy", "http-proxy", "httpproxy", "httpsproxy", "all-proxy", "proxies",
    "systemprop.http.proxyhost", "systemprop.https.proxyhost", "proxy-auto-detect",
))  # fmt: skip
_PROGRAMS = frozenset((
    "yarnpath", "yarn-path", "rustc-wrapper", "rustc-workspace-wrapper", "linker", "runner",
    "script-shell", "node-options", "credhelpers", "credsstore", "onload-script", "backend-path",
))  # fmt: skip
_USUAL = re.compile(
    r"(?:(?:/usr(?:/local)?)?/s?bin/)?(?:sccache|ccache|cachepot|clang(?:\+\+)?(?:-\d+)?|gcc|cc|ld|lld|mold|rust-lld|ld\.lld|zig|bash|sh|zsh|pwsh|cmd(?:\.exe)?"
    r"|powershell(?:\.exe)?|qemu-[\w-]+|wasm-bindgen-test-runner|probe-rs(?: run)?[\w -]*|cargo-\w+"
    r"|[\w-]+-linux-[\w-]+-(?:gcc|ld)|osxkeychain|desktop|pass|secretservice|wincred|ecr-login|gcloud)"
    r"|(?:\./)?\.yarn/releases/yarn-[\w.-]+\.c?js"
)
"""Programs that many people name there, and where yarn keeps its own."""
_OPTIONS = re.compile(r"(?:--(?!require|import|loader|experimental-loader|eval)[\w=.:/ -]+)+")


def is_usual_program(key: str, value: str) -> bool:
    """Return whether a setting names a program that many people name there."""
    if key == "node-options":
        return _OPTIONS.fullmatch(value) is not None
    return _USUAL.fullmatch(value.strip()) is not None


_SPELLED = {
    one.lower(): one
    for one in (
        "npmRegistryServer", "enableStrictSsl", "strictSsl", "enableScripts", "ignoreScripts",
        "checksumBehavior", "unsafeHttpWhitelist", "dangerouslyAllowAllBuilds",
        "verifyStoreIntegrity", "allowInsecureProtocol", "allowInsecureConnections",
        "distributionUrl", "wrapperUrl", "distributionSha256Sum", "yarnPath", "AllowUnauthenticated",
        "AllowInsecureRepositories", "AllowWeakRepositories", "SigLevel", "GOPROXY", "GOSUMDB",
        "GONOSUMDB", "GONOSUMCHECK", "GOINSECURE", "GOFLAGS", "PYTHONHTTPSVERIFY",
    )
}  # fmt: skip
_UNDERSCORED = (
    "ssl-verify",
    "verify-ssl",
    "check-certificate",
    "channel-alias",
    ":ssl-verify-mode",
)
_VARIABLES = (
    "pip-", "uv-", "npm-config-", "yarn-npm-", "yarn-enable-", "yarn-registry", "bun-config-",
    "pipenv-", "node-tls-", "git-ssl-", "conda-ssl-", "hex-", "pub-hosted-", "cargo-", "bundle-",
    "composer-repo-", "electron-mirror", "sass-binary-", "puppeteer-",
)  # fmt: skip


def shown_setting(key: str) -> str:
    """Return a key as people write it."""
    if key in _UNDERSCORED:
        return key.replace("-", "_")
    if key.startswith(_VARIABLES):
        return key.upper().replace("-", "_")
    return _SPELLED.get(key, key)


class PackageSettings(NamedTuple):
    """What a file says about packages."""

    places: frozenset[tuple[str, str]] = frozenset()
    """Settings that name a place, each with its host; without host, if it has none."""
    plain: frozenset[str] = frozenset()
    """Hosts that are addressed without encryption."""
    tls_off: frozenset[str] = frozenset()
    checks_off: frozenset[str] = frozenset()
    checks_on: frozenset[str] = frozenset()
    """Settings without which packages are not checked."""
    scripts_refused: frozenset[str] = frozenset()
    scripts_allowed: frozenset[str] = frozenset()
    proxies: frozenset[tuple[str, str]] = frozenset()
    programs: frozenset[tuple[str, str]] = frozenset()
    """Settings that name a program, each with a digest of its value."""


def package_settings(settings: Iterable[Setting]) -> PackageSettings:
    """Return the meanings of settings."""
    found: dict[str, set[object]] = {name: set() for name in PackageSettings._fields}
    for one in settings:
        for field, value in _meanings(one):
            found[field].add(value)
    return PackageSettings(*(frozenset(found[name]) for name in PackageSettings._fields))  # type: ignore[arg-type]


def _meanings(one: Setting) -> list[tuple[str, object]]:
    key, value = one.key, one.value.strip().replace("\\:", ":")  # as in a properties file
    found: list[tuple[str, object]] = []
    if is_place(one):
        found += [
            ("places", (key if key != "url" else (one.path or ("url",))[-1], host))
            for host in _hosts(key, value)
        ]
        found += [("plain", host) for host in _plain_hosts(value)]
    for field, table in (("tls_off", _TLS_OFF), ("checks_off", _CHECKS_OFF), ("checks_on", _CHECKS_ON),
                         ("scripts_refused", _SCRIPTS_REFUSED), ("scripts_allowed", _SCRIPTS_ALLOWED)):  # fmt: skip
        means = table.get(key)
        if means is not None and means(value):
            found.append((field, key))
    if key == "goflags" and "-insecure" in value:
        found.append(("tls_off", key))
    if key in _PROXIES:
        found.append(("proxies", (key, host_of(value))))
    if key in _PROGRAMS and value:
        found.append(("programs", (key, value)))
    return found


def is_place(one: Setting) -> bool:
    """Return whether a setting names where packages come from."""
    if one.key in _PLACES_BELOW:
        return not _PLACES_BELOW[one.key].isdisjoint(one.path)
    return one.key in _PLACES or (one.key.startswith("bundle-mirror") and "://" in one.value)


def _hosts(key: str, value: str) -> list[str]:
    """Return the hosts of the addresses in a value; a channel of conda has a name instead."""
    words = value.replace(",", " ").replace("|", " ").split()[:50]
    found = [host for word in words if (host := host_of(word.strip("'\"[]()")))]
    if not found and key in _CHANNELS:
        return [f"channel {name}" for name in words[:1] if re.fullmatch(r"[\w./-]{1,60}", name)]
    return found or ([""] if key in _TOLD_WITHOUT_HOST and value else [])


def _plain_hosts(value: str) -> list[str]:
    words = value.replace(",", " ").split()[:50]
    return [
        host_of(word.strip("'\"[]")) for word in words if word.strip("'\"[]").startswith("http://")
    ]
