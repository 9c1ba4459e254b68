"""Directories of version managers, and the versions in them."""

from __future__ import annotations

from clew.detectors.detector import Evidence
from clew.detectors.tools.toolchain_layouts import LAYOUTS, ToolchainLayout
from clew.model.named_tuple import NamedTuple


class Home(NamedTuple):
    """One manager's directory in the tree."""

    layout: ToolchainLayout
    path: str

    @property
    def versions(self) -> str:
        """The directory that contains the versions."""
        return f"{self.path}/{self.layout.versions}"

    def version_at(self, path: str) -> str:
        """Return the directory of the version that a path is in, existing or not."""
        depth = self.versions.count("/") + (2 if self.layout.tool else 3)
        return "/".join(path.split("/")[:depth])


def home_of(path: str) -> Home | None:
    """Return the manager's directory that contains a path."""
    slashed = f"/{path}/"
    for marker, layouts in _BY_MARKER.items():
        if f"/{marker}/" not in slashed:
            continue
        for layout in layouts:
            at = slashed.find(f"/{layout.root}/")
            if at >= 0 and (at == 0 or not layout.root.startswith(("usr/", "opt/"))):
                return Home(layout, slashed[1 : at + 1 + len(layout.root)])
    return None


def came_with_toolchain(evidence: Evidence, path: str) -> bool:
    """Return whether a path is in a version of a toolchain that was added or removed."""
    home = home_of(path)
    if home is None or not path.startswith(home.versions + "/"):
        return False
    version = home.version_at(path)
    return (evidence.old.entry(version) is None) != (evidence.new.entry(version) is None)


_BY_MARKER: dict[str, list[ToolchainLayout]] = {}
for _layout in LAYOUTS:
    _BY_MARKER.setdefault(_layout.marker, []).append(_layout)
