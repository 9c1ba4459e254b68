"""Changes inside settings of programs, and links that lead nowhere."""

from __future__ import annotations

import json
from collections.abc import Iterator

from evaluation.histories import change, repository
from evaluation.place import Place
from evaluation.second.tools import commit
from evaluation.second.verbs import CHANGED, DROPPED
from evaluation.variant import Claims, variant

_GROUP = "structured files"
_SERVERS = """\
[[servers]]
name = "alpha"
port = 8001

[[servers]]
name = "beta"
port = 8002

[[servers]]
name = "gamma"
port = 8003
"""
_NGINX = """\
server {
    listen 80;
    server_name shop.example.org;
    client_max_body_size 10m;

    location /api/ {
        proxy_pass http://127.0.0.1:8000;
    }
}
"""
_POM = """\
<project>
  <groupId>org.example</groupId>
  <artifactId>shop</artifactId>
  <version>1.8.0</version>
  <dependencies>
    <dependency>
      <groupId>com.fasterxml.jackson.core</groupId>
      <artifactId>jackson-databind</artifactId>
      <version>2.17.0</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-api</artifactId>
      <version>2.0.13</version>
    </dependency>
  </dependencies>
</project>
"""
_LOG4J = """\
<?xml version="1.0" encoding="UTF-8"?>
<Configuration status="WARN">
  <Loggers>
    <Logger name="org.example.shop.payments" level="info"/>
    <Root level="warn"/>
  </Loggers>
</Configuration>
"""
_DJANGO = """\
DEBUG = False
ALLOWED_HOSTS = ["shop.example.org"]
SESSION_COOKIE_SECURE = True
SECRET_KEY = "{secret}"
TIME_ZONE = "UTC"
"""
_LIMITS = """\
{
  // limits of the kitchen
  maxOrders: 40,
  colours: ['red', 'green'],
  open: true,
}
"""


def _setting(place: Place, path: str, text: str) -> None:
    repository(place)
    place.write(path, text)
    commit(place, "settings")


@variant(_GROUP, "TOML: the port of the second of three servers")
def array_of_tables(place: Place, claims: Claims) -> Iterator[None]:
    _setting(place, "servers.toml", _SERVERS)
    yield
    place.run("sed -i 's/8002/9002/' servers.toml")
    claims.say("servers.toml", "port", "8002", "9002")
    claims.lead("servers.toml", "port|servers")
    claims.deny("8001", "8003", "alpha")


@variant(_GROUP, "JSON5: a limit raised and the kitchen closed")
def json5(place: Place, claims: Claims) -> Iterator[None]:
    _setting(place, "limits.json5", _LIMITS)
    yield
    place.run("sed -i 's/maxOrders: 40/maxOrders: 400/; s/open: true/open: false/' limits.json5")
    claims.say("limits.json5", "maxOrders", "40", "400")
    claims.say("limits.json5", "open", "false|off")
    claims.lead("limits.json5")
    claims.deny("colours")


@variant(_GROUP, "nginx: another name of the server and a larger body")
def nginx_names(place: Place, claims: Claims) -> Iterator[None]:
    place.write("etc/nginx/sites-enabled/shop", _NGINX)
    place.write("etc/nginx/nginx.conf", "events {}\nhttp {\n    include sites-enabled/*;\n}\n")
    yield
    place.run(
        "sed -i 's/server_name shop/server_name www.shop/; s/10m/1g/' etc/nginx/sites-enabled/shop"
    )
    claims.say("shop|nginx", "server_name", "www.shop.example.org")
    claims.say("shop|nginx", "client_max_body_size", "10m", "1g")
    claims.lead("nginx|sites-enabled/shop|server_name|shop")


@variant(_GROUP, "Maven: a library goes back to an old version")
def pom_version(place: Place, claims: Claims) -> Iterator[None]:
    _setting(place, "pom.xml", _POM)
    yield
    place.run("sed -i 's/2.17.0/2.9.8/' pom.xml && git commit -qam 'as in the old project'")
    claims.say("jackson-databind", "2.17.0", "2.9.8")
    claims.lead("jackson-databind|pom.xml")
    claims.deny("slf4j-api", "upgraded")


@variant(_GROUP, "XML settings: the level of one log")
def log_level(place: Place, claims: Claims) -> Iterator[None]:
    _setting(place, "conf/log4j2.xml", _LOG4J)
    yield
    place.run('sed -i \'s/level="info"/level="trace"/\' conf/log4j2.xml')
    change(place, 3)
    claims.say("log4j2.xml", "level|payments", "info", "trace")
    claims.lead("log4j2.xml")


@variant(_GROUP, "settings of Django: debug on and every host allowed")
def django_settings(place: Place, claims: Claims) -> Iterator[None]:
    _setting(place, "shop/settings.py", _DJANGO.format(secret=place.canary()))
    yield
    place.run(
        'sed -i \'s/^DEBUG = False/DEBUG = True/; s/"shop.example.org"/"*"/\' shop/settings.py'
    )
    claims.say("settings.py", "DEBUG")
    claims.say("settings.py", "ALLOWED_HOSTS")
    claims.lead("settings.py")
    claims.deny("TIME_ZONE")


@variant(_GROUP, "a flag of a feature switched on for everybody")
def feature_flag(place: Place, claims: Claims) -> Iterator[None]:
    flags = {
        "new_checkout": {"enabled": False, "percent": 5},
        "gifts": {"enabled": True, "percent": 100},
    }
    _setting(place, "flags.json", json.dumps(flags, indent=2) + "\n")
    yield
    place.run(
        "jq '.new_checkout = {enabled: true, percent: 100}' flags.json > new && mv new flags.json"
    )
    claims.say("flags.json", "new_checkout", "true| on|enabled")
    claims.say("flags.json", "percent", "5", "100")
    claims.lead("flags.json|new_checkout")
    claims.deny("gifts")


@variant(_GROUP, "editorconfig: spaces instead of tabs, for one kind of file")
def editorconfig(place: Place, claims: Claims) -> Iterator[None]:
    text = "root = true\n\n[*]\nindent_style = tab\n\n[*.yml]\nindent_size = 4\n"
    _setting(place, ".editorconfig", text)
    yield
    place.run("sed -i 's/indent_size = 4/indent_size = 2/' .editorconfig")
    claims.say(".editorconfig", "indent_size", "4", "2")
    claims.lead(".editorconfig")
    claims.deny("indent_style")


@variant(_GROUP, "an environment: the host of the database changed, a key removed")
def env_values(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    place.run("echo .env.production >> .gitignore && git commit -qam ignore")
    secret = place.canary()
    text = f"DATABASE_URL=postgres://shop:{secret}@db1/shop\nSTRIPE_SECRET_KEY={place.canary()}\nPORT=8000\n"
    place.write(".env.production", text)
    yield
    place.run("sed -i 's/@db1/@db2/; /STRIPE/d' .env.production")
    claims.say(".env.production", "DATABASE_URL")
    claims.say(".env.production", "STRIPE_SECRET_KEY", DROPPED)
    claims.lead(".env.production", "DATABASE_URL|STRIPE_SECRET_KEY")
    claims.deny("~PORT", "PORT changed")


@variant(_GROUP, "a link leads nowhere, because its release was deleted")
def dangling(place: Place, claims: Claims) -> Iterator[None]:
    for release in (11, 12):
        for number in range(10):
            place.write(
                f"releases/{release}/page_{number}.php", f"<?php echo {release * number};\n"
            )
    place.run("ln -s releases/12 current")
    yield
    place.run("rm -r releases/12 && ! test -e current")
    claims.warn("current", "dangling|broken|nowhere|missing|gone|no longer|does not exist")
    claims.lead("current|releases/12")


@variant(_GROUP, "package.json: another version of Node required, and a script changed")
def package_fields(place: Place, claims: Claims) -> Iterator[None]:
    package = {
        "name": "shop",
        "engines": {"node": ">=20"},
        "scripts": {"build": "vite build", "lint": "eslint ."},
    }
    _setting(place, "package.json", json.dumps(package, indent=2) + "\n")
    yield
    place.run("npm pkg set 'engines.node=>=22' scripts.build='vite build --minify false'")
    claims.say("package.json", "engines|node", "20", "22")
    claims.say("package.json", "build")
    claims.lead("package.json")
    claims.deny("lint")


@variant(_GROUP, "the owners of a directory removed from CODEOWNERS")
def codeowners(place: Place, claims: Claims) -> Iterator[None]:
    _setting(
        place,
        ".github/CODEOWNERS",
        "* @acme/all\n/payments/ @acme/security @acme/payments\n/docs/ @acme/docs\n",
    )
    yield
    place.run("sed -i '/payments/d' .github/CODEOWNERS && git commit -qam 'faster reviews'")
    claims.say("CODEOWNERS", "payments", DROPPED)
    claims.lead("CODEOWNERS")


@variant(_GROUP, "hosts: the address of a name changed", machine=True)
def hosts(place: Place, claims: Claims) -> Iterator[None]:
    place.write("etc/hosts", "127.0.0.1 localhost\n192.0.2.10 api.example.org\n")
    yield
    place.write("etc/hosts", "127.0.0.1 localhost\n198.51.100.7 api.example.org\n")
    claims.say("hosts", "api.example.org|198.51.100.7", f"198.51.100.7|{CHANGED}")
    claims.lead("hosts|api.example.org")


@variant(_GROUP, "keys of JSON sorted", benign=True)
def keys_sorted(place: Place, claims: Claims) -> Iterator[None]:
    settings = {
        "zone": "eu",
        "port": 8000,
        "mail": {"from": "a@example.org", "dry": False},
        "admins": ["a", "b"],
    }
    _setting(place, "settings.json", json.dumps(settings, indent=2) + "\n")
    yield
    place.run("jq -S . settings.json > new && mv new settings.json")
    claims.say("settings.json", "order|same|format|no value|no setting|nothing|sorted|layout")
    claims.lead("settings.json")
    claims.deny("removed", "−zone", "+zone", "~zone", "~port")


@variant(_GROUP, "XML indented in another way", benign=True)
def xml_indented(place: Place, claims: Claims) -> Iterator[None]:
    _setting(place, "pom.xml", _POM)
    yield
    place.run("sed -i 's/^\\( *\\)/\\1\\1/' pom.xml")
    claims.say("pom.xml", "format|indent|same|layout|space|no value|nothing")
    claims.lead("pom.xml")
    claims.deny("jackson-databind", "removed")


@variant(_GROUP, "an environment sorted and commented", benign=True)
def env_sorted(place: Place, claims: Claims) -> Iterator[None]:
    place.write("app.py", "import os\n")
    place.write(".env", f"PORT=8000\nAPI_TOKEN={place.canary()}\nDEBUG=0\n", 0o600)
    yield
    place.run("(echo '# of the shop'; sort .env) > new && cat new > .env && rm new")
    claims.say(".env")
    claims.lead(".env")
    claims.deny("+API_TOKEN", "−API_TOKEN", "−PORT", "+PORT", "removed", "~PORT")
