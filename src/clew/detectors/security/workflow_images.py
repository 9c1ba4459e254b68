"""Images of a pipeline: in which containers its jobs and services run."""

from __future__ import annotations

from collections.abc import Iterator

from clew.detectors.deployment.images import shown_image
from clew.detectors.files.key_names import shown_name
from clew.detectors.formats.values import Value

_KEYS = ("image", "container", "vmImage")
_INNER = ("name", "image")
_PLACES = frozenset(("jobs", "steps", "stages", "default", "docker", "pipeline", "services", "pipelines"))  # fmt: skip
"""Names that say nothing about which job it is."""
_MAX_NODES = 5_000
_NAME_LENGTH = 40


def image_marks(old: Value, new: Value) -> list[str]:
    """Return which images are others: `test image python:3.12 → python:3.13`."""
    before, after = dict(_images(old)), dict(_images(new))
    marks = []
    for place in {**before, **after}:
        was, now = before.get(place), after.get(place)
        if was != now and was is not None and now is not None:
            marks.append(f"{_label(place)}image {shown_image(was)} → {shown_image(now)}")
    return marks


def without_images(value: Value) -> Value:
    """Return a job without its images, to compare the rest."""
    if isinstance(value, dict):
        return {key: without_images(one) for key, one in value.items() if key not in _KEYS}
    return [without_images(one) for one in value] if isinstance(value, list) else value


def _images(value: Value) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the images of a pipeline, by their place."""
    waiting: list[tuple[tuple[str, ...], Value]] = [((), value)]
    for _ in range(_MAX_NODES):
        if not waiting:
            return
        place, one = waiting.pop()
        if isinstance(one, list):
            waiting += [((*place, _name(inner, at)), inner) for at, inner in enumerate(one, 1)]
        elif isinstance(one, dict):
            for key, inner in one.items():
                image = _image(inner) if key in _KEYS else None
                if image is not None:
                    yield place, image
                else:
                    waiting.append(((*place, key), inner))


def _image(value: Value) -> str | None:
    """Return the image that a key names: alone, or in a mapping."""
    if isinstance(value, dict):
        value = next((value[key] for key in _INNER if isinstance(value.get(key), str)), None)
    return value if isinstance(value, str) else None


def _name(value: Value, number: int) -> str:
    given = value.get("name") if isinstance(value, dict) else None
    return given if isinstance(given, str) else str(number)


def _label(place: tuple[str, ...]) -> str:
    names = [name for name in place if name not in _PLACES and not name.isdigit()]
    text = " ".join(shown_name(" ".join(name.split())[:_NAME_LENGTH]) for name in names[-2:])
    return f"{text} " if text else ""
