"""Settings: each has a default and a check, and belongs to one workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew import opening
from clew.errors import BadOption
from clew.workspace import Workspace

DEFAULTS = {
    "drill.every": "off",
    "exclude": "",
    "exclude-larger-than": "",
    "gate": "off",
    "gate.rules": "",
    "keep-last": "",
    "keep-within": "",
    "max-bytes": "20GB",
    "min-free": "auto",
    "restore.ask": "unsaved",
    "restore.unattended": "off",
    "story.background": "on",
    "story.live-databases": "off",
    "story.detectors": "",
    "story.writer": "",
    "verify": "",
}


def test_the_defaults_are_in_force(ws: Workspace) -> None:
    assert ws.settings.all() == DEFAULTS


def test_a_setting_is_kept_and_goes_back_to_its_default(ws: Workspace, store: Path) -> None:
    ws.settings.set("keep-last", "7")
    with opening.open(ws.info.path.decode(), store=store) as again:
        assert again.settings.all() == {**DEFAULTS, "keep-last": "7"}

    ws.settings.unset("keep-last")

    assert ws.settings.all() == DEFAULTS


def test_a_setting_is_this_workspaces_own(ws: Workspace, store: Path, tmp_path: Path) -> None:
    ws.settings.set("exclude", "*.log")
    (tmp_path / "other").mkdir()
    with opening.open(tmp_path / "other", store=store, create=True) as other:
        assert other.settings.all() == DEFAULTS


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("keep-last", "many"),
        ("keep-last", "-1"),
        ("keep-last", "٣"),
        ("keep-last", ""),
        ("keep-within", "7"),
        ("keep-within", "soon"),
        ("max-bytes", "5 apples"),
        ("max-bytes", ""),
        ("min-free", "most"),
        ("min-free", ""),
        ("restore.unattended", "maybe"),
        ("story.background", "sometimes"),
        ("story.live-databases", "yes"),
        ("exclude", "good\n!bad"),
        ("exclude", "a//b"),
        ("exclude", "a["),
        ("story.detectors", "nothing.at.all:Detector"),
        ("story.detectors", "clew.detectors.files.env_files:Nothing"),
        ("story.detectors", "no colon"),
        ("verify", ""),
        ("verify", " "),
        ("verify", "http://"),
        ("verify", "API_TOKEN=abcdefghijklmnop npm test"),
        ("verify", "true \udcff"),
        ("verify", "echo " + "x" * 5000),
    ],
)
def test_a_value_that_makes_no_sense_is_refused(ws: Workspace, key: str, value: str) -> None:
    with pytest.raises(BadOption) as refused:
        ws.settings.set(key, value)

    assert refused.value.option == key
    assert ws.settings.all() == DEFAULTS


def test_a_bad_pattern_is_refused_with_its_line(ws: Workspace) -> None:
    with pytest.raises(BadOption, match=r"exclude: line 3: a \[ is not closed.*: 'x\['"):
        ws.settings.set("exclude", "*.log\n\nx[\n")


@pytest.mark.parametrize("key", ["colour", "", "Exclude"])
def test_an_unknown_setting_names_those_there_are(ws: Workspace, key: str) -> None:
    with pytest.raises(
        BadOption, match=r"drill\.every, exclude, exclude-larger-than, gate, gate\.rules"
    ):
        ws.settings.set(key, "x")
    with pytest.raises(BadOption):
        ws.settings.unset(key)


def test_excludes_are_in_force_at_the_next_save(ws: Workspace, project: Path) -> None:
    (project / "run.log").write_text("x")
    (project / "file").write_text("x")
    ws.save()
    ws.settings.set("exclude", "*.log")

    coverage = ws.save().checkpoint.record.coverage

    assert coverage.counts == (("excluded", 1),)


def test_a_pattern_of_any_bytes_can_be_excluded(ws: Workspace, project: Path) -> None:
    (project / "caf\udce9.log").write_text("x")
    ws.settings.set("exclude", "caf\udce9.*")

    assert ws.settings.all()["exclude"] == "caf\udce9.*"
    assert ws.save().checkpoint.record.coverage.counts == (("excluded", 1),)


@pytest.mark.parametrize("check", ["npm test", "http://127.0.0.1:3000/health", "a &&\nb"])
def test_a_check_is_kept_as_it_is(ws: Workspace, check: str) -> None:
    ws.settings.set("verify", check)

    assert ws.settings.all()["verify"] == check
