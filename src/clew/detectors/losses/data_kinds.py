"""Kinds of data by file name: what a person keeps, and what one such file is worth.

A kind is a noun, so that a line can count it: `60 images`.
One file of a valuable kind is a loss by itself.  Others are from a certain size, or in numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from clew.detectors.files.config_files import LOCK_FILES
from clew.detectors.files.source_languages import is_document, is_source
from clew.model.amount import counted

SECRET, DATABASE, BACKUP, ARCHIVE = "secret", "database", "backup file", "archive"
IMAGE, RECORDING, DOCUMENT, NOTEBOOK = "image", "recording", "document", "notebook"
MODEL, TABLE, MAIL, STATE = "model", "data file", "message", "state file"
AUDIT = "audit log"
RECORDS, PROSE, SOURCE, OTHER = "record file", "text", "source file", "file"

VALUABLE = frozenset((
    SECRET, DATABASE, BACKUP, ARCHIVE, IMAGE, RECORDING, DOCUMENT, NOTEBOOK, MODEL, TABLE, MAIL,
    STATE, AUDIT,
))  # fmt: skip
"""One such file that nothing can make again is a loss."""

MANY = 10
"""So many files of any kind that nothing can make again are a loss."""
_SEVERAL = 3
_LARGE = {RECORDS: 4_000, PROSE: 2_000, SOURCE: 8_000, OTHER: 1_000_000}
"""The size in bytes from which one file of another kind is a loss."""


def _by_suffix(kinds: dict[str, str]) -> dict[str, str]:
    return {suffix: kind for kind, suffixes in kinds.items() for suffix in suffixes.split()}


_SUFFIXES = _by_suffix({
    SECRET: "tfvars pem key p12 pfx jks keystore kdbx kdb gpg pgp asc age ovpn ppk p8 p7b crt csr cer der"
    " agekey htpasswd mobileprovision keychain",
    DATABASE: "db sqlite sqlite3 db3 s3db duckdb mdb accdb rdb aof realm fdb gdb gdbm dbm ndbm dbf"
    " lmdb mdbx couch nsf frm ibd myd myi ldb tdb kch tct odb fp7 fmp12 edb wt bolt badger",
    BACKUP: "sql dump bak backup bkp dmp pgdump mysqldump bson vbk tib",
    ARCHIVE: "zip tar tgz gz bz2 xz zst 7z rar tbz2 txz lz4 lzma cpio iso img dmg ova ovf qcow2 vmdk"
    " vdi vhd vhdx zim warc",
    IMAGE: "png jpg jpeg gif bmp webp avif tif tiff heic heif psd xcf raw cr2 cr3 nef arw dng orf"
    " rw2 ai eps kra indd sketch fig afphoto afdesign jp2 jxl exr hdr ico svg dcm nii",
    RECORDING: "mp3 mp4 wav ogg oga ogv opus flac m4a m4v aac aiff avi mov mkv webm wmv mpg mpeg mid"
    " midi 3gp mts amr",
    DOCUMENT: "pdf doc docx dot dotx odt ott rtf pages xls xlsx xlsm xlsb ods numbers ppt pptx odp"
    " epub mobi djvu vsd vsdx drawio one onetoc2 dwg dxf skp blend stl step stp fbx 3mf f3d"
    " fcstd kicad_pcb kicad_sch gpx kml kmz shp gpkg mpp xmind mm ps wpd lyx gnucash qif ofx"
    " ledger beancount excalidraw bib ris enw nbib enex",
    NOTEBOOK: "ipynb rmd qmd nb",
    MODEL: "pt pth ckpt pkl pickle onnx h5 hdf5 keras tflite joblib safetensors gguf ggml pb mlmodel"
    " model weights npz npy nc mat rds rdata rda sav dta sas7bdat cbm xgb",
    TABLE: "csv tsv parquet arrow feather jsonl ndjson orc avro geojson topojson xpt arff"
    " libsvm tfrecord fasta fastq fa fq bam sam bed gff las laz pcap pcapng",
    MAIL: "mbox mbx eml emlx msg pst ost maildir ics ical vcf vcard ldif opml abook",
    STATE: "tfstate",
    RECORDS: "json json5 yaml yml xml dat rss atom har plist",
})  # fmt: skip

DECIDED = {
    suffix: kind
    for suffix, kind in _SUFFIXES.items()
    if kind in (IMAGE, RECORDING, DOCUMENT, NOTEBOOK, MODEL, MAIL)
} | _by_suffix({SOURCE: "py js ts tsx jsx php rb go rs java c h cpp cs kt swift html css"})
"""Suffixes that decide alone what a file is, unless its directory or its first letter do."""

_NAMES = {
    **dict.fromkeys((
        ".env", ".envrc", ".netrc", ".pgpass", ".my.cnf", ".htpasswd", ".git-credentials",
        ".dockercfg", ".npmrc", ".pypirc", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519",
        "id_ecdsa_sk", "id_ed25519_sk", "credentials", "credentials.json", "credentials.yml",
        "credentials.toml", "credentials.yml.enc", "secrets.json", "secrets.yaml", "secrets.yml",
        "secrets.toml", "secrets.env", "master.key", "wallet.dat", "kubeconfig", "keystore",
        "service-account.json", "serviceaccount.json", "service_account.json", "keyring",
        "vault.yml", ".vault_pass", ".vault-token", "local_settings.py", ".s3cfg", ".boto", "rclone.conf", "token.json",
        "terraform.tfvars", "local.properties", "keystore.properties", "google-services.json",
    ), SECRET),
    **dict.fromkeys(("dump.rdb", "data.mdb", "ibdata1", "WiredTiger", "main.db"), DATABASE),
    **dict.fromkeys(("Inbox", "INBOX", "Sent", "Drafts", "mbox"), MAIL),
    "terraform.tfstate.backup": STATE,
}  # fmt: skip
"""Names that say more than the suffix."""

_EXAMPLES = frozenset(("example", "sample", "template", "dist", "defaults", "tmpl", "tpl"))
"""Parts of the name of a file that only shows what the real one looks like."""

_OWN = re.compile(
    r"(?:[\w-]+[._-])?(?:secrets?|credentials?|passwords?|passwd|local|override)(?:[._-][\w-]+)*"
    r"\.(?:ya?ml|json5?|toml|ini|cfg|conf|properties|xml|exs|edn|neon|plist)"
    r"|appsettings\.\w+\.json|(?:auth|parameters|service[-_]?account[\w-]*|firebase-adminsdk[\w-]*)\.(?:json|ya?ml)"
    r"|[\w.-]+\.tfvars\.json",
    re.I,
)
"""Settings of one machine, which no project has."""
_PACKED = ("gz", "bz2", "xz", "zst", "lz4", "gpg", "age", "enc")


@lru_cache(maxsize=8192)
def kind_of(name: str) -> str:
    """Return the kind of data that a file with this name holds."""
    known = _NAMES.get(name)
    if known is not None:
        return known
    lower = name.lower()
    if lower.startswith(".env.") or lower.endswith(".env"):
        return OTHER if not _EXAMPLES.isdisjoint(lower.split(".")) else SECRET
    if name in LOCK_FILES:
        return OTHER
    stem, dot, suffix = lower.rpartition(".")
    if not dot or not stem:
        return OTHER
    if suffix in _PACKED:
        inner = _SUFFIXES.get(stem.rpartition(".")[2]) if "." in stem else None
        if inner in (BACKUP, DATABASE):
            return BACKUP
    kind = _SUFFIXES.get(suffix)
    if kind in (None, RECORDS) and _OWN.fullmatch(lower) and _EXAMPLES.isdisjoint(lower.split(".")):
        return SECRET
    if kind is not None:
        return kind
    if is_document(name):
        return PROSE
    return SOURCE if is_source(name) else OTHER


def is_known(name: str) -> bool:
    """Return whether everybody knows a name: `.env`, `id_rsa`."""
    return name in _NAMES or name.startswith(".env")


def is_loss_alone(kind: str, size: int) -> bool:
    """Return whether one file of this kind and size is a loss if nothing can make it again."""
    return kind in VALUABLE or size >= _LARGE[kind]


def are_loss_together(sizes: Mapping[str, Sequence[int]]) -> bool:
    """Return whether some smaller texts are a loss together, given the sizes of files by kind."""
    texts = sizes.get(PROSE, ())
    return len(texts) >= _SEVERAL and sum(texts) >= 2 * _LARGE[PROSE]


def count_of(number: int, kind: str) -> str:
    """Return `60 images`."""
    return counted(number, kind)
