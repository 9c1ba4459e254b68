"""Places that programs are usually taken from: organisations on forges, and hosts of installers.

They are no proof of anything: a change that leads to one of them is a note, not a warning.
"""

from __future__ import annotations

_OWNERS = frozenset((
    "actions", "github", "docker", "aws-actions", "azure", "google-github-actions", "hashicorp",
    "astral-sh", "psf", "pre-commit", "pycqa", "pypa", "python", "python-poetry", "codecov", "gitleaks",
    "microsoft", "google", "aws", "golangci", "rust-lang", "dtolnay", "actions-rs", "actions-rust-lang",
    "ruby", "gradle", "pnpm", "oven-sh", "denoland", "nodejs", "npm", "eslint", "prettier", "biomejs",
    "goreleaser", "sigstore", "anchore", "aquasecurity", "snyk", "sonarsource", "dependabot", "renovatebot",
    "helm", "kubernetes", "terraform-aws-modules", "antonbabenko", "adrienverge", "koalaman", "hadolint",
    "shellcheck-py", "crate-ci", "commitizen-tools", "asottile", "nbqa-dev", "circleci", "gitlab-org",
    "jetbrains", "apache", "cloudflare", "vercel", "netlify", "supabase", "grafana", "slackapi",
))  # fmt: skip
_INSTALLERS = frozenset((
    "sh.rustup.rs", "static.rust-lang.org", "deb.nodesource.com", "rpm.nodesource.com", "astral.sh",
    "install.python-poetry.org", "get.docker.com", "get.pnpm.io", "bun.sh", "deno.land", "deno.com",
    "get.sdkman.io", "install.duckdb.org", "pyenv.run", "codecov.io", "uploader.codecov.io",
    "get.helm.sh", "get.k3s.io", "get.rvm.io", "cli.github.com", "dl.yarnpkg.com", "getcomposer.org",
    "get.volta.sh", "fnm.vercel.app", "mise.run", "mise.jdx.dev", "get-ghcup.haskell.org", "sh.brew.sh",
    "bootstrap.pypa.io", "downloads.claude.ai", "claude.ai", "get.pulumi.com", "cli.run.nu", "starship.rs",
    "dot.net", "install.determinate.systems", "nixos.org", "get.opentofu.org", "coursier.github.io",
))  # fmt: skip


def is_known_owner(owner: str) -> bool:
    """Return whether an organisation is one that many projects take programs from."""
    return owner.lower() in _OWNERS


def is_known_installer(host: str) -> bool:
    """Return whether a host is that of an installer that many projects run."""
    return host.lower() in _INSTALLERS
