"""Text of enable, disable and doctor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.setup_results import CheckOutcome, Feature, SettingsChange, SetupState
from clew.render import timestamps, units
from clew.render.safe import safe, safe_line, safe_path
from clew.render.style import paint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.model.checkpoint import WorkspaceInfo
    from clew.model.save_result import SaveResult
    from clew.model.setup_results import Checkup, Disabled, EditedFile, Enabled
    from clew.render.style import Style

_WORDS = {
    Feature.HOOKS: "hooks",
    Feature.MCP: "MCP server",
    Feature.SKILL: "skill",
    Feature.INSTRUCTIONS: "instructions",
}
_STATES = {
    SetupState.ENABLED: "enabled",
    SetupState.OUTDATED: "OUTDATED",
    SetupState.UNREADABLE: "UNREADABLE",
    SetupState.MISSING: "MISSING",
}
_MARKS = {
    CheckOutcome.PASSED: ("✔", "green"),
    CheckOutcome.SKIPPED: ("-", "dim"),
    CheckOutcome.WARNING: ("!", "yellow"),
    CheckOutcome.FAILED: ("✘", "red"),
}


def enabled(result: Enabled) -> Iterator[str]:
    """Yield the workspace, the written files, and the remaining manual steps."""
    what = "the whole machine" if result.machine else _workspace(result.workspace)
    yield f"{result.title} is enabled for {what}"
    if result.saved is not None:
        yield f"  saved      {_first(result.saved)}"
        yield f"  history    {safe(result.store)}"
    if result.gate:
        yield "  gate       on: actions outside the workspace need approval"
    hooks = [one for one in result.files if Feature.HOOKS in one.features]
    for one in result.files:
        change = _removal(one) if one in hooks[1:] else one.change  # moved to the first
        yield f"  {change:<9}  {_file(one)}"
    for need in result.needs:
        yield f"  to do      {safe(need)}"
    user = " --user" if result.scope == "user" else ""
    yield f"`clew disable {result.agent}{user}` removes it, `clew doctor` checks it"


def disabled(result: Disabled) -> Iterator[str]:
    """Yield what was removed, and what was left."""
    if not result.files and not result.left:
        yield "Nothing to remove: no entries of clew found"
    for one in result.files:
        yield f"  {_removal(one):<9}  {_file(one)}"
    for left in result.left:
        what = "kept" if left.needed else "LEFT"
        yield f"  {what:<9}  {safe(left.path)}: {safe_line(left.why)}"
    if result.files:
        yield "The history is kept; `clew log` shows it"


def checkup(found: Checkup, look: Style) -> Iterator[str]:
    """Yield the state of agents and store; then the problems, each with the next step."""
    for one in found.agents:
        whole = ", the whole machine" if one.machine else ""
        yield f"{one.title:<12} {_STATES[one.state]}{whole}: {safe(one.path)}"
    if not found.agents:
        yield "No agent is enabled; enable one with `clew enable AGENT`"
        installed = [name for name, path in found.programs if path]
        if installed:
            yield f"  on the PATH: {', '.join(installed)}"
    yield from _kept(found, look)
    for failure in found.failures:
        time = timestamps.short(failure.time_ns, look)
        where = safe_line(f"{failure.agent} {failure.event}")
        yield f"  {time}  {where} in {safe_line(failure.directory)}: {safe_line(failure.message)}"
    yield from _checks(found, look)
    if not found.problems:
        yield paint("No problems found", "green", look)


def _checks(found: Checkup, look: Style) -> Iterator[str]:
    """Yield what passed, then the others with their remedies: the last line is the most urgent."""
    for outcome, (mark, colour) in _MARKS.items():
        for one in found.checks:
            if one.outcome == outcome:
                yield paint(f"{mark} {safe_line(one.detail, 500)}", colour, look)
                if one.remedy:
                    yield f"  {safe_line(one.remedy, 500)}"


def _kept(found: Checkup, look: Style) -> Iterator[str]:
    if found.workspace is None:
        return
    free = "" if found.free_bytes is None else f", {units.size(found.free_bytes)} free"
    yield f"{'Workspace':<12} {safe_path(found.workspace.path)}"
    yield f"{'Store':<12} {safe(found.store or '')}{free}"
    if found.heard_ns is not None:
        yield f"{'Last active':<12} {timestamps.short(found.heard_ns, look)}"


def _workspace(info: WorkspaceInfo | None) -> str:
    return "every workspace it works in" if info is None else safe_path(info.path)


def _first(saved: SaveResult) -> str:
    coverage = saved.checkpoint.record.coverage
    entries = units.count(coverage.files, "entry", "entries")
    name = safe(saved.checkpoint.labels.name)
    what = f"as {name}" if saved.created else f"already, as {name}"
    return f"{what}: {entries}, {units.size(coverage.total_bytes)}"


def _removal(touched: EditedFile) -> str:
    return "removed" if touched.change == SettingsChange.REMOVED else "cleaned"


def _file(touched: EditedFile) -> str:
    return f"{safe(touched.path)} ({', '.join(_WORDS[what] for what in touched.features)})"
