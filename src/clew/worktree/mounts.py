"""Mount table, from ``/proc/self/mountinfo``: not from ``st_dev``, which a bind mount shares."""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple

_PSEUDO = frozenset(
    b"proc sysfs devtmpfs devpts tmpfs ramfs cgroup cgroup2 securityfs debugfs tracefs configfs "
    b"pstore bpf mqueue hugetlbfs fusectl efivarfs binfmt_misc autofs rpc_pipefs nsfs "
    b"selinuxfs smackfs".split()
)
_REMOTE = frozenset(
    b"nfs nfs4 cifs smb3 smbfs 9p ceph afs glusterfs lustre virtiofs fuse.sshfs fuse.s3fs "
    b"fuse.rclone fuse.gcsfuse".split()
)


class Mount(NamedTuple):
    """One mounted filesystem."""

    point: bytes
    """Absolute path."""
    kind: bytes
    """Filesystem type."""
    number: int = 0
    """Mount id: unique while mounted, and different for a second mount at the same path."""

    @property
    def is_pseudo(self) -> bool:
        """Whether it shows kernel state or memory rather than a disk."""
        return self.kind in _PSEUDO

    @property
    def is_local(self) -> bool:
        return not self.is_pseudo and self.kind not in _REMOTE


def read_mounts() -> list[Mount]:
    """Return every mount of this namespace in mount order: later ones cover earlier ones."""
    with open("/proc/self/mountinfo", "rb") as file:
        return [_parse(line) for line in file]


def mounts_below(root: bytes, mounts: list[Mount]) -> dict[bytes, Mount]:
    """Return the mounts inside `root` by relative path; the last one at a path wins."""
    prefix = root.rstrip(b"/") + b"/"
    return {
        mount.point[len(prefix) :]: mount
        for mount in mounts
        if mount.point.startswith(prefix) and len(mount.point) > len(prefix)
    }


def filesystem_of(path: bytes, mounts: list[Mount]) -> Mount | None:
    """Return the mount that contains an absolute path."""
    best: Mount | None = None
    for mount in mounts:
        point = mount.point.rstrip(b"/")
        if path == mount.point or path.startswith(point + b"/"):
            if best is None or len(mount.point) >= len(best.point):
                best = mount
    return best


def _parse(line: bytes) -> Mount:
    fields = line.split(b" ")
    after = fields.index(b"-", 6)
    return Mount(_unescape(fields[4]), fields[after + 1], int(fields[0]))


def _unescape(field: bytes) -> bytes:
    if b"\\" not in field:
        return field
    for code in (b"040", b"011", b"012", b"043", b"134"):
        field = field.replace(b"\\" + code, bytes([int(code, 8)]))
    return field
