from __future__ import annotations

import io
import json
import tarfile
import zipfile
from pathlib import Path

import pytest

from clew.detectors.losses.emptied_settings import COMMON_SETTINGS
from clew.detectors.losses.shrinking import Shrinking
from tests.detectors.real_git import Repo
from tests.kit.losses import alarms, files, tell
from tests.kit.moments import Moment, facts, file

Told = list[tuple[str, str, str | None, str | None, str]]


def _told(old: Moment, new: Moment) -> Told:
    return [
        (fact.kind, fact.subject, fact.before, fact.after, fact.severity)
        for fact in facts(Shrinking(), old, new)
    ]


def _shrunk(path: str, old: bytes, new: bytes) -> tuple[str, str | None, str | None]:
    ((kind, _, before, after, severity),) = _told({path: old}, {path: new})
    assert severity == "high"
    return kind, before, after


def _rows(number: int) -> bytes:
    return b"id,name\n" + b"".join(b"%d,name %d\n" % (n, n) for n in range(number))


def _records(number: int) -> list[dict[str, object]]:
    return [{"id": n, "name": f"Customer {n}"} for n in range(number)]


def _dump(value: object) -> bytes:
    return json.dumps(value).encode()


# Records


def test_rows_of_a_table() -> None:
    assert _shrunk("train.csv", _rows(20_000), _rows(2_000)) == (
        "loss.shrunk", "20,000 rows", "2,000 rows",
    )  # fmt: skip


def test_a_header_without_rows_is_empty() -> None:
    assert _shrunk("train.csv", _rows(50), _rows(0)) == ("loss.emptied", "50 rows", "0 rows")


def test_lines_of_json_cut_inside_a_line() -> None:
    lines = b"".join(_dump({"n": n}) + b"\n" for n in range(5000))

    assert _shrunk("events.jsonl", lines, lines[:9001])[0] == "loss.shrunk"


def test_a_list_of_json() -> None:
    assert _shrunk("seed.json", _dump(_records(1000)), _dump(_records(3))) == (
        "loss.shrunk", "1,000 records", "3 records",
    )  # fmt: skip
    assert _shrunk("seed.json", _dump(_records(1000)), b"[]")[0] == "loss.emptied"


def test_the_longest_list_inside_json() -> None:
    old, new = ({"version": 1, "meta": {"a": [1]}, "users": _records(n)} for n in (400, 10))

    assert _shrunk("export.json", _dump(old), _dump(new))[1:] == ("400 records", "10 records")


def test_a_map_of_json_records() -> None:
    old, new = ({f"user-{n}": {"name": "x"} for n in range(number)} for number in (90, 5))

    assert _shrunk("users.json", _dump(old), _dump(new))[1:] == ("90 records", "5 records")


def test_features_of_a_map() -> None:
    def collection(number: int) -> bytes:
        points = [{"type": "Feature", "geometry": {"type": "Point", "coordinates": [n, n]}}
                  for n in range(number)]  # fmt: skip
        return _dump({"type": "FeatureCollection", "features": points})

    assert _shrunk("trees.geojson", collection(300), collection(2))[1] == "300 records"


def test_items_of_yaml() -> None:
    old, new = (
        "".join(f"- id: {n}\n  tags:\n    - x\n" for n in range(k)).encode() for k in (60, 4)
    )

    assert _shrunk("fixtures/users.yaml", old, new)[1:] == ("60 records", "4 records")


@pytest.mark.parametrize(
    ("path", "item"),
    [
        ("feeds.opml", b'<outline xmlUrl="http://x"/>\n'),
        ("track.gpx", b'<trkpt lat="1" lon="2"/>\n'),
        ("export.xml", b"<customer><name>x</name></customer>\n"),
    ],
)
def test_elements_of_xml(path: str, item: bytes) -> None:
    assert _shrunk(path, b"<all>\n" + item * 200 + b"</all>\n", b"<all>\n" + item * 3)[0] == (
        "loss.shrunk"
    )


@pytest.mark.parametrize(
    ("path", "item", "noun"),
    [
        ("diary.ics", b"BEGIN:VEVENT\nSUMMARY:x\nEND:VEVENT\n", "events"),
        ("friends.vcf", b"BEGIN:VCARD\nFN:x\nEND:VCARD\n", "contacts"),
        ("inbox.mbox", b"From me Sat May  4 10:00:00 2024\nSubject: x\n\nHello\n\n", "messages"),
        ("people.ldif", b"dn: cn=x\ncn: x\n\n", "entries"),
        ("shop.sql", b"INSERT INTO orders VALUES (1,2);\n", "rows"),
    ],
)
def test_records_of_other_formats(path: str, item: bytes, noun: str) -> None:
    assert _shrunk(path, item * 80, item * 3) == ("loss.shrunk", f"80 {noun}", f"3 {noun}")


def test_rows_of_a_dump_that_copies() -> None:
    def dump(number: int) -> bytes:
        rows = b"".join(b"%d\tx\n" % n for n in range(number))
        return b"-- dump\nCOPY public.users (id, name) FROM stdin;\n" + rows + b"\\.\n\n"

    assert _shrunk("shop.sql", dump(500), dump(20))[1:] == ("500 rows", "20 rows")


def test_rows_of_a_dump_with_many_rows_in_a_statement() -> None:
    def dump(number: int) -> bytes:
        return b"INSERT INTO t VALUES " + b",".join(b"(%d,2)" % n for n in range(number)) + b";\n"

    assert _shrunk("shop.sql", dump(500), dump(20))[1:] == ("500 rows", "20 rows")


def test_cells_of_a_notebook() -> None:
    def notebook(number: int) -> bytes:
        cells = [
            {"cell_type": "code", "source": ["print(1)"], "outputs": []} for _ in range(number)
        ]
        return _dump({"cells": cells, "metadata": {}, "nbformat": 4})

    assert _shrunk("a.ipynb", notebook(24), notebook(0)) == ("loss.emptied", "24 cells", "0 cells")


def test_members_of_archives() -> None:
    assert _shrunk("photos.zip", _zip(300), _zip(4))[1:] == ("300 files", "4 files")
    assert _shrunk("photos.tar", _tar(60), _tar(2))[1:] == ("60 files", "2 files")


def test_rows_of_a_spreadsheet() -> None:
    assert _shrunk("budget.xlsx", _sheet(400), _sheet(3))[1:] == ("400 rows", "3 rows")


def test_rows_of_arrays() -> None:
    assert _shrunk("x.npy", _npy(3000), _npy(10))[1:] == ("3,000 rows", "10 rows")
    assert _shrunk("x.npz", _npz(3000), _npz(0)) == ("loss.emptied", "3,000 rows", "0 rows")


def test_a_fifth_of_many_records_is_a_loss_and_of_few_is_not() -> None:
    assert _shrunk("a.csv", _rows(10_000), _rows(7_000))[0] == "loss.shrunk"
    assert _told({"a.csv": _rows(100)}, {"a.csv": _rows(70)}) == []


# Bytes


def test_a_file_of_no_bytes_is_empty() -> None:
    assert _shrunk("churn.pkl", b"\x80\x04" * 4000, b"") == ("loss.emptied", "8.0 kB", "0 B")


@pytest.mark.parametrize("path", ["a.jpg", "x.duckdb", "letter.docx", "net.pt", "song.mp3", "a.h5"])
def test_a_binary_file_that_lost_nine_tenths(path: str) -> None:
    assert _shrunk(path, b"\x01\x02" * 9000, b"\x01\x02" * 100)[0] == "loss.shrunk"
    assert _told({path: b"\x01\x02" * 9000}, {path: b"\x01\x02" * 3000}) == []


@pytest.mark.parametrize("path", ["photo.jpg", "letter.docx", "site.zip", "net.pt"])
def test_a_file_that_holds_only_zeros_is_empty(path: str) -> None:
    assert _shrunk(path, b"\x01\x02" * 500, bytes(1000))[0] == "loss.emptied"


def test_many_emptied_files_of_a_directory_are_one_fact() -> None:
    photos = files("Pictures/holiday/{}.jpg", 120)
    other = files("Pictures/garden/{}.jpg", 3)

    story = tell({**photos, **other}, {**dict.fromkeys(photos, b""), **other})

    assert story.headline == "! Pictures/holiday/: 120 files emptied"


def test_a_text_that_git_does_not_have() -> None:
    assert _shrunk("notes.md", b"my notes\n" * 900, b"# Notes\n")[0] == "loss.shrunk"
    assert _shrunk("script.py", b"x = 1\n" * 900, b"")[0] == "loss.emptied"


@pytest.mark.parametrize(
    ("path", "item"),
    [
        ("thesis/references.bib", b"@article{key,\n  title = {A title},\n}\n\n"),
        ("papers.ris", b"TY  - JOUR\nTI  - A title\nER  -\n"),
        ("papers.nbib", b"PMID- 1\nTI  - A title\n\n"),
    ],
)
def test_entries_of_a_bibliography(path: str, item: bytes) -> None:
    assert _shrunk(path, item * 300, b"% nothing\n") == ("loss.emptied", "300 entries", "0 entries")


@pytest.mark.parametrize("path", ["novel", "draft.fountain", "report.typ", "plan.textile"])
def test_a_text_of_any_kind_that_was_cut_to_a_tenth(path: str) -> None:
    assert _shrunk(path, b"It was a dark night.\n" * 900, b"It was\n")[0] == "loss.shrunk"
    assert alarms({path: b"It was a dark night.\n" * 900}, {path: b"It was.\n" * 900}) == []


@pytest.mark.parametrize("path", [".viminfo", ".config/app/state", "home/me/.app/session"])
def test_texts_that_programs_keep_for_themselves_may_be_cut(path: str) -> None:
    assert alarms({path: b"> a line of state\n" * 900}, {path: b"> a line\n"}) == []


def test_records_in_a_file_without_a_suffix() -> None:
    def bookmarks(number: int) -> bytes:
        return _dump({"roots": {"bar": {"children": _records(number)}}})

    for path in ("profile/Bookmarks", ".config/google-chrome/Default/Bookmarks"):
        assert _shrunk(path, bookmarks(220), bookmarks(0)) == (
            "loss.emptied", "220 records", "0 records",
        )  # fmt: skip


def test_many_shrunken_files_of_a_directory_are_one_fact() -> None:
    photos = {f"Pictures/wedding/{n}.JPG": b"\xff\xd8" + bytes([n]) * 90_000 for n in range(60)}

    story = tell(photos, {path: content[:900] for path, content in photos.items()})

    assert story.headline == "! Pictures/wedding/: 60 images shrunk (5.4 MB → 54.0 kB)"
    assert len(story.facts) == 1


def test_a_packed_text_that_lost_half() -> None:
    assert _shrunk("shop.sql.gz", b"\x1f\x8b" * 9000, b"\x1f\x8b" * 4000)[0] == "loss.shrunk"


def test_a_mailbox_without_a_suffix() -> None:
    message = b"From me Sat May  4 10:00:00 2024\n\nHello\n\n"

    assert _shrunk("Mail/Inbox", message * 50, message * 2)[1:] == ("50 messages", "2 messages")


# Audit trails


AUDIT = b"".join(b"2024-05-01 user %d changed a price\n" % n for n in range(3000))


@pytest.mark.parametrize(
    "path",
    [
        "logs/audit.log",
        "payments-ledger.jsonl",
        "audit_trail.csv",
        "transactions.log",
        ".bash_history",
    ],
)
def test_an_emptied_audit_trail_is_a_loss(path: str) -> None:
    assert alarms({path: AUDIT}, {path: b""}) == [("loss.emptied", "file", path)]


def test_each_line_of_an_audit_trail_counts() -> None:
    lines = AUDIT.splitlines(keepends=True)
    without = b"".join(lines[:100] + lines[110:])

    assert _shrunk("logs/audit.log", AUDIT, without) == (
        "loss.shrunk",
        "3,000 lines",
        "2,990 lines",
    )


@pytest.mark.parametrize(
    "copy",
    [
        {"logs/audit.log.1": AUDIT},
        {"logs/audit.log.1.gz": b"packed"},
        {"logs/audit.log-20240501": AUDIT},
        {"archive/audit-2024-05.log.gz": b"packed"},
        {"old/trail": AUDIT},
    ],
)
def test_an_audit_trail_that_was_put_aside_is_no_loss(copy: dict[str, bytes]) -> None:
    assert alarms({"logs/audit.log": AUDIT}, {"logs/audit.log": b"", **copy}) == []
    assert alarms({"logs/audit.log": AUDIT}, {"logs/x": b"", **copy}) == []


@pytest.mark.parametrize(
    "path", ["logs/app.log", "server.log", "nohup.out", "var/log/nginx/access.log"]
)
def test_an_ordinary_log_may_be_emptied(path: str) -> None:
    assert alarms({path: AUDIT}, {path: b""}) == []


# What can be given back


@pytest.fixture
def shop(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path)
    repo.git("init", "-q")
    return repo


def test_records_that_git_has_are_told_without_an_alarm(shop: Repo) -> None:
    shop.commit("data/prices.json", json.dumps(_records(800)))
    old = shop.moment()

    story = tell(old, {**old, "data/prices.json": _dump(_records(4))})

    assert [(fact.kind, fact.severity) for fact in story.facts] == [("data.changed", "note")]
    assert story.headline == "data/prices.json: 800 → 4 records"


def test_a_file_that_is_empty_and_not_committed_is_an_alarm_although_git_has_it(shop: Repo) -> None:
    shop.commit("data/prices.csv", _rows(300).decode())
    old = shop.moment()

    assert alarms(old, {**old, "data/prices.csv": b""}) == [
        ("loss.emptied", "file", "data/prices.csv")
    ]


def test_a_file_that_was_emptied_and_committed_is_no_alarm(shop: Repo) -> None:
    shop.commit("data/prices.csv", _rows(300).decode())
    old = shop.moment()
    shop.commit("data/prices.csv", "id,name\n")

    assert alarms(old, shop.moment()) == []


def test_fixtures_of_tests_are_no_alarm(shop: Repo) -> None:
    shop.commit("tests/fixtures/users.csv", _rows(300).decode())
    old = shop.moment()

    assert alarms(old, {**old, "tests/fixtures/users.csv": b"id,name\n"}) == []


def test_sources_that_git_tracks_are_the_business_of_their_detector(shop: Repo) -> None:
    shop.commit("src/app.py", "x = 1\n" * 900)
    old = shop.moment()

    assert _told(old, {**old, "src/app.py": b""}) == []


def test_a_document_that_git_has_and_of_which_hardly_anything_is_left(shop: Repo) -> None:
    text = "A sentence of a thesis.\n" * 900
    shop.commit("thesis.tex", text)
    old = shop.moment()

    assert alarms(old, {**old, "thesis.tex": b""}) == [("loss.emptied", "file", "thesis.tex")]
    assert alarms(old, {**old, "thesis.tex": b"A sen"}) == [("loss.shrunk", "file", "thesis.tex")]
    assert alarms(old, {**old, "thesis.tex": text[:9000].encode()}) == []
    shop.commit("thesis.tex", "moved\n")
    assert alarms(old, shop.moment()) == []


def test_a_copy_that_was_made_first_keeps_the_content() -> None:
    old = {"seed.json": _dump(_records(1000))}
    new = {"seed.json": _dump(_records(3)), "seed.json.bak": old["seed.json"]}

    assert alarms(old, new) == []


def test_settings_that_git_tracks_are_named_by_their_detector(shop: Repo) -> None:
    rules = {"rules": {f"rule-{n}": {"level": n} for n in range(90)}}
    shop.commit(".eslintrc.json", json.dumps(rules))
    old = shop.moment()

    assert _told(old, {**old, ".eslintrc.json": b'{"rules": {}}'}) == []


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("config/app.toml", b"[server]\nport = 8000\n"),
        ("package.json", b'{"name": "shop"}\n'),
        ("compose.yaml", b"services:\n  web: {}\n"),
        ("nginx.conf", b"server {\n  listen 80;\n}\n"),
        ("setup.cfg", b"[metadata]\nname = shop\n"),
        ("app.properties", b"port=8000\nhost=a.example.org\n"),
        ("pom.xml", b"<project><name>shop</name></project>"),
        ("main.tf", b'resource "a" "b" {\n}\n'),
        ("Dockerfile", b"FROM debian:12\nRUN make\n"),
    ],
)
def test_emptied_settings_are_an_alarm_although_git_has_them(
    shop: Repo, path: str, content: bytes
) -> None:
    shop.commit(path, content.decode())
    old = shop.moment()

    zeros = [bytes(len(content))] if path.endswith(COMMON_SETTINGS) else []
    for now in (b"", *zeros):
        assert ("loss.emptied", "file", path) in alarms(old, {**old, path: now})
    assert tell(old, {**old, path: b""}).headline.startswith(f"! {path} emptied")


@pytest.mark.parametrize(
    ("path", "content"),
    [
        (".gitkeep", b"keep\n"),
        ("shop/__init__.py", b"from shop.app import main\n"),
        ("uv.lock", b"version = 1\n"),
        ("app.lock.json", b'{"pid": 17}'),
        ("config.example.toml", b"port = 8000\n"),
        ("settings.yaml", b"# nothing is set\n---\n"),
        ("settings.json", b"{}\n"),
        ("etc/modprobe.d/pc.conf", b"blacklist pcspkr\n"),
        ("etc/systemd/system/a.service", b"[Unit]\nDescription=a\n"),
        ("tests/fixtures/app.toml", b"port = 8000\n"),
        ("session.json", b'{"user": 3}'),
    ],
)
def test_files_that_may_be_empty_are_no_alarm(path: str, content: bytes) -> None:
    assert facts(Shrinking(), {path: content}, {path: b""}) == []


def test_settings_that_were_emptied_and_committed_are_no_alarm(shop: Repo) -> None:
    shop.commit("app.toml", "port = 8000\n")
    old = shop.moment()
    shop.commit("app.toml", "")

    assert alarms(old, shop.moment()) == []


def test_emptied_settings_do_not_tell_what_they_said() -> None:
    told = tell({"app.toml": b'token = "canary-55"\n'}, {"app.toml": b""})

    assert "canary" not in repr(told)


@pytest.mark.parametrize(
    "path",
    ["tmp/a.csv", ".cache/a.json", "coverage.xml", "package-lock.json", "node_modules/a.json"],
)
def test_disposable_files_may_shrink(path: str) -> None:
    assert alarms({path: _rows(3000)}, {path: b""}) == []


def test_a_queue_that_was_worked_off_is_no_alarm() -> None:
    assert alarms({"jobs/queue.jsonl": _rows(3000)}, {"jobs/queue.jsonl": b""}) == []


@pytest.mark.parametrize("path", ["app.tsbuildinfo", "prog.o", "libx.so", "blob"])
def test_what_programs_write_again_may_shrink(path: str) -> None:
    content = _dump({f"key-{n}": {"a": 1} for n in range(900)})

    assert alarms({path: content}, {path: content[:900]}) == []


def test_outputs_of_a_notebook_that_were_cleared_are_no_loss() -> None:
    def notebook(outputs: list[object]) -> bytes:
        cells: list[dict[str, object]] = [{"cell_type": "code", "id": f"c{n}", "source": ["print(1)"], "outputs": outputs,
                  "metadata": {}, "execution_count": None} for n in range(24)]  # fmt: skip
        return _dump({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})

    assert alarms({"a.ipynb": notebook([{"text": "x" * 900}])}, {"a.ipynb": notebook([])}) == []


def test_an_image_that_was_optimised_is_no_loss() -> None:
    assert _told({"logo.png": b"\x01\x02" * 9000}, {"logo.png": b"\x01\x02" * 2500}) == []


# Hostile


@pytest.mark.parametrize(
    "path",
    [
        "a.json",
        "a.xlsx",
        "a.npz",
        "a.npy",
        "a.zip",
        "a.parquet",
        "a.rdb",
        "a.yaml",
        "a.xml",
        "a.sql",
    ],
)
@pytest.mark.parametrize("content", [b"\xff" * 3000, b"PK\x03\x04" * 900, b"[" * 3000, bytes(3000)])
def test_a_hostile_file_is_measured_by_its_size(path: str, content: bytes) -> None:
    assert len(_told({path: content * 3}, {path: content[:90]})) <= 1


def test_a_file_that_is_too_large_to_parse_is_measured_by_its_size() -> None:
    large = file(b"[]", size=900 << 20)

    assert _told({"a.json": large}, {"a.json": b"[1]"})[0][2:4] == ("944 MB", "3 B")


def test_records_are_not_told() -> None:
    old = _dump([{"name": f"canary-{n}"} for n in range(500)])

    assert "canary-" not in repr(tell({"seed.json": old}, {"seed.json": b"[]"}))


def _zip(number: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for n in range(number):
            archive.writestr(f"{n}.jpg", b"photo %d" % n)
    return stream.getvalue()


def _tar(number: int) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for n in range(number):
            archive.addfile(tarfile.TarInfo(f"{n}.jpg"))
    return stream.getvalue()


def _sheet(number: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        rows = "".join(f'<row r="{n}"><c><v>{n}</v></c></row>' for n in range(number))
        archive.writestr("xl/worksheets/sheet1.xml", f"<worksheet>{rows}</worksheet>")
        archive.writestr("xl/styles.xml", "<row />" * 99)
    return stream.getvalue()


def _npy(number: int) -> bytes:
    header = (
        f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({number}, 2), }}".ljust(117) + "\n"
    )
    size = len(header).to_bytes(2, "little")
    return b"\x93NUMPY\x01\x00" + size + header.encode() + bytes(16 * number)


def _npz(number: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("vectors.npy", _npy(number))
    return stream.getvalue()
