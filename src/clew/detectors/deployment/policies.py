"""Policy dialect: who may do what in a cloud, and what is said if it is everything.

Statements of AWS, bindings of Google Cloud and roles of Azure; also where they stand in templates.
Rights for everything are a risk wherever they appear.  A resource of `*` alone is usual for what has
no resource of its own, so it is a risk only of a statement that named one before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.detectors.deployment.declared import (
    HIGH,
    HIGH_IF_CHANGED,
    NOTE,
    Declared,
    Resources,
    Risk,
)
from clew.detectors.files.key_names import shown_name
from clew.detectors.formats.values import Shown, Value, text_of, words_of
from clew.model.fact import Severity

_EVERYTHING = ("*", "*:*")
_EVERYBODY = ("allUsers", "allAuthenticatedUsers")
_HIGH_ROLES = ("roles/owner", "roles/editor", "roles/iam.securityAdmin", "roles/resourcemanager.organizationAdmin")  # fmt: skip
_ADMINISTRATOR = re.compile(
    r"arn:aws[\w-]{0,10}:iam::aws:policy/(?:job-function/)?(AdministratorAccess|IAMFullAccess)|AdministratorAccess"
)
_RESOURCE_GAINED = Risk(Severity.HIGH, Severity.NONE)
_MAX_STATEMENTS = 500
_MAX_NODES = 20_000
_MEMBER = re.compile(r"[\w:./@*-]{1,120}")


def is_policy(value: Value) -> bool:
    """Return whether a file is a policy of a cloud."""
    if not isinstance(value, dict):
        return False
    return bool(_statements(value) or _bindings(value) or _is_azure(value))


def policy_resources(value: Value) -> Resources:
    """Return the statements, bindings and roles of a policy."""
    found: Resources = {}
    if not isinstance(value, dict):
        return found
    for number, one in enumerate(_statements(value)[:_MAX_STATEMENTS], 1):
        name = text_of(one.get("Sid"))
        subject = f"statement {name or number}"
        if_removed = Severity.NOTE if one.get("Effect") == "Deny" else Severity.NONE
        risks = dict([*_statement_risks(one), *_resource_risks(one)])
        found["statement", name or str(number)] = Declared(
            subject, _shown(one), risks=risks, if_removed=if_removed
        )
    for one in _bindings(value)[:_MAX_STATEMENTS]:
        role = text_of(one.get("role"))
        found["binding", role] = Declared(f"role {role}", one, risks=dict(_binding_risks(one)))
    rest = {key: one for key, one in value.items() if key not in ("Statement", "bindings")}
    risks = dict(_azure_risks(value))
    found["policy",] = Declared("policy", rest, risks=risks)
    return found


def policy_risks(value: Value) -> Iterator[tuple[str, Risk]]:
    """Yield what policies anywhere in a value allow."""
    for one in _mappings(value):
        if one.get("Effect") == "Allow" and ("Action" in one or "Principal" in one):
            yield from _statement_risks(one)
        for key in ("ManagedPolicyArns", "Policies", "policy_arn", "managed_policy_arns"):
            for name in words_of(one.get(key)):
                if found := _ADMINISTRATOR.search(name):
                    yield f"allows everything ({found[1] or found[0]})", HIGH


def role_risks(role: str, members: list[str]) -> Iterator[tuple[str, Risk]]:
    """Yield what it means that a role of Google Cloud is given to these members."""
    for member in members[:100]:
        if member in _EVERYBODY:
            yield f"{shown_name(role)} open to everybody ({member})", HIGH
        elif role in _HIGH_ROLES and _MEMBER.fullmatch(member):
            yield f"{role} for {shown_name(member)}", HIGH


def _mappings(value: Value) -> Iterator[dict[str, Value]]:
    waiting = [value]
    for _ in range(_MAX_NODES):
        if not waiting:
            return
        one = waiting.pop()
        if isinstance(one, dict):
            yield one
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


def _statements(value: dict[str, Value]) -> list[dict[str, Value]]:
    given = value.get("Statement")
    items = given if isinstance(given, list) else [given]
    return [
        one
        for one in items
        if isinstance(one, dict) and one.get("Effect") in ("Allow", "Deny")
    ]  # fmt: skip


def _bindings(value: dict[str, Value]) -> list[dict[str, Value]]:
    given = value.get("bindings")
    items = given if isinstance(given, list) else []
    return [
        one for one in items if isinstance(one, dict) and isinstance(one.get("members"), list)
        and text_of(one.get("role"))
    ]  # fmt: skip


def _is_azure(value: dict[str, Value]) -> bool:
    inner = value.get("properties", value)
    keys = {key.lower() for key in inner} if isinstance(inner, dict) else set()
    return "assignablescopes" in keys and ("actions" in keys or "permissions" in keys)


def _azure_risks(value: dict[str, Value]) -> Iterator[tuple[str, Risk]]:
    if not _is_azure(value):
        return
    for one in _mappings(value):
        for key in ("Actions", "actions", "DataActions", "dataActions"):
            if "*" in words_of(one.get(key)):
                yield f"allows every action ({key} *)", HIGH


def _statement_risks(one: dict[str, Value]) -> Iterator[tuple[str, Risk]]:
    """Yield what a statement of AWS allows."""
    if one.get("Effect") != "Allow":
        return
    actions, resources = words_of(one.get("Action")), words_of(one.get("Resource"))
    is_every_action = any(action in _EVERYTHING for action in actions)
    if is_every_action and "*" in resources:
        yield "allows everything (Action *, Resource *)", HIGH
    elif is_every_action:
        yield "allows every action (Action *)", HIGH
    elif "iam:*" in actions and "*" in resources:
        yield "may grant every right (iam:*)", HIGH_IF_CHANGED
    elif "NotAction" in one and "*" in resources:
        yield "allows all but what it names (NotAction)", NOTE
    if _is_for_everybody(one.get("Principal")) and not one.get("Condition"):
        yield "open to everybody (Principal *)", HIGH_IF_CHANGED


def _resource_risks(one: dict[str, Value]) -> Iterator[tuple[str, Risk]]:
    is_for_all = one.get("Effect") == "Allow" and "*" in words_of(one.get("Resource"))
    if is_for_all and not any(action in _EVERYTHING for action in words_of(one.get("Action"))):
        yield "on every resource (Resource *)", _RESOURCE_GAINED


def _is_for_everybody(principal: Value) -> bool:
    given = principal.values() if isinstance(principal, dict) else (principal,)
    return any("*" in words_of(one) for one in given)


def _binding_risks(one: dict[str, Value]) -> Iterator[tuple[str, Risk]]:
    if not one.get("condition"):
        yield from role_risks(text_of(one.get("role")), words_of(one.get("members")))


def _shown(one: dict[str, Value]) -> dict[str, Value]:
    """Return a statement whose stars are shown."""
    return {key: Shown("*") if inner in ("*", ["*"]) else inner for key, inner in one.items()}
