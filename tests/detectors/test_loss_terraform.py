from __future__ import annotations

import json

import pytest

from clew.detectors.losses.terraform_state import TerraformState
from tests.kit.losses import alarms, tell
from tests.kit.moments import facts, problems

Resource = dict[str, object]


def _resource(kind: str, name: str, *ids: str, **other: object) -> Resource:
    instances: list[Resource] = [{"attributes": {"id": one, "password": "canary-9"}} for one in ids]
    if len(ids) > 1:
        instances = [{**one, "index_key": at} for at, one in enumerate(instances)]
    return {"mode": "managed", "type": kind, "name": name, "instances": instances, **other}


def _state(*resources: Resource) -> bytes:
    return json.dumps({"version": 4, "lineage": "x", "resources": resources}).encode()


def _gone(old: bytes, new: bytes) -> list[str]:
    found = facts(TerraformState(), {"terraform.tfstate": old}, {"terraform.tfstate": new})
    return [fact.subject for fact in found]


DATABASE = _resource("aws_db_instance", "main", "db-1")
WEB = _resource("aws_instance", "web", "i-1")


def test_a_resource_that_is_gone_from_the_state_is_a_loss() -> None:
    assert _gone(_state(DATABASE, WEB), _state(WEB)) == ["aws_db_instance.main"]


def test_its_line_says_what_the_state_proves() -> None:
    story = tell({"terraform.tfstate": _state(DATABASE, WEB)}, {"terraform.tfstate": _state(WEB)})

    assert story.headline.startswith("! aws_db_instance.main destroyed")
    assert story.lines[0].text == (
        "aws_db_instance.main destroyed, or removed from terraform.tfstate"
    )
    assert "canary-9" not in repr(story)


def test_everything_destroyed_is_told_of_each() -> None:
    assert _gone(_state(DATABASE, WEB), _state()) == ["aws_db_instance.main", "aws_instance.web"]


def test_one_of_several_instances_is_named_by_its_index() -> None:
    old, new = (_resource("aws_instance", "web", *ids) for ids in (("a", "b"), ("a",)))

    assert _gone(_state(old), _state({**new, "instances": old["instances"][:1]})) == [  # type: ignore[index]
        "aws_instance.web[1]"
    ]


def test_a_resource_in_a_module_has_its_address() -> None:
    inside = _resource("aws_s3_bucket", "media", "media-1", module="module.storage")

    assert _gone(_state(inside), _state()) == ["module.storage.aws_s3_bucket.media"]


def test_a_resource_that_was_moved_to_another_address_is_not_gone() -> None:
    renamed = {**DATABASE, "name": "primary"}

    assert _gone(_state(DATABASE), _state(renamed)) == []


def test_a_resource_that_was_moved_to_another_state_is_not_gone() -> None:
    old = {"a/terraform.tfstate": _state(DATABASE, WEB), "b/terraform.tfstate": _state()}
    new = {"a/terraform.tfstate": _state(WEB), "b/terraform.tfstate": _state(DATABASE)}

    assert facts(TerraformState(), old, new) == []


def test_a_database_that_was_made_again_is_a_loss_and_a_server_is_not() -> None:
    old = _state(DATABASE, WEB)
    new = _state(
        _resource("aws_db_instance", "main", "db-2"), _resource("aws_instance", "web", "i-2")
    )

    assert _gone(old, new) == ["aws_db_instance.main"]


@pytest.mark.parametrize(
    "kind", ["null_resource", "random_id", "time_sleep", "aws_iam_role_policy_attachment"]
)
def test_helpers_and_wiring_are_no_loss(kind: str) -> None:
    assert _gone(_state(_resource(kind, "x", "1")), _state()) == []


def test_data_sources_are_no_resources() -> None:
    assert _gone(_state({**DATABASE, "mode": "data"}), _state()) == []


def test_a_change_of_attributes_loses_nothing() -> None:
    assert _gone(_state(DATABASE), _state({**DATABASE, "provider": "x"})) == []


def test_a_stack_of_pulumi_is_read_as_well() -> None:
    def stack(*names: str) -> bytes:
        resources = [
            {"urn": f"urn:pulumi:dev::shop::aws:rds:Instance::{n}", "type": "aws:rds:Instance", "id": n}
            for n in names
        ]  # fmt: skip
        return json.dumps({"checkpoint": {"latest": {"resources": resources}}}).encode()

    path = ".pulumi/stacks/shop/dev.json"

    (fact,) = facts(TerraformState(), {path: stack("main", "logs")}, {path: stack("logs")})

    assert fact.subject == "aws:rds:Instance.main"


def test_a_state_file_that_is_gone_or_empty_is_lost_as_a_file() -> None:
    old = {"terraform.tfstate": _state(DATABASE)}

    assert alarms(old, {"x": b""}) == [("loss.deleted", "file", "terraform.tfstate")]
    assert alarms(old, {"terraform.tfstate": b""}) == [
        ("loss.emptied", "file", "terraform.tfstate")
    ]


@pytest.mark.parametrize(
    "content", [b"{", b"[]", b'{"resources": 3}', b'{"resources": [[1]]}', b"\xff"]
)
def test_a_hostile_state_costs_one_line_at_most(content: bytes) -> None:
    old, new = {"terraform.tfstate": _state(DATABASE)}, {"terraform.tfstate": content}

    assert len(problems(TerraformState(), old, new)) <= 1


def test_very_many_resources_are_few_facts() -> None:
    many = [_resource("aws_instance", f"web{n}", f"i-{n}") for n in range(300)]

    found = _gone(_state(*many), _state())

    assert len(found) == 21
    assert found[-1] == "280 more resources"
