"""Mounts are read from the kernel's table, with any characters in their names."""

from __future__ import annotations

from clew.worktree.mounts import Mount, _parse, filesystem_of, mounts_below, read_mounts


def test_a_line_of_the_table() -> None:
    line = b"36 35 98:0 /mnt1 /mnt/with\\040blank\\134x rw shared:1 master:2 - ext4 /dev/root rw\n"

    assert _parse(line) == Mount(b"/mnt/with blank\\x", b"ext4", 36)


def test_a_backslash_before_digits_is_a_backslash() -> None:
    assert _parse(b"1 2 3:4 / /a\\134040 rw - tmpfs none rw\n").point == b"/a\\040"


def test_this_machine_has_a_root_and_a_proc() -> None:
    mounts = read_mounts()

    assert filesystem_of(b"/", mounts) is not None
    proc = filesystem_of(b"/proc/self", mounts)
    assert proc is not None
    assert proc.is_pseudo


def test_the_longest_and_the_last_mount_holds_a_path() -> None:
    mounts = [Mount(b"/", b"ext4"), Mount(b"/home", b"xfs"), Mount(b"/home", b"nfs4")]

    assert filesystem_of(b"/home/user", mounts) == Mount(b"/home", b"nfs4")
    assert filesystem_of(b"/homes", mounts) == Mount(b"/", b"ext4")
    assert mounts_below(b"/", mounts) == {b"home": Mount(b"/home", b"nfs4")}
    assert mounts_below(b"/home", mounts) == {}


def test_what_is_on_a_disk_of_ours_is_local() -> None:
    local = [Mount(b"/x", kind).is_local for kind in (b"ext4", b"btrfs", b"nfs4", b"tmpfs")]

    assert local == [True, True, False, False]
