"""Changes inside files that describe a deployment: containers, clusters, clouds and pipelines."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.fresh.terraform import terraform_resource, terraform_state
from evaluation.fresh.verbs import ADDED, DROPPED
from evaluation.histories import change, repository
from evaluation.place import Place
from evaluation.variant import Claims, variant

_COMPOSE = """services:
  web:
    image: registry.example.org/shop:1.8.0
    depends_on: [db]
    ports:
      - "127.0.0.1:8080:8000"
    environment:
      DATABASE_URL: postgres://shop:{secret}@db/shop
  db:
    image: postgres:15
    environment:
      POSTGRES_PASSWORD: {secret}
    ports:
      - "127.0.0.1:5432:5432"
    volumes:
      - pgdata:/var/lib/postgresql/data
volumes:
  pgdata:
"""
_DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
  namespace: shop
spec:
  replicas: 3
  selector:
    matchLabels: {{app: {name}}}
  template:
    metadata:
      labels: {{app: {name}}}
    spec:
      containers:
        - name: {name}
          image: registry.example.org/{name}:1.4.2
          resources:
            limits: {{memory: 512Mi}}
"""
_SERVICE = """apiVersion: v1
kind: Service
metadata:
  name: {name}
  namespace: shop
spec:
  selector: {{app: {name}}}
  ports:
    - port: 80
      targetPort: 8000
"""
_POLICY = """apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: default-deny
  namespace: shop
spec:
  podSelector: {}
  policyTypes: [Ingress]
"""
_TERRAFORM = """resource "aws_security_group" "bastion" {
  name = "bastion"

  ingress {
    description = "ssh from the office"
    from_port   = 22
    to_port     = 22
    protocol    = "tcp"
    cidr_blocks = ["10.20.0.0/16"]
  }
}

resource "aws_instance" "web" {
  ami           = "ami-0123456789"
  instance_type = "t3.small"
}
"""
_WORKFLOW = """name: CI
on:
  pull_request:
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v4
      - name: Lint
        run: ruff check .
      - name: Test
        run: pytest
  publish:
    needs: test
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v4
      - run: make publish
"""


def _compose(place: Place) -> None:
    repository(place)
    place.write("docker-compose.yml", _COMPOSE.format(secret=place.canary()))
    place.run("git add -A && git commit -qm compose")


@variant("structured files", "compose: a service added")
def compose_service_added(place: Place, claims: Claims) -> Iterator[None]:
    _compose(place)
    yield
    worker = "  worker:\\n    image: registry.example.org/shop:1.8.0\\n    command: celery -A shop worker"
    place.run(f"sed -i 's|^  db:|{worker}\\n&|' docker-compose.yml")
    claims.say("docker-compose.yml", "worker", ADDED)
    claims.lead("worker", ADDED)
    claims.deny("pgdata")


@variant("structured files", "compose: the image of the database from 15 to 16")
def compose_image_changed(place: Place, claims: Claims) -> Iterator[None]:
    _compose(place)
    place.write("access.log", "GET / 200\n")
    yield
    place.run("sed -i s/postgres:15/postgres:16/ docker-compose.yml && seq 200 >> access.log")
    claims.say("db", "image", "15", "16")
    claims.lead("image|postgres", "16")


@variant("structured files", "compose: the volume of the database removed")
def compose_volume_removed(place: Place, claims: Claims) -> Iterator[None]:
    _compose(place)
    yield
    place.run("sed -i '/volumes:/d; /pgdata/d' docker-compose.yml")
    change(place, 2)
    claims.warn("pgdata", "volume", DROPPED)
    claims.lead("pgdata|volume", DROPPED)


@variant("structured files", "compose: the port of the database published to everybody")
def compose_port_published(place: Place, claims: Claims) -> Iterator[None]:
    _compose(place)
    yield
    place.run("sed -i s/127.0.0.1:5432:5432/0.0.0.0:5432:5432/ docker-compose.yml")
    place.run("git commit -qam 'reach the database from my laptop'")
    claims.warn("5432", "0.0.0.0|every|all addresses|public")
    claims.lead("5432|port")


@variant("structured files", "Kubernetes: replicas from 3 to 1")
def kubernetes_replicas(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    place.write("k8s/api.yaml", _DEPLOYMENT.format(name="api"))
    place.write("k8s/web.yaml", _DEPLOYMENT.format(name="web"))
    place.run("git add -A && git commit -qm manifests")
    yield
    place.run("sed -i 's/replicas: 3/replicas: 1/' k8s/api.yaml && echo '# end' >> k8s/web.yaml")
    claims.say("api", "replicas", "3", "1")
    claims.lead("api", "replicas")


@variant("structured files", "Kubernetes: an image changed in the second of four documents")
def kubernetes_image(place: Place, claims: Claims) -> Iterator[None]:
    documents = [_DEPLOYMENT.format(name="api"), _DEPLOYMENT.format(name="worker")]
    services = [_SERVICE.format(name="api"), _SERVICE.format(name="worker")]
    place.write("deploy/all.yaml", "---\n".join([*documents, *services]))
    place.write("deploy/README.md", "kubectl apply -f all.yaml\n")
    yield
    place.run("sed -i s/worker:1.4.2/worker:1.5.0/ deploy/all.yaml")
    claims.say("worker", "image", "1.4.2", "1.5.0")
    claims.lead("worker|image|all.yaml", "1.5.0|image")
    claims.deny("api:1")


@variant("structured files", "Kubernetes: a network policy removed from a file of three documents")
def kubernetes_object_removed(place: Place, claims: Claims) -> Iterator[None]:
    parts = [_DEPLOYMENT.format(name="api"), _SERVICE.format(name="api")]
    place.write("deploy/shop.yaml", "---\n".join([*parts, _POLICY]))
    place.write("notes.txt", "check the cluster\n")
    yield
    place.write("deploy/shop.yaml", "---\n".join(parts))
    place.run("echo done >> notes.txt")
    claims.warn("NetworkPolicy", "default-deny", DROPPED)
    claims.lead("NetworkPolicy|default-deny", DROPPED)


@variant("structured files", "Terraform: SSH opened to the whole internet")
def terraform_opened(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    place.write("infra/main.tf", _TERRAFORM)
    place.write("infra/variables.tf", 'variable "region" {\n  default = "eu-west-1"\n}\n')
    place.run("git add -A && git commit -qm infra")
    yield
    place.run("sed -i s,10.20.0.0/16,0.0.0.0/0, infra/main.tf")
    claims.warn("main.tf", "0.0.0.0/0")
    claims.lead("main.tf|bastion", "0.0.0.0/0|ingress|cidr_blocks")


@variant(
    "structured files", "Terraform state: an instance resized and an output added",
    stands_in="the state files in the format of Terraform 1.11, for terraform apply",
)  # fmt: skip
def terraform_resized(place: Place, claims: Claims) -> Iterator[None]:
    database = terraform_resource("aws_db_instance", "main", id="db-1", password=place.canary())
    small = terraform_resource("aws_instance", "web", id="i-0abc", instance_type="t3.small")
    large = terraform_resource("aws_instance", "web", id="i-0abc", instance_type="t3.large")
    before = terraform_state(7, [database, small], region="eu-west-1")
    place.write("main.tf", _TERRAFORM)
    place.write("terraform.tfstate", before)
    yield
    place.run("sed -i s/t3.small/t3.large/ main.tf")
    place.write("terraform.tfstate.backup", before)
    after = terraform_state(8, [database, large], region="eu-west-1", address="192.0.2.10")
    place.write("terraform.tfstate", after)
    claims.say("tfstate", "aws_instance.web", "t3.small", "t3.large")
    claims.say("output", "address", ADDED)
    claims.lead("aws_instance|t3.large")
    claims.deny("destroyed", "aws_db_instance.main removed")


@variant("structured files", "GitHub Actions: more permission, and run for requests of strangers")
def workflow_opened(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    place.write(".github/workflows/ci.yml", _WORKFLOW)
    place.run("git add -A && git commit -qm ci")
    yield
    edit = "s/pull_request:/pull_request_target:/; s/contents: read/contents: write/"
    place.run(f"sed -i '{edit}' .github/workflows/ci.yml")
    claims.warn("ci.yml|CI", "pull_request_target")
    claims.say("contents", "read", "write")
    claims.lead("ci.yml|workflow", "pull_request_target|permission|contents")


@variant("structured files", "GitHub Actions: the step that runs the tests removed")
def workflow_step_removed(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    place.write(".github/workflows/ci.yml", _WORKFLOW)
    place.run("git add -A && git commit -qm ci")
    yield
    place.run("sed -i '/name: Test/d; /run: pytest/d' .github/workflows/ci.yml")
    change(place, 6)
    claims.say("ci.yml|CI", "Test", "step|pytest", DROPPED)
    claims.lead("ci.yml|workflow", "Test|step")
