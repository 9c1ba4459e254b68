"""Python packages: pip in its many ways."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.place import Place
from evaluation.projects import repository
from evaluation.scenario import scenario
from evaluation.truth import Pip
from evaluation.truths.python import PipInspect, PipPath

_FILES = {
    "app.py": "import sys\n\n\ndef main() -> int:\n    return len(sys.argv)\n",
    "test_app.py": "from app import main\n\n\ndef test_main():\n    assert main() >= 1\n",
    ".gitignore": ".venv/\nvenv/\n__pycache__/\n*.pyc\n.pytest_cache/\n",
    "README.md": "# app\n",
}
_FIFTEEN = (
    "click==8.1.7", "flask==3.0.3", "requests==2.32.3", "rich==13.7.1", "pyyaml==6.0.2",
    "jinja2==3.1.4", "attrs==24.2.0", "packaging==24.1", "tomli==2.0.1", "typer==0.12.5",
    "httpx==0.27.2", "tqdm==4.66.5", "python-dotenv==1.0.1", "itsdangerous==2.2.0", "colorama==0.4.6",
)  # fmt: skip


def _environment(place: Place, *packages: str, at: str = ".venv") -> None:
    place.run(f"python3 -m venv {at}")
    if packages:
        place.run(f"{at}/bin/pip install -q {' '.join(packages)}")


@scenario(
    8,
    "pip install fastapi==0.110.0 in a venv",
    Pip(".venv"),
    benign=True,
    headline=("fastapi", "pip"),
)
def install(place: Place) -> Iterator[None]:
    repository(place, _FILES)
    _environment(place)
    yield
    place.run(".venv/bin/pip install -q fastapi==0.110.0")


@scenario(
    8,
    "pip install -r requirements.txt, fifteen packages",
    Pip(".venv"),
    expected={("config.added", "requirements.txt", "requirements.txt", None, None)},
    benign=True,
    headline=("pip",),
)
def install_fifteen(place: Place) -> Iterator[None]:
    repository(place, _FILES)
    _environment(place)
    yield
    place.write("requirements.txt", "\n".join(_FIFTEEN) + "\n")
    place.run(".venv/bin/pip install -q -r requirements.txt")


@scenario(8, "pip install --upgrade pip", Pip(".venv"), benign=True, headline=("pip",))
def upgrade_pip(place: Place) -> Iterator[None]:
    repository(place, _FILES)
    _environment(place)
    yield
    place.run(".venv/bin/pip install -q --upgrade pip")


@scenario(
    8,
    "pip install --target vendor",
    PipPath("vendor", "pip:vendor"),
    benign=True,
    headline=("six", "vendor"),
)
def install_into_a_directory(place: Place) -> Iterator[None]:
    repository(place, _FILES)
    yield
    place.run("python3 -m pip install -q --target vendor six==1.16.0 python-dateutil==2.9.0")


@scenario(
    8,
    "two venvs in one workspace",
    Pip("api/.venv"),
    Pip("worker/venv"),
    benign=True,
    headline=("api/.venv", "worker/venv"),
)
def two_environments(place: Place) -> Iterator[None]:
    repository(place, {**_FILES, "api/api.py": "", "worker/worker.py": ""})
    _environment(place, at="api/.venv")
    _environment(place, at="worker/venv")
    yield
    place.run("api/.venv/bin/pip install -q flask==3.0.3")
    place.run("worker/venv/bin/pip install -q httpx==0.27.2")


@scenario(
    8, "a new venv with something in it", Pip(".venv"), benign=True, headline=("click", "new .venv")
)
def new_environment(place: Place) -> Iterator[None]:
    repository(place, _FILES)
    yield
    _environment(place, "click==8.1.7")


@scenario(
    8, "a venv deleted and made again", Pip(".venv"), benign=True, headline=("removed", "flask")
)
def recreated(place: Place) -> Iterator[None]:
    repository(place, _FILES)
    _environment(place, "flask==3.0.3", "six==1.16.0")
    yield
    place.run("rm -rf .venv")
    _environment(place, "six==1.16.0")


@scenario(
    8, "a venv deleted", Pip(".venv"), benign=True, headline=("removed environment .venv", "flask")
)
def deleted(place: Place) -> Iterator[None]:
    repository(place, _FILES)
    _environment(place, "flask==3.0.3")
    yield
    place.run("rm -rf .venv")


@scenario(
    8,
    "tests run: byte code and nothing else",
    Pip(".venv"),
    expected={
        ("generated.changed", "cache", "__pycache__", None, None),
        ("generated.changed", "cache", ".venv", None, None),
    },
    benign=True,
    headline=("only logs and caches",),
)
def byte_code(place: Place) -> Iterator[None]:
    repository(place, _FILES)
    _environment(place, "six==1.16.0")
    place.run("rm -rf .venv/lib/python3*/site-packages/__pycache__")
    yield
    place.run(".venv/bin/python -c 'import six, app'")
    place.run(".venv/bin/python -m unittest -q test_app", check=False)


@scenario(
    9,
    "pip: requests 2.31 to 2.32, flask uninstalled",
    Pip(".venv"),
    benign=True,
    headline=("requests 2.31.0 → 2.32.3", "flask"),
)
def upgrade_and_uninstall(place: Place) -> Iterator[None]:
    repository(place, _FILES)
    _environment(place, "requests==2.31.0", "flask==3.0.3")
    yield
    place.run(".venv/bin/pip install -q requests==2.32.3")
    place.run(".venv/bin/pip uninstall -q -y flask")


@scenario(9, "pip: a downgrade", Pip(".venv"), benign=True, headline=("urllib3 2.2.3 → 1.26.20",))
def downgrade(place: Place) -> Iterator[None]:
    repository(place, _FILES)
    _environment(place, "urllib3==2.2.3")
    yield
    place.run(".venv/bin/pip install -q 'urllib3<2'")


@scenario(
    9,
    "pip install --force-reinstall, same version",
    Pip(".venv"),
    expected={("generated.changed", "cache", ".venv", None, None)},
    benign=True,
    headline=("only logs and caches",),
)
def reinstalled(place: Place) -> Iterator[None]:
    repository(place, _FILES)
    _environment(place, "six==1.16.0")
    yield
    place.run(".venv/bin/pip install -q --force-reinstall six==1.16.0")


_SETUP = (
    '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
    '[project]\nname = "{name}"\nversion = "0.3.0"\n[tool.setuptools]\npy-modules = ["{module}"]\n'
)


@scenario(
    10,
    "pip install -e . and from a git repository",
    PipInspect(".venv"),
    benign=True,
    headline=("my-app", "greeter"),
    stands_in="a bare repository on this disk stands in for one on a server",
)
def editable_and_git(place: Place) -> Iterator[None]:
    repository(place, {**_FILES, "pyproject.toml": _SETUP.format(name="my-app", module="app")})
    place.run(
        "mkdir ../greeter && cd ../greeter && git init -q"
        " && printf 'def greet(): pass\\n' > greeter.py && cat > pyproject.toml << 'END'\n"
        f"{_SETUP.format(name='greeter', module='greeter')}END\n"
        "git add -A && git commit -q -m first && git clone -q --bare . ../greeter.git"
    )
    _environment(place)
    yield
    place.run(".venv/bin/pip install -q -e .")
    place.run('.venv/bin/pip install -q "git+file://$(cd .. && pwd)/greeter.git"')


@scenario(
    10,
    "an editable package takes the place of the released one",
    PipInspect(".venv"),
    benign=True,
    headline=("six",),
    stands_in="a wheel made here stands in for the released one",
)
def released_to_editable(place: Place) -> Iterator[None]:
    repository(place, {**_FILES, "pyproject.toml": _SETUP.format(name="six", module="app")})
    _environment(place)
    place.run(".venv/bin/pip wheel -q -w ../wheels . && rm -rf build *.egg-info")
    place.run(".venv/bin/pip install -q --no-index --find-links ../wheels six")
    yield
    place.run(".venv/bin/pip install -q -e .")
