"""Policies of clouds: rights for everything, or for everybody, are a warning."""

from __future__ import annotations

import json

import pytest

from clew.detectors.deployment.declarations import Declarations
from clew.detectors.files.config_files import ConfigFiles
from clew.model.story import Story
from tests.kit.moments import Moment, story


def _story(path: str, old: str | None, new: str | None) -> Story:
    before: Moment = {} if old is None else {path: old.encode()}
    after: Moment = {} if new is None else {path: new.encode()}
    return story([], before, after, [Declarations(), ConfigFiles()])


def _warnings(path: str, old: str | None, new: str | None) -> list[str]:
    return [fact.marks[0] for fact in _story(path, old, new).facts if fact.severity == "high"]


def _policy(**changes: object) -> str:
    statement = {"Effect": "Allow", "Action": ["s3:GetObject"], "Resource": "arn:aws:s3:::shop/*"}
    return json.dumps({"Version": "2012-10-17", "Statement": [{**statement, **changes}]}, indent=1)


BASE = _policy()
EVERYTHING = "allows everything (Action *, Resource *)"


@pytest.mark.parametrize(
    ("new", "mark"),
    [
        (_policy(Action="*", Resource="*"), EVERYTHING),
        (_policy(Action=["s3:GetObject", "*"], Resource=["*"]), EVERYTHING),
        (_policy(Action="*:*", Resource="*"), EVERYTHING),
        (_policy(Action="*"), "allows every action (Action *)"),
        (_policy(Resource="*"), "on every resource (Resource *)"),
        (_policy(Action="iam:*", Resource="*"), "may grant every right (iam:*)"),
        (_policy(Principal="*"), "open to everybody (Principal *)"),
        (_policy(Principal={"AWS": ["*"]}), "open to everybody (Principal *)"),
    ],
)
def test_a_policy_that_allows_everything_is_a_warning_and_its_return_is_none(
    new: str, mark: str
) -> None:
    assert _warnings("infra/policy.json", BASE, new) == [mark]
    assert _warnings("infra/policy.json", new, BASE) == []
    assert _warnings("tests/fixtures/policy.json", BASE, new) == []


def test_the_headline_says_what_it_allows() -> None:
    told = _story("infra/policy.json", BASE, _policy(Action="*", Resource="*"))

    assert told.headline == (
        "! policy.json: statement 1 allows everything (Action *, Resource *) …"
    )


@pytest.mark.parametrize(
    "new",
    [
        _policy(Action=["s3:GetObject", "s3:PutObject"]),
        _policy(Effect="Deny", Action="*", Resource="*"),
        _policy(Resource="arn:aws:s3:::other/*"),
        _policy(Principal="*", Condition={"StringEquals": {"aws:SourceOwner": "1"}}),
        _policy(Principal={"Service": "lambda.amazonaws.com"}),
    ],
)
def test_a_look_alike_is_no_warning(new: str) -> None:
    assert _warnings("policy.json", BASE, new) == []


def test_a_new_statement_for_what_has_no_resource_of_its_own_is_no_warning() -> None:
    more = json.loads(BASE)
    more["Statement"].append({"Effect": "Allow", "Action": "logs:CreateLogGroup", "Resource": "*"})

    assert _warnings("policy.json", BASE, json.dumps(more)) == []
    assert _warnings("policy.json", None, _policy(Action="ec2:DescribeImages", Resource="*")) == []


_PAIRS = [
    ("gcp.json", '{"bindings": [{"role": "roles/viewer", "members": ["user:a@example.org"]}]}',
     '{"bindings": [{"role": "roles/viewer", "members": ["user:a@example.org", "allUsers"]}]}',
     "roles/viewer open to everybody (allUsers)"),
    ("gcp.yaml", "bindings:\n- role: roles/owner\n  members: ['user:a@example.org']\n",
     "bindings:\n- role: roles/owner\n  members: ['user:a@example.org', 'group:all@example.org']\n",
     "roles/owner for group:all@example.org"),
    ("role.json", '{"Name": "x", "Actions": ["Microsoft.Compute/*/read"], "AssignableScopes": ["/"]}',
     '{"Name": "x", "Actions": ["*"], "AssignableScopes": ["/"]}', "allows every action (Actions *)"),
    ("main.tf", 'data "aws_iam_policy_document" "a" {\n  statement {\n    actions = ["s3:Get*"]\n    resources = ["*"]\n  }\n}\n',
     'data "aws_iam_policy_document" "a" {\n  statement {\n    actions = ["*"]\n    resources = ["*"]\n  }\n}\n', EVERYTHING),
    ("main.tf", 'resource "aws_iam_policy" "a" {\n  policy = jsonencode({\n    Statement = [{\n      Effect = "Allow"\n      Action = "s3:*"\n      Resource = "*"\n    }]\n  })\n}\n',
     'resource "aws_iam_policy" "a" {\n  policy = jsonencode({\n    Statement = [{\n      Effect = "Allow"\n      Action = "*"\n      Resource = "*"\n    }]\n  })\n}\n', EVERYTHING),
    ("main.tf", 'resource "aws_iam_policy" "a" {\n  policy = <<EOF\n{"Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}\nEOF\n}\n',
     'resource "aws_iam_policy" "a" {\n  policy = <<EOF\n{"Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}\nEOF\n}\n', EVERYTHING),
    ("main.tf", 'resource "aws_iam_role_policy_attachment" "a" {\n  policy_arn = "arn:aws:iam::aws:policy/ReadOnlyAccess"\n}\n',
     'resource "aws_iam_role_policy_attachment" "a" {\n  policy_arn = "arn:aws:iam::aws:policy/AdministratorAccess"\n}\n', "allows everything (AdministratorAccess)"),
    ("main.tf", 'resource "google_project_iam_member" "a" {\n  role = "roles/viewer"\n  member = "user:a"\n}\n',
     'resource "google_project_iam_member" "a" {\n  role = "roles/owner"\n  member = "user:a"\n}\n', "roles/owner for user:a"),
    ("main.tf", 'resource "azurerm_role_assignment" "a" {\n  role_definition_name = "Reader"\n}\n',
     'resource "azurerm_role_assignment" "a" {\n  role_definition_name = "Owner"\n}\n', "role Owner"),
    ("stack.yaml", "Resources:\n  R: {Type: AWS::IAM::Role, Properties: {ManagedPolicyArns: ['arn:aws:iam::aws:policy/ReadOnlyAccess']}}\n",
     "Resources:\n  R: {Type: AWS::IAM::Role, Properties: {ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess']}}\n", "allows everything (AdministratorAccess)"),
    ("stack.yaml", "Resources:\n  R: {Type: AWS::S3::BucketPolicy, Properties: {PolicyDocument: {Statement: [{Effect: Allow, Action: 's3:GetObject', Principal: {AWS: x}}]}}}\n",
     "Resources:\n  R: {Type: AWS::S3::BucketPolicy, Properties: {PolicyDocument: {Statement: [{Effect: Allow, Action: 's3:GetObject', Principal: '*'}]}}}\n", "open to everybody (Principal *)"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "old", "new", "mark"), _PAIRS)
def test_every_cloud_and_notation_is_understood(path: str, old: str, new: str, mark: str) -> None:
    assert _warnings(path, old, new) == [mark]
    assert _warnings(path, new, old) == []


def test_a_hostile_policy_costs_one_line() -> None:
    deep = '{"Statement": [{"Effect": "Allow", "Action": ' + "[" * 900 + "]" * 900 + "}]}"

    assert len(_story("policy.json", BASE, deep).facts) <= 2
    token = "ghp_canary16C7e42F292c6912E7710c838347Ae"
    named = _policy(Sid=token, Action="*", Resource="*")
    assert "canary" not in repr(_story("policy.json", BASE, named))
    members = json.dumps({"bindings": [{"role": f"roles/{token}", "members": ["allUsers", token]}]})
    assert "canary" not in repr(_story("gcp.json", '{"bindings": []}', members))
