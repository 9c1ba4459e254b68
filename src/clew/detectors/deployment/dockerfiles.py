"""Dockerfile dialect: the stages of an image, their base and their instructions.

Values of variables and commands are never shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from clew.detectors.deployment.declared import NOTE, Declared, Resources, Risk
from clew.detectors.deployment.images import shown_image
from clew.detectors.files.value_changes import KeyPath
from clew.detectors.formats.values import Hidden, NodeCounter, Shown, Unreadable, Value
from clew.detectors.security.fetching import fetching_marks
from clew.model.named_tuple import NamedTuple

_NAME = re.compile(r"(?:.{1,80}\.)?(?:Dockerfile|Containerfile|dockerfile)(?:\.[\w.-]{1,80})?")
_INSTRUCTION = re.compile(r"[ \t]*+([A-Za-z]{2,20})[ \t]++(.*+)", re.S)
_HEREDOC = re.compile(r"<<-?[\"']?([A-Za-z_]\w{0,60})[\"']?")
_FROM = re.compile(
    r"(?:--platform=\S{1,80}[ \t]++)?(\S{1,300})(?:[ \t]++as[ \t]++(\S{1,80}))?", re.I
)
_PAIRS = re.compile(
    r"(?<![^ \t])([A-Za-z_][\w.-]{0,100})=(\"(?:[^\"\\]|\\.)*+\"|'[^']*+'|[^ \t]*+)"
)
_FIRST = re.compile(r"[A-Za-z_][\w.-]{0,100}")
_COUNTED = ("RUN", "COPY", "ADD")
_SINGLE = ("ENTRYPOINT", "CMD", "HEALTHCHECK", "SHELL", "STOPSIGNAL", "ONBUILD", "MAINTAINER")
_WORDS = ("USER", "WORKDIR")
_NAMES = ("ENV", "ARG", "LABEL")


class _Instruction(NamedTuple):
    name: str
    text: str


def is_dockerfile(name: str) -> bool:
    """Return whether a file has the name of a Dockerfile."""
    return _NAME.fullmatch(name) is not None and not name.endswith(".dockerignore")


def dockerfile_resources(text: str) -> Resources:
    """Return the stages of a Dockerfile; raises `Unreadable` if it is none."""
    found: Resources = {}
    stages = list(_stages(text))
    for number, stage in enumerate(stages, 1):
        match = _FROM.fullmatch(stage[0].text.strip())
        alias = match[2] if match and match[2] else ""
        is_last = number == len(stages)
        name = "image" if is_last else f"stage {alias or number}"
        found["stage", "image" if is_last else alias or str(number)] = _stage(name, stage)
    if not found:
        raise Unreadable("no FROM")
    return found


def shown_names(path: KeyPath) -> KeyPath:
    """Return the path of an instruction as it is shown: `ENV DEBUG`."""
    return (" ".join(path),)


def _stages(text: str) -> Iterator[list[_Instruction]]:
    """Yield the instructions of each stage, its FROM first."""
    stage: list[_Instruction] = []
    before: list[_Instruction] = []
    for one in _instructions(text):
        if one.name == "FROM":
            if stage:
                yield stage
            stage = [one]
        elif stage:
            stage.append(one)
        else:
            before.append(one)
    if stage:
        yield [*stage, *before]  # arguments before the first stage belong to the image


def _instructions(text: str) -> Iterator[_Instruction]:
    """Yield the instructions, continued lines joined, comments left out."""
    counter = NodeCounter(10_000)
    lines = iter(text.splitlines())
    joined: list[str] = []
    for line in lines:
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        goes_on = bare.endswith(("\\", "`"))
        joined.append(bare[:-1] if goes_on else bare)
        if goes_on:
            continue
        whole, joined = " ".join(joined), []
        for heredoc in _HEREDOC.findall(whole)[:8]:
            body: list[str] = []
            for inner in lines:
                if inner.strip() == heredoc:
                    break
                body.append(inner)
            whole += "\n" + "\n".join(body)
        counter.count()
        if found := _INSTRUCTION.fullmatch(whole):
            yield _Instruction(found[1].upper(), " ".join(found[2].split()))
        else:
            raise Unreadable("not an instruction")


def _stage(subject: str, stage: list[_Instruction]) -> Declared:
    match = _FROM.fullmatch(stage[0].text.strip())
    image = shown_image(match[1]) if match else "…"
    body: dict[str, Value] = {"FROM": Shown(image)}
    for name in _COUNTED:
        texts = [Hidden(one.text) for one in stage if one.name == name]
        if texts:
            body[name] = list(texts)
    for one in stage[1:]:
        if one.name in _SINGLE:
            body[one.name] = Hidden(one.text)
        elif one.name in _WORDS:
            body[one.name] = one.text
        elif one.name in ("EXPOSE", "VOLUME"):
            before = body.get(one.name)
            body[one.name] = [*(before if isinstance(before, list) else []), *_words(one.text)]
    for name in _NAMES:
        if variables := _variables(one.text for one in stage if one.name == name):
            body[name] = variables
    return Declared(subject, body, image, dict(_risks(stage)))


def _risks(stage: list[_Instruction]) -> Iterator[tuple[str, Risk]]:
    users = [one.text for one in stage if one.name == "USER"]
    if users and users[-1].partition(":")[0] in ("root", "0"):
        yield "runs as root", NOTE
    for one in stage:
        if one.name == "RUN":
            yield from ((mark, NOTE) for mark in fetching_marks(one.text))


def _variables(texts: Iterator[str]) -> dict[str, Value]:
    """Return the variables of ENV, ARG or LABEL, their values hidden."""
    found: dict[str, Value] = {}
    for text in texts:
        pairs = _PAIRS.findall(text[:8000])
        if not pairs and (single := _FIRST.match(text)):
            pairs = [(single[0], text)]
        found |= {name: Hidden(value) for name, value in pairs}
    return found


def _words(text: str) -> list[Value]:
    try:
        given = json.loads(text) if text.startswith("[") else text.split()
    except (ValueError, RecursionError):
        given = []
    return [one for one in given if isinstance(one, str)] if isinstance(given, list) else []
