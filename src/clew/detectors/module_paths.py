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
    # what is declared, after what is installed
    "locks.lock_files:LockFiles",
    # warnings
    "os_packages.tampered:TamperedFiles",
    "security.privileged_files:PrivilegedFiles",
    "security.ssh_files:SshFiles",
    "security.sudoers:Sudoers",
    "security.preload:Preload",
    "security.login_checks:LoginChecks",
    "security.certificates:Certificates",
    "security.git_dangers:GitHooks",
    "security.git_sources:GitSources",
    "security.agent_controls:AgentControls",
    "security.editor_tasks:EditorTasks",
    "security.workflow_actions:WorkflowActions",
    "security.base_images:BaseImages",
    "security.registries:Registries",
    "security.script_settings:ScriptSettings",
    "security.install_scripts:InstallScripts",
    "security.shell_startup:ShellStartup",
    "security.autostarts:Autostarts",
    "security.name_resolution:NameResolution",
    # losses: after package managers, whose deletions are known, and before what describes data
    "losses.terraform_state:TerraformState",
    "files.dangling_links:DanglingLinks",
    "losses.moves:Moves",
    "losses.compressed:Compressed",
    "losses.deletions:Deletions",
    "losses.shrinking:Shrinking",
    "code.broken_syntax:BrokenSyntax",
    "checks.suite_files:SuiteFiles",
    "checks.check_files:CheckFiles",
    "security.ci_files:CiFiles",
    # the system
    "system.systemd:Systemd",
    "system.sysv:SysV",
    "system.cron:Cron",
    "system.accounts:Accounts",
    "files.env_files:EnvFiles",
    # data
    "data.docker:Docker",
    "databases.postgres:Postgres",
    "databases.mysql:MySql",
    "databases.stores:Stores",
    "data.redis:Redis",
    "databases.hot_journals:HotJournals",
    "databases.sqlite:Sqlite",
    "databases.embedded:Embedded",
    "data.half_migrations:HalfMigrations",
    "data.planned_drops:PlannedDrops",
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
    "files.links:Links",
    "files.bulk_changes:BulkChanges",
    "deployment.declarations:Declarations",
    "files.translations:Translations",
    "files.records:Records",
    "files.config_files:ConfigFiles",
    "files.source_files:SourceFiles",
    "data.large_files:LargeFiles",
)
"""Detectors that classify the paths that no other detector claimed."""

DETAILS: frozenset[str] = frozenset(
    (
        "tools/executables",
        "data/archive",
        "data/notebook",
        "data/weights",
        "data/large",
        "config/files",
        "files/source",
    )
)
"""Names of the detectors that are left out first when a story takes too long; the paths that they
would explain are then counted by directory."""
