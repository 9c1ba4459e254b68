"""Where structured files break their syntax: JSON, YAML, TOML, XML, HCL, and INI as Python reads it.

A problem is only told if every program that reads such a file must refuse it.
JSON with comments or a last comma is accepted by many programs, so it is a problem only in files
whose program is known to be strict.  YAML and HCL that the reader does not support are none.
"""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Callable
from xml.parsers import expat

from clew.detectors.files.loose_json import strict_json
from clew.detectors.formats.hcl_reader import hcl_problem
from clew.detectors.formats.toml_reader import is_safe_toml
from clew.detectors.formats.yaml_reader import yaml_problem
from clew.model.named_tuple import NamedTuple

_SLOW_LIMIT = 128 << 10
_INI_LIMIT = 64 << 10
_INI_LINE = 1_000
"""Patterns of configparser are slower than linear on long lines."""
LAST_COMMA = "a comma after the last entry"


class SyntaxProblem(NamedTuple):
    """Where and why a file cannot be parsed."""

    line: int = 0
    reason: str = ""
    is_certain: bool = True
    """Whether any program must refuse it."""


Parser = Callable[[str], SyntaxProblem | None]
"""Returns what is wrong with a text; None if it can be parsed."""


def parser_of(name: str) -> Parser | None:
    """Return the parser of a structured file; None for others."""
    lower = name.lower()
    suffix = lower[lower.rfind(".") :] if "." in lower else ""
    if name in _STRICT_JSON or suffix in _STRICT_JSON_SUFFIXES:
        return _strict_json
    if name in _JSON_OR_YAML:
        return _json_or_yaml
    if suffix in (".json", ".jsonc"):
        return _loose_json if suffix == ".jsonc" or _LOOSE.match(lower) else _json
    if suffix in (".yaml", ".yml"):
        return _yaml
    if suffix == ".toml" or name == "Pipfile":
        return _toml
    if suffix in XML_SUFFIXES:
        return _xml
    if suffix in HCL_SUFFIXES:
        return _hcl
    return _ini if name in INI_NAMES else None


_STRICT_JSON = frozenset((
    "package.json", "package-lock.json", "npm-shrinkwrap.json", "composer.json", "composer.lock",
    "bower.json", "Pipfile.lock", "flake.lock", "packages.lock.json",
))  # fmt: skip
"""Files of programs that accept neither comments nor a last comma."""
_STRICT_JSON_SUFFIXES = (".ipynb", ".geojson", ".webmanifest", ".avsc", ".har", ".tfstate")
_JSON_OR_YAML = frozenset((".prettierrc", ".eslintrc", ".stylelintrc", ".babelrc"))
_LOOSE = re.compile(
    r"tsconfig|jsconfig|tslint|settings|keybindings|tasks|launch|extensions|devcontainer|babel|"
    r"\.|eslint|swc|jshint|api-extractor|rush|nx|project|workspace|angular|typedoc|deno|biome|rome|"
    r"turbo|renovate|wrangler|appsettings|global|language-configuration|mcp|firebase|manifest|"
    r"vercel|app\.|eas|lerna|oxlint|pyright|tauri|capacitor|ionic|nest|config"
)
"""JSON files of programs that accept comments or a last comma, or may do so."""
XML_SUFFIXES = (
    ".xml", ".csproj", ".fsproj", ".vbproj", ".vcxproj", ".props", ".targets", ".resx", ".nuspec",
    ".plist", ".xsd", ".wsdl", ".xaml", ".storyboard", ".xib", ".qrc", ".ui", ".svg", ".gpx", ".kml",
)  # fmt: skip
HCL_SUFFIXES = (".tf", ".tfvars", ".hcl")
INI_NAMES = (
    "setup.cfg", "tox.ini", "mypy.ini", ".mypy.ini", ".flake8", ".pylintrc", "pylintrc", "alembic.ini",
    ".coveragerc", "pip.conf", ".pypirc", ".pydocstyle", ".isort.cfg", ".bumpversion.cfg",
)  # fmt: skip
"""Files that Python's own reader reads."""


def _json_error(text: str) -> SyntaxProblem | None:
    try:
        json.loads(text)
    except RecursionError:
        return None
    except ValueError as error:
        return SyntaxProblem(getattr(error, "lineno", 0), str(getattr(error, "msg", "")))
    return None


def _strict_json(text: str) -> SyntaxProblem | None:
    problem = _json_error(text)
    if problem is not None and _is_loose_json(text) and not _has_comments(text):
        return problem._replace(reason=LAST_COMMA)
    return problem


def _json(text: str) -> SyntaxProblem | None:
    """Return the problem of a file whose program is not known."""
    problem = _json_error(text)
    if problem is None or _are_json_lines(text):
        return None
    if not _is_loose_json(text):
        return problem
    return None if _has_comments(text) else problem._replace(reason=LAST_COMMA, is_certain=False)


def _loose_json(text: str) -> SyntaxProblem | None:
    problem = _json_error(text)
    is_fine = problem is None or _is_loose_json(text) or _are_json_lines(text)
    return None if is_fine else problem


def _json_or_yaml(text: str) -> SyntaxProblem | None:
    return _loose_json(text) and (_yaml(text) if text.lstrip()[:1] != "{" else _loose_json(text))


def _is_loose_json(text: str) -> bool:
    """Return whether a text is JSON with comments or last commas."""
    try:
        json.loads(strict_json(text))
    except (ValueError, RecursionError):
        return False
    return True


def _has_comments(text: str) -> bool:
    return re.search(r"^\s*+//|/\*|[\s,\[{]//", text, re.M) is not None


def _are_json_lines(text: str) -> bool:
    """Return whether a text has one value on each line."""
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        return len(lines) > 1 and all(json.loads(line) is not None for line in lines[:20])
    except (ValueError, RecursionError):
        return False


def _yaml(text: str) -> SyntaxProblem | None:
    problem = yaml_problem(text) if len(text) <= _SLOW_LIMIT else None
    return SyntaxProblem(*problem) if problem is not None else None


def _hcl(text: str) -> SyntaxProblem | None:
    problem = hcl_problem(text) if len(text) <= _SLOW_LIMIT else None
    return SyntaxProblem(*problem) if problem is not None else None


def _toml(text: str) -> SyntaxProblem | None:
    if not is_safe_toml(text):
        return None
    try:
        tomllib.loads(text)
    except RecursionError:
        return None
    except ValueError as error:
        found = re.search(r"line (\d{1,9})", str(error))
        return SyntaxProblem(int(found[1]) if found else 0)
    return None


def _xml(text: str) -> SyntaxProblem | None:
    if "<!ENTITY" in text or re.search(r"<!DOCTYPE[^>]{0,400}\[", text):
        return None  # entities may expand without end
    try:
        expat.ParserCreate("utf-8").Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        return SyntaxProblem(error.lineno, expat.errors.messages.get(error.code, ""))
    return None


def _ini(text: str) -> SyntaxProblem | None:
    if len(text) > _INI_LIMIT or any(len(line) > _INI_LINE for line in text.split("\n")):
        return None
    try:
        configparser.RawConfigParser(strict=False, allow_no_value=True).read_string(text)
    except configparser.MissingSectionHeaderError as error:
        return SyntaxProblem(error.lineno, "no section")
    except configparser.ParsingError as error:
        return SyntaxProblem(error.errors[0][0] if error.errors else 0)
    except (configparser.Error, RecursionError):
        return None
    return None
