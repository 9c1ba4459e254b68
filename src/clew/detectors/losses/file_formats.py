"""Formats of files by their first bytes: what a file holds whose name promises something else.

`tar czf report.odt …` without the name of an archive, a page of an error saved as a picture, documents
that somebody encrypted: the file is there, has a size, and is nothing that its program can open.
"""

from __future__ import annotations

MAGIC_SIZE = 32
_ZIP, _OLE, _PDF = "ZIP data", "Office data", "PDF data"
_IMAGE, _GZIP, _SOUND = "image data", "gzip data", "sound data"
_SIGNS: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", _ZIP), (b"PK\x05\x06", _ZIP), (b"\xd0\xcf\x11\xe0", _OLE), (b"%PDF-", _PDF),
    (b"\x89PNG", _IMAGE), (b"\xff\xd8\xff", _IMAGE), (b"GIF8", _IMAGE), (b"II*\0", _IMAGE), (b"MM\0*", _IMAGE),
    (b"BM", _IMAGE), (b"8BPS", _IMAGE), (b"\x1f\x8b", _GZIP), (b"ID3", _SOUND), (b"fLaC", _SOUND), (b"OggS", _SOUND),
    (b"{\\rtf", "rich text"), (b"BZh", "bzip2 data"), (b"\xfd7zXZ", "xz data"), (b"7z\xbc\xaf", "7z data"),
    (b"Rar!", "RAR data"), (b"SQLite format 3", "SQLite data"), (b"\x28\xb5\x2f\xfd", "Zstandard data"),
    (b"<!DOCTYPE html", "a web page"), (b"<!doctype html", "a web page"), (b"<html", "a web page"),
)  # fmt: skip
_DOCUMENTS = (_ZIP, _OLE, _PDF, "rich text")
_PROMISED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(["odt", "ods", "odp", "docx", "xlsx", "pptx", "epub", "pages", "numbers", "key", "xlsm", "doc", "xls", "ppt"], _DOCUMENTS),
    "pdf": (_PDF,),
    **dict.fromkeys(["png", "jpg", "jpeg", "gif", "tif", "tiff", "bmp", "webp", "psd", "heic"], (_IMAGE,)),
    **dict.fromkeys(["zip", "jar", "whl", "apk"], (_ZIP,)),
    **dict.fromkeys(["gz", "tgz"], (_GZIP,)),
    **dict.fromkeys(["flac", "ogg", "opus"], (_SOUND,)),
}  # fmt: skip
"""What a file with this suffix may hold, once it held it."""


def has_magic(name: str) -> bool:
    """Return whether the first bytes of a file with this name are known."""
    return name[name.rfind(".") + 1 :] in _PROMISED


def format_change(name: str, old: bytes, new: bytes) -> tuple[str, str] | None:
    """Return how the format differs, if the old one was what the name promises and the new one is not."""
    promised = _PROMISED[name[name.rfind(".") + 1 :]]
    was, now = _format(old), _format(new)
    if was not in promised or now in promised or not new.strip(b"\0"):
        return None
    return was, now or "unknown data"


def _format(content: bytes) -> str:
    if content[:4] == b"RIFF":
        return _IMAGE if content[8:12] == b"WEBP" else _SOUND
    if content[4:8] == b"ftyp":
        return _IMAGE
    return next((what for sign, what in _SIGNS if content.startswith(sign)), "")
