"""Checks that files run: pipelines of build servers, makefiles, scripts and hooks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.detectors.checks.check_commands import IGNORED, STOPPED, Command, commands_in
from clew.detectors.checks.idle_steps import idle_scripts, idle_targets
from clew.detectors.checks.yaml_tree import YamlNode, yaml_tree
from clew.detectors.files.loose_json import as_object, read_json
from clew.model.named_tuple import NamedTuple

_PIPELINES = frozenset((
    ".gitlab-ci.yml", ".gitlab-ci.yaml", "azure-pipelines.yml", "azure-pipelines.yaml", ".travis.yml",
    "bitbucket-pipelines.yml", ".drone.yml", ".woodpecker.yml", ".woodpecker.yaml", "appveyor.yml",
    ".appveyor.yml", "cloudbuild.yaml", "cloudbuild.yml", "buildspec.yml", "buildspec.yaml",
    ".cirrus.yml", "wercker.yml", "Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "lefthook.yml",
    ".lefthook.yml", "codemagic.yaml", "bitrise.yml", ".semaphore.yml", "shippable.yml", ".build.yml",
))  # fmt: skip
_PIPELINE_DIRECTORIES = frozenset((
    "workflows", "actions", ".circleci", ".buildkite", ".woodpecker", ".gitlab", ".semaphore", ".azure",
    ".azure-pipelines", ".drone", ".builds",
))  # fmt: skip
_MAKEFILES = frozenset(("Makefile", "makefile", "GNUmakefile", "Justfile", "justfile", ".justfile"))
_SCRIPTS = frozenset(
    ("Jenkinsfile", "noxfile.py", "tasks.py", "Rakefile", "Earthfile", "dodo.py", "Gemfile")
)
_SCRIPT_NAME = re.compile(
    r"(?:[\w.-]*[_-])?(?:tests?|checks?|lint|ci|verify|run|build|spec)(?:[_-][\w.-]*)?(?:\.(?:sh|bash))?",
    re.I,
)
_SCRIPT_DIRECTORIES = ("ci", ".ci", "scripts", "script", "bin", "tools", "hack")
_HOOK_DIRECTORIES = (".husky", ".githooks")

NAMES = (
    *sorted(_PIPELINES | _MAKEFILES | _SCRIPTS),
    "package.json",
    "composer.json",
    "tox.ini",
    "deno.json",
    ".pre-commit-config.yaml",
)
SUFFIXES = (".yml", ".yaml", ".mk", ".sh", ".bash", ".groovy", "")
DIRECTORIES = (
    ".github",
    ".circleci",
    ".buildkite",
    ".woodpecker",
    ".gitea",
    ".forgejo",
    ".husky",
    ".githooks",
)

_NAMED = frozenset((
    *_PIPELINES, *_MAKEFILES, *_SCRIPTS,
    "package.json", "composer.json", "tox.ini", "deno.json", ".pre-commit-config.yaml",
))  # fmt: skip
_PIPELINE_PLACE = re.compile(
    rf"(?:^|/)(?:{'|'.join(re.escape(name) for name in sorted(_PIPELINE_DIRECTORIES))})/"
)
_SCRIPT_PLACE = re.compile(rf"(?:^|/)(?:{'|'.join(map(re.escape, _SCRIPT_DIRECTORIES))})/[^/]*$")
_HOOK_PLACE = re.compile(rf"(?:^|/)(?:{'|'.join(map(re.escape, _HOOK_DIRECTORIES))})/")

_SHELL_KEYS = frozenset((
    "run", "script", "before_script", "after_script", "command", "commands", "sh", "bash", "pwsh",
    "powershell", "cmd", "cmds", "test_script", "build_script", "args", "install", "entry", "inline",
))  # fmt: skip
_TRUE = frozenset(("true", "yes", "on", "1"))
_FALSE = frozenset(("false", "no", "off", "0", "${{ false }}", "${{false}}", "never()", "'false'"))
_FLAGS: tuple[tuple[str, frozenset[str], str], ...] = (
    ("continue-on-error", _TRUE, IGNORED),
    ("continueOnError", _TRUE, IGNORED),
    ("allow_failure", _TRUE, IGNORED),
    ("soft_fail", _TRUE, IGNORED),
    ("ignore_failure", _TRUE, IGNORED),
    ("ignore_error", _TRUE, IGNORED),
    ("ignore_errors", _TRUE, IGNORED),
    ("failure", frozenset(("ignore",)), IGNORED),
    ("if", _FALSE, STOPPED),
    ("when", frozenset(("manual", "never", "on_failure", "always() && false")), STOPPED),
    ("condition", frozenset((*_FALSE, "eq(1, 0)")), STOPPED),
    ("enabled", _FALSE, STOPPED),
    ("skip", _TRUE, STOPPED),
    ("disabled", _TRUE, STOPPED),
)  # fmt: skip
_EVENTS = frozenset(("push", "pull_request", "merge_group", "schedule", "merge_requests"))


class Pipeline(NamedTuple):
    """What a file runs."""

    commands: list[Command]
    events: frozenset[str] = frozenset()
    """What starts it; empty if it was not read."""
    hooks: frozenset[str] = frozenset()
    """The hooks of pre-commit, or required checks."""
    allowed: frozenset[str] = frozenset()
    """Jobs of a matrix that may fail."""
    idle: dict[str, str] = {}
    """Scripts and targets that do nothing, and what is there instead."""


def is_pipeline(path: str) -> bool:
    """Return whether a file may run checks, by its name and place."""
    name = path[path.rfind("/") + 1 :]
    if name in _NAMED or name.startswith(("Jenkinsfile", "azure-pipelines")):
        return True
    if name.endswith((".yml", ".yaml")):
        return _PIPELINE_PLACE.search(path) is not None or _is_settings(path)
    if name.endswith(".mk"):
        return True
    is_script = name.endswith((".sh", ".bash"))
    if not is_script and "." in name:
        return False
    if _HOOK_PLACE.search(path) is not None:
        return "/_/" not in path
    is_named = _SCRIPT_NAME.fullmatch(name) is not None
    return is_named and (is_script or _SCRIPT_PLACE.search(path) is not None)


def _is_settings(path: str) -> bool:
    """Return whether a file has the rules of a repository's branches (the app `settings`)."""
    return path.endswith((".github/settings.yml", ".github/settings.yaml"))


def read_pipeline(path: str, content: bytes) -> Pipeline:
    """Return the checks that a file runs."""
    name = path.rpartition("/")[2]
    text = content.decode("utf-8", "replace").replace("\r\n", "\n")
    if name == ".pre-commit-config.yaml":
        return _pre_commit(text)
    if name.endswith(("package.json", "composer.json", "deno.json")):
        return Pipeline(list(_scripts(content)), idle=dict(idle_scripts(_named_scripts(content))))
    if name.endswith((".yml", ".yaml")):
        return _yaml(text)
    if name in _MAKEFILES or name.endswith(".mk"):
        return Pipeline(list(_makefile(text)), idle=dict(idle_targets(_joined(text), _TARGET)))
    return Pipeline(list(_script(text, name)))


def _yaml(text: str) -> Pipeline:
    root = yaml_tree(text)
    commands = list(_steps(root, "", frozenset(), 0))
    events = _events(root)
    contexts = frozenset(
        value
        for node in root.walk()
        if node.key in ("contexts", "checks")
        for value in node.scalars()
    )
    allowed = frozenset(
        " ".join(one.value or one.key for one in item.walk() if one.value)
        for node in root.walk()
        if node.key == "allow_failures"
        for item in node.children
    )
    return Pipeline(commands, events, contexts, allowed)


def _events(root: YamlNode) -> frozenset[str]:
    """Return what starts a workflow of GitHub."""
    found = root.child("on") or root.child("'on'") or root.child("true")
    if found is None:
        return frozenset()
    names = [*found.scalars(), *(_event(one) for one in found.children if one.key)]
    return frozenset(name for name in names if name)


def _event(node: YamlNode) -> str:
    """Return the name of an event, which says so if its filters leave nothing."""
    for key in ("paths-ignore", "branches-ignore", "tags-ignore"):
        filters = node.child(key)
        if filters is not None and not {"**", "**/*", "*"}.isdisjoint(
            one.strip("\"'") for one in filters.scalars()
        ):
            return f"{node.key} of nothing"
    return node.key


def _steps(
    node: YamlNode, label: str, flags: frozenset[tuple[str, str]], depth: int
) -> Iterator[Command]:
    """Yield the commands at and below a node, with the flags of all nodes around them."""
    if depth > 30:
        return
    flags = flags | frozenset(_flags(node))
    name = node.text("name") or node.text("displayName") or node.text("label") or node.text("task")
    label = name or label
    for child in node.children:
        if child.key in _SHELL_KEYS:
            yield from _shell(_texts(child), label, flags)
            if child.children and not child.scalars():
                yield from _steps(child, label, flags, depth + 1)
        elif child.is_item and child.value:
            yield from _shell([child.value], label, flags)
        else:
            inner = (
                child.key
                if child.key and not name and child.key not in ("steps", "jobs")
                else label
            )
            yield from _steps(child, inner, flags, depth + 1)


def _texts(node: YamlNode) -> list[str]:
    return [node.value] if node.value else node.scalars()


def _flags(node: YamlNode) -> Iterator[tuple[str, str]]:
    for key, values, effect in _FLAGS:
        child = node.child(key)
        if child is not None and child.value.lower() in values:
            yield effect, f"{key}: {child.value}"
        elif child is not None and effect == IGNORED and child.children and key == "allow_failure":
            yield effect, f"{key}: {', '.join(one.key for one in child.children)}"


def _shell(texts: list[str], label: str, flags: frozenset[tuple[str, str]]) -> Iterator[Command]:
    """Yield the commands of a script; `set +e` and an early `exit 0` weaken those that follow."""
    for text in texts:
        state: set[tuple[str, str]] = set(flags)
        for line in _joined(text):
            stripped = line.strip()
            if stripped.startswith("#"):
                continue
            if re.match(r"set\s+\+e\b|set\s+\+o\s+errexit", stripped):
                state.add((IGNORED, "set +e"))
            elif re.match(r"set\s+-\w*e|set\s+-o\s+errexit", stripped):
                state.discard((IGNORED, "set +e"))
            yield from commands_in(_without_comment(line), label, state)
            if re.match(r"(?:exit|return)\s+0\s*;?$", stripped) and not line[:1].isspace():
                state.add((STOPPED, f"{stripped} before it"))


def _joined(text: str) -> list[str]:
    return re.sub(r"\\\n\s*", " ", text).split("\n")


def _without_comment(line: str) -> str:
    return re.sub(r"(?:^|\s)#(?!\{).*$", "", line)


_TARGET = re.compile(r"^(?P<name>[\w./%$(){} -]{1,120}?)\s*+:(?!=)(?!:=)")


def _makefile(text: str) -> Iterator[Command]:
    label = ""
    ignored = set()
    for line in _joined(text):
        if line.startswith(".IGNORE"):
            ignored |= set(line.partition(":")[2].split()) or {"*"}
    for line in _joined(text):
        if line[:1] in ("\t", " ") and line.strip():
            recipe = line.strip()
            flags: set[tuple[str, str]] = set()
            prefix = re.match(r"[@+-]*", recipe)
            if prefix is not None and "-" in prefix[0]:
                flags.add((IGNORED, "-"))
            if label in ignored or "*" in ignored:
                flags.add((IGNORED, ".IGNORE"))
            yield from commands_in(_without_comment(recipe.lstrip("@+-")), label, flags)
            continue
        match = _TARGET.match(line)
        label = match["name"].strip() if match else label
        if re.match(r"[\w.]{1,80}\s*[:+?]?=", line):
            yield from _variable(line)


def _variable(line: str) -> Iterator[Command]:
    """Yield a variable with options of a test tool as a command of its own."""
    name, _, value = line.partition("=")
    found = list(commands_in(f"pytest {_without_comment(value)}", name.strip(" :+?")))
    if found and (found[0].weak or found[0].limits):
        yield found[0]._replace(core=name.strip(" :+?"), tool=name.strip(" :+?"))


def _scripts(content: bytes) -> Iterator[Command]:
    """Yield the checks among the scripts of `package.json` and its relatives."""
    for name, value in list(_named_scripts(content).items())[:500]:
        texts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        found = [
            command
            for text in texts
            if isinstance(text, str)
            for command in commands_in(text, name)
        ]
        if not found and re.search(r"test|lint|check|typecheck|verify|e2e", name) and texts:
            found = list(_unknown_check(name, str(texts[0])))
        yield from found


def _named_scripts(content: bytes) -> dict[str, object]:
    data = read_json(content) or {}
    return {**as_object(data.get("scripts")), **as_object(data.get("tasks"))}


def _unknown_check(name: str, text: str) -> Iterator[Command]:
    """Yield a script that is a check by its name, unless it does nothing."""
    words = text.split()
    if not words or words[0] in ("echo", "true", ":", "exit") or "no test specified" in text:
        return
    for command in commands_in(f"npm run {name} {text}", name):
        yield command._replace(core=text[:200], tool=words[0])


_PASSES = re.compile(r"\bcatchError\b|\bwarnError\b|returnStatus\s*:\s*true|\bunstable\s*\(")


def _script(text: str, name: str) -> Iterator[Command]:
    """Yield the checks of a shell script, a Jenkinsfile, or a program that starts others."""
    state: set[tuple[str, str]] = set()
    lines = _joined(text)
    has_errexit = any(re.match(r"\s*set\s+-\w*e|#!.*\s-\w*e", line) for line in lines)
    ends_well = bool(lines) and _last_statement(lines) in ("exit 0", "true", ":")
    is_shell = not name.endswith((".py", "file"))
    if is_shell and ends_well and not has_errexit:
        state.add((IGNORED, _last_statement(lines)))
    for line in lines:
        stripped = line.strip()
        if stripped.startswith(("#", "//", "*", "/*")):
            continue
        if re.match(r"set\s+\+e\b", stripped):
            state.add((IGNORED, "set +e"))
        elif re.match(r"set\s+-\w*e", stripped):
            state.discard((IGNORED, "set +e"))
        found = _PASSES.search(stripped)
        if found is not None:
            state.add((IGNORED, found[0].strip(" (")))
        flags = {*state, (IGNORED, "-")} if name == "tox.ini" and stripped[:2] == "- " else state
        yield from commands_in(_quoted_list(_without_comment(line)), name, flags)
        if is_shell and re.match(r"(?:exit|return)\s+0\s*;?$", line):
            state.add((STOPPED, "exit 0 before it"))


def _quoted_list(line: str) -> str:
    """Return `session.run("pytest", "-q")` as a command line."""
    if ".run(" not in line and ".install(" not in line:
        return line
    return re.sub(r"[\"'],\s*[\"']", " ", line).replace('("', " ").replace("('", " ")


def _last_statement(lines: list[str]) -> str:
    found = [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
    return found[-1].rstrip(";") if found else ""


def _pre_commit(text: str) -> Pipeline:
    root = yaml_tree(text)
    hooks = []
    for node in root.walk():
        if node.key == "" and node.is_item and node.text("id"):
            stages = node.child("stages")
            manual = stages is not None and set(stages.scalars()) <= {"manual"}
            hooks.append(node.text("id") + (" (manual)" if manual else ""))
    skipped = [value for node in root.walk() if node.key == "skip" for value in node.scalars()]
    return Pipeline([], hooks=frozenset(hook for hook in hooks if hook not in skipped))
