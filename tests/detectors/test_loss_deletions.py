from __future__ import annotations

from pathlib import Path

import pytest

from clew.detectors.losses.deletions import Deletions
from tests.detectors.real_git import Repo
from tests.kit.losses import alarms, files, losses, tell
from tests.kit.moments import Moment, evidence, facts, file, findings, link, story

KEPT: dict[str, bytes] = {"readme.md": b"# Shop\n", "other/x": b"y"}


def _lost(old: Moment, new: Moment) -> list[tuple[str, str, str | None, str]]:
    return [
        (fact.scope, fact.subject, fact.before, fact.severity)
        for fact in facts(Deletions(), {**KEPT, **old}, {**KEPT, **new})
        if fact.kind == "loss.deleted"
    ]


# Directories


def test_a_directory_of_photos_that_is_gone_is_a_loss() -> None:
    photos = files("uploads/2024/{}.jpg", 301)

    ((scope, subject, before, severity),) = _lost(photos, {})

    assert (scope, subject, severity) == ("directory", "uploads", "high")
    assert before is not None
    assert before.startswith("301 files, ")


def test_a_lost_directory_explains_all_its_files() -> None:
    photos = files("uploads/2024/{}.jpg", 30)

    (finding,) = findings(Deletions(), evidence({**KEPT, **photos}, KEPT))

    assert set(finding.claims) == set(photos)


def test_what_matters_in_a_lost_directory_is_named_first() -> None:
    old = {
        "shop/.env": b"TOKEN=x",
        **files("shop/app/{}.php", 200),
        **files("shop/storage/receipts/{}.jpg", 60),
    }

    story = tell({**KEPT, **old}, KEPT)

    assert story.headline.startswith("! shop/ deleted (261 files, .env)")
    assert ".env, 60 images in storage/receipts" in story.lines[0].text


def test_files_of_a_directory_that_still_exists_are_counted() -> None:
    backups = files("backups/shop-{}.sql.gz", 14)
    old = {**backups, "backups/readme.txt": b"how to"}

    ((scope, subject, before, _),) = _lost(old, {"backups/readme.txt": b"how to"})

    assert (scope, subject) == ("files", "backups")
    assert before is not None
    assert before.startswith("14 files, ")


def test_neighbouring_directories_are_told_together() -> None:
    mail = {
        **files("Maildir/cur/1700000{}.M1.host:2,S", 20),
        **files("Maildir/new/1800000{}.M1.host", 12),
    }
    kept = {"Maildir/cur/x:2,S": b"kept", "Maildir/new/y": b"kept"}

    ((_, subject, before, _),) = _lost({**mail, **kept}, kept)

    assert subject == "Maildir"
    assert before is not None
    assert before.startswith("32 files")


def test_a_deep_tree_is_walked_without_a_stack() -> None:
    deep = "/".join(["d"] * 3_000)

    assert _lost({f"{deep}/f{n}.py": b"%d" % n * 9 for n in range(25)}, {})[0][1] == "d"


# Single files


@pytest.mark.parametrize(
    "path",
    [
        ".env", ".env.local", "prod.env", "config/master.key", ".ssh/id_ed25519", "wallet.dat",
        "passwords.kdbx", "server.pem", "app.keystore", "letter.docx", "thesis.pdf", "budget.xlsx",
        "photo.jpg", "scan.tiff", "logo.psd", "song.flac", "holiday.mp4", "dump.sql", "db.dump",
        "shop.sql.gz", "site.tar.gz", "old.zip", "analysis.ipynb", "model.safetensors", "net.pt",
        "train.csv", "events.jsonl", "orders.parquet", "inbox.mbox", "contacts.vcf", "diary.ics",
        "data.duckdb", "dump.rdb", "terraform.tfstate", "house.dwg", "board.kicad_pcb", "logs/audit.log",
        ".bash_history", "accounts.ledger", "track.gpx", "var/mail/alice", "Mail/Inbox",
    ],
)  # fmt: skip
def test_one_file_of_a_valuable_kind_is_a_loss(path: str) -> None:
    assert _lost({path: b"valuable" * 20}, {}) == [("file", path, "160 B", "high")]


@pytest.mark.parametrize(
    "path",
    [
        "notes.txt", "scratch.py", "x", "a.json", "settings.yaml", "Makefile", ".env.example",
        "app.log", "server.log.3.gz", "x.tmp", "a.swp", "core.1234", "upload.part", "~$letter.docx",
        "test.db", "db_test.sqlite3", "__pycache__/a.pyc", ".DS_Store", "tmp/photo.jpg",
        ".cache/model.pt", "test-results/shot.png", "cypress/screenshots/a.png", "package-lock.json",
        ".coverage", "nohup.out", "Trash/files/a.jpg", "sessions/sess_abc", "e2e/screenshots/1.png",
        "node_modules/x/logo.png", ".venv/lib/a.pem", "screenshots/login-failed.png", ".idea/a.xml",
    ],
)  # fmt: skip
def test_a_small_or_disposable_file_is_no_alarm(path: str) -> None:
    assert alarms({**KEPT, path: b"content" * 20}, KEPT) == []


def test_a_small_file_is_told_as_deleted_all_the_same() -> None:
    assert tell({**KEPT, "data.bin": b"1234"}, KEPT).headline == "data.bin deleted"


@pytest.mark.parametrize(
    ("path", "size"),
    [("notes.md", 3_000), ("app.py", 9_000), ("seed.json", 5_000), ("blob", 1_200_000)],
)
def test_size_makes_a_loss_of_any_file(path: str, size: int) -> None:
    assert _lost({path: b"x" * size}, {})[0][:2] == ("file", path)


def test_ten_files_of_any_kind_are_a_loss() -> None:
    assert _lost(files("work/{}", 10), {})[0][:2] == ("directory", "work")
    assert _lost(files("work/{}", 9), {}) == []


def test_few_valuable_files_are_named_and_many_are_counted() -> None:
    few = files("Documents/{}.pdf", 3)
    many = files("Documents/{}.pdf", 4)
    kept = {"Documents/readme": b"."}

    assert [one[:2] for one in _lost({**kept, **few}, kept)] == [
        ("file", f"Documents/{n}.pdf") for n in range(3)
    ]
    assert [one[:2] for one in _lost({**kept, **many}, kept)] == [("files", "Documents")]


def test_keys_of_ssh_are_lost_and_what_belongs_to_them_is_not() -> None:
    old = {
        ".ssh/id_ed25519": b"key" * 99,
        ".ssh/deploy": b"key 2" * 99,
        ".ssh/deploy.pub": b"pub" * 9,
    }
    old |= {".ssh/known_hosts": b"host key"}

    assert alarms({**KEPT, **old}, KEPT) == [("loss.deleted", "directory", ".ssh")]
    assert alarms({**KEPT, **old}, {**KEPT, ".ssh/deploy": old[".ssh/deploy"]}) == [
        ("loss.deleted", "file", ".ssh/id_ed25519")
    ]
    assert alarms({**KEPT, ".ssh/known_hosts": b"x", ".ssh/a.pub": b"y"}, KEPT) == []


def test_very_many_secrets_are_counted() -> None:
    old = {".env": b"A=1", **files("store/{}.gpg", 30)}

    (fact,) = losses({**KEPT, **{f"vault/{path}": text for path, text in old.items()}}, KEPT)

    assert fact.marks == (".env", "30 more secrets and databases")


def test_logs_and_caches_that_are_gone_are_told_as_deleted() -> None:
    assert tell({**KEPT, **files("logs/{}.log", 12)}, KEPT).headline == (
        "only logs and caches deleted (12 files)"
    )


def test_an_empty_file_has_nothing_to_lose() -> None:
    assert _lost({".env": b"", "a.jpg": b""}, {}) == []


# What can be made again


def test_what_git_tracks_is_told_without_an_alarm(tmp_path: Path) -> None:
    repo = _repo(tmp_path)
    for number in range(40):
        repo.write(f"media/{number}.jpg", f"photo {number} " * 30)
    repo.git("add", "-A")
    repo.git("commit", "-qm", "photos")
    old = repo.moment()
    new = {path: thing for path, thing in old.items() if not path.startswith("media")}

    story = tell(old, new)

    assert [fact.severity for fact in story.facts] == ["note"]
    assert story.headline.startswith("media/ deleted (40 files, ")
    assert "git has them" in story.lines[0].text


def test_what_git_never_had_is_lost_although_a_repository_is_there(tmp_path: Path) -> None:
    repo = _repo(tmp_path)
    repo.commit("a.py")
    old = {**repo.moment(), ".env": b"TOKEN=x", **files("src/new_{}.py", 12)}

    assert sorted(alarms(old, repo.moment())) == [
        ("loss.deleted", "directory", "src"),
        ("loss.deleted", "file", ".env"),
    ]


def test_a_repository_that_is_deleted_with_its_files_gives_nothing_back(tmp_path: Path) -> None:
    repo = _repo(tmp_path, "shop")
    repo.commit("a.py")
    repo.commit("logo.png")

    story = tell({**KEPT, **repo.moment()}, KEPT)

    assert story.headline == "! shop/ deleted (git repository with 2 commits, 2 files)"
    assert "still there" not in story.lines[0].text


def test_what_git_stashed_is_not_lost(tmp_path: Path) -> None:
    repo = _repo(tmp_path)
    repo.commit("a.py")
    repo.write("customers.csv", "id\n1\n2\n")
    old = repo.moment()
    repo.git("stash", "-u")

    assert alarms(old, repo.moment()) == []


def test_what_was_committed_and_left_on_another_branch_is_not_lost(tmp_path: Path) -> None:
    repo = _repo(tmp_path)
    repo.commit("a.py")
    repo.write("customers.csv", "id\n1\n2\n")
    old = repo.moment()
    repo.git("checkout", "-qb", "data")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "data")
    repo.git("checkout", "-q", "main")
    new = repo.moment()

    assert "customers.csv" not in new
    assert alarms(old, new) == []


def test_another_branch_that_is_checked_out_loses_nothing(tmp_path: Path) -> None:
    repo = _repo(tmp_path)
    repo.commit("a.py")
    repo.git("checkout", "-qb", "media")
    for number in range(15):
        repo.write(f"media/{number}.png", f"image {number} " * 30)
    repo.git("add", "-A")
    repo.git("commit", "-qm", "media")
    old = repo.moment()
    repo.git("checkout", "-q", "main")

    assert alarms(old, repo.moment()) == []


def test_rows_that_were_added_to_a_tracked_file_and_not_committed_are_lost(tmp_path: Path) -> None:
    repo = _repo(tmp_path)
    repo.commit("data.csv", "id\n1\n")
    repo.write("data.csv", "id\n" + "12345\n" * 500)
    old = repo.moment()
    new = {path: thing for path, thing in old.items() if path != "data.csv"}

    assert alarms(old, new) == [("loss.deleted", "file", "data.csv")]


def test_a_copy_that_was_there_before_keeps_the_content() -> None:
    kept = {"archive/letter.docx": b"Dear shop " * 9}

    assert _lost({**kept, "letter.docx": b"Dear shop " * 9}, kept) == []


@pytest.mark.parametrize("manifest", ["package.json", "Makefile", "pyproject.toml"])
def test_build_output_next_to_its_manifest_can_be_made_again(manifest: str) -> None:
    old = {manifest: b"{}", **files("build/{}.js", 30), **files("dist/img/{}.png", 30)}

    assert alarms({**KEPT, **old}, {**KEPT, manifest: b"{}"}) == []


def test_build_output_that_was_deleted_with_its_manifest_is_part_of_the_loss() -> None:
    old = {"web/package.json": b"{}", **files("web/dist/{}.png", 30)}

    assert alarms({**KEPT, **old}, KEPT) == [("loss.deleted", "directory", "web")]


def test_a_website_without_its_sources_is_lost() -> None:
    old = files("srv/www/dist/{}.html", 30)

    assert [one[1] for one in _lost({**old, "srv/x": b"."}, {"srv/x": b"."})] == ["srv/www"]


def test_output_that_git_ignores_can_be_made_again(tmp_path: Path) -> None:
    repo = _repo(tmp_path)
    repo.write(".gitignore", "/rendered/\n*.pb.go\n")
    repo.commit("a.py")
    site = {**files("rendered/{}.html", 40), **files("rendered/img/{}.png", 10)}
    generated = files("api/{}.pb.go", 12)

    assert alarms({**repo.moment(), **site, **generated}, repo.moment()) == []


def test_data_that_git_ignores_cannot_be_made_again(tmp_path: Path) -> None:
    repo = _repo(tmp_path)
    repo.write(".gitignore", "/uploads/\n/results/\n")
    repo.commit("a.py")
    old = {**files("uploads/{}.html", 20), **files("results/run_{}.txt", 20)}

    story = tell({**repo.moment(), **old}, repo.moment())

    assert [fact.subject for fact in story.facts] == ["results", "uploads"]
    assert "ignored" not in story.headline


def test_uploads_in_a_directory_of_output_that_git_ignores_are_lost(tmp_path: Path) -> None:
    repo = _repo(tmp_path)
    repo.write(".gitignore", "/public/\n")
    repo.commit("a.py")
    built = {**files("public/js/{}.js", 40), **files("public/icons/{}.png", 10)}
    old = {**repo.moment(), **built, **files("public/uploads/{}.jpg", 20)}

    assert [one[2] for one in alarms(old, repo.moment())] == ["public"]
    assert alarms({**repo.moment(), **built}, repo.moment()) == []


def test_programs_and_objects_next_to_a_makefile_were_built() -> None:
    program = file(b"\x7fELF" * 500_000, mode=0o755)
    old: Moment = {"Makefile": b"all:\n", "shop": program, **files("{}.o", 30)}

    assert alarms({**KEPT, **old}, {**KEPT, "Makefile": b"all:\n"}) == []


def test_dependencies_next_to_their_manifest_can_be_installed_again() -> None:
    for name, manifest in (("vendor", "go.mod"), ("Pods", "Podfile"), ("deps", "mix.exs")):
        old = {manifest: b"x", **files(f"{name}/lib/{{}}.png", 30)}

        assert alarms({**KEPT, **old}, {**KEPT, manifest: b"x"}) == []


def test_what_a_package_took_away_is_its_own_business() -> None:
    tool = files("opt/tool/{}.dat", 30)
    found = evidence({**KEPT, **tool}, KEPT)
    found.own(list(tool), "tool")

    assert findings(Deletions(), found) == []


def test_system_directories_of_a_machine_are_their_packages_business() -> None:
    old = {**files("usr/share/x/{}.png", 30), **files("var/lib/docker/overlay2/{}.dat", 30)}

    assert alarms({**KEPT, **old}, KEPT, machine=True) == []
    assert alarms({**KEPT, **files("usr/share/x/{}.png", 30)}, KEPT) != []


def test_the_content_of_a_docker_volume_is_data() -> None:
    volume = files("var/lib/docker/volumes/shop_media/_data/{}.jpg", 30)

    assert [one[2] for one in alarms({**KEPT, **volume}, KEPT, machine=True)] == ["var"]


# Replaced files


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("shop.sql", "shop.sql.gz"), ("shop.sql.gz", "shop.sql"), (".env", ".env.gpg"),
        ("photo.png", "photo.webp"), ("rows.csv", "rows.parquet"), ("holiday.mov", "holiday.mp4"),
        ("report.docx", "2024/report.docx"), ("photos/a.jpg", "photos.zip"), ("data.zip", "data/a.csv"),
    ],
)  # fmt: skip
def test_a_file_that_was_packed_converted_or_edited_elsewhere_is_no_loss(
    old: str, new: str
) -> None:
    assert alarms({**KEPT, old: b"old content" * 9}, {**KEPT, new: b"new content" * 9}) == []


def test_an_older_version_beside_its_file_is_no_loss() -> None:
    kept = {**KEPT, "app.sqlite3.bak.txt": b".", "nginx.conf": b"server"}

    assert alarms({**kept, "nginx.conf.bak": b"old server"}, kept) == []


# Retention


def test_retention_of_backups_is_no_loss() -> None:
    days = files("backups/shop-2024-05-{:02}.sql", 14)
    left = dict(list(days.items())[7:])

    story = tell({**KEPT, **days}, {**KEPT, **left})

    assert [fact.severity for fact in story.facts] == ["none"]
    assert story.headline == "backups: 7 old files deleted, newer ones kept"


def test_most_backups_or_the_newest_ones_are_a_loss() -> None:
    days = files("backups/shop-2024-05-{:02}.sql", 14)
    few = dict(list(days.items())[12:])
    oldest = dict(list(days.items())[:10])

    assert [one[:2] for one in _lost(days, few)] == [("files", "backups")]
    assert [one[:2] for one in _lost(days, oldest)] == [("files", "backups")]


def test_the_oldest_checkpoints_of_a_training_may_go() -> None:
    old = {f"runs/checkpoint-{step}/model.pt": b"%d" % step * 99 for step in (500, 1000, 1500)}
    new = dict(list(old.items())[1:]) | {"runs/checkpoint-2000/model.pt": b"2000" * 99}

    assert alarms({**KEPT, **old}, {**KEPT, **new}) == []


def test_directories_of_backups_with_equal_names_inside_are_a_series() -> None:
    old = {
        f"snapshots/2024-05-{day:02}/{name}": b"%d %s" % (day, name.encode()) * 40
        for day in range(1, 9)
        for name in ("db.sql", "files.tar")
    }
    new = {path: text for path, text in old.items() if "05-01" not in path and "05-02" not in path}
    added = {"snapshots/2024-05-09/db.sql": b"9" * 200}

    assert alarms({**KEPT, **old}, {**KEPT, **new, **added}) == []
    assert tell({**KEPT, **old}, {**KEPT, **new}).headline == (
        "snapshots: 2 old files deleted, newer ones kept"
    )
    oldest = {path: text for path, text in old.items() if "05-01" in path}
    assert alarms({**KEPT, **old}, {**KEPT, **oldest}) == [("loss.deleted", "files", "snapshots")]


def test_a_storage_engine_inside_a_lost_directory_is_named() -> None:
    old = {"data/mongo/WiredTiger": b"WiredTiger 11", **files("data/mongo/collection-{}.wt", 12)}

    (fact,) = losses({**KEPT, **old}, KEPT)

    assert fact.marks == ("MongoDB data in mongo",)


def test_photos_with_numbers_are_no_series_of_backups() -> None:
    photos = files("photos/IMG_{:04}.jpg", 100)

    assert _lost(photos, dict(list(photos.items())[40:]))[0][:2] == ("files", "photos")


# Elsewhere


def test_a_directory_that_became_a_link_is_told_without_an_alarm() -> None:
    uploads = files("uploads/{}.jpg", 30)

    story = tell({**KEPT, **uploads}, {**KEPT, "uploads": link("/mnt/large/uploads")})

    assert [fact.severity for fact in story.facts] == ["note"]
    assert "now a link to /mnt/large/uploads, 30 files were there" in story.headline


def test_a_compaction_of_a_storage_engine_is_no_loss() -> None:
    kept = {"db/CURRENT": b"MANIFEST-000002\n", "db/MANIFEST-000002": b"x"}
    old = {**kept, **files("db/{:06}.ldb", 12)}

    assert alarms({**KEPT, **old}, {**KEPT, **kept, "db/000099.ldb": b"all" * 900}) == []


def test_a_storage_engine_that_lost_nearly_everything_is_a_loss() -> None:
    kept = {"db/CURRENT": b"MANIFEST-000002\n", "db/MANIFEST-000002": b"x"}
    old = {**kept, **files("db/{:06}.ldb", 12, size=20_000)}

    assert alarms({**KEPT, **old}, {**KEPT, **kept}) == [("data.changed", "leveldb", "db")]


# Other version control


def test_what_mercurial_or_subversion_tracks_is_not_lost() -> None:
    for listed in (".hg/dirstate", ".svn/wc.db"):
        kept = {
            **KEPT,
            listed: b"\0n\0" + b"\0\0".join(f"media/{n}.jpg".encode() for n in range(20)),
        }

        assert alarms({**kept, **files("media/{}.jpg", 20)}, kept) == []
        assert alarms({**kept, **files("other/{}.jpg", 20)}, kept) != []


def test_a_mercurial_repository_that_is_gone_is_a_loss() -> None:
    old = {"shop/.hg/requires": b"store\n", "shop/.hg/store/00changelog.i": b"x" * 99}
    old |= files("shop/{}.py", 4)

    assert tell({**KEPT, **old}, KEPT).headline == "! shop/ deleted (Mercurial repository, 4 files)"


# Results of tests


def test_screenshots_of_test_runs_are_no_loss(tmp_path: Path) -> None:
    repo = _repo(tmp_path)
    repo.write(".gitignore", "/screenshots/\n")
    repo.commit("a.py")
    shots = files("screenshots/page-{}.png", 12)

    assert alarms({**repo.moment(), **shots}, repo.moment()) == []
    kept = {**KEPT, "playwright.config.ts": b"x"}
    assert alarms({**kept, **shots}, kept) == []


@pytest.mark.parametrize(
    "directory",
    ["model_cache", "api-cache", ".yarn/cache", "Library/ShaderCache", ".terraform/providers", ".idea",
     "storage/framework/sessions", "tests/output", "miniconda3/pkgs/numpy", "nltk_data/corpora"],
)  # fmt: skip
def test_caches_and_tools_may_be_cleared(directory: str) -> None:
    assert alarms({**KEPT, **files(directory + "/{}.zip", 20)}, KEPT) == []


# Hostile and harmless


def test_a_secret_in_a_lost_file_is_not_told() -> None:
    canary = "canary-51c0"
    old = {".env": f"TOKEN={canary}".encode(), "id_rsa": canary.encode() * 40}

    assert canary not in repr(tell({**KEPT, **old}, KEPT))


def test_names_that_are_not_text_are_told() -> None:
    assert _lost({"photos/\udcff\udcfe.jpg": b"x" * 99}, {})[0][0] == "file"


def test_nothing_is_said_of_added_and_edited_files() -> None:
    assert losses(KEPT, {**KEPT, "readme.md": b"# Shop 2\n", "a.jpg": b"x" * 99}) == []


def _repo(root: Path, place: str = "") -> Repo:
    repo = Repo(root, place)
    repo.git("init", "-q")
    return repo


def test_a_deleted_environment_file_is_told_with_its_keys_and_without_its_values() -> None:
    told = story([Deletions()], {".env": b"DB_URL=canary1\nexport API_TOKEN='canary2'\n"}, {})

    assert told.headline == "! .env deleted (DB_URL and API_TOKEN)"
    assert told.lines[0].text == ".env deleted (42 B with DB_URL and API_TOKEN)"
    assert "canary" not in repr(told)
