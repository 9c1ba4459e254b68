"""Declarations that keep data: what is gone from them, or no longer protected, is a warning."""

from __future__ import annotations

import pytest

from clew.detectors.deployment.declarations import Declarations
from clew.detectors.files.config_files import ConfigFiles
from clew.model.story import Story
from tests.kit.moments import Moment, story

OBJECT = "apiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec: {{size: 1}}\n"
API = OBJECT.format(kind="Deployment", name="api")


def _object(kind: str, name: str = "postgres") -> bytes:
    return OBJECT.format(kind=kind, name=name).encode()


def _told(old: Moment, new: Moment) -> Story:
    return story([], old, new, [Declarations(), ConfigFiles()])


def _is_loud(told: Story) -> bool:
    return any(fact.severity == "high" for fact in told.facts)


@pytest.mark.parametrize(
    "kind",
    ["StatefulSet", "PersistentVolumeClaim", "PersistentVolume", "PostgresCluster", "postgresql",
     "KafkaTopic", "MongoDBCommunity", "Elasticsearch", "RabbitmqCluster", "InnoDBCluster"],
)  # fmt: skip
def test_a_deleted_manifest_of_a_database_is_a_warning(kind: str) -> None:
    old = {"k8s/api.yaml": API.encode(), "k8s/postgres.yaml": _object(kind)}

    told = _told(old, {"k8s/api.yaml": API.encode()})

    assert told.headline == f"! postgres.yaml removed ({kind} postgres)"


def test_a_deleted_directory_of_a_database_is_a_warning_while_others_are_left() -> None:
    old = {"k8s/api/a.yaml": API.encode(), "k8s/db/set.yaml": _object("StatefulSet")}

    assert _is_loud(_told(old, {"k8s/api/a.yaml": API.encode()}))


@pytest.mark.parametrize(
    "kind", ["Deployment", "Service", "ConfigMap", "KafkaUser", "PostgresRole", "MongoDBBackup"]
)
def test_a_deleted_manifest_without_data_is_none(kind: str) -> None:
    old = {"k8s/api.yaml": API.encode(), "k8s/web.yaml": _object(kind)}

    assert not _is_loud(_told(old, {"k8s/api.yaml": API.encode()}))


def test_a_database_that_a_template_makes_now_is_no_warning() -> None:
    old = {"k8s/api.yaml": API.encode(), "k8s/postgres.yaml": _object("StatefulSet")}
    chart = _object("StatefulSet", "{{ .Release.Name }}-postgres")
    new = {"k8s/api.yaml": API.encode(), "chart/templates/postgres.yaml": chart}

    assert not _is_loud(_told(old, new))


def test_a_whole_deployment_that_is_gone_is_no_warning() -> None:
    old = {"README.md": b"x", "k8s/a.yaml": API.encode(), "k8s/b.yaml": _object("StatefulSet")}

    assert not _is_loud(_told(old, {"README.md": b"x"}))


BUCKET = """\
Resources:
  Data:
    Type: AWS::RDS::DBInstance
    DeletionPolicy: Retain
    Properties: {DeletionProtection: true}
  Fn: {Type: AWS::Lambda::Function}
"""
VOLUME = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: a}\nspec: {persistentVolumeReclaimPolicy: Retain}\n"
CLASS = "apiVersion: v1\nkind: StorageClass\nmetadata: {name: a}\nreclaimPolicy: Retain\n"


@pytest.mark.parametrize(
    ("name", "text", "old", "new", "mark"),
    [
        ("stack.yaml", BUCKET, "Policy: Retain", "Policy: Delete", "DeletionPolicy no longer Retain"),
        ("stack.yaml", BUCKET, "DeletionProtection: true", "DeletionProtection: false", "DeletionProtection off"),
        ("pv.yaml", VOLUME, "Retain", "Delete", "reclaimPolicy no longer Retain"),
        ("class.yaml", CLASS, "Retain", "Delete", "reclaimPolicy no longer Retain"),
    ],
)  # fmt: skip
def test_a_protection_that_is_gone_is_a_warning_and_its_return_is_none(
    name: str, text: str, old: str, new: str, mark: str
) -> None:
    after = text.replace(old, new)

    (fact,) = _told({name: text.encode()}, {name: after.encode()}).facts

    assert (fact.severity, fact.marks[0]) == ("high", mark)
    assert not _is_loud(_told({name: after.encode()}, {name: text.encode()}))


def test_a_warning_about_a_protection_names_it_beside_other_parts() -> None:
    old = b'resource "aws_db_instance" "main" {\n  deletion_protection = true\n  lifecycle {\n    prevent_destroy = true\n  }\n}\n'
    new = b'resource "aws_db_instance" "main" {\n  deletion_protection = false\n}\n'

    told = _told({"main.tf": old, "a.toml": b"a = 1\n"}, {"main.tf": new, "a.toml": b"a = 2\n"})

    assert told.headline == (
        "! main.tf: aws_db_instance.main (prevent_destroy removed …); a.toml: a 1 → 2"
    )
