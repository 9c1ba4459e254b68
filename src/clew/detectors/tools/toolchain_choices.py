"""Selected tool versions: a manager's default, a project's version file."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping

from clew.detectors.detector import Tree
from clew.detectors.tools.toolchain_layouts import ToolchainLayout

_LIMIT = 1 << 16
_MAX_TOOLS = 200
_VERSION = re.compile(r"[\w.+:@/*-]{1,60}")
_TOOL = re.compile(r"[\w.@:/-]{1,60}")


def default_of(tree: Tree, layout: ToolchainLayout, path: str) -> dict[str, str]:
    """Return the default version, by tool."""
    entry = tree.entry(path)
    if entry is None:
        return {}
    if not entry.is_file:
        target = entry.target.decode("utf-8", "surrogateescape").rstrip("/")
        target = target.removesuffix("/installation")  # fnm's links lead one level deeper
        return _checked({layout.tool: target.rpartition("/")[2]})
    content = (tree.read(path, _LIMIT) or b"").decode("utf-8", "replace")
    if path.endswith(".toml"):
        return _checked({layout.tool: tomllib.loads(content).get("default_toolchain")})
    if path.endswith(".json"):
        return _platform(content)
    return _checked({layout.tool: " ".join(content.split()[:1])})


def chosen(tree: Tree, path: str) -> dict[str, str]:
    """Return the versions that a project's file selects, by tool."""
    content = (tree.read(path, _LIMIT) or b"").decode("utf-8", "replace")
    if path.endswith(".toml"):
        tools = tomllib.loads(content).get("tools")
        return _checked(tools if isinstance(tools, dict) else {})
    found: dict[str, object] = {}
    for line in content.splitlines():
        words = line.partition("#")[0].split()
        if len(words) >= 2:
            found[words[0]] = words[1]
    return _checked(found)


def _platform(content: str) -> dict[str, str]:
    """Return Volta's versions: `{"node": {"runtime": "20.1.0", "npm": null}, "yarn": null}`."""
    platform = json.loads(content)
    if not isinstance(platform, dict):
        return {}
    node = platform.get("node")
    found: dict[str, object] = dict(platform)
    if isinstance(node, dict):
        found["node"] = node.get("runtime")
        found["npm"] = node.get("npm")
    return _checked(found)


def _checked(versions: Mapping[str, object]) -> dict[str, str]:
    """Return the valid tools and versions; nothing else of such a file is shown."""
    found = {}
    for tool, value in list(versions.items())[:_MAX_TOOLS]:
        version = value.get("version") if isinstance(value, dict) else value
        if isinstance(version, list) and version:
            version = version[0]
        if not isinstance(version, str) or not isinstance(tool, str):
            continue
        if _TOOL.fullmatch(tool) and _VERSION.fullmatch(version):
            found[tool] = version
    return found
