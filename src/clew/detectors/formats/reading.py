"""Reading of structured files: the values of a file, by the syntax that its name says."""

from __future__ import annotations

import plistlib
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from clew.detectors.formats import ini_reader
from clew.detectors.formats.directives_reader import read_directives
from clew.detectors.formats.hcl_reader import read_hcl
from clew.detectors.formats.ini_reader import read_ini
from clew.detectors.formats.inventory_reader import read_inventory
from clew.detectors.formats.json5_reader import read_json5
from clew.detectors.formats.json_reader import read_json_value
from clew.detectors.formats.keyword_reader import read_keywords
from clew.detectors.formats.owners_reader import read_owners
from clew.detectors.formats.properties_reader import read_properties
from clew.detectors.formats.requirements_reader import (
    read_gems,
    read_patterns,
    read_requirements,
)
from clew.detectors.formats.templates import without_templates
from clew.detectors.formats.toml_reader import read_toml
from clew.detectors.formats.values import NodeCounter, Plain, Unreadable, Value
from clew.detectors.formats.xml_reader import read_xml
from clew.detectors.formats.yaml_reader import read_yaml

SIZE_LIMIT = 1 << 20
"""The largest file that is read; slow syntaxes have lower limits."""


def syntax_of(path: str) -> str:
    """Return the syntax of a file: `json`, `yaml`, `configparser`, …, or "" if it has none."""
    above, _, name = path.rpartition("/")
    lower = name.lower()
    if lower.startswith("requirements") and lower.endswith((".txt", ".in")):
        return "requirements"
    suffix = lower[lower.rfind(".") :] if "." in lower else ""
    return _NAMES.get(name) or _SUFFIXES.get(suffix) or syntax_by_place(above, name)


def syntax_by_place(directory: str, name: str) -> str:
    """Return the syntax of a file without an ending, by its directory: `sites-enabled/shop`."""
    above, _, last = directory.rpartition("/")
    syntax = _PLACES.get(last, "")
    if last == "default" and above.rpartition("/")[2] != "etc":
        return ""
    if not syntax or name.isupper() or (name != "hosts" and last == "ansible"):
        return ""
    return syntax if "." not in name or _SITE.fullmatch(name) else ""


def read_values(path: str, content: bytes) -> Value:
    """Return the values of a file; raises `Unreadable` if it has none that can be read."""
    syntax = syntax_of(path)
    if not syntax or len(content) > _LIMITS.get(syntax, SIZE_LIMIT):
        raise Unreadable("no syntax" if not syntax else "too large")
    if syntax in _BYTES:
        return _BYTES[syntax](content)
    return _TEXTS[syntax](decoded(content))


def decoded(content: bytes) -> str:
    """Return the text of a file; raises `Unreadable` if it is binary or in an unknown encoding."""
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        raise Unreadable("unknown encoding") from None
    if "\0" in text:
        raise Unreadable("not text")
    return text


def documents_of(value: Value) -> list[Value]:
    """Return the documents of a file of several; any other value is the only one."""
    return value if isinstance(value, Documents) else [value]


class Documents(list[Value]):
    """The documents of a YAML file that has not exactly one."""


def _yaml(text: str) -> Value:
    try:
        found = read_yaml(text)
    except Unreadable:
        if "{{" not in text and "{%" not in text:
            raise
        found = read_yaml(without_templates(text))
    return found[0] if len(found) == 1 else Documents(found)


def _conf(text: str) -> Value:
    """Return the settings of a file of an unknown program."""
    try:
        return read_ini(text, ini_reader.LOOSE)
    except Unreadable:
        pass
    if "\n<" in f"\n{text}" or "\n  <" in text:
        return read_keywords(text)
    return read_directives(text)


def _ini(text: str) -> Value:
    """Return the settings of an INI file; one with names alone is an inventory of hosts."""
    try:
        return read_ini(text, ini_reader.CONFIGPARSER)
    except Unreadable:
        if not _INVENTORY.search(text):
            raise
        return read_inventory(text)


def _tfvars(text: str) -> Value:
    return read_hcl(text).attributes


def _program_config(content: bytes) -> Value:
    """Return the settings of a `.config` file: XML for .NET, anything for others."""
    is_xml = content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
    return read_xml(content) if is_xml else _conf(decoded(content))


def _plist(content: bytes) -> Value:
    if content.startswith(b"bplist") or b"<!ENTITY" in content:
        raise Unreadable("not a plain property list")
    try:
        found = plistlib.loads(content, fmt=plistlib.FMT_XML)
    except Exception:  # noqa: BLE001 - plistlib raises what its parts raise
        raise Unreadable("not a property list") from None
    return _plain(found, NodeCounter())


def _plain(value: Any, counter: NodeCounter) -> Value:
    counter.count()
    if isinstance(value, dict):
        return {str(key): _plain(inner, counter) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner, counter) for inner in value]
    return value if isinstance(value, str | bool) else Plain(str(value))


_TEXTS: dict[str, Callable[[str], Value]] = {
    "json": read_json_value,
    "json5": read_json5,
    "toml": read_toml,
    "yaml": _yaml,
    "configparser": partial(read_ini, dialect=ini_reader.CONFIGPARSER),
    "git": partial(read_ini, dialect=ini_reader.GIT),
    "mysql": partial(read_ini, dialect=ini_reader.MYSQL),
    "units": partial(read_ini, dialect=ini_reader.UNITS),
    "ini": _ini,
    "inventory": read_inventory,
    "owners": read_owners,
    "conf": _conf,
    "properties": read_properties,
    "requirements": read_requirements,
    "gems": read_gems,
    "patterns": read_patterns,
    "keywords": read_keywords,
    "sections": partial(read_keywords, has_sections=True),
    "tfvars": _tfvars,
}

_BYTES: dict[str, Callable[[bytes], Value]] = {
    "xml": read_xml,
    "plist": _plist,
    "config": _program_config,
}

_LIMITS = {"yaml": 256 << 10, "toml": 256 << 10, "conf": 256 << 10, "tfvars": 256 << 10}

_SUFFIXES = {
    ".json": "json", ".jsonc": "json", ".json5": "json5", ".webmanifest": "json", ".arb": "json",
    ".code-workspace": "json", ".avsc": "json",
    ".toml": "toml",
    ".yaml": "yaml", ".yml": "yaml",
    ".ini": "ini", ".cfg": "configparser",
    ".conf": "conf", ".config": "config", ".npmrc": "conf", ".rc": "conf",
    ".cnf": "mysql",
    ".desktop": "units", ".editorconfig": "units", ".container": "units", ".network": "units",
    ".service": "units", ".timer": "units", ".socket": "units",
    ".gitconfig": "git", ".gitmodules": "git",
    ".properties": "properties",
    ".xml": "xml", ".csproj": "xml", ".props": "xml", ".targets": "xml", ".resx": "xml",
    ".fsproj": "xml", ".vbproj": "xml",
    ".plist": "plist", ".tfvars": "tfvars", ".caddyfile": "keywords",
    ".vhost": "conf", ".nginx": "conf", ".nginxconf": "conf",
}  # fmt: skip

_INVENTORY = re.compile(
    r"^\[[\w.-]{1,100}:(?:children|vars)\]|\bansible_\w|^[\w-]{1,60}(?:\.[\w-]{1,60}){1,8}[ \t]*+$",
    re.M,
)
"""Signs of an inventory of Ansible."""

_PLACES = {
    "sites-available": "conf", "sites-enabled": "conf", "conf.d": "conf", "conf-available": "conf",
    "conf-enabled": "conf", "snippets": "conf", "vhosts": "conf", "vhosts.d": "conf",
    "apt.conf.d": "conf", "logrotate.d": "keywords", "nginx": "conf",
    "inventory": "inventory", "inventories": "inventory", "ansible": "inventory",
    "default": "properties",
}  # fmt: skip
"""The syntax of files without an ending, by the name of their directory."""
_SITE = re.compile(
    r"[\w-]{1,80}(?:\.[\w-]{1,80}){0,6}?\.(?:com|org|net|io|dev|app|info|biz|eu|de|fr|uk|nl|ch|at|us|ca|au"
    r"|local|localhost|test|example|internal|lan)"
)
"""A file that is called like the site that it configures: `shop.example.org`."""

_NAMES = {
    "Pipfile": "toml", ".babelrc": "json5", ".eslintrc": "json", ".prettierrc": "json",
    ".swcrc": "json", ".stylelintrc": "json", ".jshintrc": "json", ".yarnrc": "yaml",
    ".condarc": "yaml", ".clang-format": "yaml", ".clang-tidy": "yaml", ".flake8": "configparser",
    ".pylintrc": "configparser", "pylintrc": "configparser", ".coveragerc": "configparser",
    "pip.conf": "configparser", ".pypirc": "configparser", "redis.conf": "keywords",
    "valkey.conf": "keywords", "sentinel.conf": "keywords", "sshd_config": "keywords",
    "ssh_config": "keywords", "Caddyfile": "keywords", "go.mod": "keywords", "go.work": "keywords",
    "haproxy.cfg": "sections", "squid.conf": "keywords", "chrony.conf": "keywords",
    "inventory.ini": "inventory", "hosts.ini": "inventory", "inventory.cfg": "inventory",
    "Gemfile": "gems", "CODEOWNERS": "owners", "OWNERS": "yaml", "OWNERS_ALIASES": "yaml",
    "Podfile": "gems", "Procfile": "yaml", ".gitignore": "patterns", ".dockerignore": "patterns",
    ".npmignore": "patterns", ".eslintignore": "patterns", ".prettierignore": "patterns",
    ".helmignore": "patterns", "httpd.conf": "keywords", "apache2.conf": "keywords", ".htaccess": "keywords",
}  # fmt: skip
