"""Interface dialects: OpenAPI operations and schemas, and events of AsyncAPI."""

from __future__ import annotations

from clew.detectors.deployment.declared import Declared, Resources
from clew.detectors.files.key_names import shown_name
from clew.detectors.files.shown_values import shown_text
from clew.detectors.files.value_changes import KeyPath
from clew.detectors.formats.values import Hidden, Shown, Value

_METHODS = ("get", "put", "post", "delete", "patch", "head", "options", "trace", "query")
_PROSE = frozenset(("description", "summary", "example", "examples", "title", "termsOfService"))
_MAX = 3_000


def is_interface(value: Value) -> bool:
    """Return whether a file describes an interface."""
    if not isinstance(value, dict) or not {"openapi", "swagger", "asyncapi"} & value.keys():
        return False
    return any(key in value for key in ("paths", "channels", "components", "webhooks"))


def interface_resources(value: Value) -> Resources:
    """Return the operations and schemas of a description."""
    found: Resources = {}
    if not isinstance(value, dict):
        return found
    for section in ("paths", "webhooks", "channels"):
        for place, item in list(_mapping(value.get(section)).items())[:_MAX]:
            _add_operations(found, section, place, _mapping(item))
    components = _mapping(value.get("components"))
    schemas = _mapping(components.get("schemas")) or _mapping(value.get("definitions"))
    for name, schema in list(schemas.items())[:_MAX]:
        found["schema", name] = Declared(f"schema {name}", _without_prose(schema))
    rest = {
        key: one
        for key, one in value.items()
        if key not in ("paths", "webhooks", "channels", "components", "definitions")
    }
    version = _mapping(value.get("info")).get("version")
    main = shown_text(version) if isinstance(version, str) else None
    found["interface",] = Declared("API", _without_prose(rest), main)
    others = {key: one for key, one in components.items() if key != "schemas"}
    for kind, entries in others.items():
        for name, body in list(_mapping(entries).items())[:_MAX]:
            found[kind, name] = Declared(f"{kind} {name}", _without_prose(body), context=(kind,))
    return found


def shown_names(path: KeyPath) -> KeyPath:
    """Return the path of a value as it is shown: `parameter limit`, `property total`."""
    singular = {"properties": "property", "parameters": "parameter", "responses": "response"}
    if path and path[0] in singular:
        return (" ".join((singular[path[0]], *path[1:2])), *path[2:])
    return path


def _add_operations(found: Resources, section: str, place: str, item: dict[str, Value]) -> None:
    methods = [method for method in item if method.lower() in _METHODS]
    shared = {key: one for key, one in item.items() if key not in methods}
    for method in methods:
        body = {**_mapping(_without_prose(item[method])), **_mapping(_without_prose(shared))}
        name = f"{method.upper()} {place}"
        found[section, method.lower(), place] = Declared(name, body)
    if not methods:
        found[section, place] = Declared(
            f"{section.removesuffix('s')} {place}", _without_prose(item)
        )


def _without_prose(value: Value) -> Value:
    """Return a value whose texts for people are hidden and whose types are shown."""
    if isinstance(value, dict):
        return {
            key: Hidden(repr(one)) if key in _PROSE and not isinstance(one, dict)
            else Shown(shown_name(one.rpartition("/")[2])) if key == "$ref" and isinstance(one, str)
            else _without_prose(one)
            for key, one in value.items()
        }  # fmt: skip
    if isinstance(value, list):
        return [_without_prose(one) for one in value]
    return value


def _mapping(value: Value) -> dict[str, Value]:
    return value if isinstance(value, dict) else {}
