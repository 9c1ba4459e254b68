"""The options of a save: `Workspace.save` and `SaveOptions` declare the same."""

from __future__ import annotations

import ast
import inspect
import textwrap
from pathlib import Path

import pytest

import clew
from clew.operations.save.commit import SaveOptions
from clew.workspace import Workspace
from clew.workspace.session import Session


def options_of(method: object) -> dict[str, tuple[object, object]]:
    """Return the type and default of each option that a method takes."""
    parameters = inspect.signature(method).parameters  # type: ignore[arg-type]
    return {
        name: (parameter.annotation, parameter.default)
        for name, parameter in parameters.items()
        if name not in ("self", "monitor")
    }


def test_the_method_and_the_options_declare_the_same() -> None:
    fields = SaveOptions.__annotations__
    defaults = SaveOptions._field_defaults

    declared = {name: (kind, defaults[name]) for name, kind in fields.items()}

    assert list(options_of(Workspace.save).items()) == list(declared.items())


def test_every_option_is_passed_on_under_its_name() -> None:
    body = ast.parse(textwrap.dedent(inspect.getsource(Workspace.save)))
    calls = [node for node in ast.walk(body) if isinstance(node, ast.Call)]

    (made,) = [call for call in calls if ast.unparse(call.func) == "SaveOptions"]

    passed = [f"{one.arg}={ast.unparse(one.value)}" for one in made.keywords]
    assert passed == [f"{name}={name}" for name in SaveOptions._fields]


def test_a_session_takes_the_same_options(tmp_path: Path) -> None:
    assert options_of(Session.save) == options_of(Workspace.save)
    with clew.open(tmp_path, tmp_path / "store", create=True) as ws:
        session = ws.sessions.open(agent="mine")
        saved = session.save("start", name="first", meta={"a": "1"})

        assert saved.checkpoint.labels.name == "first"
        assert saved.checkpoint.labels.meta == (("a", "1"),)
        assert saved.checkpoint.record.position.session.hex() == session.id
        with pytest.raises(TypeError, match="session"):
            session.save("other", session="none")


def test_an_unknown_option_is_a_type_error(tmp_path: Path) -> None:
    with clew.open(tmp_path, tmp_path / "store", create=True) as ws:
        for save in (ws.save, ws.sessions.open(agent="mine").save):
            with pytest.raises(TypeError, match="tags"):
                save("x", tags=["a"])  # type: ignore[call-arg]
            with pytest.raises(TypeError, match="positional"):
                save("x", "name")  # type: ignore[call-arg]

        assert ws.log().checkpoints == ()
