"""Loss of a person's data: one file, overwritten or cut."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator

from evaluation.fresh.databases_sqlite import fill, sql
from evaluation.fresh.interrupted import require
from evaluation.fresh.shop import shop, work_goes_on
from evaluation.fresh.terraform import terraform_resource, terraform_state
from evaluation.histories import change, repository
from evaluation.place import Place
from evaluation.second.tools import python_with
from evaluation.second.verbs import EMPTIED, GONE, SHORTER
from evaluation.variant import Claims, variant

_GROUP = "data loss"


@variant(_GROUP, "a list of contacts sorted into itself")
def sorted_into_itself(place: Place, claims: Claims) -> Iterator[None]:
    rows = "".join(f"{n * 7919 % 1000},Person {n},p{n}@example.org\n" for n in range(250))
    place.write("contacts.csv", rows)
    place.write("mail.txt", "Dear all\n")
    yield
    place.run("sort -n contacts.csv > contacts.csv")
    require((place.root / "contacts.csv").stat().st_size == 0, "the shell emptied it first")
    claims.warn("contacts.csv", EMPTIED)
    claims.lead("contacts.csv", EMPTIED)


@variant(_GROUP, "a diary overwritten by mv of a short list")
def moved_over(place: Place, claims: Claims) -> Iterator[None]:
    place.write("diary.txt", "".join(f"Day {n}: I wrote {n} words today.\n" for n in range(2000)))
    place.write("todo.txt", "milk\nbread\ntea\n")
    place.write("letters/aunt.txt", "Dear aunt\n")
    yield
    place.run("mv todo.txt diary.txt")
    claims.warn("diary.txt", SHORTER)
    claims.lead("diary.txt", SHORTER)


@variant(_GROUP, "customers in YAML from 120 to 12")
def yaml_records(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    place.run("echo /data/ >> .gitignore && git commit -qam 'ignore data'")
    text = "".join(
        f"- id: {n}\n  name: Customer {n}\n  since: {2000 + n % 24}\n" for n in range(120)
    )
    place.write("data/customers.yaml", text)
    yield
    place.run("head -n 36 data/customers.yaml > data/new && mv data/new data/customers.yaml")
    change(place, 4)
    claims.warn("customers.yaml", "108|120|324|360", SHORTER)
    claims.lead("customers.yaml", SHORTER)


@variant(_GROUP, "products in XML from 500 to 20")
def xml_records(place: Place, claims: Claims) -> Iterator[None]:
    items = [f'  <product id="{n}"><name>Tea {n}</name></product>\n' for n in range(500)]

    def catalogue(count: int) -> str:
        head = '<?xml version="1.0" encoding="UTF-8"?>\n<catalogue>\n'
        return head + "".join(items[:count]) + "</catalogue>\n"

    place.write("feed/catalogue.xml", catalogue(500))
    place.write("feed/README.md", "# Feed\n")
    yield
    place.write("feed/catalogue.xml", catalogue(20))
    claims.warn("catalogue.xml", "480|500|503", SHORTER)
    claims.lead("catalogue.xml", SHORTER)


@variant(_GROUP, "an address book from 300 cards to 1")
def cards_lost(place: Place, claims: Claims) -> Iterator[None]:
    cards = [
        f"BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Person {n}\r\nTEL:+44 {n:04}\r\nEND:VCARD\r\n"
        for n in range(300)
    ]
    place.write("phone/contacts.vcf", "".join(cards))
    place.write("phone/notes.txt", "from the old phone\n")
    yield
    place.write("phone/contacts.vcf", cards[0])
    claims.warn("contacts.vcf", "299|300|1495|1500|kB|KB", SHORTER)
    claims.lead("contacts.vcf", SHORTER)


@variant(_GROUP, "a calendar exported again with no events")
def calendar_emptied(place: Place, claims: Claims) -> Iterator[None]:
    head = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//shop//calendar//EN\r\n"
    events = "".join(
        f"BEGIN:VEVENT\r\nUID:{n}@example.org\r\nDTSTART:2024{n % 12 + 1:02}10T090000Z\r\n"
        f"SUMMARY:Meeting {n}\r\nEND:VEVENT\r\n"
        for n in range(140)
    )
    place.write("calendars/work.ics", f"{head}{events}END:VCALENDAR\r\n")
    place.write("calendars/home.ics", f"{head}END:VCALENDAR\r\n")
    yield
    place.write("calendars/work.ics", f"{head}END:VCALENDAR\r\n")
    claims.warn("work.ics", SHORTER)
    claims.lead("work.ics", SHORTER)
    claims.deny("home.ics")


@variant(_GROUP, "the bookmarks of a browser reset, in a file without an ending")
def bookmarks_lost(place: Place, claims: Claims) -> Iterator[None]:
    def bookmarks(count: int) -> str:
        children = [
            {"id": str(n), "name": f"Page {n}", "type": "url", "url": f"https://example.org/{n}"}
            for n in range(count)
        ]
        bar = {"children": children, "id": "1", "name": "Bookmarks bar", "type": "folder"}
        return json.dumps(
            {"checksum": f"{count:032x}", "roots": {"bookmark_bar": bar}, "version": 1}, indent=3
        )

    place.write("profile/Default/Bookmarks", bookmarks(220))
    place.write("profile/Default/Preferences", '{"browser": {"zoom": 1}}')
    yield
    place.write("profile/Default/Bookmarks", bookmarks(0))
    claims.warn("Bookmarks", SHORTER)
    claims.lead("Bookmarks", SHORTER)


@variant(_GROUP, "a database of SQLite overwritten by a line of text")
def database_overwritten(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.run("echo '*.db' >> .gitignore && git commit -qam ignore")
    sql(place, "CREATE TABLE clients(id INTEGER PRIMARY KEY, name TEXT);"
        + fill("clients", "i, 'client ' || i", 900), "crm.db")  # fmt: skip
    yield
    place.run("echo 'export finished' > crm.db")
    work_goes_on(place)
    claims.warn("crm.db", f"{SHORTER}|no longer|not a|no database|text")
    claims.lead("crm.db")


@variant(_GROUP, "the file of an LMDB database cut")
def lmdb_cut(place: Place, claims: Claims) -> Iterator[None]:
    python = python_with(place, "lmdb")
    place.write("train.py", "import lmdb\n")
    put = (
        "import lmdb\nwith lmdb.open('features', map_size=1 << 26) as env:\n"
        "    with env.begin(write=True) as write:\n"
        "        for n in range(20000): write.put(b'%06d' % n, bytes([n % 256]) * 60)\n"
    )
    (place.around / "put.py").write_text(put)
    place.run(f"{python} {place.around}/put.py")
    yield
    place.run("truncate -s 8192 features/data.mdb")
    claims.warn("data.mdb|features", SHORTER)
    claims.lead("data.mdb|features", SHORTER)


@variant(_GROUP, "an archive of 30 files replaced by an empty one")
def zip_emptied(place: Place, claims: Claims) -> Iterator[None]:
    path = place.root / "backup.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(30):
            archive.writestr(f"letters/{number}.txt", f"Letter {number}\n" * 200)
    place.write("backup.sh", "zip -r backup.zip letters\n", 0o755)
    yield
    with zipfile.ZipFile(path, "w"):
        pass
    require(path.stat().st_size == 22, "an archive without members has 22 bytes")
    claims.warn("backup.zip", f"30|{SHORTER}")
    claims.lead("backup.zip", SHORTER)


@variant(_GROUP, "a workbook with three sheets saved again as an empty template")
def workbook_overwritten(place: Place, claims: Claims) -> Iterator[None]:
    python = python_with(place, "openpyxl")
    place.write("notes.txt", "ask about the third quarter\n")
    big = (
        "import openpyxl; b = openpyxl.Workbook()\n"
        "for name in ('2022', '2023', '2024'):\n"
        "    sheet = b.create_sheet(name)\n"
        "    for n in range(700): sheet.append([n, n * 13 % 997, f'item {n}'])\n"
        "b.save('budget.xlsx')\n"
    )
    (place.around / "big.py").write_text(big)
    place.run(f"{python} {place.around}/big.py")
    yield
    place.run(f"{python} -c \"import openpyxl; openpyxl.Workbook().save('budget.xlsx')\"")
    claims.warn("budget.xlsx", f"{SHORTER}|sheet")
    claims.lead("budget.xlsx", f"{SHORTER}|sheet")


@variant(_GROUP, "a backup cut because the disk was full")
def backup_cut(place: Place, claims: Claims) -> Iterator[None]:
    for number in range(20):
        (place.around / f"photo_{number}").write_bytes(os.urandom(60_000))
    place.run(
        f"mkdir backup && tar -czf backup/home.tar.gz -C {place.around} $(cd {place.around} && ls -d photo_*)"
    )
    place.write("backup/README.txt", "tar -xzf home.tar.gz\n")
    yield
    place.run("truncate -s 200000 backup/home.tar.gz")
    place.run("! gzip -t backup/home.tar.gz 2>/dev/null")
    claims.warn("home.tar.gz", f"{SHORTER}|damaged|corrupt|incomplete")
    claims.lead("home.tar.gz", f"{SHORTER}|damaged|corrupt|incomplete")


@variant(_GROUP, "a dump overwritten by pg_dump that could not connect")
def dump_overwritten(place: Place, claims: Claims) -> Iterator[None]:
    rows = "".join(f"INSERT INTO public.orders VALUES ({n}, {n * 3});\n" for n in range(4000))
    place.write("dumps/shop.sql", f"-- PostgreSQL database dump\n\n{rows}\n-- complete\n")
    place.write("dumps/dump.sh", "pg_dump -h /nonexistent shop > dumps/shop.sql\n", 0o755)
    yield
    place.run("sh dumps/dump.sh", check=False)
    require((place.root / "dumps/shop.sql").stat().st_size == 0, "the dump is empty")
    claims.warn("shop.sql", EMPTIED)
    claims.lead("shop.sql", EMPTIED)


@variant(_GROUP, "a column of a list of customers cut away")
def column_cut(place: Place, claims: Claims) -> Iterator[None]:
    rows = "".join(f"{n},Customer {n},c{n}@example.org,{n * 10}\n" for n in range(400))
    place.write("crm/customers.csv", f"id,name,email,spent\n{rows}")
    place.write("crm/README.md", "# Customers\n")
    yield
    place.run("cut -d, -f1,2,4 crm/customers.csv > new && mv new crm/customers.csv")
    claims.warn("customers.csv", "email", f"{GONE}|dropped|−|cut|column")
    claims.lead("customers.csv", "email|column")


@variant(_GROUP, "the values of a column of measurements replaced by nothing")
def column_blanked(place: Place, claims: Claims) -> Iterator[None]:
    rows = "".join(f"2024-06-{n % 30 + 1:02},{n * 7 % 31}.{n % 10},ok\n" for n in range(600))
    place.write("sensors/june.csv", f"day,temperature,state\n{rows}")
    yield
    place.run(
        "awk -F, 'NR==1{print;next}{print $1\",,\"$3}' sensors/june.csv > n && mv n sensors/june.csv"
    )
    claims.say(
        "june.csv", "temperature|values|cells|column|600 rows changed|600 rows edited|600 changed"
    )
    claims.lead("june.csv")


@variant(
    _GROUP, "Terraform state: two of three volumes destroyed",
    stands_in="the state files in the format of Terraform 1.11, for terraform apply with count = 1",
)  # fmt: skip
def terraform_instances(place: Place, claims: Claims) -> Iterator[None]:
    def volumes(count: int) -> dict[str, object]:
        resource = terraform_resource("aws_ebs_volume", "data", size=500)
        resource["instances"] = [
            {"index_key": n, "schema_version": 0, "attributes": {"id": f"vol-{n}", "size": 500}}
            for n in range(count)
        ]
        return resource

    web = terraform_resource("aws_instance", "web", id="i-0abc", instance_type="t3.small")
    before = terraform_state(31, [volumes(3), web], region="eu-west-1")
    place.write("prod.tf", 'resource "aws_ebs_volume" "data" {\n  count = 3\n  size  = 500\n}\n')
    place.write("terraform.tfstate", before)
    yield
    place.run("sed -i 's/count = 3/count = 1/' prod.tf")
    place.write("terraform.tfstate.backup", before)
    place.write("terraform.tfstate", terraform_state(33, [volumes(1), web], region="eu-west-1"))
    claims.warn("aws_ebs_volume.data", f"destroyed|3 → 1|{GONE}")
    claims.lead("aws_ebs_volume")
    claims.deny("aws_instance.web destroyed", "aws_instance.web deleted")


@variant(_GROUP, "a bibliography emptied by a tool that crashed while saving")
def bibliography(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    entries = "".join(
        f"@article{{key{n},\n  title = {{Title {n}}},\n  year = {{{1990 + n % 30}}},\n}}\n\n"
        for n in range(310)
    )
    place.write("thesis/references.bib", entries)
    place.write("thesis/thesis.tex", "\\documentclass{book}\n\\begin{document}\n\\end{document}\n")
    place.run("git add -A && git commit -qm thesis")
    yield
    place.run("printf '%% Encoding: UTF-8\\n' > thesis/references.bib")
    claims.warn("references.bib", SHORTER)
    claims.lead("references.bib", SHORTER)


@variant(_GROUP, "a list of contacts sorted into a new file", benign=True)
def sorted_rows(place: Place, claims: Claims) -> Iterator[None]:
    rows = "".join(f"{n * 7919 % 1000},Person {n},p{n}@example.org\n" for n in range(250))
    place.write("contacts.csv", f"id,name,email\n{rows}")
    yield
    place.run(
        "(head -1 contacts.csv; tail -n +2 contacts.csv | sort -n) > new && mv new contacts.csv"
    )
    claims.say("contacts.csv", "sorted|order|same|no row|rows")
    claims.lead("contacts.csv")
    claims.deny("lost", "−250", "+250", "250 removed", "removed 250", "250 added")


@variant(_GROUP, "records in JSON written again without spaces", benign=True)
def minified(place: Place, claims: Claims) -> Iterator[None]:
    records = [{"id": n, "name": f"Product {n}", "tags": ["tea", "cup"]} for n in range(800)]
    place.write("data/products.json", json.dumps(records, indent=4) + "\n")
    place.write("data/README.md", "# Products\n")
    yield
    place.run("jq -c . data/products.json > data/new && mv data/new data/products.json")
    claims.say("products.json", "format|same|layout|no value|nothing|whitespace|space")
    claims.lead("products.json")
    claims.deny("lost", "removed", "deleted", "truncated", "cut")


@variant(_GROUP, "the swap and backup files of an editor deleted", benign=True)
def editor_backup(place: Place, claims: Claims) -> Iterator[None]:
    place.write("thesis.txt", "A sentence.\n" * 300)
    place.write("thesis.txt~", "A sentence.\n" * 290)
    place.write(".thesis.txt.swp", b"b0VIM 9.0\0\0" + bytes(4085))
    yield
    place.run("rm thesis.txt~ .thesis.txt.swp && echo 'The end.' >> thesis.txt")
    claims.lead("thesis.txt")
    claims.deny("lost", "emptied")
