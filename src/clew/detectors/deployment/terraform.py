"""Terraform dialect: resources, modules, variables and providers of `.tf` files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.detectors.deployment.declared import (
    HIGH,
    HIGH_IF_CHANGED,
    NOTE,
    Declared,
    Guard,
    Resources,
    Risk,
)
from clew.detectors.deployment.policies import policy_risks, role_risks
from clew.detectors.files.key_names import shown_name
from clew.detectors.files.shown_values import shown_value
from clew.detectors.formats.hcl_reader import HclBlock, read_hcl
from clew.detectors.formats.json_reader import read_json_value
from clew.detectors.formats.values import Hidden, Unreadable, Value, text_of, words_of
from clew.detectors.locks.origins import host_of
from clew.model.fact import Severity

_OPEN = ("0.0.0.0/0", "::/0", "*", "Internet", "Any")
_PORT = re.compile(r"\d{1,5}(?:-\d{1,5})?|\*|-1")
_WEB_PORTS = ("80", "443", "8080", "8443")
_STATEFUL = re.compile(
    r"db_instance|rds_cluster|db_cluster|dynamodb_table|s3_bucket|storage_bucket|storage_account"
    r"|storage_container|sql_database|sql_server|database_instance|mssql|mysql|postgres|cosmosdb"
    r"|redis|elasticache|memorydb|docdb|neptune|opensearch|elasticsearch|efs_file_system|ebs_volume"
    r"|filestore|persistent_volume|disk|bigquery_dataset|bigquery_table|spanner|bigtable|firestore"
    r"|kms_key|secretsmanager_secret|key_vault|ecr_repository|kinesis_stream|sqs_queue|volume"
    r"|redshift|timestream|backup_vault|route53_zone|dns_zone|kafka|msk_cluster"
)
"""Types that hold data, keys or names: without the declaration, the next apply destroys them."""
_SHOWN_TYPES = {
    "resource": "", "data": "data.", "module": "module.", "variable": "var.", "output": "output.",
    "provider": "provider.", "locals": "locals", "terraform": "terraform", "check": "check.",
    "import": "import", "moved": "moved", "removed": "removed",
}  # fmt: skip
_MAIN = ("instance_type", "instance_class", "machine_type", "vm_size", "size", "version", "image")


def terraform_resources(text: str) -> Resources:
    """Return what a file declares; raises `Unreadable`."""
    found: Resources = {}
    for block in read_hcl(text).blocks:
        key: tuple[str, ...] = block.type, *block.labels
        number = 1
        while key in found:  # `provider "aws"` with an alias, several `locals`
            number += 1
            key = block.type, *block.labels, text_of(block.attributes.get("alias")) or str(number)
            if number > 200:
                break
        found[key] = _declared(block)
    return found


def forgotten(text: str) -> set[str]:
    """Return the addresses that `moved` and `removed` blocks say are not to be destroyed."""
    blocks = [block for block in read_hcl(text).blocks if block.type in ("moved", "removed")]
    return {text_of(block.attributes.get("from")) for block in blocks}


def address(key: tuple[str, ...]) -> str:
    """Return the address of a resource: `aws_instance.web`, `module.vpc`."""
    return _SHOWN_TYPES.get(key[0], f"{key[0]} ") + ".".join(key[1:])


def _declared(block: HclBlock) -> Declared:
    body = _body(block)
    main = next((shown_value((name,), body[name]) for name in _MAIN if body.get(name)), None)
    kind = block.labels[0] if block.type == "resource" and block.labels else ""
    is_stateful = bool(_STATEFUL.search(kind))
    is_secret = _is_true(body.get("sensitive"))
    shown = {**body, "default": Hidden(repr(body.get("default")))} if is_secret else body
    return Declared(
        address((block.type, *block.labels)),
        shown,
        main,
        dict([*_risks(kind, block), *_rights(block)]),
        dict(_guards(block)),
        Severity.HIGH if is_stateful else Severity.NONE,
        block.labels,
    )


def _body(block: HclBlock) -> dict[str, Value]:
    """Return the attributes and inner blocks of a block as one mapping."""
    found = dict(block.attributes)
    for inner in block.blocks:
        key = ".".join((inner.type, *inner.labels))
        value: Value = _body(inner)
        before = found.get(key)
        if key not in found:
            found[key] = value
        else:
            found[key] = [*(before if isinstance(before, list) else [before]), value]
    return found


def _risks(kind: str, block: HclBlock) -> Iterator[tuple[str, Risk]]:
    for inner in _inbound(kind, block):
        sources = [
            one
            for name in ("cidr_blocks", "ipv6_cidr_blocks", "source_ranges", "source_address_prefix",
                         "source_address_prefixes", "cidr_ipv4", "cidr_ipv6", "cidr_block")
            for one in words_of(inner.attributes.get(name))
        ]  # fmt: skip
        opened = next((one for one in sources if one in _OPEN), None)
        if opened:
            ports = _ports(inner)
            is_web = bool(ports) and all(port in _WEB_PORTS for port in ports)
            text = f"open to {opened}" + (f" (port {', '.join(ports[:3])})" if ports else "")
            yield text, NOTE if is_web else HIGH
    given = block.attributes
    if _is_true(given.get("publicly_accessible")):
        yield "publicly accessible", HIGH_IF_CHANGED
    if text_of(given.get("acl")).startswith("public-"):
        yield "readable by everybody", HIGH_IF_CHANGED
    if _is_true(given.get("force_destroy")):
        yield "force_destroy", NOTE
    if _is_true(given.get("skip_final_snapshot")):
        yield "no final snapshot", NOTE
    yield from _sources(block)
    for name in ("backup_retention_period", "backup_retention_days", "retention_period"):
        if given.get(name) == "0":
            yield "no backups", HIGH_IF_CHANGED


_REGISTRY = ("registry.terraform.io", "registry.opentofu.org", "app.terraform.io")
_OFFICIAL = frozenset((
    "aws", "azurerm", "azuread", "google", "google-beta", "kubernetes", "helm", "random", "null",
    "local", "tls", "vault", "archive", "external", "http", "time", "template", "consul", "nomad",
))  # fmt: skip
_OWNERS = ("hashicorp", "opentofu")


def _sources(block: HclBlock) -> Iterator[tuple[str, Risk]]:
    """Yield the places of modules and providers that are not in the public registry."""
    if block.type == "module":
        given = text_of(block.attributes.get("source")).removeprefix("git::")
        host = host_of(given) if "://" in given or "@" in given else _first_host(given)
        if host and host not in _REGISTRY:
            yield f"source from {shown_name(host)}", HIGH_IF_CHANGED
    for inner in block.blocks if block.type == "terraform" else ():
        for name, value in inner.attributes.items() if inner.type == "required_providers" else ():
            given = text_of(value.get("source")) if isinstance(value, dict) else ""
            host, owner = _first_host(given), given.rpartition("/")[0].rpartition("/")[2]
            is_own = name in _OFFICIAL and bool(given) and owner not in _OWNERS
            if is_own or (host and host not in _REGISTRY):
                place = "/".join(filter(None, (host, owner)))
                yield f"provider {shown_name(name)} from {shown_name(place[:60])}", HIGH_IF_CHANGED


def _first_host(source: str) -> str:
    """Return the host that a source begins with; "" if it names a registry's module or a path."""
    first, slash, _ = source.partition("/")
    return first.lower() if slash and "." in first.strip(".") else ""


def _rights(block: HclBlock) -> Iterator[tuple[str, Risk]]:
    """Yield what a block allows in a cloud."""
    kind, given = block.labels[0] if block.labels else "", block.attributes
    yield from policy_risks({name: _decoded(one) for name, one in given.items()})
    if kind == "aws_iam_policy_document":
        for inner in block.blocks:
            yield from policy_risks(_statement(inner))
    if "_iam_" in kind and kind.startswith("google_"):
        members = [*words_of(given.get("member")), *words_of(given.get("members"))]
        yield from role_risks(text_of(given.get("role")), members)
    if kind == "azurerm_role_assignment" and given.get("role_definition_name") == "Owner":
        yield "role Owner", HIGH
    if kind == "azurerm_role_definition":
        for inner in block.blocks:
            if "*" in words_of(inner.attributes.get("actions")):
                yield "allows every action (actions *)", HIGH


def _decoded(value: Value) -> Value:
    """Return the value of a policy that is written as JSON in a text."""
    if isinstance(value, str) and value.lstrip().startswith("{") and '"Statement"' in value:
        try:
            return read_json_value(value)
        except Unreadable:
            return value
    return value


def _statement(block: HclBlock) -> dict[str, Value]:
    """Return a statement of `aws_iam_policy_document` as it is in JSON."""
    given = block.attributes
    if block.type != "statement":
        return {}
    principals: list[Value] = [
        one
        for inner in block.blocks
        if inner.type == "principals"
        for one in words_of(inner.attributes.get("identifiers"))
    ]
    found: dict[str, Value] = {
        "Effect": given.get("effect", "Allow"),
        "Action": given.get("actions", []),
        "Resource": given.get("resources", []),
        "Condition": any(inner.type == "condition" for inner in block.blocks),
    }
    return {**found, "Principal": principals} if principals else found


def _inbound(kind: str, block: HclBlock) -> Iterator[HclBlock]:
    """Yield the blocks that allow connections from outside."""
    yield from (inner for inner in block.blocks if inner.type == "ingress")
    rule = text_of(block.attributes.get("type")).lower()
    direction = text_of(block.attributes.get("direction")).lower()
    is_rule = "security_group" in kind and (rule == "ingress" or kind.endswith("ingress_rule"))
    is_firewall = "firewall" in kind and direction != "egress"
    is_azure = "network_security_rule" in kind and direction == "inbound"
    if (is_rule or is_firewall or is_azure) and "deny" not in (
        text_of(block.attributes.get("access")).lower(),
        *(inner.type for inner in block.blocks),
    ):
        yield block
    for inner in block.blocks:
        if inner.type == "security_rule" and text_of(inner.attributes.get("access")) == "Allow":
            yield inner


def _ports(block: HclBlock) -> list[str]:
    found = [
        port
        for one in (block, *block.blocks)
        for name in ("from_port", "to_port", "ports", "destination_port_range")
        for port in words_of(one.attributes.get(name))
    ]
    return list(dict.fromkeys(port for port in found if _PORT.fullmatch(port)))


def _guards(block: HclBlock) -> Iterator[tuple[str, Guard]]:
    for inner in block.blocks:
        if inner.type == "lifecycle" and _is_true(inner.attributes.get("prevent_destroy")):
            yield "prevent_destroy", Guard("prevent_destroy removed", Severity.HIGH)
    for name in (
        "deletion_protection",
        "deletion_protection_enabled",
        "enable_deletion_protection",
    ):
        if _is_true(block.attributes.get(name)):
            yield name, Guard(f"{name} off", Severity.HIGH)
    for name in ("storage_encrypted", "encrypted", "enable_encryption", "block_public_acls",
                 "block_public_policy", "restrict_public_buckets"):  # fmt: skip
        if _is_true(block.attributes.get(name)):
            yield name, Guard(f"no longer {name}", Severity.HIGH)


def _is_true(value: Value) -> bool:
    return value in (True, "true")
