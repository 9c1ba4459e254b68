"""Rules about settings of checks: when a change makes one weaker.

A rule matches the address of a setting, `pyproject.toml:tool.coverage.report.fail_under`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.detectors.checks.check_commands import FEWER, IGNORED, limits_in, options_in, shown_words
from clew.detectors.checks.setting_values import Settings, Value
from clew.model.fact import Severity
from clew.model.named_tuple import NamedTuple

_SHOWN = 60
_MAX_ITEMS = 4
_MAX_ADDRESS = 300

OPTIONS, COVERS, GROWS, SHRINKS, MINIMUM, MAXIMUM, ON, OFF, LEVEL, ENVIRONMENTS = (
    "options", "covers", "grows", "shrinks", "minimum", "maximum", "on", "off", "level",
    "environments",
)  # fmt: skip
"""Kinds of rules: options of a command line; a list of paths that must stay covered; a list that must
not grow, or shrink; a limit that must not fall, or rise; a switch that must stay on, or off; the
severity of a linter's rule; the environments in which tests run."""


class Rule(NamedTuple):
    """When a setting makes a check weaker."""

    pattern: re.Pattern[str]
    kind: str
    severity: str = Severity.HIGH
    name: str = ""
    """What it is called; the last part of the address by default."""
    effect: str = ""


class SettingChange(NamedTuple):
    """A setting that makes a check weaker, or stronger."""

    path: tuple[str, ...]
    name: str
    before: str | None
    after: str | None
    effect: str
    severity: str
    is_weaker: bool = True
    lost: tuple[str, ...] = ()
    """Paths that are no longer covered."""


def _rule(
    pattern: str, kind: str, severity: str = Severity.HIGH, name: str = "", effect: str = ""
) -> Rule:
    return Rule(re.compile(pattern), kind, severity, name, effect)


_PYTEST = (
    r"(?:\.?pytest\.(?:ini|toml)|tox\.ini|setup\.cfg|pyproject\.toml):(?:[\w:.]*pytest[\w:.]*\.)"
)
_JEST = r"(?:package\.json:jest\.|jest\.config\.\w+:|vitest\.config\.\w+:|vite\.config\.\w+:|vitest\.workspace\.\w+:)"
_NODE = r"(?:(?:\.mocharc\.?\w*|karma\.conf\.\w+|playwright\.config\.\w+|cypress\.config\.\w+|cypress\.json|ava\.config\.\w+|\.taprc|web-test-runner\.config\.\w+|wdio\.conf\.\w+):|package\.json:(?:mocha|ava|tap|jasmine|karma)\.)"
_NYC = r"(?:(?:\.c8rc\.?\w*|\.nycrc\.?\w*|nyc\.config\.\w+):|package\.json:(?:nyc|c8)\.)"
_LINT = r"(?:pyproject\.toml:tool\.(?:ruff|flake8|pylint|pycodestyle|bandit|mypy|pyright|basedpyright|isort|vulture|pydocstyle|codespell)\b|\.?ruff\.toml:|\.flake8:|setup\.cfg:(?:flake8|mypy|pylint|pycodestyle)|tox\.ini:(?:flake8|mypy|pycodestyle)|\.?mypy\.ini:|\.?pylintrc:|\.bandit:|bandit\.ya?ml:|\.golangci\.(?:ya?ml|toml|json):|\.rubocop\.yml:|\.swiftlint\.yml:|\.eslintrc|eslint\.config|package\.json:eslintConfig|\.stylelintrc|\.markdownlint|\.yamllint|phpstan\.neon|detekt\.yml|\.clang-tidy:|pyrightconfig\.json:|biome\.jsonc?:|\.oxlintrc|sonar-project\.properties:|\.codeclimate\.yml:)"
_COVERAGE = r"(?:pyproject\.toml:tool\.coverage\.|\.coveragerc:|setup\.cfg:coverage:|tox\.ini:coverage:|\.?codecov\.ya?ml:|\.simplecov:)"

RULES: tuple[Rule, ...] = (
    # which tests run
    _rule(_PYTEST + r"addopts$", OPTIONS, name="pytest"),
    _rule(r"\.rspec:options$", OPTIONS, name="rspec"),
    _rule(_PYTEST + r"testpaths$", COVERS, effect="narrowed"),
    _rule(_PYTEST + r"python_(?:files|classes|functions)$", COVERS, effect="changed"),
    _rule(_PYTEST + r"norecursedirs$", GROWS, effect=FEWER),
    _rule(_PYTEST + r"xfail_strict$", ON, Severity.NOTE),
    _rule(_PYTEST + r"filterwarnings$", SHRINKS, Severity.NOTE),
    _rule(r"conftest\.py:pytest_(?:sessionfinish|unconfigure|runtest_(?:make|log)report)$", GROWS, effect=IGNORED),
    _rule(r"conftest\.py:", GROWS, effect=FEWER),
    _rule(_JEST + r"(?:[\w.]+\.)?(?:testPathIgnorePatterns|modulePathIgnorePatterns|testIgnore|watchPathIgnore)$", GROWS, effect=FEWER),
    _rule(_JEST + r"(?:[\w.]+\.)?(?:test\.exclude|exclude)$", GROWS, effect=FEWER),
    _rule(_JEST + r"(?:[\w.]+\.)?(?:testMatch|testRegex|roots|test\.include|test\.dir|include)$", COVERS, effect="narrowed"),
    _rule(_JEST + r"(?:[\w.]+\.)?passWithNoTests$", OFF, effect=IGNORED),
    _rule(_JEST + r"(?:[\w.]+\.)?(?:allowOnly|dangerouslyIgnoreUnhandledErrors)$", OFF, Severity.NOTE),
    _rule(_NODE + r"(?:[\w.]+\.)?(?:testIgnore|grepInvert|excludeSpecPattern|ignoreTestFiles|testFilesIgnore|ignore|exclude)$", GROWS, effect=FEWER),
    _rule(_NODE + r"(?:[\w.]+\.)?(?:testMatch|testDir|specPattern|spec|specs)$", COVERS, effect="narrowed"),
    _rule(_NODE + r"(?:[\w.]+\.)?(?:grep|fgrep)$", GROWS, effect=FEWER),
    _rule(_NODE + r"(?:[\w.]+\.)?(?:forbidOnly|forbid-only|forbidPending)$", ON),
    _rule(r"tox\.ini:tox\.env_?list$|pyproject\.toml:tool\.tox\.env_?list$|tox\.toml:env_?list$", ENVIRONMENTS, effect=FEWER),
    _rule(r"(?:tox\.ini|pyproject\.toml|setup\.cfg):[\w:.,{}-]*\.?ignore_outcome$", OFF, effect=IGNORED),
    _rule(r"(?:pom\.xml|[\w.-]+\.props|build\.gradle(?:\.kts)?|gradle\.properties):(?:[\w.]+\.)?(?:skipTests|maven\.test\.skip|skip(?:ITs|Surefire)?|skipITs|testFailureIgnore|maven\.test\.failure\.ignore|ignoreFailures)$", OFF, effect=IGNORED),
    _rule(r"build\.gradle(?:\.kts)?:(?:[\w.]*[tT]est[\w.]*)\.(?:enabled|isEnabled)$", ON, effect="no longer runs"),
    _rule(r"build\.gradle(?:\.kts)?:(?:[\w.]*[tT]est[\w.]*)\.(?:exclude\w*|excludeTestsMatching)$", GROWS, effect=FEWER),
    _rule(r"(?:pom\.xml|phpunit\.xml(?:\.dist)?):(?:exclude|excludedGroups|excludeGroups)$", GROWS, effect=FEWER),
    _rule(r"phpunit\.xml(?:\.dist)?:@(?:failOn\w+|beStrictAbout\w+)$", ON, Severity.NOTE),
    _rule(r"phpunit\.xml(?:\.dist)?:(?:directory|file|testsuite)$", COVERS, effect="narrowed"),
    _rule(r"Cargo\.toml:(?:package\.autotests|(?:lib|bin|test|example)(?:\.[\w*-]+)?\.(?:test|doctest))$", ON, effect="no longer runs"),
    _rule(r"CMakeLists\.txt:(?:DISABLED|WILL_FAIL)$", GROWS, effect=FEWER),
    _rule(r"CMakeLists\.txt:add_test$", SHRINKS, effect=FEWER),
    # how much must be covered
    _rule(_COVERAGE + r"[\w.]*\bfail_under$", MINIMUM, name="coverage limit"),
    _rule(r"\.simplecov:minimum_coverage$|[\w/]*_helper\.rb:minimum_coverage$", MINIMUM, name="coverage limit"),
    _rule(r"\.?codecov\.ya?ml:[\w.]*\btarget$", MINIMUM, name="coverage target"),
    _rule(r"\.?codecov\.ya?ml:[\w.]*\bthreshold$", MAXIMUM, name="coverage drop allowed"),
    _rule(r"\.?codecov\.ya?ml:[\w.]*\binformational$", OFF, effect=IGNORED),
    _rule(r"\.?codecov\.ya?ml:[\w.]*\brequire_ci_to_pass$", ON),
    _rule(_JEST + r".*\b(?:coverageThreshold|thresholds?)\..*(?<![\w-])(?:branches|functions|lines|statements)$", MINIMUM, name="coverage limit"),
    _rule(_NODE + r".*\b(?:thresholds?|check)\..*(?<![\w-])(?:branches|functions|lines|statements)$", MINIMUM, name="coverage limit"),
    _rule(_NYC + r"(?:branches|functions|lines|statements)$", MINIMUM, name="coverage limit"),
    _rule(_NYC + r"(?:check-coverage|checkCoverage)$", ON),
    _rule(_NYC + r"(?:exclude|excludeAfterRemap)$", GROWS, Severity.NOTE, effect="covers less"),
    _rule(r"build\.gradle(?:\.kts)?:[\w.]*\bminimum$|pom\.xml:minimum$", MINIMUM, name="coverage limit"),
    _rule(_COVERAGE + r"[\w.]*\b(?:omit|exclude_lines|exclude_also|ignore)$", GROWS, Severity.NOTE, effect="covers less"),
    _rule(_JEST + r"(?:[\w.]+\.)?(?:coveragePathIgnorePatterns|coverage\.exclude)$", GROWS, Severity.NOTE, effect="covers less"),
    # linters and compilers
    _rule(r"tsconfig[\w.-]*\.json:compilerOptions\.(?:strict|noImplicitAny|strictNullChecks)$", ON, effect="less strict"),
    _rule(r"tsconfig[\w.-]*\.json:compilerOptions\.(?:strict\w+|noImplicit\w+|noUnused\w+|noUnchecked\w+|noFallthrough\w+|noEmitOnError|alwaysStrict|checkJs|exactOptional\w+|noProperty\w+|useUnknownInCatch\w+)$", ON, Severity.NOTE),
    _rule(r"tsconfig[\w.-]*\.json:compilerOptions\.(?:skipLibCheck|skipDefaultLibCheck|allowUnreachableCode|allowUnusedLabels|suppress\w+)$", OFF, Severity.NOTE),
    _rule(r"tsconfig[\w.-]*\.json:exclude$", GROWS, Severity.NOTE, effect="checks less"),
    _rule(r"(?:pyproject\.toml:tool\.mypy|\.?mypy\.ini:mypy|setup\.cfg:mypy|tox\.ini:mypy)\.(?:strict)$", ON, effect="less strict"),
    _rule(r"(?:pyproject\.toml:tool\.mypy|\.?mypy\.ini:mypy|setup\.cfg:mypy|tox\.ini:mypy)\.(?:ignore_errors)$", OFF, effect=IGNORED),
    _rule(r"(?:pyproject\.toml:tool\.mypy|\.?mypy\.ini:mypy|setup\.cfg:mypy|tox\.ini:mypy)[\w.*:-]*\.(?:ignore_errors|ignore_missing_imports|allow_\w+|implicit_\w+)$", OFF, Severity.NOTE),
    _rule(r"(?:pyproject\.toml:tool\.mypy|\.?mypy\.ini:mypy|setup\.cfg:mypy|tox\.ini:mypy)[\w.*:-]*\.(?:disallow_\w+|warn_\w+|check_untyped_defs|strict_\w+|no_implicit\w+)$", ON, Severity.NOTE),
    _rule(r"(?:pyrightconfig\.json:|pyproject\.toml:tool\.(?:based)?pyright\.)(?:typeCheckingMode|report\w+)$", LEVEL, Severity.NOTE),
    _rule(r"(?:pyrightconfig\.json:|pyproject\.toml:tool\.(?:based)?pyright\.)strict\w*$", ON, Severity.NOTE),
    _rule(r"(?:\.eslintrc[\w.]*|eslint\.config\.\w+|package\.json|\.stylelintrc[\w.]*|\.oxlintrc\.json|tslint\.json|biome\.jsonc?|\.xo-config\.\w+):(?:[\w.*/@-]+\.)?rules\.", LEVEL, Severity.NOTE),
    _rule(r"Cargo\.toml:(?:workspace\.)?lints\.", LEVEL, Severity.NOTE),
    _rule(r"\.(?:editorconfig|globalconfig):(?:.*\.)?dotnet_diagnostic\.\w+\.severity$", LEVEL, Severity.NOTE),
    _rule(r"\.rubocop\.yml:[\w/.]+\.Enabled$|detekt\.yml:[\w.]+\.active$", ON, Severity.NOTE),
    _rule(r"(?:[\w.-]+\.(?:csproj|props)):(?:TreatWarningsAsErrors|RunAnalyzers|EnforceCodeStyleInBuild)$", ON, Severity.NOTE),
    _rule(r"(?:[\w.-]+\.(?:csproj|props)):(?:NoWarn)$", GROWS, Severity.NOTE, effect="checks less"),
    _rule(r"phpstan\.neon[\w.]*:(?:parameters\.)?level$", MINIMUM, Severity.NOTE, name="phpstan level"),
    _rule(r"psalm\.xml[\w.]*:@errorLevel$", MAXIMUM, Severity.NOTE, name="psalm errorLevel"),
    _rule(_LINT + r".*(?<![\w-])(?:ignore|extend-ignore|extend_ignore|per-file-ignores(?:\..+)?|per_file_ignores|exclude|extend-exclude|exclude_dirs|disable|disabled|disabled_rules|disable_error_code|skips|skip|ignorePatterns|exclusions|unselect|excludePaths|ignoreErrors|exclude-rules|exclude-files|exclude-dirs|Exclude|lintignore)$", GROWS, Severity.NOTE, effect="checks less"),
    _rule(_LINT + r".*(?<![\w-])(?:select|extend-select|enable|opt_in_rules|Checks|linters\.enable)$", SHRINKS, Severity.NOTE, effect="checks less"),
    _rule(_LINT + r".*(?<![\w-])(?:max-complexity|max-args|max-branches|max-statements)$", MAXIMUM, Severity.NOTE),
    _rule(r"\.github/settings\.ya?ml:.*required_status_checks.*(?:contexts|checks)$", SHRINKS, effect="required no longer"),
)  # fmt: skip


def setting_changes(name: str, old: Settings, new: Settings) -> Iterator[SettingChange]:
    """Yield the settings of a file that make a check weaker or stronger."""
    old, new = _with_one_name(old), _with_one_name(new)
    for path in sorted({*old, *new}):
        before, after = old.get(path), new.get(path)
        address = f"{name}:{'.'.join(path)}"
        if before == after or len(address) > _MAX_ADDRESS:
            continue
        rule = next((one for one in RULES if one.pattern.match(address)), None)
        if rule is not None:
            yield from _JUDGES[rule.kind](rule, path, before, after)


_OTHER_NAMES = {"env_list": "envlist"}


def _with_one_name(settings: Settings) -> Settings:
    """Return settings with the older of two names that mean the same."""
    return {(*path[:-1], _OTHER_NAMES.get(path[-1], path[-1])): settings[path] for path in settings}


def _change(
    rule: Rule, path: tuple[str, ...], before: str | None, after: str | None, *,
    effect: str = "", is_weaker: bool = True,
) -> SettingChange:  # fmt: skip
    name = rule.name or shown_words(path[-1], 40)
    severity = rule.severity if is_weaker else Severity.NONE
    return SettingChange(path, name, before, after, effect or rule.effect, severity, is_weaker)


def _options(
    rule: Rule, path: tuple[str, ...], before: Value | None, after: Value | None
) -> Iterator[SettingChange]:
    was, now = _joined(before), _joined(after)
    old, new = options_in(was), options_in(now)
    for effect, words in sorted(new - old):
        yield _change(rule, path, None, words, effect=effect)
    if not new - old and old - new:
        yield _change(rule, path, sorted(old - new)[0][1], None, is_weaker=False)
    limits = limits_in(was), limits_in(now)
    for name in sorted({*limits[0], *limits[1]}):
        one, other = limits[0].get(name), limits[1].get(name)
        raised = rule._replace(name=name)
        yield from (_maximum if name.startswith("max") else _minimum)(raised, path, one, other)


_DEFAULTS = {
    "python_files": ["test_*.py", "*_test.py"],
    "python_classes": ["Test"],
    "python_functions": ["test"],
}


def _covers(
    rule: Rule, path: tuple[str, ...], before: Value | None, after: Value | None
) -> Iterator[SettingChange]:
    was = _items(before) or _DEFAULTS.get(path[-1], [])
    now = _items(after)
    if not now:
        return  # everything is looked at again
    lost = [one for one in was if not any(_is_within(one, other) for other in now)]
    is_file_only = not was and all(
        re.search(r"\.\w{1,4}(?:::.*)?$", one) and "*" not in one for one in now
    )
    if lost or (is_file_only and rule.effect == "narrowed"):
        yield _change(rule, path, _shown(was) or None, _shown(now))._replace(lost=tuple(lost))
    elif was:
        yield _change(rule, path, _shown(was), _shown(now), effect="widened", is_weaker=False)


def _is_within(path: str, other: str) -> bool:
    """Return whether a path is another one, or inside it."""
    path, other = path.strip("./"), other.strip("./")
    if path == other or not other or path.startswith(f"{other}/"):
        return True
    return other.endswith("*") and path.startswith(other.rstrip("*_"))


def _grows(
    rule: Rule, path: tuple[str, ...], before: Value | None, after: Value | None
) -> Iterator[SettingChange]:
    was, now = _items(before), _items(after)
    more, fewer = [one for one in now if one not in was], [one for one in was if one not in now]
    if len(more) > len(fewer) or (more and not fewer):
        yield _change(rule, path, None, _shown(more))
    elif fewer and not more:
        yield _change(rule, path, _shown(fewer), None, effect="checks more", is_weaker=False)


def _shrinks(
    rule: Rule, path: tuple[str, ...], before: Value | None, after: Value | None
) -> Iterator[SettingChange]:
    was, now = _items(before), _items(after)
    if "ALL" in now or (not now and after is None and rule.severity == Severity.NOTE):
        return
    fewer = [
        one for one in was if one not in now and not any(one.startswith(other) for other in now)
    ]
    if len(fewer) > sum(one not in was for one in now):
        yield _change(rule, path, _shown(fewer), None)


_BRACES = re.compile(r"([^{}]*)\{([^{}]{1,200})\}(.*)")
_VERSION_ONLY = re.compile(r"(?:py|pypy|python|cp)\d[\d.]*(?:t)?")


def _environments(
    rule: Rule, path: tuple[str, ...], before: Value | None, after: Value | None
) -> Iterator[SettingChange]:
    """Judge the environments of tox; one that has a longer name now is not gone."""
    was, now = _names_of(before), _names_of(after)
    if not now:
        return
    gone = [one for one in was if not any(other.startswith(one) for other in now)]
    if len(gone) > sum(one not in was for one in now):
        change = _change(rule, path, _shown(gone), None)
        is_usual = all(_VERSION_ONLY.fullmatch(one) for one in gone)  # an old Python is dropped
        yield change._replace(severity=Severity.NOTE if is_usual else change.severity)


def _names_of(value: Value | None) -> list[str]:
    """Return the names in a list of tox: `py3{11,12}, lint`."""
    text = _joined(value) if not isinstance(value, list) else ",".join(value)
    waiting = [one.strip() for one in re.split(r",(?![^{}]*\})|\s+", text) if one.strip()]
    found: list[str] = []
    while waiting and len(found) + len(waiting) < 400:
        one = waiting.pop(0)
        match = _BRACES.fullmatch(one)
        if match is None:
            found.append(one)
        else:
            parts = match[2].split(",")
            waiting += [f"{match[1]}{part.strip()}{match[3]}" for part in parts]
    return found


def _minimum(
    rule: Rule, path: tuple[str, ...], before: Value | None, after: Value | None
) -> Iterator[SettingChange]:
    was, now = _number(before), _number(after)
    if was is not None and (now is None or now < was):
        yield _change(rule, path, _plain(was), None if now is None else _plain(now))
    elif now is not None and (was is None or now > was):
        yield _change(
            rule, path, None if was is None else _plain(was), _plain(now), is_weaker=False
        )


def _maximum(
    rule: Rule, path: tuple[str, ...], before: Value | None, after: Value | None
) -> Iterator[SettingChange]:
    was, now = _number(before), _number(after)
    if was is not None and (now is None or now > was or now < 0 <= was):
        yield _change(rule, path, _plain(was), None if now is None else _plain(now))
    elif now is not None and (was is None or now < was):
        yield _change(
            rule, path, None if was is None else _plain(was), _plain(now), is_weaker=False
        )


def _on(
    rule: Rule, path: tuple[str, ...], before: Value | None, after: Value | None
) -> Iterator[SettingChange]:
    """Judge a switch that makes a check stricter."""
    was, now = _switch(before), _switch(after)
    by_default = "Cargo" in rule.pattern.pattern or "nabled" in rule.pattern.pattern
    if now is False and (was is True or (was is None and by_default)):
        yield _change(rule, path, "true" if was else None, "false")
    elif was is True and now is None and not by_default:
        yield _change(rule, path, "true", None)
    elif now is True and not was and not (by_default and was is None):
        yield _change(rule, path, None if was is None else "false", "true", is_weaker=False)


def _off(
    rule: Rule, path: tuple[str, ...], before: Value | None, after: Value | None
) -> Iterator[SettingChange]:
    """Judge a switch that makes a check useless."""
    was, now = _switch(before), _switch(after)
    if now is True and not was:
        yield _change(rule, path, None if was is None else "false", "true")
    elif was is True and not now:
        yield _change(rule, path, "true", None if now is None else "false", is_weaker=False)


_LEVELS = {
    "off": 0, "none": 0, "allow": 0, "0": 0, "false": 0, "null": 0, "silent": 0, "ignore": 0,
    "info": 1, "information": 1, "suggestion": 1, "hint": 1, "basic": 1,
    "warn": 2, "warning": 2, "1": 2, "standard": 2, "true": 3, "on": 3,
    "error": 3, "2": 3, "deny": 3, "forbid": 4, "strict": 4, "always": 3,
}  # fmt: skip


def _level(
    rule: Rule, path: tuple[str, ...], before: Value | None, after: Value | None
) -> Iterator[SettingChange]:
    was, now = _level_of(before), _level_of(after)
    if was is None or now is None:
        if was is None and before is None and now == 0:
            yield _change(rule, path, None, _word(after))
        elif now is None and after is None and (was or 0) > 1:
            yield _change(rule, path, _word(before), None)
        return
    if now < was:
        yield _change(rule, path, _word(before), _word(after))
    elif now > was:
        yield _change(rule, path, _word(before), _word(after), is_weaker=False)


def _level_of(value: Value | None) -> int | None:
    return None if value is None else _LEVELS.get(_word(value).lower())


def _word(value: Value | None) -> str:
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, bool):
        return "true" if value else "off"
    if isinstance(value, float):
        return _plain(value)
    return shown_words(str(value or ""), 20)


_JUDGES = {
    OPTIONS: _options, COVERS: _covers, GROWS: _grows, SHRINKS: _shrinks, MINIMUM: _minimum,
    MAXIMUM: _maximum, ON: _on, OFF: _off, LEVEL: _level, ENVIRONMENTS: _environments,
}  # fmt: skip


def _items(value: Value | None) -> list[str]:
    """Return the items of a list, also of one that is written as a text."""
    if isinstance(value, list):
        return [one for one in value if one]
    if isinstance(value, str):
        return [one for one in re.split(r"[,\s]+", value) if one]
    return []


def _joined(value: Value | None) -> str:
    if isinstance(value, list):
        return " ".join(one if " " not in one else f"'{one}'" for one in value)
    return str(value or "").replace("\n", " ")


def _number(value: Value | None) -> float | None:
    if isinstance(value, float):
        return value
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,6}(?:\.\d{1,6})?%?", value):
        return float(value.rstrip("%"))
    return None


def _switch(value: Value | None) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, list):
        value = value[0] if value else None
    return {"true": True, "1": True, "false": False, "0": False}.get(str(value).lower())


def _plain(number: float) -> str:
    return str(int(number)) if number == int(number) else str(number)


def _shown(items: list[str]) -> str:
    found = [shown_words(one, _SHOWN) for one in items[:_MAX_ITEMS]]
    left = len(items) - _MAX_ITEMS
    return ", ".join(found) + (f" and {left:,} more" if left > 0 else "")
