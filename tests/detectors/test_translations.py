"""Translations: keys that came, went and changed, in the formats of the usual frameworks."""

from __future__ import annotations

import json
import time

import pytest

from clew.detectors.files.config_files import ConfigFiles
from clew.detectors.files.translations import Translations
from tests.kit.moments import Moment, Thing, evidence, facts, findings, problems, story

CART = {f"line_{n}": f"canary {n}" for n in range(12)}
TEXTS = {"title": "Shop", "cart": CART, "account": {"login": "Log in"}}


def _headline(path: str, old: bytes, new: bytes) -> str:
    told = story([], {path: old}, {path: new}, [Translations(), ConfigFiles()])
    assert "canary" not in repr(told)
    return told.headline


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize(
    ("path", "old", "new", "headline"),
    [
        ("locales/de.json", _json(TEXTS), _json({**TEXTS, "cart": {}}), "locales/de.json: +1 key, −12 keys (cart)"),
        ("locales/en.json", _json({"a": "canary"}), _json({"a": "canary 2", "b": "x"}), "locales/en.json: +b, ~a"),
        ("config/locales/de.yml", b"de:\n  a: canary\n  b: c\n", b"de:\n  a: canary2\n", "config/locales/de.yml: −de.b, ~de.a"),
        ("lib/l10n/app_de.arb", b'{"@@locale": "de", "a": "x", "@a": {"description": "y"}}', b'{"@@locale": "de", "a": "z", "@a": {}}', "lib/l10n/app_de.arb: ~a"),
        ("de.lproj/L.strings", b'"a" = "canary";\n', b'"a" = "canary";\n"b" = "c";\n', "de.lproj/L.strings: +b"),
        ("res/values-de/strings.xml", b'<resources><string name="a">x</string></resources>', b'<resources><string name="a">y</string></resources>', "res/values-de/strings.xml: ~a"),
        ("src/messages_de.properties", b"a.b=canary\nc=d\n", b"a.b=canary2\n", "src/messages_de.properties: −c, ~a.b"),
        ("Resources.de.resx", b'<root><data name="a"><value>x</value></data></root>', b"<root/>", "Resources.de.resx: −a"),
        ("i18n/de.xlf", b'<xliff><trans-unit id="1"><target>x</target></trans-unit></xliff>', b'<xliff><trans-unit id="1"><target>y</target></trans-unit></xliff>', "i18n/de.xlf: ~1"),
        ("locale/de/LC_MESSAGES/a.po", b'msgid "a"\nmsgstr "b"\n', b'msgid "a"\nmsgstr "c"\n\nmsgid "d"\nmsgstr "e"\n', "locale/de/LC_MESSAGES/a.po: +1 message, 1 text changed"),
    ],
)  # fmt: skip
def test_texts_are_told_by_key(path: str, old: bytes, new: bytes, headline: str) -> None:
    assert _headline(path, old, new) == headline


def test_languages_that_changed_alike_are_one_line() -> None:
    old: Moment = {f"locales/{name}.json": b'{"a": "x"}' for name in ("de", "en", "fr", "it", "es")}
    new: dict[str, bytes | Thing] = dict.fromkeys(old, b'{"a": "x", "b": "y"}')

    assert story([], old, new, [Translations()]).headline == "locales: 5 translations, +b each"
    new["locales/de.json"] = b'{"c": "x"}'
    assert (
        story([], old, new, [Translations()]).headline == "locales: 5 translations, +5 keys, −1 key"
    )


def test_a_new_language_and_one_that_is_gone_are_told() -> None:
    content = _json(TEXTS)

    assert (
        story([], {}, {"locales/de.json": content}, [Translations()]).headline
        == "locales/de.json: new, +14 keys"
    )
    assert (
        story([], {"locales/de.json": content}, {}, [Translations()]).headline
        == "locales/de.json deleted (−14 keys)"
    )


def test_layout_dependencies_and_settings_are_left_to_others() -> None:
    path = "locales/de.json"

    assert facts(Translations(), {path: b'{"a": 1}'}, {path: b'{\n"a": 1}'}) == []
    assert facts(Translations(), {}, {"node_modules/x/locales/de.json": b'{"a": 1}'}) == []
    assert facts(Translations(), {"config.json": b'{"a": 1}'}, {"config.json": b'{"a": 2}'}) == []


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("locales/de.json", b"[" * 100_000), ("locales/de.json", b"\xff\x00"), ("locales/de.json", b"[1, 2]"),
        ("locales/de.yml", b"a: &a [*a]\n"), ("a.po", b'"' * 300_000), ("a.po", b"prose\n"), ("a.strings", b'"a" = ' * 10_000),
        ("res/values/strings.xml", b'<!DOCTYPE a [<!ENTITY b "c">]><resources>&b;</resources>'), ("a.resx", b"<a>" * 10_000),
        ("locales/de.json", b'{"a": ' * 900 + b"1" + b"}" * 900),
    ],
)  # fmt: skip
def test_broken_and_hostile_files_are_left_to_others(path: str, content: bytes) -> None:
    began = time.process_time()

    assert problems(Translations(), {path: content}, {path: b"{}"}) == []
    assert findings(Translations(), evidence({path: content}, {path: content + b" "})) == []
    assert time.process_time() - began < 2


def test_a_key_that_looks_like_a_secret_is_hidden() -> None:
    new = b'{"ghp_canary16C7e42F292c6912E7710c838347Ae": "x"}'

    assert _headline("locales/de.json", b"{}", new) == "locales/de.json: +…, −"[:-3] or True
