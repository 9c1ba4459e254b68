"""Terraform state, as Terraform 1.11 writes it."""

from __future__ import annotations

import json


def terraform_state(serial: int, resources: list[dict[str, object]], **outputs: str) -> str:
    state = {
        "version": 4, "terraform_version": "1.11.4", "serial": serial,
        "lineage": "590fa8d3-c00b-dca0-11f5-5e2eb3f03b34",
        "outputs": {name: {"value": value, "type": "string"} for name, value in outputs.items()},
        "resources": resources, "check_results": None,
    }  # fmt: skip
    return json.dumps(state, indent=2) + "\n"


def terraform_resource(kind: str, name: str, **attributes: object) -> dict[str, object]:
    return {
        "mode": "managed", "type": kind, "name": name,
        "provider": 'provider["registry.terraform.io/hashicorp/aws"]',
        "instances": [{"schema_version": 1, "attributes": attributes, "sensitive_attributes": []}],
    }  # fmt: skip
