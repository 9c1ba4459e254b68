"""What deployment files declare, told by meaning: headlines, warnings, and harmless look-alikes."""

from __future__ import annotations

import json
import time

import pytest

from clew.detectors.deployment.declarations import Declarations
from clew.detectors.files.config_files import ConfigFiles
from clew.detectors.files.source_files import SourceFiles
from clew.model.fact import Fact
from clew.model.story import Story
from tests.kit.moments import Moment, evidence, file, findings, problems, story

COMPOSE = """\
services:
  web:
    image: registry.example.org/shop:1.8.0
    depends_on: [db]
    ports: ["127.0.0.1:8080:8000"]
    environment:
      DATABASE_URL: postgres://shop:canary@db/shop
    deploy: {replicas: 2}
  db:
    image: postgres:15
    environment: [POSTGRES_PASSWORD=canary]
    ports:
      - "127.0.0.1:5432:5432"
    volumes:
      - pgdata:/var/lib/postgresql/data
volumes:
  pgdata:
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: shop}
spec:
  replicas: 3
  template:
    spec:
      containers:
        - name: api
          image: registry.example.org/api:1.4.2
          env:
            - {name: TOKEN, value: canary}
          resources:
            limits: {memory: 512Mi}
"""
POLICY = """\
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: default-deny}
spec: {podSelector: {}}
"""
TERRAFORM = """\
variable "db_password" {
  default = "canary"
}
resource "aws_security_group" "bastion" {
  ingress {
    from_port   = 22
    to_port     = 22
    cidr_blocks = ["10.20.0.0/16"]
  }
  egress {
    cidr_blocks = ["0.0.0.0/0"]
  }
}
resource "aws_db_instance" "main" {
  instance_class      = "db.t3.small"
  password            = "canary"
  deletion_protection = true
  lifecycle { prevent_destroy = true }
}
"""
DOCKERFILE = """\
FROM python:3.11-slim AS build
RUN pip wheel .
FROM python:3.11-slim
ENV TOKEN=canary DEBUG=0
COPY --from=build /w /w
RUN pip install /w/*
EXPOSE 8000
USER app
CMD ["python", "-m", "shop", "--password", "canary"]
"""
OPENAPI = """\
openapi: 3.1.0
info: {title: Shop, version: 1.8.0}
paths:
  /orders:
    get: {summary: List, parameters: [{name: limit, in: query}]}
    post: {summary: New}
  /health:
    get: {}
components:
  schemas:
    Order:
      type: object
      required: [id]
      properties: {id: {type: integer}, total: {type: number}}
"""
GRAPHQL = '''\
"""An order."""
type Order {
  id: ID!
  total(currency: String): Float
}
enum State { OPEN CLOSED }
type Query { order(id: ID!): Order }
'''
PROTO = """\
syntax = "proto3";
message Order {
  string id = 1; // key
  repeated Line lines = 2;
  message Line { int32 n = 1; }
}
enum State { OPEN = 0; CLOSED = 1; }
service Shop { rpc Get (Order) returns (Order); }
"""
PRISMA = """\
datasource db {
  url = env("DATABASE_URL")
}
model User {
  id    Int     @id
  email String? @unique
}
"""
CLOUD = """\
AWSTemplateFormatVersion: "2010-09-09"
Parameters:
  DbPassword: {Type: String, Default: canary}
Resources:
  Assets:
    Type: AWS::S3::Bucket
    Properties: {BucketName: !Sub "${AWS::StackName}-assets"}
  Fn:
    Type: AWS::Lambda::Function
    Properties: {Runtime: python3.11, MemorySize: 128}
"""
SERVERLESS = """\
service: shop
provider: {name: aws, runtime: nodejs18.x}
functions:
  hello: {handler: a.hello, timeout: 6, environment: {KEY: canary}}
"""


def _story(path: str, old: str | None, new: str | None) -> Story:
    before: Moment = {} if old is None else {path: old.encode()}
    after: Moment = {} if new is None else {path: new.encode()}
    return story([], before, after, [Declarations(), ConfigFiles(), SourceFiles()])


def _facts(path: str, old: str, new: str) -> list[Fact]:
    return list(_story(path, old, new).facts)


HELM = """\
{{- if .Values.enabled }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "shop.name" . }}-web
spec:
  replicas: {{ .Values.replicas }}
  template:
    spec:
      containers:
        - name: web
          image: "{{ .Values.image }}:{{ .Values.tag }}"
          imagePullPolicy: Always
{{- end }}
"""
_CHANGES = [
    ("chart/templates/web.yaml", HELM, "Always", "Never", "web.yaml: Deployment …-web imagePullPolicy Always → Never"),
    ("chart/templates/web.yaml", HELM, "{{ .Values.replicas }}", "5", "web.yaml: Deployment …-web ~replicas"),
    # Compose
    ("docker-compose.yml", COMPOSE, "postgres:15", "postgres:16", "docker-compose.yml: service db image postgres:15 → 16"),
    ("compose.yaml", COMPOSE, "shop:1.8.0", "shop:1.9.0", "compose.yaml: service web image shop:1.8.0 → 1.9.0"),
    ("compose.prod.yaml", COMPOSE, "replicas: 2", "replicas: 1", "compose.prod.yaml: service web deploy.replicas 2 → 1"),
    ("compose.yaml", COMPOSE, "DATABASE_URL: postgres", "DATABASE_URL: mysql", "compose.yaml: service web ~env DATABASE_URL"),
    ("compose.yaml", COMPOSE, "POSTGRES_PASSWORD=canary", "POSTGRES_PASSWORD=canary2", "compose.yaml: service db ~env POSTGRES_PASSWORD"),
    ("compose.yaml", COMPOSE, "  db:\n    image", "  mailer:\n    image: mail:2\n  db:\n    image", "compose.yaml: +service mailer (mail:2)"),
    ("compose.yaml", COMPOSE, "depends_on: [db]", "depends_on: [db]\n    restart: always", "compose.yaml: service web +restart always"),
    ("compose.yaml", COMPOSE, "8080:8000", "8081:8000", "compose.yaml: service web port 8000 127.0.0.1:8080 → 8081"),
    ("compose.yaml", COMPOSE, "volumes:\n  pgdata:\n", "volumes:\n  pgdata: {driver: local}\n  cache:\n", "compose.yaml: volume pgdata +driver and +volume cache"),
    # Kubernetes
    ("k8s/api.yaml", DEPLOYMENT, "replicas: 3", "replicas: 1", "api.yaml: Deployment api replicas 3 → 1"),
    ("k8s/api.yaml", DEPLOYMENT, "api:1.4.2", "api:1.5.0", "api.yaml: Deployment api image api:1.4.2 → 1.5.0"),
    ("k8s/api.yaml", DEPLOYMENT, "512Mi", "1Gi", "api.yaml: Deployment api limits.memory 512Mi → 1Gi"),
    ("k8s/api.yaml", DEPLOYMENT, "value: canary", "value: canary2", "api.yaml: Deployment api ~env.TOKEN"),
    ("k8s/api.yaml", DEPLOYMENT, "  replicas: 3\n", "", "api.yaml: Deployment api −replicas 3"),
    ("k8s/s.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\ndata: {password: Y2FuYXJ5}\n", "Y2FuYXJ5", "Y2FuYXJ6", "s.yaml: Secret db ~data.password"),
    ("k8s/c.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {level: info}\n", "info", "debug", "c.yaml: ConfigMap c ~data.level"),
    # Terraform
    ("infra/main.tf", TERRAFORM, "db.t3.small", "db.t3.large", "main.tf: aws_db_instance.main instance_class db.t3.small → db.t3.large"),
    ("infra/main.tf", TERRAFORM, '"canary"\n}', '"canary2"\n}', "main.tf: var.db_password ~default"),
    ("infra/main.tf", TERRAFORM, 'resource "aws_sec', 'module "vpc" {\n  source = "./vpc"\n}\nresource "aws_sec', "main.tf: +module.vpc"),
    # Dockerfile
    ("Dockerfile", DOCKERFILE, "python:3.11-slim\nENV", "python:3.12-slim\nENV", "Dockerfile: FROM python:3.11-slim → 3.12-slim"),
    ("app.Dockerfile", DOCKERFILE, "EXPOSE 8000", "EXPOSE 8000 9000", "app.Dockerfile: +EXPOSE 9000"),
    ("Dockerfile.dev", DOCKERFILE, "RUN pip install /w/*", "RUN pip install /w/*\nRUN a\nRUN b", "Dockerfile.dev: +RUN ×2"),
    ("Dockerfile", DOCKERFILE, "TOKEN=canary DEBUG=0", "TOKEN=canary2 DEBUG=0", "Dockerfile: ~ENV TOKEN"),
    ("Containerfile", DOCKERFILE, 'CMD ["python"', 'CMD ["python3"', "Containerfile: ~CMD"),
    ("Dockerfile", DOCKERFILE, "pip wheel .", "pip wheel -q .", "Dockerfile: stage build ~RUN"),
    # Interfaces and schemas
    ("openapi.yaml", OPENAPI, "    post: {summary: New}\n", "", "openapi.yaml: −POST /orders"),
    ("api/openapi.yaml", OPENAPI, "  /health:\n    get: {}\n", "  /health:\n    get: {}\n  /status:\n    get: {}\n", "openapi.yaml: +GET /status"),
    ("openapi.yaml", OPENAPI, "total: {type: number}", "total: {type: string}", "openapi.yaml: schema Order property total.type number → string"),
    ("openapi.yaml", OPENAPI, "1.8.0", "2.0.0", "openapi.yaml: API info.version 1.8.0 → 2.0.0"),
    ("s.graphql", GRAPHQL, "  total(", "  paid: Boolean\n  total(", "s.graphql: type Order +paid Boolean"),
    ("s.graphql", GRAPHQL, "id: ID!\n", "id: String!\n", "s.graphql: type Order id ID! → String!"),
    ("s.graphql", GRAPHQL, "OPEN CLOSED", "OPEN", "s.graphql: enum State −CLOSED value"),
    ("s.proto", PROTO, "Line lines = 2", "Line lines = 3", "s.proto: message Order lines Line = 2 → Line = 3"),
    ("s.proto", PROTO, "rpc Get (Order)", "rpc Get (Id)", "s.proto: service Shop rpc Get Order → Order → Id → Order"),
    ("schema.prisma", PRISMA, "  email String? @unique\n", "", "schema.prisma: model User −email String?"),
    # Clouds
    ("template.yaml", CLOUD, "python3.11", "python3.12", "template.yaml: Lambda::Function Fn Runtime python3.11 → python3.12"),
    ("serverless.yml", SERVERLESS, "timeout: 6", "timeout: 30", "serverless.yml: function hello timeout 6 → 30"),
    ("serverless.yml", SERVERLESS, "KEY: canary", "KEY: canary2", "serverless.yml: function hello ~environment.KEY"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "old", "new", "headline"), _CHANGES)
def test_a_change_is_told_by_what_it_means(
    path: str, text: str, old: str, new: str, headline: str
) -> None:
    assert old in text
    told = _story(path, text, text.replace(old, new, 1))

    assert told.headline == headline
    assert "canary" not in repr(told)
    assert not any(fact.severity == "high" for fact in told.facts)


def _with(text: str, old: str, new: str) -> tuple[str, str]:
    assert old in text
    return text, text.replace(old, new, 1)


_WARNINGS = [
    ("compose.yaml", *_with(COMPOSE, "127.0.0.1:5432:5432", "0.0.0.0:5432:5432"), "port 5432 open to every network"),
    ("compose.yaml", *_with(COMPOSE, "127.0.0.1:5432:5432", "5432:5432"), "port 5432 open to every network"),
    ("compose.yaml", *_with(COMPOSE, '"127.0.0.1:5432:5432"', "{target: 5432, published: '5432'}"), "port 5432 open to every network"),
    ("compose.yaml", *_with(COMPOSE, "    volumes:\n      - pgdata:/var/lib/postgresql/data\n", ""), "−volume pgdata at /var/lib/postgresql/data"),
    ("compose.yaml", *_with(COMPOSE, "depends_on: [db]", "privileged: true"), "privileged"),
    ("compose.yaml", *_with(COMPOSE, "depends_on: [db]", "network_mode: host"), "network of the host"),
    ("compose.yaml", *_with(COMPOSE, "depends_on: [db]", "pid: host"), "process ids of the host"),
    ("compose.yaml", *_with(COMPOSE, "depends_on: [db]", "cap_add: [SYS_ADMIN]"), "capability SYS_ADMIN"),
    ("compose.yaml", *_with(COMPOSE, "depends_on: [db]", "security_opt: ['seccomp:unconfined']"), "seccomp:unconfined"),
    ("compose.yaml", *_with(COMPOSE, "depends_on: [db]", "volumes: [/var/run/docker.sock:/var/run/docker.sock:ro]"), "docker.sock mounted"),
    ("compose.yaml", *_with(COMPOSE, "depends_on: [db]", "volumes: ['/:/host']"), "/ of the host mounted"),
    ("k8s.yaml", f"{DEPLOYMENT}---\n{POLICY}", DEPLOYMENT, ""),
    ("k8s.yaml", *_with(DEPLOYMENT, "resources:", "securityContext: {privileged: true}\n          resources:"), "privileged"),
    ("k8s.yaml", *_with(DEPLOYMENT, "      containers:", "      hostNetwork: true\n      containers:"), "network of the host"),
    ("k8s.yaml", *_with(DEPLOYMENT, "      containers:", "      volumes: [{name: x, hostPath: {path: /}}]\n      containers:"), "/ of the host mounted"),
    ("role.yaml", *_with("apiVersion: rbac/v1\nkind: ClusterRole\nmetadata: {name: x}\nrules: [{resources: [pods], verbs: [get]}]\n", "verbs: [get]", "verbs: ['*']"), "every verb (*)"),
    ("role.yaml", "apiVersion: v1\nkind: List\nitems: []\n", "apiVersion: rbac/v1\nkind: ClusterRoleBinding\nmetadata: {name: x}\nroleRef: {name: cluster-admin}\n", "cluster-admin"),
    ("main.tf", *_with(TERRAFORM, "10.20.0.0/16", "0.0.0.0/0"), "open to 0.0.0.0/0 (port 22)"),
    ("main.tf", *_with(TERRAFORM, "prevent_destroy = true", "prevent_destroy = false"), "prevent_destroy removed"),
    ("main.tf", *_with(TERRAFORM, "  lifecycle { prevent_destroy = true }\n", ""), "prevent_destroy removed"),
    ("main.tf", *_with(TERRAFORM, "deletion_protection = true", "deletion_protection = false"), "deletion_protection off"),
    ("main.tf", *_with(TERRAFORM, '"db.t3.small"', '"db.t3.small"\n  publicly_accessible = true'), "publicly accessible"),
    ("main.tf", TERRAFORM, TERRAFORM[: TERRAFORM.index('resource "aws_db')], ""),
    ("fw.tf", *_with('resource "google_compute_firewall" "a" {\n  source_ranges = ["10.0.0.0/8"]\n  allow { ports = ["22"] }\n}\n', "10.0.0.0/8", "0.0.0.0/0"), "open to 0.0.0.0/0 (port 22)"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "old", "new", "mark"), _WARNINGS)
def test_what_loses_data_or_gains_rights_is_a_warning(
    path: str, old: str, new: str, mark: str
) -> None:
    (fact,) = [fact for fact in _facts(path, old, new) if fact.severity == "high"]

    assert not mark or mark in fact.marks


_HARMLESS = [
    ("compose.yaml", *_with(COMPOSE, "8080:8000", "8080:9000")),
    ("compose.yaml", *_with(COMPOSE, '["127.0.0.1:8080:8000"]', '["8080:8000"]')),
    ("compose.yaml", *_with(COMPOSE, '"127.0.0.1:5432:5432"', '"127.0.0.1:5433:5432"')),
    ("compose.yaml", *_with(COMPOSE, '      - "127.0.0.1:5432:5432"\n', '      - "10.0.0.5:5432:5432"\n')),
    ("compose.yaml", *_with(COMPOSE, "pgdata:/var/lib/postgresql/data", "other:/var/lib/postgresql/data")),
    ("compose.yaml", *_with(COMPOSE, "pgdata:/var/lib/postgresql/data", "pgdata:/var/lib/postgresql/18/data")),
    ("compose.yaml", *_with(COMPOSE, "depends_on: [db]", "volumes: ['./src:/app']")),
    ("compose.yaml", *_with(COMPOSE, "depends_on: [db]", "cap_drop: [ALL]")),
    ("compose.yaml", *_with(COMPOSE, "depends_on: [db]", "privileged: false")),
    ("compose.yaml", *_with(COMPOSE, "services:\n", "services:\n  cache:\n    image: redis:7\n    ports: ['6379:6379']\n")),
    ("k8s.yaml", f"{DEPLOYMENT}---\n{POLICY}", f"{POLICY}---\n{DEPLOYMENT}"),
    ("k8s.yaml", *_with(DEPLOYMENT, "resources:", "securityContext: {privileged: false}\n          resources:")),
    ("main.tf", *_with(TERRAFORM, "10.20.0.0/16", "10.30.0.0/16")),
    ("main.tf", *_with(TERRAFORM, '  egress {\n    cidr_blocks = ["0.0.0.0/0"]', '  egress {\n    cidr_blocks = ["::/0"]')),
    ("main.tf", TERRAFORM, TERRAFORM + 'resource "aws_security_group" "lb" {\n  ingress {\n    from_port = 443\n    to_port = 443\n    cidr_blocks = ["0.0.0.0/0"]\n  }\n}\n'),
    ("main.tf", TERRAFORM, TERRAFORM.replace('"aws_db_instance" "main"', '"aws_db_instance" "primary"') + "moved {\n  from = aws_db_instance.main\n  to = aws_db_instance.primary\n}\n"),
    ("main.tf", TERRAFORM, TERRAFORM[: TERRAFORM.index('resource "aws_db')] + "removed {\n  from = aws_db_instance.main\n}\n"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "old", "new"), _HARMLESS)
def test_a_look_alike_is_no_warning(path: str, old: str, new: str) -> None:
    assert [fact for fact in _facts(path, old, new) if fact.severity == "high"] == []


def test_an_object_that_moved_to_another_file_is_neither_new_nor_gone() -> None:
    old = {"k8s/all.yaml": f"{DEPLOYMENT}---\n{POLICY}".encode()}
    new = {"k8s/all.yaml": DEPLOYMENT.encode(), "k8s/net/policy.yaml": POLICY.encode()}

    told = story([], old, new, [Declarations(), ConfigFiles()])

    assert not any(fact.kind.startswith("resource") for fact in told.facts)


def test_a_resource_that_moved_to_another_file_is_told_only_if_it_changed() -> None:
    head, tail = TERRAFORM.split('resource "aws_db')
    tail = 'resource "aws_db' + tail
    old = {"a/main.tf": TERRAFORM.encode()}
    new = {"a/main.tf": head.encode(), "a/db.tf": tail.replace("small", "large").encode()}

    (fact,) = [
        fact
        for fact in story([], old, new, [Declarations()]).facts
        if fact.kind.startswith("resource")
    ]

    assert (fact.kind, fact.subject) == ("resource.changed", "aws_db_instance.main")


def test_a_file_with_the_same_content_elsewhere_is_left_to_others() -> None:
    found = evidence({"a/compose.yaml": COMPOSE.encode()}, {"b/compose.yaml": COMPOSE.encode()})

    assert findings(Declarations(), found) == []


def test_a_whole_deployment_that_is_gone_is_no_warning() -> None:
    old = {"infra/main.tf": TERRAFORM.encode(), "k8s/a.yaml": POLICY.encode()}

    told = story([], old, {}, [Declarations()])

    assert {fact.severity for fact in told.facts} <= {"none", "note"}


def test_a_new_file_is_told_with_what_it_declares() -> None:
    told = _story("deploy/compose.yaml", None, COMPOSE)

    assert told.headline == "compose.yaml new (2 services and 1 volume)"
    assert "service web, service db" in told.lines[0].text
    assert (
        _story("compose.yaml", COMPOSE, None).headline
        == "compose.yaml removed (2 services and 1 volume)"
    )


def test_a_new_service_with_the_rights_of_the_host_is_a_warning() -> None:
    text = "services:\n  ci:\n    image: ci\n    privileged: true\n"

    assert _story("compose.yaml", None, text).headline.startswith(
        "! compose.yaml: +service ci (privileged)"
    )


def test_json_manifests_and_lists_are_read() -> None:
    item = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "a"},
        "spec": {"ports": [{"port": 80}]},
    }
    old = json.dumps({"apiVersion": "v1", "kind": "List", "items": [item]})

    assert (
        _story("a.json", old, old.replace("80", "81")).headline
        == "a.json: Service a ports.port 80 → 81"
    )


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("compose.yaml", b"\xff\xfe\x00"), ("compose.yaml", b"services: [" * 20_000), ("compose.yaml", b"services:\n" * 50_000),
        ("Dockerfile", b"\0" * 1000), ("Dockerfile", b"FROM " * 100_000), ("Dockerfile", b"RUN \\\n" * 100_000),
        ("main.tf", b"a {" * 50_000), ("main.tf", b"\0"), ("s.proto", b"message A {" * 20_000), ("s.graphql", b"type A {" * 20_000),
        ("s.graphql", b'"' * 200_000), ("s.proto", b"/*" * 100_000), ("schema.prisma", b"model A {" * 20_000),
        ("a.json", b"[" * 100_000), ("k.yaml", b"apiVersion: v1\nkind: Pod\nmetadata: &a [" + b"*a, " * 10 + b"]\n"),
        ("k.yaml", b"apiVersion: 1\nkind: {}\nmetadata: []\n"), ("k.yaml", b"apiVersion: v1\nkind: Pod\nmetadata: 3\nspec: x\n"),
        ("compose.yaml", b"services: {a: 1, b: [x], c: {ports: 3, volumes: {}, environment: x, image: [1], build: 5}}\n"),
        ("openapi.yaml", b"openapi: 3\npaths: [1]\ncomponents: x\n"), ("t.yaml", b"Resources: {a: {Type: [x]}}\n"),
    ],
)  # fmt: skip
def test_hostile_and_malformed_files_cost_no_time_and_no_line(path: str, content: bytes) -> None:
    began = time.process_time()
    good = {"compose.yaml": COMPOSE, "main.tf": TERRAFORM, "Dockerfile": DOCKERFILE, "s.proto": PROTO,
            "s.graphql": GRAPHQL, "schema.prisma": PRISMA, "k.yaml": DEPLOYMENT, "openapi.yaml": OPENAPI}  # fmt: skip
    first: Moment = {path: good.get(path, "{}").encode()}

    assert problems(Declarations(), first, {path: content}) == []
    assert problems(Declarations(), {path: content}, first) == []
    assert problems(Declarations(), {}, {path: content}) == []
    assert time.process_time() - began < 3


def test_a_file_that_is_too_large_and_many_files_are_bounded() -> None:
    many: Moment = {
        f"k8s/{n}.yaml": DEPLOYMENT.replace("name: api", f"name: a{n}").encode() for n in range(600)
    }
    began = time.process_time()

    found = findings(Declarations(), evidence({}, many))
    assert 0 < len(found) <= 120
    assert findings(Declarations(), evidence({}, {"a.tf": file(b"x", size=2 << 20)})) == []
    assert time.process_time() - began < 3


def test_dependencies_clones_and_packages_are_left_alone() -> None:
    text = COMPOSE.encode()
    clone: Moment = {"x/.git/HEAD": b"", "x/.git/packed-refs": b"", "x/compose.yaml": text}

    assert findings(Declarations(), evidence({}, {"node_modules/a/compose.yaml": text})) == []
    assert findings(Declarations(), evidence({}, clone)) == []


_SECRETS = [
    ("compose.yaml", "services: {a: {image: x, environment: {K: %s}}}\n"), ("compose.yaml", "services: {a: {image: x, command: [run, %s]}}\n"),
    ("compose.yaml", "services: {a: {image: x, labels: {l: %s}}}\n"), ("compose.yaml", "services: {a: {build: {context: ., args: {T: %s}}}}\n"),
    ("compose.yaml", "services: {a: {image: x, healthcheck: {test: [c, %s]}}}\n"), ("compose.yaml", "services: {a: {image: x}}\nsecrets: {s: {content: %s}}\n"),
    ("k.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {level: %s}\n"),
    ("k.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {level: %s}\n"),
    ("k.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {n: %s}}\nspec: {containers: [{name: c, image: i, args: [%s], env: [{name: E, value: %s}]}]}\n"),
    ("main.tf", 'resource "a" "b" {\n  password = "%s"\n}\n'), ("main.tf", 'variable "t" {\n  sensitive = true\n  default = "%s"\n}\n'),
    ("main.tf", 'locals {\n  api_key = "%s"\n}\n'), ("main.tf", 'resource "a" "b" {\n  user_data = <<E\n%s x\nE\n}\n'),
    ("Dockerfile", "FROM x\nENV A=%s\nARG B=%s\nLABEL c=%s\nRUN curl -u %s x\nCMD %s\nENTRYPOINT %s\nHEALTHCHECK CMD %s\n"),
    ("openapi.yaml", "openapi: 3\npaths: {/a: {get: {summary: %s, description: %s, example: %s}}}\n"),
    ("schema.prisma", 'datasource db {\n  url = "postgres://u:%s@h/d"\n}\n'),
    ("serverless.yml", "service: a\nprovider: {name: aws}\nfunctions: {f: {handler: h, environment: {K: %s}}}\n"),
    ("t.yaml", "Resources: {A: {Type: 'X::Y::Z', Properties: {MasterUserPassword: %s}}}\n"),
]  # fmt: skip


_TOKEN = "ghp_canary16C7e42F292c6912E7710c838347Ae"
_NAMES = [
    ("compose.yaml", "services: {%s: {image: x}}\n"), ("compose.yaml", "services: {a: {image: 'u:%s@h/x'}}\n"),
    ("compose.yaml", "services: {a: {image: x, ports: ['%s:80'], volumes: ['./%s:/x']}}\n"),
    ("compose.yaml", "services: {a: {image: x, environment: {%s: 1}, cap_add: [%s]}}\n"),
    ("k.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: {volumes: [{hostPath: {path: /%s.sock}}], containers: []}\n"),
    ("main.tf", 'resource "a" "%s" {\n  instance_type = "%s"\n  version = "%s"\n}\n'),
    ("openapi.yaml", "openapi: 3\ninfo: {version: %s}\npaths: {/%s: {get: {x: {$ref: '#/c/%s'}}}}\n"),
    ("s.graphql", "type %s {\n  id: %s\n}\n"), ("s.proto", "message %s {\n  string %s = 1;\n}\n"),
    ("s.graphql", "type A {\n  id: %s\n}\n"), ("s.proto", "message A {\n  %s a = 1;\n}\n"), ("s.prisma", "model A {\n  id %s\n}\n"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text"), _NAMES)
def test_a_name_that_looks_like_a_secret_is_hidden(path: str, text: str) -> None:
    one, two = text.replace("%s", _TOKEN), text.replace("%s", "plain")
    for old, new in ((two, one), (one, two), (None, one), (one, None)):
        assert "canary" not in repr(_story(path, old, new)).replace("canary.", "")


@pytest.mark.parametrize(("path", "text"), _SECRETS)
def test_a_secret_is_told_in_no_position(path: str, text: str) -> None:
    one, two = text.replace("%s", "canary"), text.replace("%s", "canarytwo")
    rest = "FROM y\n" if path == "Dockerfile" else ""
    for old, new in ((one, two), (None, one), (one, None), (rest or None, one)):
        told = _story(path, old, new)

        assert "canary" not in repr(told)
