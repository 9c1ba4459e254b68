"""JSON of enable, disable and doctor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.render.json_values import checkpoint_value, workspace_value
from clew.render.timestamps import rfc3339

if TYPE_CHECKING:
    from clew.model.setup_results import Checkup, Disabled, EditedFile, Enabled
    from clew.render.shapes import setup


def enabled(result: Enabled) -> setup.EnableOutput:
    return {
        "agent": result.agent,
        "scope": result.scope,
        "is_machine": result.machine,
        "was_gate_enabled": result.gate,
        "workspace": None if result.workspace is None else workspace_value(result.workspace),
        "store": result.store,
        "checkpoint": None if result.saved is None else checkpoint_value(result.saved.checkpoint),
        "was_created": result.saved is not None and result.saved.created,
        "files": [_file(one) for one in result.files],
        "manual_steps": list(result.needs),
    }


def disabled(result: Disabled) -> setup.DisableOutput:
    return {
        "files": [_file(one) for one in result.files],
        "skipped": [
            {"file": one.path, "reason": one.why, "is_in_use": one.needed} for one in result.left
        ],
    }


def checkup(found: Checkup) -> setup.DoctorOutput:
    return {
        "agents": [
            {
                "agent": one.agent,
                "scope": one.scope,
                "file": one.path,
                "state": one.state,
                "is_machine": one.machine,
            }
            for one in found.agents
        ],
        "programs": [{"agent": name, "program": path} for name, path in found.programs],
        "clew_program": found.clew,
        "workspace": None if found.workspace is None else workspace_value(found.workspace),
        "store": found.store,
        "free_bytes": found.free_bytes,
        "last_active_time": None if found.heard_ns is None else rfc3339(found.heard_ns),
        "hook_failures": [
            {
                "time": rfc3339(one.time_ns),
                "agent": one.agent,
                "event": one.event,
                "directory": one.directory,
                "message": one.message,
            }
            for one in found.failures
        ],
        "problems": [{"message": one.what, "hint": one.hint} for one in found.problems],
        "checks": [
            {
                "name": one.name,
                "outcome": one.outcome,
                "detail": one.detail,
                "remedy": one.remedy,
            }
            for one in found.checks
        ],
    }


def _file(touched: EditedFile) -> setup.EditedFile:
    return {
        "file": touched.path,
        "features": list(touched.features),
        "change": touched.change,
        "agent": touched.agent,
        "scope": touched.scope,
    }
