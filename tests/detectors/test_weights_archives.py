from __future__ import annotations

import io
import json
import random
import tarfile
import zipfile
from pathlib import Path

import pytest

from clew.detectors.data.archives import Archives, tar_members
from clew.detectors.data.weights import Weights
from clew.detectors.detector import Detector
from tests.kit.moments import Moment, evidence, facts, file, findings, link, problems

DATA = Path(__file__).parent / "testdata/weights"
TENSORS = (DATA / "two.safetensors").read_bytes()
GGUF = (DATA / "tiny.gguf").read_bytes()
CANARY = "canary-7f3a"


def reported(detector: Detector, old: Moment, new: Moment) -> list[tuple[object, ...]]:
    found = facts(detector, old, new)
    return [(fact.subject, fact.before, fact.after, fact.marks) for fact in found]


def zipped(*names: str, large: bool = False) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name in names:
            with archive.open(name, "w", force_zip64=large) as member:
                member.write(CANARY.encode())
    return target.getvalue()


def tarred(*names: str, mode: str = "w", kind: int = tarfile.PAX_FORMAT) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode=mode, format=kind) as archive:  # type: ignore[call-overload]
        for name in names:
            info = tarfile.TarInfo(name)
            info.type = tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE
            info.size = 0 if name.endswith("/") else 700
            archive.addfile(info, io.BytesIO(bytes(700)))
    return target.getvalue()


# Weights


def test_headers_of_real_weights_are_read() -> None:
    new = {"m.safetensors": TENSORS, "m.gguf": GGUF, "m.pt": b"\x80\x04" * 600, "model.bin": b"b"}

    assert reported(Weights(), {}, new) == [
        ("m.gguf", None, f"Tiny Llama, 2 tensors, {len(GGUF)} B", ()),
        ("m.pt", None, "1.2 kB", ()),
        ("m.safetensors", None, f"2 tensors, 144 parameters, F16, F32, {len(TENSORS)} B", ()),
        ("model.bin", None, "1 B", ()),
    ]


def test_other_values_in_the_same_tensors_are_noticed_and_losses_told() -> None:
    old = {"m.safetensors": TENSORS, "gone.onnx": b"o"}
    new = {"m.safetensors": TENSORS[:-1] + b"\x01"}

    found = reported(Weights(), old, new)

    assert found[0] == ("gone.onnx", "1 B", None, ())
    assert found[1][3][1] == "values changed"  # type: ignore[index]


def test_a_model_in_a_cache_is_one_thing() -> None:
    root = "home/a/.cache/huggingface/hub/models--org--tiny"
    new = {
        f"{root}/blobs/ab12": file(b"w", size=5_000_000),
        f"{root}/snapshots/77/model.safetensors": link("../../blobs/ab12"),
        f"{root}/refs/main": file(b"77"),
    }

    (finding,) = findings(Weights(), evidence({}, new))

    assert [(fact.subject, fact.after) for fact in finding.facts] == [
        (root, "model org/tiny, 5.0 MB")
    ]
    assert set(new) <= set(finding.claims)
    assert all(path.startswith(root) for path in finding.claims)
    assert [fact.before for fact in facts(Weights(), new, {})] == ["model org/tiny, 5.0 MB"]


def test_small_binaries_of_other_names_are_nobodys_weights() -> None:
    assert reported(Weights(), {}, {"firmware.bin": b"x", "repo/refs/x": b"", "blobs/y": b""}) == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 100,
        (1 << 62).to_bytes(8, "little") + b"{}",
        b"\x02" + bytes(7) + b"[]",
        len(json.dumps({"t": {"shape": [1 << 39] * 16}})).to_bytes(8, "little")
        + json.dumps({"t": {"shape": [1 << 39] * 16}, "u": 3}).encode(),
    ],
)
def test_odd_headers_do_no_harm(content: bytes) -> None:
    for name in ("m.safetensors", "m.gguf"):
        found = problems(Weights(), {}, {name: content})
        assert len(found) + len(reported(Weights(), {}, {name: content})) == 1


def test_a_damaged_gguf_is_still_told() -> None:
    chance = random.Random(2)
    for _ in range(200):
        bad = bytearray(GGUF)
        bad[chance.randrange(4, 200)] = chance.randrange(256)
        assert len(reported(Weights(), {}, {"m.gguf": bytes(bad)})) == 1


# Archives


def test_members_are_counted_without_unpacking() -> None:
    names = ("a/", "a/x.txt", "a/y.txt", "b" * 200)
    new = {
        "p.zip": zipped("x", "y/", "y/z"),
        "q.whl": zipped("x", large=True),
        "r.tar": tarred(*names),
        "s.tar.gz": tarred(*names, mode="w:gz"),
        "t.tgz": tarred(*names, mode="w:gz", kind=tarfile.GNU_FORMAT),
        "u.tar.xz": tarred("x", mode="w:xz"),
    }

    found = {str(path): str(after) for path, _, after, _ in reported(Archives(), {}, new)}

    counts = {path: after.partition(",")[0] for path, after in found.items()}
    assert counts == {
        "p.zip": "2 files",
        "q.whl": "1 file",
        "r.tar": "3 files",
        "s.tar.gz": "3 files",
        "t.tgz": "3 files",
        "u.tar.xz": f"{len(new['u.tar.xz'])} B",
    }


def test_archives_that_changed_or_went_are_told_and_claimed() -> None:
    old = {"a.zip": zipped("x"), "b.zip": zipped("x"), "syslog.1.gz": b"1"}
    new = {"a.zip": zipped("x", "y"), "syslog.1.gz": b"2"}

    found = findings(Archives(), evidence(old, new))

    assert [finding.claims for finding in found] == [("a.zip",), ("b.zip",)]
    before, after = found[0].facts[0].before, found[0].facts[0].after
    assert before is not None
    assert after is not None
    assert (before[:6], after[:7], found[1].facts[0].after) == ("1 file", "2 files", None)
    assert CANARY not in repr(found)


def test_a_zip_of_very_many_members_is_counted() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for number in range(66_000):
            archive.writestr(zipfile.ZipInfo(f"{number}"), b"")

    (found,) = reported(Archives(), {}, {"a.zip": target.getvalue()})

    assert str(found[2]).startswith("66,000 files")


def test_a_tar_in_pieces_of_any_size_is_the_same_tar() -> None:
    content = tarred("a", "b/", "c", "d" * 300)
    for size in (1, 7, 511, 512, 513, 5000):
        pieces = [content[at : at + size] for at in range(0, len(content), size)]

        assert tar_members(pieces, 1 << 20) == 3


def test_a_bomb_does_not_go_off() -> None:
    import gzip

    header = bytearray(tarred("bomb")[1024:1536] or tarred("bomb")[:512])
    bomb = gzip.compress(bytes(header) + bytes(80 << 20), 9)
    liar = bytearray(tarred("x"))
    liar[124:136] = b"77777777777\0"

    (small,) = reported(Archives(), {}, {"b.tar.gz": bomb})
    (odd,) = reported(Archives(), {}, {"c.tar": bytes(liar)})

    assert str(small[2]).endswith("kB")
    assert str(odd[2]).startswith("1 file")


def test_damaged_archives_do_no_harm() -> None:
    chance = random.Random(4)
    for name, good in (("a.zip", zipped("x", "y")), ("a.tgz", tarred("x", mode="w:gz")), ("a.tar", tarred("x"))):  # fmt: skip
        for _ in range(60):
            bad = bytearray(good)
            bad[chance.randrange(len(bad))] = chance.randrange(256)
            new = {name: bytes(bad[: chance.randrange(len(bad))])}
            assert len(reported(Archives(), {}, new)) + len(problems(Archives(), {}, new)) == 1
