"""Cloud dialects: resources of CloudFormation and SAM, functions of the Serverless framework."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.detectors.deployment.declared import Declared, Guard, Resources
from clew.detectors.deployment.policies import policy_risks
from clew.detectors.formats.values import Hidden, Value, text_of
from clew.model.fact import Severity

_STATEFUL = re.compile(
    r"DynamoDB::Table|GlobalTable|RDS::DB|S3::Bucket$|EFS::FileSystem|Redshift::Cluster|Neptune"
    r"|DocDB|ElastiCache|OpenSearch|KMS::Key|SecretsManager::Secret$|Cognito::UserPool$|Kinesis::Stream"
)


def is_cloud(value: Value) -> bool:
    """Return whether a file is a template of CloudFormation or of the Serverless framework."""
    if not isinstance(value, dict):
        return False
    resources = value.get("Resources")
    if isinstance(resources, dict) and any(
        isinstance(one, dict) and isinstance(one.get("Type"), str) for one in resources.values()
    ):
        return True
    return "service" in value and "provider" in value and isinstance(value.get("functions"), dict)


def cloud_resources(value: Value) -> Resources:
    """Return the resources, functions and parameters of a template."""
    found: Resources = {}
    if not isinstance(value, dict):
        return found
    for name, body in _entries(value, "Resources"):
        kind = body.get("Type")
        text = kind if isinstance(kind, str) and len(kind) <= 80 else "resource"
        guards = dict(_guards(body))
        if_removed = Severity.NONE
        if _STATEFUL.search(text):
            if_removed = Severity.NOTE if "DeletionPolicy" in guards else Severity.HIGH
        found["resource", text, name] = Declared(
            f"{text} {name}", body, None, dict(policy_risks(body)), guards, if_removed
        )
    for kind in ("Parameters", "Outputs", "functions"):
        noun = kind.removesuffix("s").lower()
        for name, body in _entries(value, kind):
            shown = {k: _hidden(one) if k == "environment" else one for k, one in body.items()}
            found[noun, name] = Declared(f"{noun} {name}", shown, context=(name,))
    rest = {
        key: one
        for key, one in value.items()
        if key not in ("Resources", "Parameters", "Outputs", "functions")
    }
    if rest:
        found["template",] = Declared("template", rest, risks=dict(policy_risks(rest)))
    return found


def _guards(body: dict[str, Value]) -> Iterator[tuple[str, Guard]]:
    """Yield what keeps a resource from being deleted with its stack."""
    for name in ("DeletionPolicy", "UpdateReplacePolicy"):
        if body.get(name) in ("Retain", "RetainExceptOnCreate", "Snapshot"):
            yield name, Guard(f"{name} no longer {text_of(body[name])}", Severity.HIGH)
    properties = body.get("Properties")
    for name in ("DeletionProtection", "DeletionProtectionEnabled", "StorageEncrypted"):
        if isinstance(properties, dict) and properties.get(name) in (True, "true"):
            yield name, Guard(f"{name} off", Severity.HIGH)


def _entries(value: dict[str, Value], kind: str) -> list[tuple[str, dict[str, Value]]]:
    entries = value.get(kind)
    pairs = entries.items() if isinstance(entries, dict) else ()
    return [(name, body) for name, body in pairs if isinstance(body, dict)]


def _hidden(value: Value) -> Value:
    if isinstance(value, dict):
        return {name: Hidden(repr(one)) for name, one in value.items()}
    return Hidden(repr(value))
