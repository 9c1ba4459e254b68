"""Data: containers, notebooks, weights."""

from __future__ import annotations

import json
from collections.abc import Iterator

from evaluation.histories import repository
from evaluation.place import Place
from evaluation.scenario import Told, scenario
from evaluation.truths.data import Tensors
from evaluation.truths.git import GitRefs

_DOCKER = "var/lib/docker"
_IMAGE = "sha256:" + "a1" * 32
_CONTAINER = "b2" * 32


def _container_facts() -> set[Told]:
    return {
        ("container.added", "docker", "image redis:7", None, None),
        ("container.added", "docker", "container cache", None, "running"),
        ("container.added", "docker", "volume cache-data", None, None),
    }


@scenario(
    32, "docker pull, run and volume create", expected=_container_facts(), machine=True, benign=True,
    headline=("docker",),
    stands_in="the files that dockerd keeps, written by hand: no daemon runs here",
)  # fmt: skip
def docker(place: Place) -> Iterator[None]:
    store = f"{_DOCKER}/image/overlay2"
    place.write(f"{store}/repositories.json", '{"Repositories":{}}')
    yield
    place.write(
        f"{store}/repositories.json",
        json.dumps({"Repositories": {"redis": {"redis:7": _IMAGE, f"redis@{_IMAGE}": _IMAGE}}}),
    )
    place.write(f"{store}/imagedb/content/sha256/{'a1' * 32}", '{"architecture":"amd64"}')
    for layer in range(6):
        for number in range(40):
            place.write(f"{_DOCKER}/overlay2/{layer:064x}/diff/usr/lib/f{number}", f"{layer}\n")
    home = f"{_DOCKER}/containers/{_CONTAINER}"
    place.write(
        f"{home}/config.v2.json",
        json.dumps(
            {
                "ID": _CONTAINER,
                "Name": "/cache",
                "Image": _IMAGE,
                "State": {"Running": True},
                "Config": {"Image": "redis:7", "Env": [f"REDIS_PASSWORD={place.canary()}"]},
            }
        ),
    )
    place.write(
        f"{home}/hostconfig.json",
        json.dumps(
            {
                "Binds": ["cache-data:/data"],
                "PortBindings": {"6379/tcp": [{"HostIp": "127.0.0.1", "HostPort": "6379"}]},
            }
        ),
    )
    place.write(f"{home}/{_CONTAINER}-json.log", '{"log":"ready"}\n')
    place.write(f"{_DOCKER}/volumes/cache-data/_data/dump.rdb", b"REDIS0011")


@scenario(
    32, "docker run --privileged with the socket",
    expected={("container.added", "docker", "container helper", None, "running")}, machine=True,
    warnings={"container helper"}, headline=("! new docker container helper",),
    stands_in="the files that dockerd keeps, written by hand: no daemon runs here",
)  # fmt: skip
def docker_privileged(place: Place) -> Iterator[None]:
    place.write(f"{_DOCKER}/image/overlay2/repositories.json", '{"Repositories":{}}')
    yield
    home = f"{_DOCKER}/containers/{_CONTAINER}"
    whole = {"ID": _CONTAINER, "Name": "/helper", "State": {"Running": True}, "Config": {}}
    place.write(f"{home}/config.v2.json", json.dumps(whole))
    host = {"Privileged": True, "Binds": ["/var/run/docker.sock:/var/run/docker.sock"]}
    place.write(f"{home}/hostconfig.json", json.dumps(host))


@scenario(
    33, "a notebook run: only its outputs", GitRefs(),
    expected={("data.changed", "notebook", "explore.ipynb", None, None)}, benign=True,
    headline=("explore.ipynb: outputs only",),
    stands_in="what Jupyter writes after a run, frozen",
)  # fmt: skip
def notebook_run(place: Place) -> Iterator[None]:
    place.write("explore.ipynb", _notebook(["load()", "print(token)"]))
    repository(place)
    yield
    place.write("explore.ipynb", _notebook(["load()", "print(token)"], place.canary()))
    place.write(".ipynb_checkpoints/explore-checkpoint.ipynb", _notebook(["load()"]))


@scenario(
    33, "a notebook edited: a cell changed, a cell added", GitRefs(),
    expected={("data.changed", "notebook", "explore.ipynb", None, None)}, benign=True,
    headline=("+1 cell", "1 cell edited"),
    stands_in="what Jupyter writes, frozen",
)  # fmt: skip
def notebook_edited(place: Place) -> Iterator[None]:
    place.write("explore.ipynb", _notebook(["load()", "print(1)"], "out"))
    repository(place)
    yield
    place.write("explore.ipynb", _notebook(["load(2)", "print(1)", "plot()"], "out"))


@scenario(
    33, "weights written by safetensors",
    Tensors("venv/bin/python", "model.safetensors"), GitRefs(), benign=True,
    headline=("model.safetensors: new", "1.0 M parameters"),
)  # fmt: skip
def weights(place: Place) -> Iterator[None]:
    python = place.around / "venv/bin/python"
    packages = "safetensors==0.4.5 numpy==1.26.4"
    place.run(f"python3 -m venv {place.around}/venv && {python} -m pip install -q {packages}")
    repository(place)
    yield
    program = (
        "import numpy as n; from safetensors.numpy import save_file;"
        " save_file({'w': n.ones((1000, 1000), n.float32), 'b': n.zeros(1000, n.float32)},"
        " 'model.safetensors')"
    )
    place.run(f'{python} -c "{program}"')


def _notebook(sources: list[str], output: str = "") -> str:
    cells: list[dict[str, object]] = [
        {
            "id": f"cell{number}", "cell_type": "code", "source": source, "metadata": {},
            "execution_count": number if output else None,
            "outputs": [{"output_type": "stream", "name": "stdout", "text": output}] if output else [],
        }
        for number, source in enumerate(sources)
    ]  # fmt: skip
    return json.dumps(
        {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1
    )
