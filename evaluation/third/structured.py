"""Deployments, interfaces and settings, told by their meaning."""

from __future__ import annotations

import json
from collections.abc import Iterator

from evaluation.fresh.shop import shop
from evaluation.place import Place
from evaluation.second.tools import commit
from evaluation.second.verbs import DROPPED, GONE
from evaluation.third.edits import edited, replaced
from evaluation.variant import Claims, variant

_GROUP = "structured files"
_DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  template:
    spec:
      containers:
        - name: web
          image: shop:1.4.0
          resources:
            limits:
              memory: 512Mi
              cpu: 500m
          securityContext:
            runAsNonRoot: true
            privileged: false
          readinessProbe:
            httpGet:
              path: /health
"""
_COMPOSE = """\
services:
  web:
    image: shop:1.4.0
    environment:
      - LOG_LEVEL=info
      - WORKERS=4
    depends_on: [db]
  db:
    image: postgres:16
    volumes:
      - pgdata:/var/lib/postgresql/data
volumes:
  pgdata:
"""
_TF = """\
resource "aws_db_instance" "shop" {
  engine              = "postgres"
  instance_class      = "db.t3.medium"
  skip_final_snapshot = false
  backup_retention_period = 14
  storage_encrypted   = true
}

resource "aws_s3_bucket_public_access_block" "media" {
  bucket              = "media"
  block_public_acls   = true
  block_public_policy = true
}
"""


@variant(_GROUP, "Kubernetes: a container becomes privileged")
def privileged(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "k8s/web.yaml",
        _DEPLOYMENT,
        ("privileged: false", "privileged: true"),
        ("runAsNonRoot: true", "runAsNonRoot: false"),
    )
    claims.warn("web", "privileged")
    claims.lead("web", "privileged|root")


@variant(_GROUP, "Kubernetes: a container gets a quarter of its memory")
def memory(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(place, "k8s/web.yaml", _DEPLOYMENT, ("512Mi", "128Mi"))
    claims.say("web", "memory", "512Mi", "128Mi")
    claims.lead("web", "memory")


@variant(_GROUP, "Kubernetes: a role may do everything")
def cluster_role(place: Place, claims: Claims) -> Iterator[None]:
    text = 'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: deployer\nrules:\n  - apiGroups: ["apps"]\n    resources: ["deployments"]\n    verbs: ["get", "patch"]\n'
    yield from replaced(
        place,
        "k8s/role.yaml",
        text,
        ('["apps"]', '["*"]'),
        ('["deployments"]', '["*"]'),
        ('["get", "patch"]', '["*"]'),
    )
    claims.warn("deployer|role.yaml", "*|everything|all")
    claims.lead("deployer|role.yaml")


@variant(_GROUP, "compose: a variable of a service changed in a list")
def compose_list(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(place, "compose.yaml", _COMPOSE, ("WORKERS=4", "WORKERS=1"))
    claims.say("web", "WORKERS")
    claims.lead("web|WORKERS|compose")
    claims.deny("LOG_LEVEL")


@variant(_GROUP, "compose: the volume of the database becomes a directory of the host")
def compose_bind(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(place, "compose.yaml", _COMPOSE, ("- pgdata:/var", "- ./tmp/pg:/var"))
    claims.say("db", "pgdata|volume|./tmp/pg")
    claims.lead("db|compose", "volume|pgdata|./tmp/pg")


@variant(_GROUP, "compose: the socket of Docker given to a service")
def compose_socket(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "compose.yaml",
        _COMPOSE,
        (
            "    depends_on: [db]\n",
            "    depends_on: [db]\n    volumes:\n      - /var/run/docker.sock:/var/run/docker.sock\n",
        ),
    )
    claims.warn("web", "docker.sock|Docker")
    claims.lead("web", "docker.sock|Docker")


@variant(_GROUP, "Terraform: backups of a database switched off")
def tf_backups(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "infra/db.tf",
        _TF,
        ("backup_retention_period = 14", "backup_retention_period = 0"),
        ("skip_final_snapshot = false", "skip_final_snapshot = true"),
    )
    claims.warn("aws_db_instance.shop|shop", "backup|snapshot")
    claims.lead("shop", "backup|snapshot")


@variant(_GROUP, "Terraform: a bucket opened to the public")
def tf_public(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "infra/db.tf",
        _TF,
        ("block_public_acls   = true", "block_public_acls   = false"),
        ("block_public_policy = true", "block_public_policy = false"),
    )
    claims.warn("media", "public")
    claims.lead("media", "public")


@variant(_GROUP, "GeoJSON: shapes removed from a map")
def geojson(place: Place, claims: Claims) -> Iterator[None]:
    def shapes(count: int) -> str:
        every = [
            {
                "type": "Feature",
                "properties": {"name": f"House {n}"},
                "geometry": {"type": "Point", "coordinates": [n / 7, n / 9]},
            }
            for n in range(count)
        ]
        return json.dumps({"type": "FeatureCollection", "features": every})

    shop(place)
    place.write("map/houses.geojson", shapes(240))
    commit(place, "map")
    yield
    place.write("map/houses.geojson", shapes(230))
    claims.say("houses.geojson", "10", DROPPED)
    claims.lead("houses.geojson")


@variant(_GROUP, "texts of Apple: a key removed and one changed")
def apple_strings(place: Place, claims: Claims) -> Iterator[None]:
    text = (
        '/* buttons */\n"cart.buy" = "Buy";\n"cart.clear" = "Clear";\n"cart.total" = "Total: %d";\n'
    )
    yield from edited(
        place,
        "App/en.lproj/Localizable.strings",
        text,
        '/* buttons */\n"cart.buy" = "Buy now";\n"cart.total" = "Total: %d";\n',
    )
    claims.say("Localizable.strings", "cart.clear|1", DROPPED)
    claims.lead("Localizable.strings")


@variant(_GROUP, "translations in XLIFF: units removed")
def xliff(place: Place, claims: Claims) -> Iterator[None]:
    def units(count: int) -> str:
        every = "".join(
            f'      <trans-unit id="key{n}"><source>Text {n}</source><target>Woord {n}</target></trans-unit>\n'
            for n in range(count)
        )
        return f'<?xml version="1.0"?>\n<xliff version="1.2">\n  <file source-language="en" target-language="nl">\n    <body>\n{every}    </body>\n  </file>\n</xliff>\n'

    yield from edited(place, "locale/nl.xlf", units(30), units(24))
    claims.say("nl.xlf", "6", DROPPED)
    claims.lead("nl.xlf")


@variant(_GROUP, "a record of DNS removed from a zone")
def zone(place: Place, claims: Claims) -> Iterator[None]:
    text = "$TTL 3600\n@ IN SOA ns1 admin 2024050101 3600 600 86400 300\n@ IN NS ns1\nwww IN A 203.0.113.7\nmail IN A 203.0.113.9\n@ IN MX 10 mail\n"
    yield from edited(
        place,
        "dns/example.org.zone",
        text,
        text.replace("2024050101", "2024050201")
        .replace("@ IN MX 10 mail\n", "")
        .replace("203.0.113.7", "203.0.113.8"),
    )
    claims.say("example.org.zone")
    claims.lead("example.org.zone")


@variant(_GROUP, "Caddy: the login before the admin page removed")
def caddy(place: Place, claims: Claims) -> Iterator[None]:
    text = "shop.example.org {\n\treverse_proxy web:8000\n\thandle /admin* {\n\t\tbasic_auth {\n\t\t\tann $2a$14$abc\n\t\t}\n\t\treverse_proxy web:8000\n\t}\n}\n"
    yield from edited(
        place,
        "Caddyfile",
        text,
        "shop.example.org {\n\treverse_proxy web:8000\n\thandle /admin* {\n\t\treverse_proxy web:8000\n\t}\n}\n",
    )
    claims.say("Caddyfile")
    claims.lead("Caddyfile")


@variant(_GROUP, "a link from the current release to none: data replaced by a directory")
def link_replaced(place: Place, claims: Claims) -> Iterator[None]:
    for release in ("41", "42"):
        place.write(f"releases/{release}/app.py", f"version = {release}\n")
    place.run("ln -s releases/42 current")
    yield
    place.run("rm current && mkdir current && cp releases/41/app.py current/")
    claims.say("current", "link|directory")
    claims.lead("current")


@variant(_GROUP, "JSON: a number in the third of four servers, deep in settings")
def deep_json(place: Place, claims: Claims) -> Iterator[None]:
    def settings(timeout: int) -> str:
        servers = [
            {"name": f"eu-{n}", "limits": {"timeout": timeout if n == 2 else 30, "pool": 8}}
            for n in range(4)
        ]
        return json.dumps({"gateway": {"servers": servers}}, indent=2)

    yield from edited(place, "config/gateway.json", settings(30), settings(3))
    claims.say("gateway.json", "timeout", "30", "3")
    claims.lead("gateway.json|timeout")
    claims.deny("pool")


@variant(_GROUP, "GitHub: dependabot no longer looks at one ecosystem")
def dependabot(place: Place, claims: Claims) -> Iterator[None]:
    text = "version: 2\nupdates:\n  - package-ecosystem: pip\n    directory: /\n    schedule: {interval: weekly}\n  - package-ecosystem: docker\n    directory: /\n    schedule: {interval: monthly}\n"
    yield from edited(
        place, ".github/dependabot.yml", text, text[: text.index("  - package-ecosystem: docker")]
    )
    claims.say("dependabot.yml", f"docker|updates|{GONE}|−")
    claims.lead("dependabot.yml")


@variant(_GROUP, "Kubernetes: a label and a comment added", benign=True)
def label(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "k8s/web.yaml",
        _DEPLOYMENT,
        ("  name: web\nspec:", "  name: web\n  labels:\n    team: shop\nspec:"),
    )
    claims.say("web", "label|team")
    claims.lead("web")


@variant(_GROUP, "Terraform: a longer retention and a tag", benign=True)
def tf_longer(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place, "infra/db.tf", _TF, ("backup_retention_period = 14", "backup_retention_period = 30")
    )
    claims.say("backup_retention_period", "14", "30")
    claims.lead("shop|db.tf", "backup_retention_period|30")


@variant(_GROUP, "YAML with anchors written out in full", benign=True)
def anchors(place: Place, claims: Claims) -> Iterator[None]:
    before = "base: &base\n  image: shop\n  retries: 3\nweb:\n  <<: *base\n  port: 80\n"
    after = "base:\n  image: shop\n  retries: 3\nweb:\n  image: shop\n  retries: 3\n  port: 80\n"
    yield from edited(place, "config/services.yaml", before, after)
    claims.say("services.yaml")
    claims.lead("services.yaml")
    claims.deny("−port", "port removed", "retries removed")
