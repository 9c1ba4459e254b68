"""What Terraform has made, told from its state: sizes and outputs, never an attribute that may be secret."""

from __future__ import annotations

import json

import pytest

from clew.detectors.deployment.declarations import Declarations
from clew.detectors.files.config_files import ConfigFiles
from clew.model.story import Story
from tests.kit.moments import story


def _state(*, key: int | None = None, outputs: dict[str, str] | None = None, **attributes: object) -> str:  # fmt: skip
    instance: dict[str, object] = {"attributes": {"id": "i-1", "password": "canary", **attributes}}
    if key is not None:
        instance["index_key"] = key
    resource = {"mode": "managed", "type": "aws_instance", "name": "web", "instances": [instance]}
    given = {name: {"value": one, "type": "string"} for name, one in (outputs or {}).items()}
    return json.dumps({"version": 4, "serial": 7, "outputs": given, "resources": [resource]})


def _told(old: str, new: str) -> Story:
    before, after = ({"terraform.tfstate": one.encode()} for one in (old, new))
    return story([], before, after, [Declarations(), ConfigFiles()])


@pytest.mark.parametrize(
    ("old", "new", "headline"),
    [
        (_state(instance_type="t3.small"), _state(instance_type="t3.large"),
         "terraform.tfstate: aws_instance.web instance_type t3.small → t3.large"),
        (_state(key=1, size=5), _state(key=1, size=9), "terraform.tfstate: aws_instance.web[1] size 5 → 9"),
        (_state(user_data="canary"), _state(user_data="canary2"), "terraform.tfstate: aws_instance.web ~user_data"),
        (_state(), _state(outputs={"address": "canary"}), "terraform.tfstate: +output address"),
        (_state(outputs={"a": "canary"}), _state(outputs={"a": "canary2"}), "terraform.tfstate: output a ~value"),
        (_state(ami="canary"), "[]", "terraform.tfstate changed"),
        (_state(ami="canary"), '{"resources": [' + "[" * 5_000, "terraform.tfstate changed (202 B → 5.0 kB)"),
    ],
)  # fmt: skip
def test_a_changed_state_is_told_without_secrets(old: str, new: str, headline: str) -> None:
    told = _told(old, new)

    assert told.headline == headline
    assert "canary" not in repr(told)
    assert all(fact.severity != "high" for fact in told.facts)
