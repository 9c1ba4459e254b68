"""Jobs and steps of a pipeline in YAML: which came, went or changed."""

from __future__ import annotations

from collections.abc import Iterator

from clew.detectors.checks.check_commands import shown_words
from clew.detectors.checks.yaml_tree import YamlNode, yaml_tree

_NAMES = ("name", "displayName", "label", "id", "uses", "task", "run", "script", "bash", "command")
_ACTS = frozenset(
    ("run", "uses", "script", "task", "bash", "command", "pwsh", "commands", "checkout")
)
_STARTS = frozenset(("on", "true", "triggers", "trigger", "workflow", "schedules", "only", "rules"))
_MAX_MARKS = 6
_SHOWN = 40


def step_changes(before: bytes, after: bytes) -> list[str]:
    """Return marks such as `+step deploy`, `−job lint`, `~step tests`, `~triggers`."""
    old, new = (_parts(content.decode("utf-8", "replace")) for content in (before, after))
    marks = []
    gone = [name for name in old if name not in new]
    fresh = [name for name in new if name not in old]
    whole = {name for name in (*gone, *fresh) if name.startswith("job ")}
    for sign, names in (("+", fresh), ("−", gone)):
        marks += [
            f"{sign}{_shown(name)}" for name in names if _job_of(name) not in whole or name in whole
        ]
    marks += [f"~{_shown(name)}" for name in new if name in old and old[name] != new[name]]
    if len(marks) > _MAX_MARKS:
        marks[_MAX_MARKS:] = [f"and {len(marks) - _MAX_MARKS:,} more"]
    return marks


def _shown(name: str) -> str:
    """Return the name of a step without its job."""
    kind, _, rest = name.partition(" ")
    return f"{kind} {shown_words(rest.partition(chr(0))[2] or rest, _SHOWN)}".strip()


def _job_of(name: str) -> str:
    kind, _, rest = name.partition(" ")
    return f"job {rest.partition(chr(0))[0]}" if kind == "step" else name


def _parts(text: str) -> dict[str, str]:
    """Return the text of each job, step and other part."""
    root = yaml_tree(text)
    found: dict[str, str] = {}
    for job, node in _jobs(root):
        steps = list(_steps(node))
        for label, step in steps:
            found[f"step {job}\0{label}"] = _text(step, ())
        found[f"job {job}"] = (
            _text(node, tuple(step for _, step in steps)) if not steps else _head(node)
        )
    for child in root.children:
        if child.key in _STARTS:
            found["triggers"] = found.get("triggers", "") + _text(child, ())
    return found


def _jobs(root: YamlNode) -> Iterator[tuple[str, YamlNode]]:
    """Yield the jobs of a pipeline: below `jobs`, or those of GitLab at the top."""
    jobs = root.child("jobs")
    if jobs is not None:
        for child in jobs.children:
            yield child.key or child.text("job") or child.text("name"), child
        return
    for child in root.children:
        if (
            child.key and any(one.key in _ACTS or one.key == "steps" for one in child.children)
        ) or child.key in ("steps", "stages", "pipeline", "runs"):
            yield child.key, child


def _steps(job: YamlNode) -> Iterator[tuple[str, YamlNode]]:
    for node in job.walk():
        if node.is_item and any(one.key in _ACTS for one in node.children):
            yield _label(node), node


def _label(node: YamlNode) -> str:
    for key in _NAMES:
        text = node.text(key)
        if text:
            first = text.split("\n")[0]
            return first.partition("@")[0] if key == "uses" else first
    return "step"


def _head(job: YamlNode) -> str:
    """Return a job without its steps."""
    return "\n".join(_text(one, ()) for one in job.children if one.key not in ("steps", "script"))


def _text(node: YamlNode, without: tuple[YamlNode, ...]) -> str:
    return "\n".join(f"{one.key}: {one.value}" for one in node.walk() if one not in without)
