from __future__ import annotations

from clew.detectors.node.semver import in_order, is_lower, order


def test_versions_sort_as_the_specification_says() -> None:
    versions = [
        "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
        "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.2.0", "1.10.0", "2.0.0",
    ]  # fmt: skip

    assert in_order(reversed(versions)) == versions


def test_what_is_built_makes_no_difference() -> None:
    assert order("1.0.0+a") == order("1.0.0+b")
    assert not is_lower("1.0.0+a", "1.0.0+b")


def test_a_lower_version_is_noticed_and_a_guess_is_not_made() -> None:
    assert is_lower("3.9.9", "3.10.0")
    assert is_lower("v1.2.3.0", "1.2.4")
    assert not is_lower("3.10.0", "3.9.9")
    assert not is_lower("dev-main", "1.0.0")
    assert not is_lower(None, "1.0.0")
    assert not is_lower("1.0.0", None)


def test_what_is_no_version_comes_last_and_costs_little() -> None:
    assert in_order(["main", "1.0.0", "main"]) == ["1.0.0", "main"]
    for hostile in ("", "1" * 5000, "1." * 5000, "1.0.0-" + "a-" * 5000, "1.0.0\n", "①.0.0"):
        assert order(hostile) is None
