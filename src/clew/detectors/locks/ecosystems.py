"""Ecosystems: the public registry of each, the managers that install from it, the order of versions."""

from __future__ import annotations

from collections.abc import Callable

from clew.detectors.node.semver import is_lower as is_lower_number
from clew.detectors.python.pep440 import is_older
from clew.detectors.python.python_metadata import normalised
from clew.detectors.tools.gems import is_lower as is_lower_gem
from clew.model.named_tuple import NamedTuple


class Ecosystem(NamedTuple):
    """A language or tool, and its packages."""

    name: str
    hosts: frozenset[str] = frozenset()
    """The hosts of its public registry."""
    known: frozenset[str] = frozenset()
    """Other well-known hosts: a note, no warning."""
    managers: frozenset[str] = frozenset()
    """The managers whose facts state what is installed."""
    is_lower: Callable[[str | None, str | None], bool] = is_lower_number
    canonical: Callable[[str], str] = str
    """Returns the name that managers use."""

    def is_public(self, host: str) -> bool:
        """Return whether a host is the public registry."""
        return host in self.hosts


def _is_older_python(after: str | None, before: str | None) -> bool:
    return bool(after and before) and is_older(after or "", before or "")


NODE = Ecosystem(
    "node",
    frozenset(("registry.npmjs.org", "registry.yarnpkg.com", "registry.npmjs.com", "npm.jsr.io")),
    frozenset(("npm.pkg.github.com", "registry.npmmirror.com", "gitlab.com")),
    frozenset(("npm", "pnpm", "yarn", "bun")),
)
PYTHON = Ecosystem(
    "python",
    frozenset(("pypi.org", "files.pythonhosted.org", "pypi.python.org", "upload.pypi.org")),
    frozenset(
        (
            "download.pytorch.org",
            "download-r2.pytorch.org",
            "pypi.nvidia.com",
            "www.piwheels.org",
            "gitlab.com",
        )
    ),
    frozenset(("pip", "uv", "conda", "pipx", "uv-tool")),
    _is_older_python,
    normalised,
)
RUST = Ecosystem(
    "rust",
    frozenset(("crates.io", "index.crates.io", "static.crates.io")),
    managers=frozenset(("cargo",)),
)
RUBY = Ecosystem(
    "ruby",
    frozenset(("rubygems.org", "index.rubygems.org")),
    frozenset(("rubygems.pkg.github.com", "gems.contribsys.com")),
    frozenset(("gem",)),
    is_lower_gem,
)
PHP = Ecosystem(
    "php",
    frozenset(("packagist.org", "repo.packagist.org", "api.github.com", "codeload.github.com")),
    frozenset(
        ("repo.packagist.com", "packages.drupal.org", "wpackagist.org", "asset-packagist.org")
    ),
    frozenset(("composer",)),
)
GO = Ecosystem("go", frozenset(("proxy.golang.org", "sum.golang.org", "goproxy.io")))
ELIXIR = Ecosystem("elixir", frozenset(("hex.pm", "repo.hex.pm", "builds.hex.pm")))
DART = Ecosystem("dart", frozenset(("pub.dev", "pub.dartlang.org")))
COCOA = Ecosystem("cocoapods", frozenset(("cdn.cocoapods.org", "trunk.cocoapods.org")))
SWIFT = Ecosystem("swift")
JAVA = Ecosystem(
    "java",
    frozenset((
        "repo.maven.apache.org", "repo1.maven.org", "central.sonatype.com", "plugins.gradle.org",
        "maven.google.com", "dl.google.com", "services.gradle.org", "jcenter.bintray.com",
        "repo.gradle.org", "oss.sonatype.org", "s01.oss.sonatype.org",
    )),
    frozenset((
        "jitpack.io", "repo.spring.io", "packages.confluent.io", "maven.pkg.github.com",
        "repository.apache.org", "maven.fabric.io", "repo.clojars.org", "www.jitpack.io",
    )),
)  # fmt: skip
DOTNET = Ecosystem(
    "dotnet",
    frozenset(("api.nuget.org", "www.nuget.org", "nuget.org")),
    frozenset(("nuget.pkg.github.com", "pkgs.dev.azure.com")),
)
HELM = Ecosystem(
    "helm",
    frozenset((
        "charts.bitnami.com", "registry-1.docker.io", "charts.helm.sh", "kubernetes.github.io",
        "prometheus-community.github.io", "grafana.github.io", "helm.elastic.co", "ghcr.io", "quay.io",
        "charts.jetstack.io", "helm.traefik.io", "argoproj.github.io", "helm.releases.hashicorp.com",
    )),
    frozenset(("public.ecr.aws", "gcr.io")),
)  # fmt: skip
NIX = Ecosystem("nix", frozenset(("cache.nixos.org", "channels.nixos.org")))
TERRAFORM = Ecosystem("terraform", frozenset(("registry.terraform.io", "registry.opentofu.org")))
CONDA = Ecosystem(
    "conda",
    frozenset((
        "conda.anaconda.org", "repo.anaconda.com", "anaconda.org", "pypi.org",
        "files.pythonhosted.org", "prefix.dev", "repo.prefix.dev", "channel defaults",
        "channel conda-forge", "channel main", "channel r",
    )),
    frozenset(f"channel {name}" for name in ("bioconda", "pytorch", "nvidia", "rapidsai", "anaconda", "intel", "fastai")),
    PYTHON.managers,
    _is_older_python,
    normalised,
)  # fmt: skip
DENO = Ecosystem(
    "deno",
    frozenset((*NODE.hosts, "jsr.io", "deno.land", "esm.sh", "cdn.jsdelivr.net", "unpkg.com")),
    managers=NODE.managers,
)
JULIA = Ecosystem("julia", frozenset(("pkg.julialang.org",)))
R = Ecosystem("r", frozenset((
    "cran.r-project.org", "cloud.r-project.org", "cran.rstudio.com", "packagemanager.posit.co",
    "packagemanager.rstudio.com", "p3m.dev", "bioconductor.org",
)))  # fmt: skip
HASKELL = Ecosystem("haskell", frozenset(("hackage.haskell.org",)))
HELM = Ecosystem("helm")
CPP = Ecosystem("conan", frozenset(("center.conan.io", "center2.conan.io")))
DOCKER = Ecosystem(
    "docker",
    frozenset(("docker.io", "registry-1.docker.io", "index.docker.io", "mirror.gcr.io")),
)
