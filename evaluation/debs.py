"""Small Debian packages and a repository of them, for versions that mirrors no longer have."""

from __future__ import annotations

from evaluation.place import Place

REPOSITORY = "srv/debs"


def deb(place: Place, name: str, version: str, *, fields: str = "", postinst: str = "") -> str:
    """Build a package with a program, a manual page and a configuration file; return where it is."""
    work = f"tmp/build/{name}-{version}"
    control = (
        f"Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: A <a@example.org>\n"
        f"{fields}Description: a package to try things with\n"
    )
    place.write(f"{work}/DEBIAN/control", control)
    place.write(f"{work}/DEBIAN/conffiles", f"/etc/{name}/{name}.conf\n")
    place.write(f"{work}/etc/{name}/{name}.conf", f"[main]\nport = 80\nrelease = {version}\n")
    place.write(f"{work}/usr/bin/{name}", f"#!/bin/sh\necho {name} {version}\n", 0o755)
    place.write(f"{work}/usr/share/doc/{name}/NEWS", f"{version}: better than ever\n")
    if postinst:
        place.write(f"{work}/DEBIAN/postinst", f"#!/bin/sh\nset -e\n{postinst}\n", 0o755)
    place.write(f"{REPOSITORY}/README", "packages to try things with\n")
    path = f"/{REPOSITORY}/{name}_{version}_all.deb"
    place.run(
        f"chmod -R go-w /{work} && dpkg-deb --root-owner-group -b /{work} {path} && rm -r /tmp/build"
    )
    return path


def publish(place: Place) -> None:
    """Write the index of the repository for apt."""
    place.run(f"cd /{REPOSITORY} && dpkg-scanpackages -m . /dev/null > Packages 2>/dev/null")
    place.write("etc/apt/sources.list.d/debs.list", f"deb [trusted=yes] file:/{REPOSITORY} ./\n")
    place.run("apt-get update -qq")
