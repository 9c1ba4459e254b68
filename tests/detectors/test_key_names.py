"""Which names of settings are shown."""

from __future__ import annotations

import pytest

from clew.detectors.files.key_names import shown_name, shown_path


@pytest.mark.parametrize(
    "name",
    [
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "d41d8cd98f00b204e9800998ecf8427e",
        "AKIAIOSFODNN7EXAMPLE",
        "https://alice:pw@example.com/",
        "wJalrXUtnFEMI7K7MDENGbPxRfiCY",
        "k3j9x2m4q8z7w1p5",
        "x" * 81,
    ],
)
def test_a_name_that_looks_like_a_secret_is_hidden(name: str) -> None:
    assert shown_name(name) == "…"
    assert shown_path(("tokens", name)) == "tokens.…"


@pytest.mark.parametrize(
    "name",
    [
        "server", "enableHttp2ForServer1", "AWS_SECRET_ACCESS_KEY", "max-old-space-size",
        "net.ipv4.conf.all.rp_filter", "@types/node", "python3.11", "experimentalDecorators",
        "https://index.docker.io/v1/", "x86_64-unknown-linux-gnu", "npm_config_registry",
        "noUncheckedIndexedAccess",
    ],
)  # fmt: skip
def test_an_ordinary_name_is_shown(name: str) -> None:
    assert shown_name(name) == name
