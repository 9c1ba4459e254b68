"""Changes inside files that describe a deployment: clusters, charts, clouds, images and units."""

from __future__ import annotations

import json
from collections.abc import Iterator

from evaluation.fresh.verbs import ADDED
from evaluation.histories import change, repository
from evaluation.place import Place
from evaluation.second.tools import commit
from evaluation.second.verbs import CHANGED, DROPPED
from evaluation.variant import Claims, variant

_GROUP = "structured files"
_API = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: api
spec:
  replicas: 4
  template:
    spec:
      containers:
        - name: api
          image: registry.example.org/api:2.3.1
          livenessProbe:
            httpGet: {path: /health, port: 8000}
"""
_POSTGRES = """\
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: postgres
spec:
  serviceName: postgres
  volumeClaimTemplates:
    - metadata: {name: data}
      spec:
        accessModes: [ReadWriteOnce]
        resources: {requests: {storage: 50Gi}}
"""
_VALUES = """\
image:
  repository: registry.example.org/shop
  tag: "1.8.0"
persistence:
  enabled: true
  size: 20Gi
ingress:
  enabled: true
  host: shop.example.org
"""
_TERRAFORM = """\
resource "aws_db_instance" "main" {
  engine              = "postgres"
  deletion_protection = true

  lifecycle {
    prevent_destroy = true
  }
}

resource "aws_s3_bucket" "receipts" {
  bucket = "shop-receipts"
}

resource "aws_sqs_queue" "mails" {
  name = "mails"
}
"""
_COMPOSE = """\
services:
  web:
    image: registry.example.org/shop:1.8.0
    restart: always
    ports: ["127.0.0.1:8080:8000"]
  runner:
    image: registry.example.org/runner:3
    volumes:
      - ./work:/work
"""
_UNIT = """\
[Unit]
Description=Shop

[Service]
User=shop
ExecStart=/usr/bin/python3 -m shop --workers 4
Restart=always

[Install]
WantedBy=multi-user.target
"""
_POLICY: dict[str, object] = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": ["s3:GetObject"], "Resource": "arn:aws:s3:::shop/*"}],
}  # fmt: skip


def _files(place: Place, files: dict[str, str]) -> None:
    repository(place)
    for path, text in files.items():
        place.write(path, text)
    commit(place, "deployment")


@variant(_GROUP, "Kubernetes: replicas from 4 to 0")
def replicas_to_zero(place: Place, claims: Claims) -> Iterator[None]:
    _files(place, {"k8s/api.yaml": _API})
    yield
    place.run("sed -i 's/replicas: 4/replicas: 0/' k8s/api.yaml")
    claims.say("api", "replicas", "4", "0")
    claims.lead("api", "replicas")


@variant(_GROUP, "Kubernetes: an image goes back to an older version, and its probe goes")
def image_back(place: Place, claims: Claims) -> Iterator[None]:
    _files(place, {"k8s/api.yaml": _API})
    yield
    place.run(
        "sed -i 's/api:2.3.1/api:2.1.0/; /livenessProbe/,$d' k8s/api.yaml && git commit -qam api"
    )
    claims.say("api", "image", "2.3.1", "2.1.0")
    claims.say("api", "livenessProbe", DROPPED)
    claims.lead("api", "2.1.0|image")
    claims.deny("upgraded")


@variant(_GROUP, "Kubernetes: the manifest of a database deleted")
def stateful_set_removed(place: Place, claims: Claims) -> Iterator[None]:
    _files(place, {"k8s/api.yaml": _API, "k8s/postgres.yaml": _POSTGRES})
    yield
    place.run("git rm -q k8s/postgres.yaml && git commit -qm 'the database is elsewhere'")
    claims.warn("postgres", DROPPED)
    claims.lead("postgres", DROPPED)


@variant(_GROUP, "Helm: the volume of a release switched off, and its tag raised")
def helm_values(place: Place, claims: Claims) -> Iterator[None]:
    chart = "apiVersion: v2\nname: shop\nversion: 0.4.0\n"
    _files(place, {"chart/Chart.yaml": chart, "chart/values.yaml": _VALUES})
    yield
    place.run(
        "sed -i '/^persistence/,/size/ s/enabled: true/enabled: false/; s/1.8.0/1.9.0/' chart/values.yaml"
    )
    claims.say("values.yaml", "persistence", "false|off|disabled")
    claims.say("values.yaml", "tag", "1.8.0", "1.9.0")
    claims.lead("values.yaml", "persistence|tag")
    claims.deny("ingress")


@variant(_GROUP, "Terraform: the protection of a database against deletion removed")
def protection_removed(place: Place, claims: Claims) -> Iterator[None]:
    _files(place, {"infra/main.tf": _TERRAFORM})
    yield
    place.run(
        "sed -i '/lifecycle/,/^  }/d; s/deletion_protection = true/deletion_protection = false/' infra/main.tf"
    )
    claims.warn("main.tf|aws_db_instance", "prevent_destroy|deletion_protection|lifecycle")
    claims.lead(
        "main.tf|aws_db_instance", "prevent_destroy|deletion_protection|lifecycle|protection"
    )


@variant(_GROUP, "Terraform: a bucket removed from the description")
def bucket_removed(place: Place, claims: Claims) -> Iterator[None]:
    _files(place, {"infra/main.tf": _TERRAFORM})
    yield
    place.run("sed -i '/aws_s3_bucket/,/^}/d' infra/main.tf")
    change(place, 4)
    claims.say("main.tf", "aws_s3_bucket", "receipts", DROPPED)
    claims.lead("aws_s3_bucket|main.tf|receipts", DROPPED)
    claims.deny("aws_sqs_queue", "aws_db_instance")


@variant(_GROUP, "compose: a container gets the whole host")
def privileged(place: Place, claims: Claims) -> Iterator[None]:
    _files(place, {"compose.yaml": _COMPOSE})
    yield
    place.run(
        "sed -i 's#^      - ./work:/work#&\\n      - /var/run/docker.sock:/var/run/docker.sock\\n    privileged: true#' compose.yaml"
    )
    claims.warn("runner|compose.yaml", "privileged|docker.sock")
    claims.lead("runner|compose.yaml", "privileged|docker.sock")
    claims.deny("web:")


@variant(_GROUP, "compose: a service removed and another no longer restarted")
def service_removed(place: Place, claims: Claims) -> Iterator[None]:
    _files(place, {"compose.yaml": _COMPOSE})
    yield
    place.run("sed -i '/^  runner:/,$d; s/restart: always/restart: \"no\"/' compose.yaml")
    claims.say("runner", DROPPED)
    claims.say("web", "restart", "always", "no")
    claims.lead("runner", DROPPED)


@variant(_GROUP, "systemd: a unit starts another program as root", machine=True)
def unit_changed(place: Place, claims: Claims) -> Iterator[None]:
    place.write("etc/systemd/system/shop.service", _UNIT)
    yield
    place.run(
        "sed -i 's#^ExecStart=.*#ExecStart=/opt/shop/start.sh#; /^User=/d' /etc/systemd/system/shop.service"
    )
    claims.say("shop", "ExecStart|starts|runs|command", "/opt/shop/start.sh")
    claims.say("shop", "User|root")
    claims.lead("shop.service|shop")


@variant(_GROUP, "cron: the backup runs every minute", machine=True)
def cron_changed(place: Place, claims: Claims) -> Iterator[None]:
    place.write("etc/cron.d/backup", "15 2 * * * root /usr/local/bin/backup.sh\n")
    yield
    place.run("sed -i 's/^15 2 /* * /' /etc/cron.d/backup")
    claims.say("backup", "15 2 * * *|* * * * *|schedule")
    claims.lead("backup", "cron|schedule|changed|→")


@variant(_GROUP, "a policy of a cloud allows everything")
def policy_opened(place: Place, claims: Claims) -> Iterator[None]:
    _files(place, {"infra/policy.json": json.dumps(_POLICY, indent=2) + "\n"})
    yield
    place.run('sed -i \'s#"s3:GetObject"#"*"#; s#arn:aws:s3:::shop/\\*#*#\' infra/policy.json')
    claims.warn("policy.json", "Action|Resource|*|everything")
    claims.lead("policy.json")


@variant(_GROUP, "Ansible: a host moved from staging to production")
def inventory(place: Place, claims: Claims) -> Iterator[None]:
    text = "[production]\nweb1.example.org\nweb2.example.org\n\n[staging]\nweb9.example.org\ndb9.example.org\n"
    _files(place, {"inventory.ini": text})
    yield
    place.run("sed -i '/^web9/d; s/^web2.*/&\\nweb9.example.org/' inventory.ini")
    claims.say("inventory.ini", "web9", f"{ADDED}|{CHANGED}|moved")
    claims.lead("inventory.ini")
    claims.deny("web1", "db9")


@variant(_GROUP, "Kubernetes: one file of two objects becomes two files", benign=True)
def objects_split(place: Place, claims: Claims) -> Iterator[None]:
    _files(place, {"k8s/all.yaml": f"{_API}---\n{_POSTGRES}"})
    yield
    place.write("k8s/api.yaml", _API)
    place.write("k8s/postgres.yaml", _POSTGRES)
    place.run("git rm -q k8s/all.yaml && git add -A && git commit -qm 'one object for each file'")
    claims.say("k8s|api.yaml|all.yaml")
    claims.lead("k8s|api.yaml|all.yaml|postgres")
    claims.deny("StatefulSet postgres removed", "Deployment api removed", "lost")


@variant(_GROUP, "compose: quotes, comments and order only", benign=True)
def compose_formatted(place: Place, claims: Claims) -> Iterator[None]:
    _files(place, {"compose.yaml": _COMPOSE})
    yield
    text = _COMPOSE.replace('["127.0.0.1:8080:8000"]', "\n      - 127.0.0.1:8080:8000")
    runner = text.index("  runner:")
    web = text.index("  web:")
    place.write("compose.yaml", f"# the shop\n{text[:web]}{text[runner:]}{text[web:runner]}")
    claims.say("compose.yaml", "format|comment|order|same|no setting|no value|nothing|layout")
    claims.lead("compose.yaml")
    claims.deny("removed", "added web", "published")


@variant(_GROUP, "Terraform: aligned and commented by its formatter", benign=True,
         stands_in="terraform fmt: the same edit by hand")  # fmt: skip
def terraform_formatted(place: Place, claims: Claims) -> Iterator[None]:
    _files(place, {"infra/main.tf": _TERRAFORM.replace("  engine              =", "  engine =")})
    yield
    place.write("infra/main.tf", f"# the shop\n{_TERRAFORM}")
    claims.say("main.tf", "format|comment|layout|space|same|no value|no setting|+")
    claims.lead("main.tf")
    claims.deny("removed", "prevent_destroy", "destroyed")
