"""Work that stopped in the middle."""

from __future__ import annotations

import json
import random
import sys
import zipfile
from collections.abc import Iterator

from evaluation.fresh.databases_sqlite import sql
from evaluation.fresh.interrupted import files_below, kill_when, require
from evaluation.fresh.shop import shop, work_goes_on
from evaluation.histories import change, git, repository, topic
from evaluation.place import Place
from evaluation.second.tools import commit
from evaluation.second.verbs import BROKEN, UNFINISHED
from evaluation.variant import Claims, variant

_GROUP = "half finished"
_MARKERS = f"conflict|marker|{BROKEN}"
_STATE = """\
terraform {{
}}

resource "terraform_data" "db" {{
  input = "{size}"
}}

resource "terraform_data" "web" {{
  input = terraform_data.db.output
{provisioner}}}
"""
_TERRAFORM = "TF_CLI_CONFIG_FILE=/dev/null CHECKPOINT_DISABLE=1 terraform"


@variant(_GROUP, "markers of a conflict left in package-lock.json")
def lock_markers(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    lock = {
        "name": "shop",
        "lockfileVersion": 3,
        "packages": {"node_modules/tea": {"version": "1.0.0"}},
    }
    text = json.dumps(lock, indent=2)
    place.write("package-lock.json", text)
    commit(place, "lock")
    yield
    place.write("package-lock.json", text.replace(
        '"version": "1.0.0"',
        '\n<<<<<<< HEAD\n      "version": "1.0.1"\n=======\n      "version": "1.1.0"\n>>>>>>> topic\n',
    ))  # fmt: skip
    claims.warn("package-lock.json", _MARKERS)
    claims.lead("package-lock.json", _MARKERS)


@variant(_GROUP, "markers of a conflict saved in a notebook and in a table")
def notebook_markers(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    rows = "id,name\n" + "".join(f"{n},item {n}\n" for n in range(50))
    place.write("data/items.csv", rows)
    place.write("docs/guide.md", "# Guide\n\nTea.\n")
    commit(place, "files")
    yield
    both = "<<<<<<< HEAD\n20,tea\n=======\n20,cup\n>>>>>>> topic\n"
    place.write("data/items.csv", rows.replace("20,item 20\n", both))
    claims.warn("items.csv", _MARKERS)
    claims.lead("items.csv", _MARKERS)


@variant(_GROUP, "a merge in which one side deleted the file that the other changed")
def deleted_by_us(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    topic(place, 3, 5)
    git(
        place,
        "checkout -q topic && git rm -q src/module_3.py && git commit -qm gone && git checkout -q main",
    )
    yield
    place.run("git merge topic", check=False)
    require((place.root / ".git/MERGE_HEAD").exists(), "the merge stopped")
    claims.warn("merge", UNFINISHED)
    claims.lead("merge", UNFINISHED)


@variant(_GROUP, "a rebase stopped by a program that failed")
def rebase_exec(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=5)
    yield
    place.run("git rebase -q --exec false HEAD~3", check=False)
    require((place.root / ".git/rebase-merge").exists(), "the rebase stopped")
    claims.warn("rebase", UNFINISHED)
    claims.lead("rebase")


@variant(_GROUP, "a download by curl that broke: an archive of zip without its end")
def zip_cut(place: Place, claims: Claims) -> Iterator[None]:
    place.write("notes.txt", "data of the city\n")
    path = place.around / "city.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(20):
            archive.writestr(f"{number}.bin", random.Random(number).randbytes(30_000))
    yield
    place.run(f"head -c 300000 {path} > city.zip")
    claims.warn("city.zip", UNFINISHED + "|" + BROKEN)
    claims.lead("city.zip")


@variant(_GROUP, "a download of aria2 that was stopped")
def aria2(place: Place, claims: Claims) -> Iterator[None]:
    place.write("notes.txt", "images\n")
    yield
    place.write("debian.iso", random.Random(1).randbytes(400_000))
    place.write("debian.iso.aria2", b"\0\1\0\0\0\0" + random.Random(2).randbytes(300))
    claims.say("debian.iso", UNFINISHED)
    claims.lead("debian.iso")


@variant(_GROUP, "two migrations of Django with the same number and parent")
def two_leaves(place: Place, claims: Claims) -> Iterator[None]:
    def migration(parent: str, field: str) -> str:
        return (
            "from django.db import migrations, models\n\n\nclass Migration(migrations.Migration):\n"
            f"    dependencies = [{parent}]\n    operations = [\n"
            f"        migrations.AddField('order', '{field}', models.IntegerField(default=0)),\n    ]\n"
        )

    shop(place)
    place.write("shop/migrations/__init__.py", "")
    place.write("shop/migrations/0001_initial.py", migration("", "total"))
    place.write("shop/migrations/0002_paid.py", migration("('shop', '0001_initial')", "paid"))
    commit(place, "migrations")
    yield
    place.write("shop/migrations/0002_sent.py", migration("('shop', '0001_initial')", "sent"))
    claims.say("0002_sent.py")
    claims.warn("0002", f"{UNFINISHED}|two|leaf|leaves|same|both|heads|branches")
    claims.lead("migration|0002")


@variant(_GROUP, "a migration of Flyway that failed, in SQLite")
def flyway(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    sql(place, "CREATE TABLE flyway_schema_history(installed_rank INTEGER PRIMARY KEY, version TEXT, description TEXT, type TEXT, script TEXT, checksum INTEGER, installed_by TEXT, installed_on TEXT, execution_time INTEGER, success BOOLEAN);"
        "INSERT INTO flyway_schema_history VALUES(1,'1','init','SQL','V1__init.sql',1,'a','2024-05-01',3,1);"
        "CREATE TABLE orders(id INTEGER PRIMARY KEY);")  # fmt: skip
    commit(place, "db")
    yield
    sql(place, "CREATE TABLE invoices(id INTEGER);"
        "INSERT INTO flyway_schema_history VALUES(2,'2','invoices','SQL','V2__invoices.sql',2,'a','2024-05-02',3,0);")  # fmt: skip
    claims.warn("migration|flyway|V2", f"{UNFINISHED}|fail")
    claims.lead("migration|flyway|invoices")


@variant(_GROUP, "terraform apply that failed in the middle: a tainted resource")
def tainted(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write("infra/main.tf", _STATE.format(size="small", provisioner=""))
    place.run(
        f"cd infra && {_TERRAFORM} init -input=false && {_TERRAFORM} apply -auto-approve -input=false"
    )
    place.run(
        "rm -rf infra/.terraform && echo '*.tfstate*' >> .gitignore && git add -A && git commit -qm infra"
    )
    yield
    fails = '  triggers_replace = "now"\n  provisioner "local-exec" {\n    command = "false"\n  }\n'
    place.write("infra/main.tf", _STATE.format(size="large", provisioner=fails))
    place.run(
        f"cd infra && {_TERRAFORM} init -input=false && {_TERRAFORM} apply -auto-approve -input=false",
        check=False,
    )
    state = json.loads((place.root / "infra/terraform.tfstate").read_text())
    require("tainted" in json.dumps(state), "a resource is tainted")
    claims.warn("terraform_data.web", f"tainted|{UNFINISHED}|fail")
    claims.lead("terraform_data.web|tainted|tfstate")


@variant(_GROUP, "terraform could not write its state")
def errored(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write("infra/main.tf", 'resource "terraform_data" "web" {\n  input = "x"\n}\n')
    commit(place, "infra")
    yield
    place.write(
        "infra/errored.tfstate",
        json.dumps(
            {
                "version": 4,
                "terraform_version": "1.8.5",
                "serial": 9,
                "lineage": "a",
                "outputs": {},
                "resources": [],
            },
            indent=2,
        ),
    )
    claims.warn("errored.tfstate")
    claims.lead("errored.tfstate|Terraform|state")


@variant(_GROUP, "pip uninstall killed in the middle")
def uninstall_killed(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.run(f"{sys.executable} -m venv .venv && .venv/bin/pip install -q idna==3.7 six==1.17.0")
    packages = next((place.root / ".venv/lib").glob("python3.*/site-packages"))
    yield
    # what `pip uninstall` leaves when it is killed: the files are set aside below a name with a tilde
    place.run(f"cd {packages} && mv idna ~dna && rm -r idna-3.7.dist-info")
    claims.warn("idna", UNFINISHED + "|removed|gone")
    claims.lead("idna|pip|.venv")


@variant(_GROUP, "tar killed while it unpacks a backup", stands_in="the files of the first half")
def tar_killed(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    for number in range(300):
        (place.around / "photos").mkdir(exist_ok=True)
        (place.around / f"photos/{number:04}.jpg").write_bytes(
            random.Random(number).randbytes(20_000)
        )
    place.run(f"tar -czf photos.tgz -C {place.around} photos")
    yield
    kill_when(place, lambda: files_below(place.root / "photos") > 40, "tar", "-xzf", "photos.tgz")
    require(files_below(place.root / "photos") < 300, "it was stopped")
    claims.say("photos", "added|new|+")
    claims.lead("photos")


@variant(_GROUP, "a module of Python cut in the middle of a function")
def python_cut(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    path = place.root / "shop/cart.py"
    text = path.read_text()
    path.write_text(text[: text.index("(name, price, count))")])
    work_goes_on(place)
    claims.warn("cart.py", BROKEN)
    claims.lead("cart.py", BROKEN)


@variant(_GROUP, "settings of compose whose indentation is broken")
def compose_broken(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write(
        "compose.yaml", "services:\n  web:\n    image: shop:1\n    ports:\n      - 8000:8000\n"
    )
    commit(place, "compose")
    yield
    place.write("compose.yaml", "services:\n  web:\n    image: shop:1\n   ports:\n\t- 8000:8000\n")
    claims.warn("compose.yaml", BROKEN)
    claims.lead("compose.yaml", BROKEN)


@variant(_GROUP, "package.json changed, its lock left behind")
def lock_behind(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write("package.json", '{\n  "name": "shop",\n  "version": "1.0.0"\n}\n')
    place.run("npm install -q --save-exact left-pad@1.2.0")
    commit(place, "npm")
    yield
    place.run("sed -i 's/1.2.0/1.3.0/' package.json")
    claims.say("left-pad", "1.3.0")
    claims.lead("left-pad|package.json")
    claims.deny("left-pad 1.3.0 installed", "installed left-pad")


@variant(_GROUP, "the work of a rebase is finished after a fix", benign=True)
def rebase_continued(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=2)
    topic(place, 3, 5)
    git(place, "checkout -q topic")
    place.run("git rebase -q --exec false main", check=False)
    yield
    place.run("git -c core.editor=true rebase --continue")
    change(place, 7)
    claims.say("rebase|topic", "finished|done|complete|ended|no longer|rebased|commit")
    claims.lead("rebase|topic|commit")


@variant(_GROUP, "equals signs below a heading and quoted arrows", benign=True)
def headings(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    place.write(
        "docs/index.rst", "Shop\n=======\n\nA guide.\n\n>>>>>>> is a mark of git.\n\nTea\n=======\n"
    )
    place.write("docs/mail.txt", ">>>>>>> quoted\n>>>>>> again\n")
    claims.lead("docs|index.rst")
    claims.deny("conflict")
