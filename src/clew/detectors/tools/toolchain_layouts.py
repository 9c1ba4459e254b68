"""Directory layouts of version managers, and the files that name the default."""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple


class ToolchainLayout(NamedTuple):
    """One manager's directories, relative to its own."""

    manager: str
    root: str
    """The path suffix of the manager's own directory."""
    versions: str
    """The parent of the version directories; with a level for the tool if `tool` is empty."""
    tool: str = ""
    default: str = ""
    """The file or link that names the default version."""

    @property
    def marker(self) -> str:
        """The last component of the root, which identifies a path."""
        return self.root.rpartition("/")[2]


LAYOUTS = (
    ToolchainLayout("pyenv", ".pyenv", "versions", "python", "version"),
    ToolchainLayout("pyenv", "opt/pyenv", "versions", "python", "version"),
    ToolchainLayout("rbenv", ".rbenv", "versions", "ruby", "version"),
    ToolchainLayout("nodenv", ".nodenv", "versions", "node", "version"),
    ToolchainLayout("goenv", ".goenv", "versions", "go", "version"),
    ToolchainLayout("jenv", ".jenv", "versions", "java", "version"),
    ToolchainLayout("tfenv", ".tfenv", "versions", "terraform", "version"),
    ToolchainLayout("nvm", ".nvm", "versions/node", "node", "alias/default"),
    ToolchainLayout("nvm", "usr/local/nvm", "versions/node", "node", "alias/default"),
    ToolchainLayout("nvm", "usr/local/share/nvm", "versions/node", "node", "alias/default"),
    ToolchainLayout("n", "usr/local/n", "versions/node", "node"),
    ToolchainLayout("n", "n", "n/versions/node", "node"),
    ToolchainLayout("fnm", "share/fnm", "node-versions", "node", "aliases/default"),
    ToolchainLayout("fnm", ".fnm", "node-versions", "node", "aliases/default"),
    ToolchainLayout("asdf", ".asdf", "installs"),
    ToolchainLayout("mise", "share/mise", "installs"),
    ToolchainLayout("rtx", "share/rtx", "installs"),
    ToolchainLayout("rustup", ".rustup", "toolchains", "rust", "settings.toml"),
    ToolchainLayout("rustup", "usr/local/rustup", "toolchains", "rust", "settings.toml"),
    ToolchainLayout("sdkman", ".sdkman", "candidates"),
    ToolchainLayout("volta", ".volta", "tools/image", "", "tools/user/platform.json"),
    ToolchainLayout("uv", "share/uv", "python", "python"),
    ToolchainLayout("gvm", ".gvm", "gos", "go"),
    ToolchainLayout("rvm", ".rvm", "rubies", "ruby"),
    ToolchainLayout("ghcup", ".ghcup", "ghc", "ghc"),
)

CHOICES = (".tool-versions", "mise.toml", ".mise.toml")
"""Files of a project or a home that select a version of each tool."""
