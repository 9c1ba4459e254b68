"""Everything at once: an afternoon's work on one machine, in one interval."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.place import Place
from evaluation.scenario import Told, Truth, scenario
from evaluation.truth import EnabledUnits, Pip, Tables, Users
from evaluation.truths.debian import Dpkg, Etc, Groups
from evaluation.truths.files import SourceFiles
from evaluation.truths.git import GitRefs
from evaluation.truths.node import NpmLs

_WEB = "srv/web"


class FromOutside:
    """Asks a tool of this machine about the files of the other."""

    def __init__(self, truth: Truth) -> None:
        self._truth = truth
        self.kinds = truth.kinds

    def look(self, place: Place) -> object:
        return self._truth.look(_outside(place))

    def facts(self, before: object, after: object) -> set[Told]:
        return self._truth.facts(before, after)


def _outside(place: Place) -> Place:
    return Place(place.root, place.around)


@scenario(
    36, "mixed: servers, fastapi, npm, nginx.conf, rows, commits",
    Dpkg(), Users(), Groups(), EnabledUnits(), Etc(),
    FromOutside(Pip(f"{_WEB}/.venv")), FromOutside(NpmLs(_WEB)), Tables(f"{_WEB}/app.db"),
    FromOutside(GitRefs(_WEB)),
    FromOutside(SourceFiles(_WEB, apart=("*.json", "*.db", ".gitignore"))),
    expected={("env.changed", f"{_WEB}/.env", "SECRET_KEY", None, None)},
    machine=True, benign=True, headline=("npm in srv/web",),
    stands_in="pip, npm and node of the host work on the machine's files",
)  # fmt: skip
def an_afternoon(place: Place) -> Iterator[None]:
    outside = _outside(place)
    place.write(f"{_WEB}/.gitignore", ".venv/\nnode_modules/\n*.db\n.env\n__pycache__/\n")
    place.write(f"{_WEB}/package.json", '{\n  "name": "web",\n  "private": true\n}\n')
    place.write(f"{_WEB}/.env", f"SECRET_KEY={place.canary()}\n")
    for name in ("app", "models", "views"):
        place.write(f"{_WEB}/{name}.py", f'"""{name}"""\n\nVALUE = 1\n')
    place.run(f"cd {_WEB} && git init -q && git add . && git commit -qm first")
    place.run(f"cd {_WEB} && python3 -m venv .venv")
    place.run(f"cd {_WEB} && sqlite3 app.db 'create table users(id integer primary key, name)'")
    yield
    place.run("apt-get install -y -qq --no-install-recommends redis-server nginx-light")
    outside.run(f"cd {_WEB} && .venv/bin/python -m pip install -q fastapi==0.110.0")
    outside.run(f"cd {_WEB} && npm install -s express@4.19.2 vite@5.4.0 typescript@5.5.4")
    place.run("sed -i 's/worker_connections 768/worker_connections 2048/' /etc/nginx/nginx.conf")
    place.run(
        f'cd {_WEB} && sqlite3 app.db "with recursive n(x) as (select 1 union all select x + 1'
        ' from n where x < 120) insert into users(name) select x from n; create table orders(id)"'
    )
    place.write(f"{_WEB}/.env", f"SECRET_KEY={place.canary()}\n")
    for name in ("app", "models", "views"):
        place.write(f"{_WEB}/{name}.py", f'"""{name}"""\n\nVALUE = 2\nOTHER = 3\n')
        place.run(f"cd {_WEB} && git commit -qam 'change {name}'")
    place.write(f"{_WEB}/tasks.py", "print('later')\n")
