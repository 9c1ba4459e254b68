"""Module paths of all detectors, in the order in which they run.

The first detector to claim a path owns it.
Package managers come first, because files that they install raise no warning; then detectors that
raise warnings; then those of an ecosystem's own files.
"""

from __future__ import annotations

DETECTORS: tuple[str, ...] = (
    # system packages first: later detectors look up their file lists
    "os_packages.dpkg:Dpkg",
    "os_packages.apk:Apk",
    "os_packages.apt_sources:AptSources",
    "os_packages.apk:ApkSources",
    # language packages and tools
    "python.conda:Conda",
    "python.python_tools:PythonTools",
    "python.pip:Pip",
    "node.npm:Npm",
    "node.pnpm:Pnpm",
    "node.yarn:Yarn",
    "node.bun:Bun",
    "node.incomplete_modules:IncompleteModules",
    "tools.cargo:Cargo",
    "tools.gems:Gems",
    "tools.composer:Composer",
    "tools.incomplete_installs:IncompleteInstalls",
    "tools.toolchains:Toolchains",
    # files that git has, before anything is reported as deleted or shrunk
    "repositories.checkouts:Checkouts",
    "repositories.lfs_pointers:LfsPointers",
    # warnings
    "os_packages.tampered:TamperedFiles",
    "security.privileged_files:PrivilegedFiles",
    "security.ssh_files:SshFiles",
    "security.sudoers:Sudoers",
    "security.preload:Preload",
    "security.login_checks:LoginChecks",
    "security.certificates:Certificates",
    "security.git_dangers:GitHooks",
    "security.agent_controls:AgentControls",
    "security.editor_tasks:EditorTasks",
    "security.ci_files:CiFiles",
    "security.registries:Registries",
    "security.shell_startup:ShellStartup",
    "security.autostarts:Autostarts",
    "security.name_resolution:NameResolution",
    "security.deletions:Deletions",
    # the system
    "system.systemd:Systemd",
    "system.sysv:SysV",
    "system.cron:Cron",
    "system.accounts:Accounts",
    "files.env_files:EnvFiles",
    # data
    "data.docker:Docker",
    "data.postgres:Postgres",
    "data.mysql:MySql",
    "data.redis:Redis",
    "data.sqlite:Sqlite",
    "data.half_migrations:HalfMigrations",
    "data.notebooks:Notebooks",
    "data.weights:Weights",
    "data.archives:Archives",
    "data.tabular:Tabular",
    "files.downloads:Downloads",
    # projects
    "repositories.git:Git",
    "repositories.conflicts:Conflicts",
    "repositories.discarded:Discarded",
    "tools.executables:Executables",
    "security.committed_secrets:CommittedSecrets",
    "security.planted_secrets:PlantedSecrets",
)
"""Detectors of one subject each."""

SORTERS: tuple[str, ...] = (
    "files.generated:Generated",
    "files.logs:Logs",
    "files.housekeeping:Housekeeping",
    "files.config_files:ConfigFiles",
    "files.source_files:SourceFiles",
    "data.large_files:LargeFiles",
)
"""Detectors that classify the paths that no other detector claimed."""
