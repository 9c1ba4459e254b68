"""Commands that check something, and what makes their failure go unnoticed.

A command is recognised by its tool: `pytest`, `npm test`, `cargo clippy`, `make check`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from clew.detectors.files.key_names import shown_name
from clew.model.named_tuple import NamedTuple

IGNORED, FEWER, STOPPED, CHANGED = (
    "failures ignored", "runs fewer tests", "no longer runs", "checks less",
)  # fmt: skip
"""What became of a check."""

_WORDS = r"[\w:.-]*(?:test|lint|check|typecheck|verify|e2e|audit|coverage|spec)[\w:.-]*"
_TOOL = re.compile(
    r"(?<![\w./-])(?P<tool>"
    r"pytest|py\.test|tox|nox|unittest|nosetests|behave|green|coverage\s++(?:run|report)|mypy|pyright|basedpyright|pyre|pytype"
    r"|ruff(?:\s++check)?(?!\s++format)|ruff\s++format\s++--check|flake8|pylint|bandit|pydocstyle|vulture|pip-audit|safety\s++(?:check|scan)"
    r"|(?:black|isort|yapf)\s++[^;&|\n]{0,60}?(?:--check|--diff)(?:-only)?"
    r"|jest|vitest|mocha|ava|karma\s++start|jasmine|cypress\s++run|playwright\s++test|nightwatch|c8|nyc|tap"
    r"|eslint|tsc|tslint|stylelint|prettier\s++[^;&|\n]{0,60}?(?:--check|-c|-l)\b|biome\s++(?:check|ci|lint)|oxlint|knip|vue-tsc|svelte-check"
    rf"|npm\s++(?:t|test|audit)\b|(?:npm|yarn|pnpm|bun)\s++(?:run(?:-script)?\s++|-\S++\s++)*+{_WORDS}|deno\s++(?:test|lint|check)"
    r"|go\s++(?:test|vet)|golangci-lint(?:\s++run)?|staticcheck|gosec|govulncheck|gofmt\s++-[ld]"
    r"|cargo\s++(?:\+\w++\s++)?(?:test|nextest|clippy|check|deny|audit|tarpaulin|fmt\s++[^;&|\n]{0,40}?--check)"
    r"|(?:\./)?mvnw?\s++[^;&|\n]{0,120}?\b(?:test|verify|install|package)\b|(?:\./)?gradlew?\s++[^;&|\n]{0,120}?\b(?:test|check|build|lint|\w*Test|\w*Check)\b|sbt\s++[^;&|\n]{0,60}?test\w*|lein\s++test|clj\s++-M:test"
    r"|rspec|rake\s++(?:test|spec)|rails\s++test|rubocop|brakeman|standardrb|bundle-audit|cucumber"
    r"|phpunit|pest|phpstan|psalm|phpcs|php-cs-fixer|artisan\s++test|composer\s++(?:run\s++)?" + _WORDS +
    r"|dotnet\s++(?:test|format\s++[^;&|\n]{0,40}--verify\S*)|swift\s++test|swiftlint|xcodebuild\s++[^;&|\n]{0,120}?\btest\b|fastlane\s++\w*test\w*"
    r"|ctest|bats|shellcheck|hadolint|shfmt\s++-d|clang-tidy|cppcheck|clang-format\s++[^;&|\n]{0,40}?--dry-run"
    r"|mix\s++(?:test|credo|dialyzer|format\s++--check\S*)|flutter\s++(?:test|analyze)|dart\s++(?:test|analyze)"
    r"|stack\s++test|cabal\s++test|zig\s++(?:build\s++)?test|busted|prove|bazel\s++(?:test|coverage)|buck2?\s++test|pants\s++(?:test|check|lint)\S*"
    rf"|(?:g?make|just|task|invoke|inv|hatch\s++run|poe|pdm\s++run|rye|nx|turbo(?:\s++run)?|lerna\s++run|earthly|mage)\s++(?:-\S++\s++|\w++=\S*+\s++)*+(?:[\w:.-]++\s++){{0,4}}?{_WORDS}"
    r"|trivy|snyk\s++test|semgrep|codecov|sonar-scanner|gitleaks|trufflehog|checkov|tfsec|kube-linter|kubeconform|conftest\s++test"
    r"|terraform\s++(?:validate|fmt\s++-check)|tflint|helm\s++lint|yamllint|actionlint|markdownlint\S*|pre-commit\s++run|codespell|vale|lychee|djlint|sqlfluff\s++lint|buf\s++(?:lint|breaking)|alembic\s++check|manage\.py\s++(?:test|check)|danger\s++ci|commitlint|lint-staged"
    r")(?![\w./=-])"
    r"|(?<![\w-])(?P<script>(?:\./|\.ci/|scripts?/|bin/|ci/|tools/|hack/|dev/)(?![\w./-]*(?:upload|deploy|publish|release|install|download|setup|coverage))"
    r"[\w./-]{0,60}?[\w.-]*(?:test|lint|check|verify|e2e)[\w-]*(?:\.\w{1,4})?)(?![\w/=])"
)  # fmt: skip
_SWALLOWS = re.compile(
    r"\|\|\s*+(?P<or>true\b|:(?=\s|$|;|\))|exit\s++0\b|/bin/true\b|/usr/bin/true\b|return\s++0\b|echo\b|printf\b|continue\b|\(exit\s++0\))"
    r"|;\s*+(?P<then>true|:|exit\s++0|exit\s++\$\(\(0\)\))\s*+(?:$|[\"'\n)])"
    r"|(?P<option>--exit-zero(?:-even-if-changed)?|--pass-?[wW]ith-?[nN]o-?[tT]ests|--no-fail(?:ed)?\b|--allow-failures|--soft-fail|--exit-code[= ]0"
    r"|--force-success|--no-error-on-unmatched-pattern|--fail-?[oO]n-?[eE]rror[= ]false|--ignore-errors|--keep-going|--no-exit-code"
    r"|-Dmaven\.test\.failure\.ignore(?:=true)?|-fn\b|--fail-never|--suppress-error|--ignore-failures?|--no-verify|--warn-only|--suppress-tests-failed-exit-code)"
)  # fmt: skip
_STOPS = re.compile(
    r"(?P<option>-DskipTests(?:=true)?|-Dmaven\.test\.skip(?:=true)?|-DskipITs(?:=true)?|(?:-x|--exclude-task)\s++\w*(?:[tT]est|[cC]heck|[lL]int)\w*"
    r"|--no-run\b|--collect-only\b|--co\b|--list-?[tT]ests\b|--dry-run\b|--setup-only\b|--if-present\b|-PskipTests\S*+|--skip-tests?\b|--no-tests?\b)"
)  # fmt: skip
_VALUE = r"(?:\"[^\"\n]{0,160}\"|'[^'\n]{0,160}'|\S{1,160}+)"
_SELECTS = re.compile(
    rf"(?<![\w-])(?P<option>-[km][= ]*+(?:\"not\b[^\"\n]{{0,160}}\"|'not\b[^'\n]{{0,160}}'|not\s++\S{{1,80}})"
    rf"|--(?:deselect|ignore|ignore-glob|exclude|exclude-dir|exclude-package|skip|skip-files|testPathIgnorePatterns|test-path-ignore-patterns|test-ignore|grep-invert|invert|exclude-tag|exclude-group|exclude-testsuite|exclude-tags|exclude-pattern|extend-ignore|extend-exclude|disable|disable-error-code|ignore-rule|ignore-path|ignore-pattern)(?![\w-])(?:[= ]++{_VALUE})?"
    rf"|-(?:skip|short)(?:[= ]++{_VALUE})?(?=\s|$)|--tag[= ]++['\"]?~\S++|-t\s++~\S++|--no-(?:cov|coverage|strict|warnings-as-errors)\b|--lf\b|--last-failed\b|--only-changed\b|--changed\S*+|--testmon\b)"
)  # fmt: skip
_LIMIT = re.compile(
    r"--(?P<name>cov-fail-under|fail-under|max-warnings|min-coverage|coverage-threshold|minimum-coverage)[= ](?P<value>-?\d{1,6}(?:\.\d{1,4})?)"
)
_SPLIT = re.compile(r"&&|\|\||[;|\n]")
_SPACES = re.compile(r"\s+")
_CORE = 60
_DETAIL = 60


class Command(NamedTuple):
    """One check that a file runs."""

    tool: str
    core: str
    """The command without what weakens it."""
    label: str = ""
    """The step, target or script it is in."""
    weak: frozenset[tuple[str, str]] = frozenset()
    """What weakens it: the effect, and the words that cause it."""
    limits: tuple[tuple[str, float], ...] = ()

    @property
    def shown(self) -> str:
        return shown_words(self.core, _CORE)


def commands_in(
    line: str, label: str = "", flags: Iterable[tuple[str, str]] = ()
) -> Iterator[Command]:
    """Yield the checks that a line of shell runs; `flags` weaken all of them."""
    line = _SPACES.sub(" ", line.strip())[:2_000]
    swallowed = {(IGNORED, _detail(match[0])) for match in _SWALLOWS.finditer(line)}
    for match in _TOOL.finditer(line):
        if _is_only_named(line, match.start()):
            continue
        end = _SPLIT.search(line, match.end())
        part = line[match.start() : end.start() if end else len(line)]
        weak = {*flags, *swallowed}
        weak |= {(STOPPED, _detail(one[0])) for one in _STOPS.finditer(part)}
        if not match[0].startswith(
            ("ruff", "eslint", "flake8", "mypy", "pylint", "black", "isort")
        ):
            weak |= {(FEWER, _detail(one[0])) for one in _SELECTS.finditer(part)}
        else:
            weak |= {(CHANGED, _detail(one[0])) for one in _SELECTS.finditer(part)}
        limits = tuple((one["name"], float(one["value"])) for one in _LIMIT.finditer(part))
        yield Command(_tool(match[0]), _core(part), label, frozenset(weak), limits)


def options_in(text: str) -> frozenset[tuple[str, str]]:
    """Return what weakens a check among options, such as `addopts` of pytest."""
    found = {(FEWER, _detail(match[0])) for match in _SELECTS.finditer(text)}
    found |= {(STOPPED, _detail(match[0])) for match in _STOPS.finditer(text)}
    found |= {
        (IGNORED, _detail(match["option"])) for match in _SWALLOWS.finditer(text) if match["option"]
    }
    return frozenset(found)


def limits_in(text: str) -> dict[str, float]:
    """Return the limits that options set: `--cov-fail-under=90`."""
    return {match["name"]: float(match["value"]) for match in _LIMIT.finditer(text)}


def shown_words(text: str, most: int) -> str:
    """Return a command as it is shown, without words that may be secrets."""
    safe = " ".join(shown_name(word) for word in text.split(" "))
    return safe if len(safe) <= most else f"{safe[: most - 1]}…"


_NAMED = re.compile(
    r"(?:^|[;&|]\s*+)(?:@|-)?(?:echo|printf|pip3?|npm|yarn|pnpm|apt(?:-get)?|brew|gem|go|cargo|uv|poetry|conda|which|command\s++-v|rm|cp|mv|cat|cd|mkdir|git|docker\s++(?:pull|build)|image:|uses:|name:|export)\s++(?!run\b|test\b|exec\b|t\b|vet\b|clippy\b|nextest\b|check\b|deny\b|audit\b|lint\b|fmt\b|tarpaulin\b)[^;&|]*$"
)


def _is_only_named(line: str, at: int) -> bool:
    """Return whether a tool is only named: `pip install pytest`, `echo "run pytest"`."""
    return _NAMED.search(line[:at]) is not None


def _tool(found: str) -> str:
    """Return the name by which a tool is known: its program, and the word that follows if needed."""
    words = found.split()
    if words[0] in ("coverage", "npm", "yarn", "pnpm", "bun", "go", "cargo", "make", "gmake", "just", "deno", "dotnet", "mix", "rake", "rails", "swift", "flutter", "dart", "bazel", "task", "composer", "terraform", "helm", "poe", "nx", "turbo", "invoke", "inv", "hatch", "pdm"):  # fmt: skip
        return " ".join([words[0], words[-1]]) if len(words) > 1 else words[0]
    return (
        words[0].rpartition("/")[2] if words[0].startswith(("./", "scripts", "bin")) else words[0]
    )


def _core(part: str) -> str:
    """Return a command without what weakens it, so that it is equal before and after."""
    for pattern in (_SWALLOWS, _STOPS, _SELECTS, _LIMIT):
        part = pattern.sub(" ", part)
    part = _SPACES.sub(" ", part).strip(" \"'`\\,")
    while part.endswith((")", "]", "}")) and _is_unbalanced(part):
        part = part[:-1].rstrip(" \"'`,")
    return part


def _is_unbalanced(part: str) -> bool:
    """Return whether the last bracket of a command belongs to what is around it."""
    pair = {")": "(", "]": "[", "}": "{"}
    return part.count(part[-1]) > part.count(pair[part[-1]])


def _detail(text: str) -> str:
    return shown_words(
        _SPACES.sub(" ", text).strip(" )\"'") if text.endswith((")",)) else text.strip(), _DETAIL
    )
