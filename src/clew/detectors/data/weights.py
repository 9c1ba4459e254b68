"""Model weights detector: tensors and parameters from file headers, otherwise the size.

A pickle (`.pt`, `.bin`, `.pkl`) is a program and is never loaded.
A model in the Hugging Face cache counts as one, however many files it has.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Sequence

from clew.detectors.data.data_facts import (
    beginning,
    data_fact,
    file_finding,
    growth_text,
    split_crowds,
    unclaimed_files,
)
from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.model.amount import counted, size_text

_SIZED = (".pt", ".pth", ".ckpt", ".pkl", ".onnx", ".h5", ".tflite", ".joblib")
_HUB = ("models--", "datasets--", "spaces--")
_HUB_PARTS = ("blobs", "snapshots", "refs", ".no_exist")
_HEADER = 8 << 20
_TENSORS = 200_000
_BINARY = 50_000_000
"""A `.bin` file of this size counts as weights whatever its name."""
_GGUF_PREFIX = 1 << 20
_GGUF_KEYS = 200
_GGUF_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}


class Weights:
    """Reports added, changed and deleted weights."""

    name = "data/weights"
    version = 1
    kinds: tuple[str, ...] = ("data.changed",)
    watch = WatchedPaths(
        suffixes=(".safetensors", ".gguf", ".bin", *_SIZED), directories=_HUB_PARTS
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        hub: dict[str, list[PathChange]] = {}
        files: list[PathChange] = []
        for change in changes:
            model = _model_of(change.path)
            if model:
                hub.setdefault(model, []).append(change)
            elif _are_weights(change):
                files.append(change)
        for model, parts in hub.items():
            with evidence.guarded(model):
                yield _model_finding(evidence, model, parts)
        alone, crowded = split_crowds("weights", unclaimed_files(evidence, files))
        yield from crowded
        for change in alone:
            with evidence.guarded(change.path):
                before, after = (_text(tree, change.path) for tree in (evidence.old, evidence.new))
                yield file_finding("weights", change.path, before, after, "values changed")


def _model_of(path: str) -> str:
    """Return the directory of a model in a cache, or "" for other paths."""
    words = path.split("/")
    for at, word in enumerate(words[:-1]):
        if word.startswith(_HUB) and words[at + 1] in _HUB_PARTS:
            return "/".join(words[: at + 1])
    return ""


def _are_weights(change: PathChange) -> bool:
    if not change.name.endswith(".bin"):
        return change.name.endswith((*_SIZED, ".safetensors", ".gguf"))
    size = max(entry.size for entry in (change.old, change.new) if entry is not None)
    return "model" in change.name.lower() or size >= _BINARY


def _model_finding(evidence: Evidence, model: str, parts: list[PathChange]) -> Finding:
    kind, *words = model.rpartition("/")[2].split("--")
    size = sum((change.new.size if change.new else 0) - (change.old.size if change.old else 0)
               for change in parts if not change.is_directory)  # fmt: skip
    name = f"{kind.removesuffix('s')} {'/'.join(words)}"[:120]
    was, now = (tree.entry(model) is not None for tree in (evidence.old, evidence.new))
    before = f"{name}, {size_text(-size)}" if was and not now else None
    after = f"{name}, {size_text(size)}" if now and not was else None
    marks = (name, growth_text(size) if size else "changed") if was and now else ()
    fact = data_fact("weights", model, before, after, marks)
    return Finding((fact,), (model, *(change.path for change in parts)))


def _text(tree: Tree, path: str) -> str | None:
    entry = tree.entry(path)
    if entry is None or not entry.is_file:
        return None
    words: list[str] = []
    if path.endswith(".safetensors"):
        words = safetensors_words(beginning(tree, path, _HEADER + 8))
    elif path.endswith(".gguf"):
        words = gguf_words(beginning(tree, path, _GGUF_PREFIX))
    return ", ".join([*words, size_text(entry.size)])


def safetensors_words(content: bytes) -> list[str]:
    """Return the number of tensors and parameters in a header, and the precision."""
    if len(content) < 8:
        return []
    length = int.from_bytes(content[:8], "little")
    if length > len(content) - 8:
        return []
    header = json.loads(content[8 : 8 + length])
    if not isinstance(header, dict) or len(header) > _TENSORS:
        return []
    tensors = [
        value
        for name, value in header.items()
        if name != "__metadata__" and isinstance(value, dict)
    ]
    types = sorted({str(tensor.get("dtype"))[:10] for tensor in tensors})
    parameters = sum(_product(tensor.get("shape")) for tensor in tensors)
    return [counted(len(tensors), "tensor"), f"{_many(parameters)} parameters", *types[:3]]


def gguf_words(content: bytes) -> list[str]:
    """Return the name of a model and its number of tensors."""
    if len(content) < 24 or content[:4] != b"GGUF":
        return []
    tensors, keys = struct.unpack_from("<QQ", content, 8)
    found = dict(_gguf_texts(content, 24, min(keys, _GGUF_KEYS)))
    names = [found[key] for key in ("general.name", "general.architecture") if key in found]
    return [*names[:1], counted(tensors, "tensor")]


def _gguf_texts(content: bytes, at: int, keys: int) -> Iterator[tuple[str, str]]:
    """Yield the keys with text values, up to the first value of a complex type."""
    for _ in range(keys):
        key, at = _gguf_text(content, at)
        if at + 4 > len(content):
            return
        (kind,) = struct.unpack_from("<I", content, at)
        at += 4
        if kind == 8:
            value, at = _gguf_text(content, at)
            if at <= len(content):
                yield key, value
        elif kind in _GGUF_SIZES:
            at += _GGUF_SIZES[kind]
        else:
            return


def _gguf_text(content: bytes, at: int) -> tuple[str, int]:
    size = int.from_bytes(content[at : at + 8], "little")
    text = content[at + 8 : at + 8 + min(size, 80)].decode("utf-8", "replace")
    return text, at + 8 + size


def _product(shape: object) -> int:
    found = 1
    for size in shape if isinstance(shape, list) and len(shape) <= 16 else (0,):
        found *= size if isinstance(size, int) and 0 <= size < 1 << 40 else 0
    return found


def _many(number: int) -> str:
    for unit, word in ((10**12, "T"), (10**9, "B"), (10**6, "M"), (1000, "k")):
        if number >= unit:
            return f"{number / unit:,.1f} {word}"
    return str(number)
