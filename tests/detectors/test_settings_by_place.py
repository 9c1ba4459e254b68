"""Settings in files without an ending, in JSON5, in inventories, and who owns which files."""

from __future__ import annotations

import json
import time

import pytest

from clew.detectors.deployment.declarations import Declarations
from clew.detectors.files.config_files import ConfigFiles
from clew.detectors.formats.inventory_reader import read_inventory
from clew.detectors.formats.json5_reader import read_json5
from clew.detectors.formats.owners_reader import read_owners
from clew.detectors.formats.reading import read_values
from clew.detectors.formats.values import Unreadable
from clew.model.story import Story
from tests.kit.moments import story


def _told(path: str, old: str, new: str) -> Story:
    before, after = {path: old.encode()}, {path: new.encode()}
    return story([], before, after, [Declarations(), ConfigFiles()])


NGINX = """\
server {
    listen 80;
    server_name shop.example.org;
    client_max_body_size 10m;
    ssl_certificate_key /etc/ssl/canary.key;
}
"""
INVENTORY = "[production]\nweb1.example.org\nweb2.example.org ansible_port=22 ansible_password=canary\n\n[staging]\nweb9.example.org\n"
OWNERS = "* @acme/all\n/payments/ @acme/security ops@canary.example\n/docs/ @acme/docs\n"
LIMITS = (
    "{\n  // of the kitchen\n  maxOrders: 40,\n  colours: ['red', 'it\\'s'],\n  open: true,\n}\n"
)

_CHANGES = [
    ("etc/nginx/sites-enabled/shop", NGINX, "10m", "1g", "sites-enabled/shop: client_max_body_size 10m → 1g"),
    ("deploy/sites-available/shop.example.org", NGINX, "listen 80", "listen 8080", "sites-available/shop.example.org: listen 80 → 8080"),
    ("nginx/conf.d/shop", NGINX, "10m", "1g", "conf.d/shop: client_max_body_size 10m → 1g"),
    ("etc/nginx/sites-enabled/shop", NGINX, "server_name shop", "server_name www.shop", "sites-enabled/shop: server_name shop.example.org → www.shop.example.org"),
    ("etc/default/grub", "GRUB_TIMEOUT=5\nX=1\n", "=5", "=0", "grub: GRUB_TIMEOUT 5 → 0"),
    ("inventory.ini", INVENTORY, "[staging]\nweb9.example.org\n", "web9.example.org\n", "inventory.ini: −staging web9.example.org, +production web9.example.org"),
    ("inventory/hosts", INVENTORY, "web9", "web8", "hosts: staging web9.example.org → web8.example.org"),
    ("prod.ini", INVENTORY, "web9", "web8", "prod.ini: staging web9.example.org → web8.example.org"),
    ("inventory.ini", INVENTORY, "canary", "canary2", "inventory.ini: ~host web2.example.org.ansible_password"),
    (".github/CODEOWNERS", OWNERS, "/docs/ @acme/docs\n", "", "CODEOWNERS: −/docs/ @acme/docs"),
    ("CODEOWNERS", OWNERS, "@acme/all", "@acme/few", "CODEOWNERS: * @acme/all → @acme/few"),
    ("limits.json5", LIMITS, "40", "400", "limits.json5: maxOrders 40 → 400"),
    ("limits.json5", LIMITS, "true", "false", "limits.json5: open true → false"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "old", "new", "headline"), _CHANGES)
def test_a_changed_setting_is_named(
    path: str, text: str, old: str, new: str, headline: str
) -> None:
    assert old in text
    told = _told(path, text, text.replace(old, new, 1))

    assert told.headline == headline
    assert "canary" not in repr(told)


def test_a_server_with_another_name_is_the_same_server_and_a_second_one_is_new() -> None:
    path = "etc/nginx/sites-enabled/shop"
    renamed = NGINX.replace("shop.", "www.shop.").replace("10m", "1g")

    (fact,) = _told(path, NGINX, renamed).facts
    assert fact.marks == (
        "server_name shop.example.org → www.shop.example.org",
        "client_max_body_size 10m → 1g",
    )
    (fact,) = _told(path, NGINX, NGINX + renamed).facts
    assert fact.marks[0].startswith("+server")
    told = _told(path, NGINX, renamed)
    assert told.headline == "sites-enabled/shop: ~server_name, ~client_max_body_size"


@pytest.mark.parametrize(
    ("path", "old", "new", "mark"),
    [
        ("pom.xml", "<a>\n  <b>1</b>\n</a>\n", "<a>\n    <b>1</b>\n</a>\n", "formatting only"),
        ("a.json5", "{a: 1}", "{\n a: 1\n}", "formatting only"),
        ("compose.yaml", 'services: {a: {image: x, ports: ["8080:22"]}}\n', "services: {a: {image: x, ports: [8080:22]}}\n", "no setting changed"),
        ("compose.yaml", "services:\n  a: {image: x}\n  b: {image: y}\n", "services:\n  b: {image: y}\n  # why\n  a: {image: x}\n", "no setting changed"),
        ("a.yaml", 'v: "1.2.3"\nat: "127.0.0.1:80"\n', "v: 1.2.3\nat: 127.0.0.1:80\n", "no setting changed"),
    ],
)  # fmt: skip
def test_layout_quotes_and_order_change_no_setting(
    path: str, old: str, new: str, mark: str
) -> None:
    (fact,) = _told(path, old, new).facts

    assert (fact.kind, fact.marks[0], fact.direct) == ("config.changed", mark, False)


@pytest.mark.parametrize("text", ["v: 1.2", "v: 22:22", "v: 0x1f", "v: 2024-01-02", "v: no"])
def test_quotes_around_what_yaml_reads_as_another_type_are_a_change(text: str) -> None:
    quoted = f'v: "{text[3:]}"\n'

    (fact,) = _told("a.yaml", f"{text}\n", quoted).facts

    assert fact.marks == ("~v",)


def test_json5_is_read_as_its_specification_says() -> None:
    text = """// comment
    {unquoted: 'single "quotes"', $x: "a\\
b", hex: 0xdecaf, neg: -0x10, half: .5, whole: 5., plus: +1, 'inf': -Infinity, nan: NaN,
     esc: '\\x41\\u0042\\'\\0', /* block */ list: [1, 2e3,], "quoted": {ünï: null,},}
    """
    assert read_json5(text) == {
        "unquoted": 'single "quotes"', "$x": "ab", "hex": "912559", "neg": "-16", "half": "0.5",
        "whole": "5.0", "plus": "1", "inf": "-Infinity", "nan": "NaN", "esc": "AB'\0",
        "list": ["1", "2e3"], "quoted": {"ünï": None},
    }  # fmt: skip
    assert read_json5(json.dumps({"a": [1, {"b": "c"}]})) == {"a": ["1", {"b": "c"}]}


@pytest.mark.parametrize(
    "text", ["{a: b}", "{a: 'x}", "{/* a: 1}", "{a: 1", "{a: 0x}", "[" * 100_000, "{a: 1, a: 2}"]
)
def test_broken_json5_cannot_be_read(text: str) -> None:
    with pytest.raises(Unreadable):
        read_json5(text)


@pytest.mark.parametrize("text", ["[a]\nb = [\n", "[a]\nx y\n", "[a:vars]\nb\n", "", "[a]\n'b\n"])
def test_what_is_no_inventory_cannot_be_read(text: str) -> None:
    with pytest.raises(Unreadable):
        read_inventory(text)


def test_names_alone_in_an_ini_file_that_is_no_inventory_are_not_told() -> None:
    with pytest.raises(Unreadable):
        read_values("words.ini", b"[words]\nswordfish\n")


def test_sections_of_gitlab_have_owners_of_their_own() -> None:
    text = "[Docs][2] @docs\n*.md\n^[Code] @dev\n/src @a @b # why\n"

    assert read_owners(text) == {
        "Docs": {"owners": ["@docs"], "*.md": []},
        "Code": {"owners": ["@dev"], "/src": ["@a", "@b"]},
    }


@pytest.mark.parametrize("piece", ["'", "/*", "a b ", "[", "=", "\\", "@a ", "0x", "a=b "])
def test_hostile_text_takes_little_time(piece: str) -> None:
    text = piece * (256_000 // len(piece))
    began = time.perf_counter()
    for read in (read_json5, read_inventory, read_owners):
        try:
            read(text)
        except Unreadable:
            continue
    assert time.perf_counter() - began < 2
