"""Readers of structured files, compared with the parsers of their formats where there is one."""

from __future__ import annotations

import json
import time
import tomllib
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.detectors.files.loose_json import read_json, strict_json
from clew.detectors.files.shown_values import shown_text
from clew.detectors.formats.directives_reader import read_directives
from clew.detectors.formats.hcl_reader import read_hcl
from clew.detectors.formats.properties_reader import read_properties
from clew.detectors.formats.reading import Documents, read_values, syntax_of
from clew.detectors.formats.requirements_reader import read_requirements
from clew.detectors.formats.translation_readers import read_po, read_strings, read_translation_xml
from clew.detectors.formats.values import Hidden, Plain, Unreadable, Value, is_same
from clew.detectors.formats.xml_reader import read_xml

_TEXTS = st.text("ab,:{}[]/*\"\\ \n'#ä", max_size=10)
_JSON = st.recursive(
    st.one_of(_TEXTS, st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(_TEXTS, inner, max_size=4)
    ),
    max_leaves=10,
)
_COMMA = st.sampled_from(["", ","])
_BETWEEN = st.sampled_from(["", " ", "\n", '// a " b ,}\n', "/* ] , */", "/**/", "//\n"])


def _commented(value: object, draw: st.DrawFn) -> str:
    """Return JSON with comments and trailing commas wherever they may be."""

    def gap() -> str:
        return draw(_BETWEEN)

    if isinstance(value, dict):
        pairs = [
            f"{gap()}{json.dumps(key)}{gap()}:{_commented(one, draw)}" for key, one in value.items()
        ]
        end = draw(_COMMA) if pairs else ""
        return f"{gap()}{{{','.join(pairs)}{end}{gap()}}}{gap()}"
    if isinstance(value, list):
        items = [_commented(one, draw) for one in value]
        end = draw(_COMMA) if items else ""
        return f"{gap()}[{','.join(items)}{end}{gap()}]{gap()}"
    return f"{gap()}{json.dumps(value)}{gap()}"


@st.composite
def _with_comments(draw: st.DrawFn) -> tuple[object, str]:
    value = draw(_JSON)
    return value, _commented(value, draw)


@given(_with_comments())
def test_json_with_comments_is_the_json_without(given_: tuple[object, str]) -> None:
    value, text = given_

    assert json.loads(strict_json(text)) == value


def _plain(value: object) -> object:
    """Return a value with scalars as our readers have them."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value if isinstance(value, str | bool) or value is None else json.dumps(value)


@given(_JSON)
def test_json_is_read_as_json_reads_it(value: object) -> None:
    assert read_values("a.json", json.dumps(value, indent=1).encode()) == _plain(value)


def test_a_comma_before_a_bracket_in_a_text_is_kept() -> None:
    content = b'{"a": "x,}", "b": ["y,]",], /* c */}'

    assert read_json(content) == {"a": "x,}", "b": ["y,]"]}


_TOML_SCALARS = st.one_of(
    st.integers(-(2**63), 2**63 - 1).map(str), st.booleans().map(lambda one: str(one).lower()),
    st.text("ab \"#=[]", max_size=6).map(json.dumps), st.sampled_from(["1.10", "2024-01-02", "[1, 2]"]),
)  # fmt: skip


@given(st.dictionaries(st.text("abc-_", min_size=1, max_size=5), _TOML_SCALARS, max_size=5))
def test_toml_is_read_as_tomllib_reads_it(pairs: dict[str, str]) -> None:
    text = "[t.u]\n" + "".join(f"{key} = {value}\n" for key, value in pairs.items())
    theirs = tomllib.loads(text, parse_float=str)["t"]["u"]

    found = read_values("a.toml", text.encode())

    assert found == {"t": {"u": {k: _toml_text(v) for k, v in theirs.items()}}}


def _toml_text(value: object) -> object:
    if isinstance(value, list):
        return [_toml_text(one) for one in value]
    return value if isinstance(value, str | bool) else str(value)


_XML = st.recursive(
    st.text("ab 1", max_size=4).map(str.strip),
    lambda inner: st.lists(st.tuples(st.sampled_from("abc"), inner), min_size=1, max_size=3),
    max_leaves=6,
)


def _element(name: str, value: object) -> ElementTree.Element:
    element = ElementTree.Element(name)
    if isinstance(value, list):
        element.extend(_element(*pair) for pair in value)
    else:
        element.text = str(value)
    return element


@given(_XML)
def test_xml_is_read_as_elementtree_reads_it(value: object) -> None:
    root = _element("root", value)

    assert read_xml(ElementTree.tostring(root)) == {"root": _as_value(root)}


def _as_value(element: ElementTree.Element) -> object:
    found: dict[str, object] = {}
    for child in element:
        value = _as_value(child)
        before = found.get(child.tag)
        found[child.tag] = (
            value
            if before is None
            else [*(before if isinstance(before, list) else [before]), value]
        )
    return found or (element.text or "").strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=1\nb: 2\nc 3\nd\n", {"a": "1", "b": "2", "c": "3", "d": ""}),
        ("  a = 1\n\tb = 2\n", {"a": "1", "b": "2"}),
        ("a=1,\\\n   2\nb=c:\\\\\n", {"a": "1,2", "b": "c:\\"}),
        ("# x\n! y\na\\=b = c\\u00e4\\t\n", {"a=b": "cä\t"}),
        ("a.b-c=x=y:z\n", {"a.b-c": "x=y:z"}),
        ("a=1\na=2\n", {"a": "2"}),
        ("a=1\r\nb=2\r", {"a": "1", "b": "2"}),
    ],
)
def test_properties_are_read_as_java_does(text: str, expected: dict[str, str]) -> None:
    assert read_properties(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a 1;\nb x y;\n", {"a": "1", "b": ["x", "y"]}),
        ("allow a;\nallow b;\n", {"allow": ["a", "b"]}),
        ("http { gzip on; # c\n}\n", {"http": {"gzip": "on"}}),
        ("server { listen 80; }\nserver { server_name x; }\n", {"server 80": {"listen": "80"}, "server x": {"server_name": "x"}}),
        ("location ~ \\.php$ { a 'b;c'; }", {"location ~ \\.php$": {"a": "b;c"}}),
        ("server { }\nserver { }\n", {"server": {}, "server 2": {}}),
    ],
)  # fmt: skip
def test_directives_of_nginx(text: str, expected: dict[str, Value]) -> None:
    assert read_directives(text) == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("redis.conf", "bind 127.0.0.1 ::1\nmaxmemory 100mb # x\nsave 60 1\nsave 30 2\n", {"bind": ["127.0.0.1", "::1"], "maxmemory": "100mb", "save": ["60", "1", "30", "2"]}),
        ("haproxy.cfg", "global\n  maxconn 5\nfrontend a\n  bind *:80\n", {"global": {"maxconn": "5"}, "frontend a": {"bind": "*:80"}}),
        ("Caddyfile", "a.org {\n  root * /srv\n  handle /x {\n    respond 404\n  }\n}\n", {"a.org": {"root": ["*", "/srv"], "handle /x": {"respond": "404"}}}),
        ("go.mod", "module m\nrequire (\n\ta/b v1.0 // indirect\n)\n", {"module": "m", "require": {"a/b": "v1.0"}}),
        ("site.conf", "<VirtualHost *:80>\n  ServerName a\n</VirtualHost>\n", {"VirtualHost *:80": {"ServerName": "a"}}),
        ("sshd_config", "Port 22\n# x\nPermitRootLogin no\n", {"Port": "22", "PermitRootLogin": "no"}),
    ],
)  # fmt: skip
def test_keywords_of_many_programs(name: str, text: str, expected: dict[str, Value]) -> None:
    assert read_values(name, text.encode()) == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("haproxy.cfg", "listen s\n  stats auth admin:canary\n"), ("redis.conf", "requirepass canary\n"),
        ("redis.conf", "masterauth canary\n"), ("redis.conf", "user default on >canary ~*\n"),
        ("nginx.conf", "proxy_set_header Authorization canary;\n"), ("nginx.conf", "set $token canary;\n"),
        ("nginx.conf", "proxy_set_header X-Api-Key canary;\n"), ("squid.conf", "cache_peer a login=u:canary\n"),
        ("haproxy.cfg", "userlist u\n  user a insecure-password canary\n"),
    ],
)  # fmt: skip
def test_an_argument_beside_a_secret_name_is_hidden(name: str, text: str) -> None:
    found: list[Value] = [read_values(name, text.encode())]
    while found:
        value = found.pop()
        if isinstance(value, dict):
            found += value.values()
        elif isinstance(value, list):
            found += value
        elif "canary" in str(value):
            assert isinstance(value, Hidden) or shown_text(str(value)) is None


def test_blocks_attributes_and_expressions_of_terraform() -> None:
    root = read_hcl(
        'resource "a" "b" {\n  n = 1 # x\n  s = "q"\n  t = "x-${var.y["z"]}" // c\n'
        '  l = ["a", var.b, # c\n    3]\n  o = { k = "v", "w" : true }\n  f = merge(a, { b = "}" })\n'
        "  h = <<-EOF\n    text }\n  EOF\n  c = x == 1 ? 2 : 3\n  i = [for s in y : s.id]\n"
        "  in { p = false }\n  in {\n    p = true\n  }\n}\n/* c */\nlocals { a = 1 }\n"
    )

    block, other = root.blocks
    assert (block.type, block.labels) == ("resource", ("a", "b"))
    assert block.attributes == {
        "n": "1", "s": "q", "t": '"x-${var.y["z"]}"', "l": ["a", "var.b", "3"],
        "o": {"k": "v", "w": "true"}, "f": 'merge(a, { b = "}" })', "h": "    text }\n",
        "c": "x == 1 ? 2 : 3", "i": "[for s in y : s.id]",
    }  # fmt: skip
    assert [one.attributes for one in block.blocks] == [{"p": "false"}, {"p": "true"}]
    assert (other.type, other.attributes) == ("locals", {"a": "1"})


def test_requirements_have_names_and_versions() -> None:
    text = "# x\nDjango>=4.2,<5  # y\nrequests[socks] == 2.31 ; python_version > '3'\nflask\n-r base.txt\ngit+https://u:p@h/x\n"

    assert read_requirements(text) == {
        "Django": ">=4.2,<5",
        "requests[socks]": "==2.31; python_version > '3'",
        "flask": "",
        "other lines": ["-r base.txt", "git+https://u:p@h/x"],
    }


def test_messages_of_a_catalogue() -> None:
    text = (
        'msgid ""\nmsgstr ""\n"Language: de\\n"\n\n#: a.py:1\nmsgid "one"\nmsgstr "eins"\n\n'
        'msgctxt "menu"\nmsgid "one"\nmsgstr "Eins"\n\nmsgid "%d file"\nmsgid_plural "%d files"\n'
        'msgstr[0] "%d Datei"\nmsgstr[1] "%d Dateien"\n\nmsgid ""\n"long "\n"text"\nmsgstr "lang"\n'
    )

    assert list(read_po(text)) == ["one", "menu\x04one", "%d file", "long text"]


def test_texts_of_apple_android_xliff_qt_and_net() -> None:
    assert read_strings('/* c */ "a" = "b";\nc = "d"; // e\n') == {"a": "b", "c": "d"}
    android = b'<resources><string name="a">b</string><plurals name="c"><item quantity="one">d</item></plurals></resources>'
    assert list(read_translation_xml(android)) == ["a", "c"]
    xliff = b'<xliff><file><body><trans-unit id="1"><source>a</source><target>b</target></trans-unit></body></file></xliff>'
    assert read_translation_xml(xliff) == {"1": "b"}
    qt = b"<TS><context><name>x</name><message><source>a</source><translation>b</translation></message></context></TS>"
    assert read_translation_xml(qt) == {"a": "b"}
    net = b'<root><data name="a"><value>b</value></data></root>'
    assert read_translation_xml(net) == {"a": "b"}


@pytest.mark.parametrize(
    ("name", "syntax"),
    [
        ("tox.ini", "ini"), ("setup.cfg", "configparser"), ("my.cnf", "mysql"), (".gitconfig", "git"), ("a.YAML", "yaml"),
        ("requirements-dev.txt", "requirements"), ("Pipfile", "toml"), ("x.desktop", "units"),
        ("main.py", ""), ("Makefile", ""), ("", ""), ("pom.xml", "xml"), ("Info.plist", "plist"),
        ("a.json5", "json5"), ("etc/nginx/sites-enabled/shop", "conf"), ("sites-available/shop.example.org", "conf"),
        ("sites-available/deploy.sh", ""), ("nginx/README", ""), ("inventory/production", "inventory"),
        ("etc/ansible/hosts", "inventory"), ("ansible/site", ""), ("etc/default/grub", "properties"),
        ("src/default/grub", ""), (".github/CODEOWNERS", "owners"), ("inventory.ini", "inventory"),
    ],
)  # fmt: skip
def test_the_name_says_the_syntax(name: str, syntax: str) -> None:
    assert syntax_of(name) == syntax


def test_several_documents_a_property_list_and_a_net_config_are_read() -> None:
    assert read_values("a.yaml", b"a: 1\n---\nb: 2\n") == Documents([{"a": "1"}, {"b": "2"}])
    plist = b'<?xml version="1.0"?><plist><dict><key>a</key><integer>1</integer></dict></plist>'
    assert read_values("a.plist", plist) == {"a": "1"}
    assert read_values("web.config", b'<c><add key="a" value="b"/></c>') == {
        "c": {"add": {"@key": "a", "@value": "b"}}
    }
    assert read_values("a.json", json.dumps({"a": 1}).encode("utf-16")) == {"a": "1"}


def test_a_number_and_its_text_differ_a_word_and_its_text_do_not() -> None:
    assert not is_same(Plain("80"), "80")
    assert not is_same(Plain("on"), "on")
    assert not is_same(True, Plain("true"))
    assert is_same(Plain("web"), "web")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", b'{"a": 1, "a": 2}'), ("a.json", b"[" * 100_000), ("a.json", b'{"a":' * 100_000),
        ("a.json", b'{"a": 1'), ("a.json", b'{"a": /* ' * 5_000), ("a.json", b"\xff\xfe\xfa"),
        ("a.json", b"\x80\x81"), ("a.json", b""), ("a.json", b'{"a": "\0"}\0'),
        ("a.toml", b"a = 1\na = 2\n"), ("a.toml", b"a = " + b"[" * 50_000),
        ("a.toml", b".".join([b"a"] * 100_000) + b"=1"), ("a.conf", b"requirepass hunter2\nbind = x\n"),
        ("a.conf", b"{" * 100_000), ("a.conf", b"a {" * 1_000),
        ("a.xml", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'), ("a.xml", b"<a>" * 10_000), ("a.xml", b"<a"),
        ("a.plist", b'<!DOCTYPE a [<!ENTITY b "c">]><plist>&b;</plist>'), ("a.plist", b"bplist00"),
        ("a.yml", b"\xff" * 10), ("main.py", b"a = 1\n"), ("a.yml", b"a: 1\n" * 100_000),
    ],
)  # fmt: skip
def test_what_is_not_what_it_says_cannot_be_read(name: str, content: bytes) -> None:
    with pytest.raises(Unreadable):
        read_values(name, content)


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 10_000, "a {" * 10_000, "a = " + "{" * 1_000, "a = f" + "(" * 100_000,
        'a = "' + "${" * 10_000, "\0", "/*" * 100_000, "a = <<E\n" * 3_000, 'a "b', "a = ", "a b c",
        "a = )", "a = 1\na = 2", "}",
    ],
)  # fmt: skip
def test_what_is_not_hcl_is_refused_soon(text: str) -> None:
    began = time.process_time()
    with pytest.raises(Unreadable):
        read_hcl(text)

    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", b'{"' + b"k" * 500_000 + b'": {' + b'"a":1,' * 80_000 + b'"z":1}}'),
        ("a.ini", b"[" * 1_000_000), ("a.ini", b"a" * 1_000_000), ("a.ini", b"a=\\\n" * 200_000),
        ("a.json", b'{"a":' + b", \n" * 300_000), ("a.json", b"/*" * 500_000),
        ("a.json", b'"\\' * 400_000), ("a.toml", b"[[a]]\n" * 40_000),
        ("a.properties", b"\\" * 1_000_000), ("a.properties", b"a" * 1_000_000),
        ("a.conf", b"a " * 200_000), ("a.conf", b"a;" * 200_000), ("a.conf", b"'" * 500_000),
        ("requirements.txt", b"a" * 1_000_000), ("requirements.txt", b"a[" * 500_000),
        ("requirements.txt", b"#" * 1_000_000), ("a.xml", b"<a>" + b"<b/>" * 200_000 + b"</a>"),
    ],
)  # fmt: skip
def test_hostile_files_are_over_soon(name: str, content: bytes) -> None:
    began = time.process_time()
    try:
        read_values(name, content)
    except Unreadable:
        pass

    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    "text", ['"a" = ' * 100_000, "/*" * 200_000, '"' * 500_000, "a = " + '"\\' * 200_000]
)
def test_hostile_translations_are_over_soon(text: str) -> None:
    began = time.process_time()
    for read in (read_strings, read_po):
        with pytest.raises(Unreadable):
            read(text)

    assert time.process_time() - began < 3
