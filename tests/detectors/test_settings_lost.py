"""Settings of one machine that are deleted or emptied, and states that could not be saved."""

from __future__ import annotations

import json

import pytest

from clew.detectors.data.half_migrations import HalfMigrations
from clew.detectors.deployment.declarations import Declarations
from clew.detectors.files.env_files import EnvFiles
from clew.detectors.losses.deletions import Deletions
from clew.detectors.losses.terraform_state import TerraformState
from clew.detectors.registry import DETECTORS, SORTERS
from clew.model.fact import Severity
from tests.kit.moments import facts, story

_HASH = "4c" * 32


@pytest.mark.parametrize(
    "path",
    [
        "infra/prod.tfvars", "infra/prod.tfvars.json", "config/local.yml", "config/settings.local.json",
        "config/db.secrets.toml", "appsettings.Development.json", "compose.override.yaml",
        f"backups/keys/{_HASH}", f"backups/snapshots/{_HASH}",
    ],
)  # fmt: skip
def test_settings_of_one_machine_and_keys_of_backups_are_a_loss(path: str) -> None:
    (fact,) = facts(Deletions(), {path: b"a: 1\n", "README": b"a\n"}, {"README": b"a\n"})
    assert (fact.kind, fact.subject, fact.severity) == ("loss.deleted", path, Severity.HIGH)


@pytest.mark.parametrize(
    "path",
    [
        "config/local.example.yml",
        "config/locale.yml",
        "prof/test.prof",
        f"backups/{_HASH}",
        "localize.json",
    ],
)
def test_others_are_none(path: str) -> None:
    assert facts(Deletions(), {path: b"a: 1\n", "README": b"a\n"}, {"README": b"a\n"}) == []


def test_files_of_the_root_are_named() -> None:
    old = {f"letter_{number}.txt": b"%d\n" % number * 900 for number in range(7)}
    told = story([Deletions()], {**old, "a": b"1\n"}, {"a": b"1\n"})
    assert told.headline == "! 7 files deleted (letter_0.txt …)"
    few = {path: content[:900] for path, content in list(old.items())[:3]}
    assert facts(Deletions(), few, {"a": b"1\n"}) == []


_ENV = b"DATABASE_URL=postgres://u:p@db/x\nDEBUG=0\nNAME='shop'\n"


@pytest.mark.parametrize(
    ("path", "new", "emptied"),
    [
        (".env", b"DATABASE_URL=\nDEBUG=0\nNAME='shop'\n", ["DATABASE_URL"]),
        (".env", b"DATABASE_URL=postgres://u:p@db/x\nDEBUG=\nNAME=''\n", ["DEBUG", "NAME"]),
        (".env", b"DATABASE_URL=postgres://u:p@db/x\nDEBUG=\nNAME='shop'\n", []),
        (".env", b"DATABASE_URL=postgres://u:p@db2/x\nDEBUG=1\nNAME='shop'\n", []),
        (".env.example", b"DATABASE_URL=\nDEBUG=0\nNAME='shop'\n", []),
    ],
)
def test_values_of_an_environment_that_are_empty_now(
    path: str, new: bytes, emptied: list[str]
) -> None:
    found = facts(EnvFiles(), {path: _ENV}, {path: new})
    assert [one.subject for one in found if one.severity == Severity.HIGH] == emptied
    if emptied:
        headline = story([EnvFiles()], {path: _ENV}, {path: new}).headline
        assert headline.startswith("! .env: ")
        assert headline.endswith(" emptied")


def _state(status: str) -> bytes:
    instance = {"attributes": {"id": "1"}, **({"status": status} if status else {})}
    resource = {"mode": "managed", "type": "terraform_data", "name": "web", "instances": [instance]}
    return json.dumps({"version": 4, "resources": [resource]}).encode()


def test_a_resource_that_terraform_made_by_half() -> None:
    path = "infra/terraform.tfstate"
    (fact,) = facts(Declarations(), {path: _state("")}, {path: _state("tainted")})
    assert (fact.subject, fact.marks, fact.severity) == (
        "terraform_data.web", ("tainted: half made",), Severity.HIGH,
    )  # fmt: skip
    assert facts(Declarations(), {path: _state("tainted")}, {path: _state("tainted") + b"\n"}) == []


def test_a_state_that_git_ignores_is_read_as_well() -> None:
    path, ignore = "infra/terraform.tfstate", {".gitignore": b"*.tfstate*\n"}
    git = {
        ".git/HEAD": b"ref: refs/heads/main\n",
        ".git/objects/x": b"",
        ".git/refs/x": b"",
        ".git/config": b"",
    }
    old = {**git, **ignore, path: _state("")}
    told = story(list(DETECTORS), old, {**old, path: _state("tainted")}, list(SORTERS))
    assert told.headline == "! terraform.tfstate: terraform_data.web tainted: half made"


def test_a_state_that_terraform_could_not_save() -> None:
    told = story([TerraformState()], {}, {"infra/errored.tfstate": _state("")})
    assert told.headline == "! infra/errored.tfstate: Terraform could not save its state"
    assert facts(TerraformState(), {}, {"infra/terraform.tfstate": _state("")}) == []


def _django(*parents: str) -> bytes:
    listed = ", ".join(f"('shop', '{name}')" for name in parents)
    return f"class Migration:\n    dependencies = [{listed}]\n".encode()


def _alembic(revision: str, *parents: str) -> bytes:
    return f"revision = '{revision}'\ndown_revision = {parents!r}\n".encode()


_FIRST = {
    "shop/migrations/0001_initial.py": _django(),
    "shop/migrations/0002_paid.py": _django("0001_initial"),
}


def test_two_migrations_that_follow_the_same() -> None:
    new = {**_FIRST, "shop/migrations/0002_sent.py": _django("0001_initial")}
    told = story([HalfMigrations()], _FIRST, new)
    assert told.headline.startswith("! migrations 0002_sent and 0002_paid both follow 0001_initial")
    merged = {**new, "shop/migrations/0003_merge.py": _django("0002_paid", "0002_sent")}
    assert facts(HalfMigrations(), _FIRST, merged) == []
    usual = {**_FIRST, "shop/migrations/0003_sent.py": _django("0002_paid")}
    assert facts(HalfMigrations(), _FIRST, usual) == []


def test_two_heads_of_alembic() -> None:
    old = {"versions/a.py": _alembic("aaaa"), "versions/b.py": _alembic("bbbb", "aaaa")}
    new = {**old, "versions/c.py": _alembic("cccc", "aaaa")}
    (fact,) = facts(HalfMigrations(), old, new)
    assert (fact.subject, fact.marks) == ("c", ("b", "aaaa"))
