"""Checks that run less, or whose failure is ignored: pipelines, makefiles, scripts and settings."""

from __future__ import annotations

import json

import pytest

from clew.detectors.checks.check_files import CheckFiles
from clew.detectors.files.config_files import ConfigFiles
from clew.detectors.security.ci_files import CiFiles
from clew.model.fact import Fact, Severity
from tests.kit.moments import Moment, facts, file, problems, story

GITHUB = """\
name: ci
on:
  push:
    branches: [main]
  pull_request:
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: pip install -e . pytest
      - name: lint
        run: ruff check .
      - name: tests
        run: |
          export MODE=ci
          pytest -q --cov --cov-fail-under=90
      - name: upload
        run: ./upload.sh
"""
GITLAB = """\
stages: [test]
lint:
  stage: test
  script:
    - npm ci
    - npm run lint
unit:
  stage: test
  script:
    - npm test
  artifacts:
    when: always
"""
CIRCLE = """\
version: 2.1
jobs:
  build:
    steps:
      - checkout
      - run: npm ci
      - run:
          name: tests
          command: npm test -- --ci
"""
AZURE = """\
steps:
  - script: dotnet restore
  - task: DotNetCoreCLI@2
    inputs:
      command: test
  - script: dotnet test --no-build
    displayName: tests
"""
JENKINS = """\
pipeline {
  stages {
    stage('test') {
      steps {
        sh 'mvn -B verify'
      }
    }
  }
}
"""
MAKE = """\
PYTEST_ARGS = -q

.PHONY: test
test: build
\tpytest $(PYTEST_ARGS)
\truff check .

clean:
\trm -rf build || true
\t-pkill server
\tgrep -r TODO src || true
"""
TOX = """\
[tox]
envlist = py311, py312, lint

[testenv]
commands =
    pytest {posargs}

[pytest]
testpaths = tests
addopts = -q

[flake8]
ignore = E501
"""
PACKAGE = json.dumps(
    {
        "name": "shop",
        "scripts": {"test": "jest --ci", "lint": "eslint .", "start": "node ."},
        "jest": {"coverageThreshold": {"global": {"lines": 90, "branches": 80}}, "testPathIgnorePatterns": ["/dist/"]},
    },
    indent=2,
)  # fmt: skip
SCRIPT = "#!/bin/sh\nset -e\npytest -q\nmypy src\n"
PYPROJECT = """\
[project]
name = "shop"

[tool.pytest.ini_options]
testpaths = ["tests"]
addopts = ["-q", "--strict-markers"]

[tool.coverage.report]
fail_under = 90

[tool.mypy]
strict = true

[tool.ruff.lint]
select = ["E", "F", "S"]
ignore = ["E501"]
"""
JEST = """\
module.exports = {
  // testPathIgnorePatterns: ['/commented/'],
  testPathIgnorePatterns: ['/node_modules/'],
  coverageThreshold: { global: { lines: 90, branches: 80 } },
};
"""
VITEST = """\
import { defineConfig } from 'vitest/config';
export default defineConfig({
  test: {
    exclude: ['node_modules'],
    coverage: { thresholds: { lines: 85 } },
  },
});
"""
ESLINT = """\
export default [
  { rules: { 'no-eval': 'error', eqeqeq: ['error', 'always'], semi: 'warn' } },
];
"""
TSCONFIG = (
    '{\n  // the compiler\n  "compilerOptions": { "strict": true, "noUnusedLocals": true },\n}\n'
)
PRECOMMIT = """\
repos:
  - repo: https://github.com/astral-sh/ruff-pre-commit
    rev: v0.4
    hooks:
      - id: ruff
      - id: ruff-format
  - repo: local
    hooks:
      - id: mypy
        entry: mypy src
"""
POM = """\
<project>
  <properties><skipTests>false</skipTests></properties>
  <build><plugins><plugin><configuration>
    <testFailureIgnore>false</testFailureIgnore>
    <excludes><exclude>**/Slow*.java</exclude></excludes>
  </configuration></plugin></plugins></build>
</project>
"""
GRADLE = """\
test {
    useJUnitPlatform()
    exclude '**/Slow*'
}
jacocoTestCoverageVerification {
    violationRules { rule { limit { minimum = 0.8 } } }
}
"""
CODECOV = "coverage:\n  status:\n    project:\n      default:\n        target: 90%\n        threshold: 1%\n"
CARGO = '[package]\nname = "shop"\n\n[lints.clippy]\nunwrap_used = "deny"\n'

_FILES = {
    ".github/workflows/ci.yml": GITHUB, ".gitlab-ci.yml": GITLAB, ".circleci/config.yml": CIRCLE,
    "azure-pipelines.yml": AZURE, "Jenkinsfile": JENKINS, "Makefile": MAKE, "tox.ini": TOX,
    "package.json": PACKAGE, "ci/run.sh": SCRIPT, "pyproject.toml": PYPROJECT,
    "jest.config.js": JEST, "vitest.config.ts": VITEST, "eslint.config.js": ESLINT,
    "tsconfig.json": TSCONFIG, ".pre-commit-config.yaml": PRECOMMIT, "pom.xml": POM,
    "build.gradle": GRADLE, "codecov.yml": CODECOV, "Cargo.toml": CARGO,
    "setup.cfg": "[tool:pytest]\naddopts = -q\n[coverage:report]\nfail_under = 90\n[mypy]\nstrict = True\n",
    ".coveragerc": "[report]\nfail_under = 90\n",
    "pytest.ini": "[pytest]\naddopts =\n    -q\n    --strict-markers\nnorecursedirs = build\n",
    "tests/conftest.py": "import pytest\n",
    "phpunit.xml": '<phpunit failOnWarning="true"><testsuites><testsuite name="a"><directory>tests</directory></testsuite></testsuites></phpunit>',
    "playwright.config.ts": "export default { testDir: './e2e', forbidOnly: true };\n",
    ".mocharc.json": '{"spec": "test/**/*.js"}',
    "noxfile.py": 'import nox\n\n\n@nox.session\ndef tests(session):\n    session.run("pytest", "-q")\n',
    ".husky/pre-push": "npm test\n",
    ".travis.yml": "language: python\nscript:\n  - pytest\n",
    "Taskfile.yml": "version: 3\ntasks:\n  test:\n    cmds:\n      - go test ./...\n",
    ".eslintrc.json": '{"rules": {"no-eval": "error", "eqeqeq": 2}}',
    "CMakeLists.txt": "enable_testing()\nadd_test(NAME cart COMMAND cart_test)\nadd_test(NAME refund COMMAND refund_test)\n",
    ".golangci.yml": "linters:\n  enable:\n    - errcheck\n    - govet\n",
    "bitbucket-pipelines.yml": "pipelines:\n  default:\n    - step:\n        name: tests\n        script:\n          - npm test\n",
    ".drone.yml": "kind: pipeline\nsteps:\n- name: test\n  commands:\n  - go test ./...\n",
}  # fmt: skip

_CI = ".github/workflows/ci.yml"
_WEAKER: list[tuple[str, str, str, str]] = [
    (_CI, "--cov-fail-under=90", "--cov-fail-under=90 || true", "ci.yml: pytest failures ignored (|| true)"),
    (_CI, "--cov-fail-under=90", "--cov-fail-under=90 || :", "ci.yml: pytest failures ignored (|| :)"),
    (_CI, "--cov-fail-under=90", "--cov-fail-under=90 || echo failed", "ci.yml: pytest failures ignored (|| echo)"),
    (_CI, "--cov-fail-under=90", "--cov-fail-under=90; exit 0", "ci.yml: pytest failures ignored (; exit 0)"),
    (_CI, "ruff check .", "ruff check . --exit-zero", "ci.yml: ruff failures ignored (--exit-zero)"),
    (_CI, "--cov-fail-under=90", "--cov-fail-under=40", "ci.yml: cov-fail-under 90 → 40"),
    (_CI, "pytest -q", "pytest -q -k 'not refund'", "ci.yml: fewer tests run (pytest: -k 'not refund')"),
    (_CI, "pytest -q", "pytest -q --deselect tests/test_a.py", "ci.yml: fewer tests run (pytest: --deselect tests/test_a.py)"),
    (_CI, "pytest -q", "pytest --co -q", "ci.yml: pytest no longer runs (--co)"),
    (_CI, "      - name: tests\n", "      - name: tests\n        continue-on-error: true\n", "ci.yml: pytest failures ignored (continue-on-error: true)"),
    (_CI, "      - name: tests\n", "      - name: tests\n        if: false\n", "ci.yml: pytest no longer runs (if: false)"),
    (_CI, "      - name: tests\n", "      - name: tests\n        if: ${{ false }}\n", "ci.yml: pytest no longer runs (if: ${{ false }})"),
    (_CI, "  test:\n", "  test:\n    continue-on-error: true\n", "ci.yml: ruff, pytest failures ignored (continue-on-error: true)"),
    (_CI, "          export MODE=ci\n", "          set +e\n", "ci.yml: pytest failures ignored (set +e)"),
    (_CI, "          export MODE=ci\n", "          exit 0\n", "ci.yml: pytest no longer runs (exit 0 before it)"),
    (_CI, "          pytest -q --cov --cov-fail-under=90\n", "          echo skipped\n", "ci.yml: pytest -q --cov removed (tests)"),
    (_CI, "          pytest -q", "          # pytest -q", "ci.yml: pytest -q --cov removed (tests)"),
    (_CI, "      - name: lint\n        run: ruff check .\n", "", "ci.yml: ruff check . removed (lint)"),
    (_CI, "  push:\n    branches: [main]\n  pull_request:\n", "  workflow_dispatch:\n", "ci.yml: checks no longer run on pull_request and push"),
    (".gitlab-ci.yml", "unit:\n", "unit:\n  allow_failure: true\n", ".gitlab-ci.yml: npm test failures ignored (allow_failure: true)"),
    (".gitlab-ci.yml", "unit:\n", "unit:\n  when: manual\n", ".gitlab-ci.yml: npm test no longer runs (when: manual)"),
    (".gitlab-ci.yml", "    - npm test\n", "    - npm test || true\n", ".gitlab-ci.yml: npm test failures ignored (|| true)"),
    (".gitlab-ci.yml", "    - npm run lint\n", "", ".gitlab-ci.yml: npm run lint removed (lint)"),
    (".circleci/config.yml", "npm test -- --ci", "npm test -- --ci || true", "config.yml: npm test failures ignored (|| true)"),
    (".circleci/config.yml", "npm test -- --ci", "npm test -- --passWithNoTests", "config.yml: npm test failures ignored (--passWithNoTests)"),
    ("azure-pipelines.yml", "    displayName: tests\n", "    displayName: tests\n    continueOnError: true\n", "azure-pipelines.yml: dotnet test failures ignored (continueOnError: true)"),
    ("azure-pipelines.yml", "    displayName: tests\n", "    displayName: tests\n    enabled: false\n", "azure-pipelines.yml: dotnet test no longer runs (enabled: false)"),
    ("Jenkinsfile", "mvn -B verify", "mvn -B verify -DskipTests", "Jenkinsfile: mvn no longer runs (-DskipTests)"),
    ("Jenkinsfile", "sh 'mvn -B verify'", "sh(script: 'mvn -B verify', returnStatus: true)", "Jenkinsfile: mvn failures ignored (returnStatus: true)"),
    ("Jenkinsfile", "sh 'mvn", "catchError { sh 'mvn", "Jenkinsfile: mvn failures ignored (catchError)"),
    ("Makefile", "\tpytest $(PYTEST_ARGS)\n", "\tpytest $(PYTEST_ARGS) || true\n", "Makefile: pytest failures ignored (|| true)"),
    ("Makefile", "\tpytest $(PYTEST_ARGS)\n", "\t-pytest $(PYTEST_ARGS)\n", "Makefile: pytest failures ignored (-)"),
    ("Makefile", "\tpytest $(PYTEST_ARGS)\n", "\t@true\n", "Makefile: pytest $(PYTEST_ARGS) removed (test)"),
    ("Makefile", ".PHONY: test\n", ".PHONY: test\n.IGNORE: test\n", "Makefile: pytest, ruff failures ignored (.IGNORE)"),
    ("tox.ini", "    pytest {posargs}\n", "    - pytest {posargs}\n", "tox.ini: pytest failures ignored (-)"),
    ("tox.ini", "[testenv]\n", "[testenv]\nignore_outcome = true\n", "tox.ini: ignore_outcome failures ignored (true)"),
    ("tox.ini", "py311, py312, lint", "py311", "tox.ini: fewer tests run (envlist: py312, lint)"),
    ("tox.ini", "addopts = -q", "addopts = -q -m 'not slow'", "tox.ini: fewer tests run (pytest: -m 'not slow')"),
    ("package.json", "jest --ci", "jest --ci || true", "package.json: jest failures ignored (|| true)"),
    ("package.json", "jest --ci", "echo ok", "package.json: jest --ci no longer runs (test: only a message)"),
    ("package.json", "jest --ci", "exit 0", "package.json: jest --ci no longer runs (test: exit 0)"),
    ("package.json", "jest --ci", "true && exit 0", "package.json: jest --ci no longer runs (test: true)"),
    ("package.json", "jest --ci", "jest --ci --passWithNoTests", "package.json: jest failures ignored (--passWithNoTests)"),
    ("package.json", '"lines": 90', '"lines": 40', "package.json: coverage limit 90 → 40"),
    ("package.json", '"/dist/"', '"/dist/", "/refunds/"', "package.json: fewer tests run (testPathIgnorePatterns: /refunds/)"),
    ("ci/run.sh", "pytest -q\n", "pytest -q || true\n", "run.sh: pytest failures ignored (|| true)"),
    ("ci/run.sh", "set -e\npytest -q\n", "set +e\npytest -q\n", "run.sh: pytest, mypy failures ignored (set +e)"),
    ("ci/run.sh", "pytest -q\n", "", "run.sh: pytest -q removed (run.sh)"),
    ("pyproject.toml", '["-q", "--strict-markers"]', '["-q", "-k", "not refund"]', "pyproject.toml: fewer tests run (pytest: -k 'not refund')"),
    ("pyproject.toml", '["-q", "--strict-markers"]', '"-q --ignore=tests/refunds"', "pyproject.toml: fewer tests run (pytest: --ignore=tests/refunds)"),
    ("pyproject.toml", 'testpaths = ["tests"]', 'testpaths = ["tests/unit"]', "pyproject.toml: testpaths narrowed (tests → tests/unit)"),
    ("pyproject.toml", "fail_under = 90", "fail_under = 40", "pyproject.toml: coverage limit 90 → 40"),
    ("pyproject.toml", "fail_under = 90\n", "", "pyproject.toml: coverage limit 90 removed"),
    ("pyproject.toml", "strict = true", "strict = false", "pyproject.toml: strict true → false"),
    ("pyproject.toml", "strict = true", "strict = true\nignore_errors = true", "pyproject.toml: ignore_errors failures ignored (true)"),
    ("setup.cfg", "fail_under = 90", "fail_under = 10", "setup.cfg: coverage limit 90 → 10"),
    ("setup.cfg", "addopts = -q", "addopts = -q --deselect tests/test_a.py::test_b", "setup.cfg: fewer tests run (pytest: --deselect tests/test_a.py::test_b)"),
    (".coveragerc", "fail_under = 90", "fail_under = 89.5", ".coveragerc: coverage limit 90 → 89.5"),
    ("pytest.ini", "norecursedirs = build", "norecursedirs = build integration", "pytest.ini: fewer tests run (norecursedirs: integration)"),
    ("pytest.ini", "    -q\n", "    -q\n    --ignore-glob='*refund*'\n", "pytest.ini: fewer tests run (pytest: --ignore-glob='*refund*')"),
    ("pytest.ini", "norecursedirs", "python_files = check_*.py\nnorecursedirs", ""),
    ("tests/conftest.py", "import pytest\n", "collect_ignore_glob = ['*refund*']\n", "conftest.py: fewer tests run (collect_ignore_glob: *refund*)"),
    ("tests/conftest.py", "import pytest\n", "def pytest_collection_modifyitems(items):\n    items[:] = items[:3]\n", "conftest.py: fewer tests run (pytest_collection_modifyitems: items[:] = items[:3])"),
    ("tests/conftest.py", "import pytest\n", "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef off():\n    pytest.skip('x')\n", "conftest.py: fewer tests run (off: pytest.skip('x'))"),
    ("jest.config.js", "['/node_modules/']", "['/node_modules/', '/refunds/']", "jest.config.js: fewer tests run (testPathIgnorePatterns: /refunds/)"),
    ("jest.config.js", "branches: 80", "branches: 10", "jest.config.js: coverage limit 80 → 10"),
    ("jest.config.js", "  coverageThreshold", "  passWithNoTests: true,\n  coverageThreshold", "jest.config.js: passWithNoTests failures ignored (true)"),
    ("vitest.config.ts", "['node_modules']", "['node_modules', 'src/refunds/**']", "vitest.config.ts: fewer tests run (exclude: src/refunds/**)"),
    ("vitest.config.ts", "lines: 85", "lines: 20", "vitest.config.ts: coverage limit 85 → 20"),
    ("tsconfig.json", '"strict": true', '"strict": false', "tsconfig.json: strict true → false"),
    (".pre-commit-config.yaml", "      - id: mypy\n        entry: mypy src\n", "      - id: black\n", ".pre-commit-config.yaml: hook mypy removed"),
    ("pom.xml", "<skipTests>false", "<skipTests>true", "pom.xml: skipTests failures ignored (false → true)"),
    ("pom.xml", "<testFailureIgnore>false", "<testFailureIgnore>true", "pom.xml: testFailureIgnore failures ignored (false → true)"),
    ("pom.xml", "</exclude>", "</exclude><exclude>**/Refund*.java</exclude>", "pom.xml: fewer tests run (exclude: **/Refund*.java)"),
    ("build.gradle", "useJUnitPlatform()", "useJUnitPlatform()\n    ignoreFailures = true", "build.gradle: ignoreFailures failures ignored (true)"),
    ("build.gradle", "useJUnitPlatform()", "useJUnitPlatform()\n    enabled = false", "build.gradle: enabled no longer runs (false)"),
    ("build.gradle", "minimum = 0.8", "minimum = 0.2", "build.gradle: coverage limit 0.8 → 0.2"),
    ("codecov.yml", "target: 90%", "target: 20%", "codecov.yml: coverage target 90 → 20"),
    ("Cargo.toml", "[lints", "autotests = false\n\n[lints", "Cargo.toml: autotests no longer runs (false)"),
    ("playwright.config.ts", "testDir: './e2e'", "testDir: './e2e', grepInvert: /refund/", "playwright.config.ts: fewer tests run (grepInvert: refund)"),
    (".mocharc.json", '"test/**/*.js"', '"test/**/*.js", "ignore": ["test/refund.js"]', ".mocharc.json: fewer tests run (ignore: test/refund.js)"),
    ("noxfile.py", '"pytest", "-q"', '"pytest", "-q", "-k", "not refund"', "noxfile.py: fewer tests run (pytest: -k not refund)"),
    ("noxfile.py", '    session.run("pytest", "-q")', "    pass", "noxfile.py: pytest -q removed (noxfile.py)"),
    (".husky/pre-push", "npm test", "npm test || true", "pre-push: npm test failures ignored (|| true)"),
    (".travis.yml", "  - pytest", "  - pytest || true", ".travis.yml: pytest failures ignored (|| true)"),
    ("Taskfile.yml", "go test ./...", "go test ./... -short", "Taskfile.yml: fewer tests run (go test: -short)"),
    ("Taskfile.yml", "      - go test ./...", "      - cmd: go test ./...\n        ignore_error: true", ""),
    ("CMakeLists.txt", "add_test(NAME refund COMMAND refund_test)\n", "", "CMakeLists.txt: fewer tests run (add_test: refund)"),
    ("bitbucket-pipelines.yml", "npm test", "npm test || exit 0", "bitbucket-pipelines.yml: npm test failures ignored (|| exit 0)"),
    (".drone.yml", "- name: test\n", "- name: test\n  failure: ignore\n", ".drone.yml: go test failures ignored (failure: ignore)"),
]  # fmt: skip


def _all(old: dict[str, str], new: dict[str, str]) -> list[Fact]:
    return facts(CheckFiles(), _encoded(old), _encoded(new))


def _encoded(texts: dict[str, str]) -> Moment:
    return {path: text.encode() for path, text in texts.items()}


@pytest.mark.parametrize(("path", "old", "new", "said"), _WEAKER)
def test_a_check_that_became_weaker_is_a_warning(path: str, old: str, new: str, said: str) -> None:
    text = _FILES[path]
    assert old in text
    tests = {"tests/unit/test_app.py": "def test_app(): ...\n"}
    moments = _encoded({path: text, **tests}), _encoded({path: text.replace(old, new, 1), **tests})

    told = story([CheckFiles(), CiFiles()], *moments, [ConfigFiles()])

    first = told.lines[0]
    assert first.severity == Severity.HIGH
    if said:
        assert first.text == said.replace(path.rpartition("/")[2], path, 1)


# Settings of linters are notes

_NOTES = [
    ("eslint.config.js", "'no-eval': 'error'", "'no-eval': 'off'", "no-eval error → off"),
    ("eslint.config.js", "['error', 'always']", "['warn', 'always']", "eqeqeq error → warn"),
    (".eslintrc.json", '"eqeqeq": 2', '"eqeqeq": 0', "eqeqeq 2 → 0"),
    ("pyproject.toml", 'ignore = ["E501"]', 'ignore = ["E501", "F401"]', "ignore checks less (F401)"),
    ("pyproject.toml", 'select = ["E", "F", "S"]', 'select = ["E"]', "select checks less (F, S)"),
    ("tox.ini", "ignore = E501", "ignore = E501,W503", "ignore checks less (W503)"),
    ("tsconfig.json", '"noUnusedLocals": true', '"noUnusedLocals": false', "noUnusedLocals true → false"),
    ("Cargo.toml", 'unwrap_used = "deny"', 'unwrap_used = "allow"', "unwrap_used deny → allow"),
    (".golangci.yml", "    - govet\n", "", "enable checks less (govet)"),
    ("phpunit.xml", 'failOnWarning="true"', 'failOnWarning="false"', "@failOnWarning true → false"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "old", "new", "said"), _NOTES)
def test_a_linter_that_checks_less_is_a_note(path: str, old: str, new: str, said: str) -> None:
    text = _FILES[path]
    assert old in text
    moments = _encoded({path: text}), _encoded({path: text.replace(old, new, 1)})

    told = story([CheckFiles()], *moments, [ConfigFiles()])

    assert told.headline == f"{path}: {said}"
    assert told.lines[0].severity == Severity.NOTE


# What looks similar and is no warning

_BENIGN = [
    (_CI, "actions/checkout@v4", "actions/checkout@v5"),
    (_CI, "        run: ./upload.sh\n", "        run: ./upload.sh || true\n"),
    (_CI, "      - name: upload\n", "      - name: upload\n        continue-on-error: true\n"),
    (_CI, "      - name: upload\n", "      - name: upload\n        if: false\n"),
    (_CI, "      - name: upload\n        run: ./upload.sh\n", ""),
    (_CI, "pytest -q", "pytest -q -n auto --maxfail=3"),
    (_CI, "pytest -q", "python -m pytest -v"),
    (_CI, "--cov-fail-under=90", "--cov-fail-under=95"),
    (_CI, "pytest -q --cov --cov-fail-under=90", "make test"),
    (_CI, "pytest -q --cov --cov-fail-under=90", "tox -e py"),
    (_CI, "ruff check .", "flake8"),
    (_CI, "ruff check .", "ruff check src tests"),
    (_CI, "      - name: tests", "      # || true would be wrong\n      - name: tests"),
    (_CI, "      - name: tests", "      - name: all tests"),
    (_CI, "  push:\n    branches: [main]\n", ""),
    (_CI, "runs-on: ubuntu-latest", "runs-on: ubuntu-24.04"),
    (_CI, "pip install -e . pytest", "pip install -e . pytest || true"),
    (".gitlab-ci.yml", "  artifacts:\n    when: always\n", "  artifacts:\n    when: on_failure\n"),
    ("Makefile", "\trm -rf build || true\n", "\trm -rf build dist || true\n"),
    ("Makefile", "\t-pkill server\n", "\t-pkill server || true\n"),
    ("Makefile", "\tgrep -r TODO src || true\n", "\tgrep -rn TODO src || true\n\tkill $(PID) || true\n"),
    ("Makefile", "clean:", "lint:\n\truff check .\n\nclean:"),
    ("package.json", '"start": "node ."', '"start": "node . || true"'),
    ("package.json", '"lines": 90', '"lines": 95'),
    ("package.json", "jest --ci", "vitest run"),
    ("package.json", '"lint": "eslint ."', '"lint": "eslint . --max-warnings 0"'),
    ("ci/run.sh", "mypy src\n", "mypy src tests\n"),
    ("ci/run.sh", "pytest -q\n", "rm -f x || true\npytest -q\n"),
    ("pyproject.toml", "fail_under = 90", "fail_under = 95"),
    ("pyproject.toml", 'testpaths = ["tests"]', 'testpaths = ["tests", "docs"]'),
    ("pyproject.toml", '["-q", "--strict-markers"]', '["-v", "--strict-markers", "--durations=10"]'),
    ("pyproject.toml", 'name = "shop"', 'name = "store"'),
    ("pytest.ini", "norecursedirs = build", "norecursedirs = dist"),
    ("tests/conftest.py", "import pytest\n", "import pytest\n\n\n@pytest.fixture\ndef shop():\n    return 1\n"),
    ("jest.config.js", "// testPath", "// the testPath"),
    ("tsconfig.json", '"noUnusedLocals": true', '"noUnusedLocals": true, "target": "es2022"'),
    (".pre-commit-config.yaml", "rev: v0.4", "rev: v0.5"),
    (".travis.yml", "language: python", "language: python\npython: '3.12'"),
    ("tox.ini", "py311, py312, lint", "py311, py312, py313, lint"),
    ("codecov.yml", "target: 90%", "target: 95%"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "old", "new"), _BENIGN)
def test_what_only_looks_like_that_is_no_warning(path: str, old: str, new: str) -> None:
    text = _FILES[path]
    assert old in text

    found = _all({path: text}, {path: text.replace(old, new, 1)})

    assert [fact for fact in found if fact.severity == Severity.HIGH] == []


def test_a_check_that_runs_in_another_file_is_not_gone() -> None:
    without = GITHUB.replace("      - name: lint\n        run: ruff check .\n", "")
    lint = "on: push\njobs:\n  lint:\n    steps:\n      - run: ruff check src\n"
    other = ".github/workflows/lint.yml"

    assert _all({_CI: GITHUB}, {_CI: without})[0].kind == "check.removed"
    assert _all({_CI: GITHUB}, {_CI: without, other: lint}) == []
    assert _all({_CI: GITHUB, other: lint}, {_CI: without, other: lint}) == []


def test_a_pipeline_that_is_gone_is_a_warning_unless_its_project_is() -> None:
    keep = {"src/a.py": "x = 1\n"}
    (fact,) = _all({_CI: GITHUB, **keep}, keep)

    assert (fact.kind, fact.subject, fact.severity) == ("check.removed", "file", "high")
    assert fact.before == "ruff check ., pytest -q --cov"
    assert _all({f"old/{_CI}": GITHUB, **keep}, keep) == []
    assert _all({".travis.yml": "script: pytest\n", **keep}, {".gitlab-ci.yml": "a:\n  script: [pytest]\n", **keep}) == []  # fmt: skip


def test_settings_that_are_new_count_where_there_were_tests() -> None:
    new = {"pytest.ini": "[pytest]\naddopts = -k 'not refund'\n", "tests/test_a.py": "x\n"}

    assert _all({"tests/test_a.py": "x\n"}, new)[0].severity == "high"
    assert _all({}, new) == []


def test_what_became_stricter_is_no_warning_and_is_told() -> None:
    text = PYPROJECT.replace("fail_under = 90", "fail_under = 95")

    (fact,) = _all({"pyproject.toml": PYPROJECT}, {"pyproject.toml": text})

    assert (fact.kind, fact.severity) == ("check.added", "none")
    told = story(
        [CheckFiles()], _encoded({"pyproject.toml": PYPROJECT}), _encoded({"pyproject.toml": text}), [ConfigFiles()]
    )  # fmt: skip
    assert told.headline == "pyproject.toml: coverage limit 90 → 95"


def test_a_file_with_other_changes_keeps_its_own_line() -> None:
    text = PYPROJECT.replace("fail_under = 90", "fail_under = 9").replace('"shop"', '"store"')
    old, new = _encoded({"pyproject.toml": PYPROJECT}), _encoded({"pyproject.toml": text})

    told = story([CheckFiles()], old, new, [ConfigFiles()])

    assert [line.text for line in told.lines] == [
        "pyproject.toml: coverage limit 90 → 9",
        "pyproject.toml: project.name shop → store, tool.coverage.report.fail_under 90 → 9",
    ]


def test_copies_of_libraries_are_not_ours() -> None:
    for place in ("vendor/six", "third_party/x", "node_modules/a"):
        old = {f"{place}/{path}": text for path, text in _FILES.items()}
        assert _all(old, {}) == []


def test_no_secret_of_a_command_is_told() -> None:
    canary = "ghp_1a2B3c4D5e6F7g8H9i0J1k2L3m4N5o6P7q8R"
    old = {"Makefile": f"test:\n\tTOKEN={canary} pytest --token {canary} -q\n"}
    new = {
        "Makefile": f"test:\n\tTOKEN={canary} pytest --token {canary} -q -k 'not {canary}' || true\n"
    }

    assert canary not in str(story([CheckFiles()], _encoded(old), _encoded(new)))
    assert canary not in str(story([CheckFiles()], _encoded(old), {}))


def test_hostile_and_huge_files_cost_one_line_at_most() -> None:
    texts = [
        "(" * 50_000,
        "{" * 50_000,
        "- " * 20_000,
        "a: " * 20_000,
        "[" * 9_999,
        "\0" * 100,
        "'" * 999,
    ]
    texts += [
        "pytest " * 20_000,
        "|| true " * 20_000,
        "a:\n" * 20_000,
        "".join(" " * n + "a:\n" for n in range(300)),
    ]
    for path, text in _FILES.items():
        for other in texts:
            _all({path: text}, {path: other})
            assert problems(CheckFiles(), _encoded({path: text}), _encoded({path: other})) == []
    assert _all({}, {}) == []
    assert (
        facts(CheckFiles(), {"Makefile": MAKE.encode()}, {"Makefile": file(b"", size=1 << 30)})
        == []
    )


@pytest.mark.parametrize(
    ("was", "now", "severity"),
    [
        (("flake8", "isort", "black", "pyupgrade"), ("ruff", "ruff-format"), Severity.NOTE),
        (("mypy",), ("pyright",), Severity.NOTE),
        (("eslint", "prettier"), ("biome-check",), Severity.NOTE),
        (("mypy", "black"), ("ruff",), Severity.HIGH),
        (("detect-secrets",), ("check-yaml",), Severity.HIGH),
    ],
)
def test_a_hook_is_lost_unless_another_does_its_work(
    was: tuple[str, ...], now: tuple[str, ...], severity: str
) -> None:
    def configuration(hooks: tuple[str, ...]) -> dict[str, str]:
        lines = ["repos:", "  - repo: https://example.org/hooks", "    rev: v1", "    hooks:"]
        text = "\n".join([*lines, *(f"      - id: {hook}" for hook in hooks), ""])
        return {".pre-commit-config.yaml": text}

    moments = _encoded(configuration(was)), _encoded(configuration(now))

    told = story([CheckFiles(), CiFiles()], *moments, [ConfigFiles()])

    assert told.lines[0].severity == severity


def test_a_target_that_does_nothing_is_said_to_run_nothing() -> None:
    old = {"Makefile": "test:\n\tpytest -q\n\nclean:\n\trm -rf build\n"}
    new = {"Makefile": "test:\n\t@true\n\nclean:\n\trm -rf build\n"}
    gone = {"Makefile": "clean:\n\trm -rf build\n"}

    told = [story([CheckFiles()], _encoded(old), _encoded(one)).headline for one in (new, gone)]

    assert told == [
        "! Makefile: pytest -q no longer runs (test: true)",
        "! Makefile: pytest -q removed (test)",
    ]


def test_a_secret_in_a_script_that_does_nothing_is_not_told() -> None:
    canary = "ghp_canary16C7e42F292c6912E7710c838347Ae"
    old = {"package.json": '{"scripts": {"test": "jest"}}'}
    new = {"package.json": f'{{"scripts": {{"test": "echo {canary}"}}}}'}

    assert "canary" not in repr(story([CheckFiles()], _encoded(old), _encoded(new)))


@pytest.mark.parametrize(
    "body",
    [
        "session.exitstatus = 0",
        "session.exitstatus = pytest.ExitCode.OK",
        "import os\n    os._exit(0)",
    ],
)
def test_a_hook_that_replaces_the_result_of_all_tests_is_a_warning(body: str) -> None:
    old = b"import pytest\n"
    new = old + f"\n\ndef pytest_sessionfinish(session, exitstatus):\n    {body}\n".encode()
    found = facts(CheckFiles(), {"tests/conftest.py": old}, {"tests/conftest.py": new})
    assert [(one.marks, one.severity) for one in found] == [(("failures ignored",), Severity.HIGH)]


def test_a_hook_that_writes_a_report_or_fails_is_no_warning() -> None:
    old = b"import pytest\n"
    new = (
        old
        + b"\n\ndef pytest_sessionfinish(session, exitstatus):\n    write_report(session)\n    session.exitstatus = 1\n"
    )
    assert facts(CheckFiles(), {"tests/conftest.py": old}, {"tests/conftest.py": new}) == []


_FILTERED = """\
on:
  push:
    {filters}
jobs:
  test:
    steps:
      - run: pytest
"""


@pytest.mark.parametrize(
    ("filters", "is_loud"),
    [
        ("paths-ignore: ['**']", True),
        ("branches-ignore:\n      - '**'", True),
        ("paths-ignore: ['docs/**']", False),
        ("branches: [main]", False),
    ],
)
def test_a_workflow_that_ignores_every_change_runs_no_check(filters: str, is_loud: bool) -> None:
    path = ".github/workflows/ci.yml"
    old, new = (_FILTERED.format(filters=one).encode() for one in ("branches: ['**']", filters))
    found = facts(CheckFiles(), {path: old}, {path: new})
    assert [one.severity for one in found] == ([Severity.HIGH] if is_loud else [])
