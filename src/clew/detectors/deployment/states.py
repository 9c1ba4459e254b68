"""State dialect: what Terraform and OpenTofu have made, and the outputs, of `.tfstate` files.

Attributes may be secret: only the size and version of a resource are shown, the others by name.
What is gone from a state is told by `losses/terraform_state.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from clew.detectors.deployment.declared import HIGH, Declared, Resources
from clew.detectors.files.shown_values import shown_value
from clew.detectors.formats.json_reader import read_json_value
from clew.detectors.formats.values import Hidden, Unreadable, Value, text_of

_SHOWN = ("instance_type", "instance_class", "machine_type", "vm_size", "size", "engine_version",
          "desired_capacity", "min_size", "max_size", "node_count", "allocated_storage", "runtime")  # fmt: skip
_MAX = 5_000


def state_resources(text: str) -> Resources:
    """Return the resources and outputs of a state; raises `Unreadable`."""
    value = read_json_value(text)
    if not isinstance(value, dict) or not isinstance(value.get("resources"), list):
        raise Unreadable("not a state")
    found: Resources = {}
    for address, attributes, status in _instances(value["resources"]):
        body: dict[str, Value] = {name: _hidden(name, one) for name, one in attributes.items()}
        risks = {"tainted: half made": HIGH} if status == "tainted" else {}
        found["state", address] = Declared(address, body, risks=risks)
    outputs = value.get("outputs")
    for name, one in list(outputs.items())[:_MAX] if isinstance(outputs, dict) else ():
        found["output", name] = Declared(f"output {name}", {"value": Hidden(repr(one))})
    return found


def _instances(resources: Value) -> Iterator[tuple[str, dict[str, Value], str]]:
    """Yield the address, the attributes and the status of everything that was made."""
    for one in resources[:_MAX] if isinstance(resources, list) else ():
        if not isinstance(one, dict) or one.get("mode") != "managed":
            continue
        names = (text_of(one.get(key)) for key in ("module", "type", "name"))
        address = ".".join(filter(None, names))
        instances = one.get("instances")
        for instance in instances[:_MAX] if isinstance(instances, list) else ():
            given = instance if isinstance(instance, dict) else {}
            key, attributes = given.get("index_key"), given.get("attributes")
            shown = f"{address}[{key}]" if isinstance(key, str) else address
            status = text_of(given.get("status"))
            yield shown, attributes if isinstance(attributes, dict) else {}, status


def _hidden(name: str, value: Value) -> Value:
    is_shown = name in _SHOWN and shown_value((name,), value) is not None
    return value if is_shown else Hidden(repr(value))
