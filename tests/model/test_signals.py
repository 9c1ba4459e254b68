from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.model import bencode
from clew.model.signals import Listening, Running, Signals

_BYTES = st.binary(max_size=20).map(lambda raw: raw.decode("utf-8", "surrogateescape"))
_LISTENING = st.builds(Listening, _BYTES, _BYTES, st.integers(0, 65535), _BYTES, _BYTES)
_RUNNING = st.builds(Running, _BYTES, _BYTES)
_SIGNALS = st.builds(
    Signals,
    st.lists(_LISTENING, max_size=3).map(tuple),
    st.lists(_RUNNING, max_size=3).map(tuple),
    _BYTES,
    st.booleans(),
)


@given(_SIGNALS)
def test_signals_come_back_as_they_were(signals: Signals) -> None:
    assert Signals.decode(signals.encode()) == signals


def test_the_same_signals_are_the_same_bytes() -> None:
    """The store deduplicates them as long as nothing starts or stops."""
    one = Signals((Listening("tcp", "::", 80, "nginx", "/"),), (Running("nginx", "/"),), "boot")

    assert one.encode() == Signals(*one).encode()


@given(st.binary(max_size=60))
def test_junk_is_refused_with_a_value_error(content: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any of them
        Signals.decode(content)


_WHOLE: dict[bytes, bencode.Value] = {
    b"boot": b"",
    b"complete": 1,
    b"listening": [],
    b"running": [],
}


@pytest.mark.parametrize(
    "damage",
    [
        {b"boot": 1},
        {b"listening": b""},
        {b"listening": [b"tcp"]},
        {b"listening": [[b"tcp", b"::", b"80", b"", b""]]},
        {b"listening": [[b"tcp", b"::", 80]]},
        {b"running": [[b"one"]]},
        {b"running": [[b"one", b"two", b"three"]]},
        {b"running": [[b"one", 2]]},
    ],
)
def test_the_wrong_shape_is_refused_too(damage: dict[bytes, bencode.Value]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any of them
        Signals.decode(bencode.encode({**_WHOLE, **damage}))


def test_a_place_can_be_typed_into_a_browser() -> None:
    assert Listening("tcp", "127.0.0.1", 80, "", "").place == "127.0.0.1:80"
    assert Listening("tcp", "::1", 80, "", "").place == "[::1]:80"


def test_only_any_address_is_a_wildcard() -> None:
    wild = [Listening("tcp", one, 80, "", "").is_wildcard for one in ("0.0.0.0", "::")]
    tame = [Listening("tcp", one, 80, "", "").is_wildcard for one in ("127.0.0.1", "::1", "")]

    assert all(wild)
    assert not any(tame)
