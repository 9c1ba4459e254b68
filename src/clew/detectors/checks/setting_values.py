"""Values of settings in files of test runners, linters and compilers.

Only values that rules of `check_settings.py` look at reach a fact.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping

from clew.detectors.checks.python_marks import Marks, body_mark
from clew.detectors.checks.yaml_tree import YamlNode, yaml_tree
from clew.detectors.code.definitions import parsed
from clew.detectors.code.light_source import LightSource
from clew.detectors.files.loose_json import read_json
from clew.detectors.formats.toml_reader import is_safe_toml

Value = bool | float | str | list[str]
Settings = dict[tuple[str, ...], Value]

_MAX_KEYS = 5_000
_MAX_DEPTH = 24
_NUMBER = re.compile(r"-?\d{1,9}(?:\.\d{1,6})?%?")


def settings_of(name: str, content: bytes) -> Settings | None:
    """Return the settings of a file by path; None if it cannot be read."""
    text = content.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    suffix = name[name.rfind(".") :].lower() if "." in name else ""
    try:
        return _read(name, suffix, text, content)
    except (ValueError, RecursionError):
        return None


def _read(name: str, suffix: str, text: str, content: bytes) -> Settings | None:
    if name == "conftest.py":
        return _conftest(text)
    if name == ".rspec":
        return {("options",): " ".join(text.split())}
    if suffix == ".toml" or name == "Pipfile":
        return dict(_flat((), tomllib.loads(text))) if is_safe_toml(text) else None
    if suffix in (".json", ".jsonc", ".babelrc") or name in (".eslintrc", ".nycrc", ".stylelintrc"):
        data = read_json(content)
        if data is None and not suffix:
            return _of_yaml(text)
        return None if data is None else dict(_flat((), data))
    if suffix in (".yml", ".yaml", ".neon") or name in (".clang-tidy",):
        return _of_yaml(text)
    if suffix in (".xml", ".csproj", ".props", ".dist"):
        return _of_xml(text)
    if suffix in (".js", ".cjs", ".mjs", ".ts", ".mts", ".cts", ".gradle", ".kts", ".sbt"):
        return _of_code(text, "groovy" if suffix in (".gradle", ".kts") else "js")
    if suffix in (".rb", ".simplecov") or name == ".simplecov":
        return _of_ruby(text)
    if name == "CMakeLists.txt":
        return _of_cmake(text)
    return _of_ini(text)


def _flat(path: tuple[str, ...], value: object) -> Iterator[tuple[tuple[str, ...], Value]]:
    """Yield each leaf under its path; a table in a list is named by its first text."""
    waiting: list[tuple[tuple[str, ...], object]] = [(path, value)]
    number = 0
    while waiting and number < _MAX_KEYS:
        at, one = waiting.pop()
        number += 1
        if isinstance(one, Mapping) and len(at) < _MAX_DEPTH:
            waiting.extend(((*at, str(key)), inner) for key, inner in one.items())
        elif isinstance(one, list) and any(isinstance(item, Mapping) for item in one):
            for item in one:
                waiting.append(((*at, _name_of(item)), item))
        elif isinstance(one, list):
            yield at, [str(item) for item in one[:_MAX_KEYS]]
        elif isinstance(one, bool | str):
            yield at, one
        elif isinstance(one, int | float):
            yield at, float(one)


def _name_of(item: object) -> str:
    if isinstance(item, Mapping):
        for key in ("module", "name", "id", "files", "path"):
            found = item.get(key)
            if isinstance(found, str):
                return found
            if isinstance(found, list) and found:
                return ",".join(map(str, found[:3]))
    return "*"


def scalar(text: str) -> Value:
    """Return a text as what it means: true, 90, or itself."""
    text = text.strip()
    lowered = text.lower()
    if lowered in ("true", "yes", "on"):
        return True
    if lowered in ("false", "no", "off"):
        return False
    return float(text.rstrip("%")) if _NUMBER.fullmatch(text) else text


def _of_ini(text: str) -> Settings:
    found: Settings = {}
    section = ""
    last: tuple[str, ...] | None = None
    for line in text.split("\n")[:20_000]:
        stripped = line.strip()
        if not stripped or stripped[0] in "#;":
            continue
        if line[0] in " \t" and last is not None:
            found[last] = f"{found[last]}\n{stripped}".strip()
            continue
        if stripped.startswith("[") and stripped.endswith("]"):
            section, last = stripped[1:-1].strip(), None
            continue
        key, sign, value = stripped.partition("=")
        if not sign or ":" in key:
            key, sign, value = stripped.partition(":")
        if sign and len(found) < _MAX_KEYS:
            last = (section, key.strip()) if section else (key.strip(),)
            found[last] = re.split(r"\s[#;]", value, maxsplit=1)[0].strip()
    return {
        path: scalar(value) if isinstance(value, str) else value for path, value in found.items()
    }


def _of_yaml(text: str) -> Settings:
    found: Settings = {}
    waiting: list[tuple[tuple[str, ...], YamlNode]] = [((), yaml_tree(text))]
    while waiting and len(found) < _MAX_KEYS:
        path, node = waiting.pop()
        items = [one for one in node.children if one.is_item]
        if items and all(not one.children for one in items):
            found[path] = [one.value for one in items]
            continue
        for child in node.children:
            name = child.key or (
                child.text("name") or child.text("id") or "*" if child.is_item else ""
            )
            waiting.append(((*path, name), child))
        if node.value.startswith("["):
            found[path] = node.scalars()
        elif node.value:
            found[path] = scalar(node.value)
    return found


_ELEMENT = re.compile(
    r"<(?P<tag>[\w.:-]{1,80})(?P<rest>[^<>]{0,400})>\s*+(?P<value>[^<]{0,300})</(?P=tag)>"
)
_ATTRIBUTE = re.compile(r"\b(?P<name>[A-Za-z]\w{0,60})=\"(?P<value>[^\"<]{0,120})\"")
_XML_COMMENT = re.compile(r"<!--(?:[^-]|-(?!->))*+(?:-->)?+")


def _of_xml(text: str) -> Settings:
    text = _XML_COMMENT.sub(" ", text)
    found: Settings = {}
    lists: dict[str, list[str]] = {}
    for match in _ELEMENT.finditer(text):
        tag = match["tag"].rpartition(":")[2]
        lists.setdefault(tag, []).append(match["value"].strip())
        if len(lists) > _MAX_KEYS:
            break
    for tag, values in lists.items():
        found[(tag,)] = scalar(values[0]) if len(values) == 1 and tag != "exclude" else values
    for match in _ATTRIBUTE.finditer(text[:200_000]):
        found.setdefault(("@" + match["name"],), scalar(match["value"]))
    return found


_ASSIGNMENT = re.compile(
    r"[\"']?(?<![\w@/.-])(?P<key>[A-Za-z_@][\w@/.-]{0,80}+)[\"']?\s*+(?P<sign>:|(?<![=!<>])=(?!=|>)|\s(?=[\[\"'\d]))\s*+"
    r"(?P<value>\[|\"|'|`|/|true\b|false\b|-?\d[\d._]{0,12}%?)"
)
_BEFORE_BRACE = re.compile(
    r"[\"']?([A-Za-z_@][\w@/.-]{0,80})[\"']?\s*+(?::|=)?\s*+(?:\([^()]{0,80}\)\s*+)?$"
)
_STRING = re.compile(
    r"\"((?:[^\"\\\n]|\\.)*+)\"|'((?:[^'\\\n]|\\.)*+)'|`([^`]*+)`|/((?:[^/\\\n]|\\.)++)/"
)


def _of_code(text: str, language: str) -> Settings:
    """Return the settings in a program that exports them: `jest.config.js`, `build.gradle`."""
    source = LightSource(text, language)
    found: Settings = {}
    for match in _ASSIGNMENT.finditer(source.code):
        if not _is_key(source, match):
            continue
        path = (
            *_enclosing(source, match.start()),
            source.text[match.start("key") : match.end("key")],
        )
        value = _code_value(source, match.start("value"), match["value"])
        if value is not None and len(found) < _MAX_KEYS:
            known = found.get(path)
            if isinstance(known, list) and isinstance(value, str):
                known.append(value)
            elif isinstance(known, str) and isinstance(value, str) and match["sign"].isspace():
                found[path] = [known, value]
            else:
                found.setdefault(path, value)
    return found


def _is_key(source: LightSource, match: re.Match[str]) -> bool:
    """Return whether a match is code, not a part of a text."""
    start, end = match.span("key")
    if source.masked[start] == source.code[start]:
        return True
    quotes = source.masked[start - 1 : start], source.masked[end : end + 1]
    return quotes[0] == quotes[1] and quotes[0] in ("'", '"')


def _enclosing(source: LightSource, at: int) -> tuple[str, ...]:
    """Return the names of the blocks around a position, the outermost first."""
    names: list[str] = []
    bracket = source.innermost(at)
    while bracket >= 0 and len(names) < _MAX_DEPTH:
        match = _BEFORE_BRACE.search(source.code[max(0, bracket - 120) : bracket])
        if match is not None and source.masked[bracket] == "{":
            names.append(match[1])
        bracket = source.innermost(bracket)
    return tuple(reversed(names))


def _code_value(source: LightSource, at: int, sign: str) -> Value | None:
    if sign == "[":
        end = source.closing.get(at, at)
        inner = source.text[at + 1 : end]
        texts = ["".join(parts) for parts in _STRING.findall(inner)]
        return texts or [part.strip() for part in inner.split(",") if part.strip()]
    if sign in "\"'`/":
        match = _STRING.match(source.text, at)
        return "".join(group or "" for group in match.groups()) if match else None
    return scalar(sign.replace("_", ""))


def _of_ruby(text: str) -> Settings:
    found: Settings = {}
    for name, value in re.findall(
        r"^[ \t]*+(minimum_coverage|maximum_coverage_drop|refuse_coverage_drop)\b[ (]*(?:line:\s*)?([\d.]{0,8})",
        text,
        re.M,
    ):
        found[(name,)] = scalar(value) if value else True
    return found


def _of_cmake(text: str) -> Settings:
    """Return tests of CTest that are disabled or expected to fail, and how many there are."""
    found: Settings = {}
    for names, word in re.findall(
        r"set_tests_properties\s*\(([^()]{1,400}?)PROPERTIES[^()]{0,200}?\b(DISABLED|WILL_FAIL)\s+(?:TRUE|ON|1)\b",
        text,
    ):
        known = found.setdefault((word,), [])
        if isinstance(known, list):
            known.extend(names.split())
    tests = re.findall(
        r"^[ \t]*+(?:add_test|gtest_discover_tests|catch_discover_tests)\s*\(\s*(?:NAME\s+)?(\S{1,80})",
        text,
        re.M,
    )
    found[("add_test",)] = [name.strip(")") for name in tests]
    return found


def _conftest(text: str) -> Settings | None:
    """Return what a `conftest.py` leaves out."""
    tree = parsed(text)
    if tree is None:
        return None
    found: Settings = {}
    marks = Marks(tree.body)
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AugAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id.startswith("collect_ignore"):
                texts = [one.value for one in ast.walk(node.value) if isinstance(one, ast.Constant)]
                known = found.setdefault((target.id,), [])
                if isinstance(known, list):
                    known.extend(str(value) for value in texts)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if _leaves_out(node) or (
                marks.is_autouse(node.decorator_list) and body_mark(node.body)
            ):
                found[(node.name,)] = [ast.unparse(one) for one in node.body]
    return found


_RESULTS = (
    "pytest_sessionfinish",
    "pytest_unconfigure",
    "pytest_runtest_makereport",
    "pytest_runtest_logreport",
)
"""Hooks that see the result of tests, and may replace it."""
_PASSES = re.compile(
    r"exitstatus = (?:0|(?:\w+\.)*ExitCode\.OK)\b|\b_?exit\(0\)|outcome = 'passed'|setattr\(\w+, 'exitstatus', 0\)"
)


def _leaves_out(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a hook of pytest may leave out tests."""
    if node.name == "pytest_ignore_collect":
        return True
    if node.name in _RESULTS:
        return _PASSES.search(ast.unparse(node)) is not None
    if node.name not in (
        "pytest_collection_modifyitems",
        "pytest_runtest_setup",
        "pytest_runtest_call",
    ):
        return False
    text = ast.unparse(node)
    return any(
        word in text
        for word in ("skip", "xfail", "deselect", "items[:]", ".remove(", "items.clear")
    )
