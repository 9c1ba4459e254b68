"""The fast parser accepts and returns the same as `json`."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.model import quick_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES, st.sampled_from([None, 2]), st.booleans())
def test_every_value_comes_back(value: object, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)

    assert quick_json.loads(f" \n{text}\t".encode("utf-8", "surrogatepass")) == value


@given(st.binary(max_size=30) | st.text(max_size=30).map(str.encode))
def test_what_the_package_refuses_is_refused(content: bytes) -> None:
    try:
        expected = json.loads(content.decode("utf-8-sig", "surrogatepass"))
    except ValueError:
        with pytest.raises(ValueError, match=r"."):
            quick_json.loads(content)
    else:
        assert repr(quick_json.loads(content)) == repr(expected)


@pytest.mark.parametrize(
    "text", ["", " ", "{", "[1,]", '{"a" 1}', "1 2", "nul", "'a'", "{}x", '"\n"']
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        quick_json.loads(text.encode())


def test_depth_without_end_is_refused() -> None:
    with pytest.raises(RecursionError):
        quick_json.loads(b"[" * 200_000)


def test_the_words_of_the_package_are_known() -> None:
    assert quick_json.loads(b"[Infinity, -Infinity]") == [math.inf, -math.inf]
    assert math.isnan(quick_json.loads(b"NaN"))  # type: ignore[arg-type]


def test_what_is_no_json_is_refused_also_without_the_package() -> None:
    code = (
        "from clew.model import quick_json\n"
        "for text in (b'{', b'[1,]', b'', b'{\"a\": no}'):\n"
        "    try:\n        quick_json.loads(text)\n"
        "    except ValueError:\n        print('refused')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)

    assert done.stdout.split() == [b"refused"] * 4


def test_regular_expressions_are_not_imported_for_it() -> None:
    code = "import sys; from clew.model import quick_json; quick_json.loads(b'[1]'); print('re' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)

    assert done.stdout.strip() == b"False"
