"""Where version managers keep what they install, and where they note the default."""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple


class Layout(NamedTuple):
    """One manager's directories, relative to its own."""

    manager: str
    root: str
    """How the path of the manager's own directory ends."""
    versions: str
    """The directory that holds one directory a version; a tool's comes between if none is named."""
    tool: str = ""
    default: str = ""
    """The file or link that names the version in use."""

    @property
    def marker(self) -> str:
        """The last name of the root, by which a path is recognised."""
        return self.root.rpartition("/")[2]


LAYOUTS = (
    Layout("pyenv", ".pyenv", "versions", "python", "version"),
    Layout("pyenv", "opt/pyenv", "versions", "python", "version"),
    Layout("rbenv", ".rbenv", "versions", "ruby", "version"),
    Layout("nodenv", ".nodenv", "versions", "node", "version"),
    Layout("goenv", ".goenv", "versions", "go", "version"),
    Layout("jenv", ".jenv", "versions", "java", "version"),
    Layout("tfenv", ".tfenv", "versions", "terraform", "version"),
    Layout("nvm", ".nvm", "versions/node", "node", "alias/default"),
    Layout("nvm", "usr/local/nvm", "versions/node", "node", "alias/default"),
    Layout("nvm", "usr/local/share/nvm", "versions/node", "node", "alias/default"),
    Layout("n", "usr/local/n", "versions/node", "node"),
    Layout("n", "n", "n/versions/node", "node"),
    Layout("fnm", "share/fnm", "node-versions", "node", "aliases/default"),
    Layout("fnm", ".fnm", "node-versions", "node", "aliases/default"),
    Layout("asdf", ".asdf", "installs"),
    Layout("mise", "share/mise", "installs"),
    Layout("rtx", "share/rtx", "installs"),
    Layout("rustup", ".rustup", "toolchains", "rust", "settings.toml"),
    Layout("rustup", "usr/local/rustup", "toolchains", "rust", "settings.toml"),
    Layout("sdkman", ".sdkman", "candidates"),
    Layout("volta", ".volta", "tools/image", "", "tools/user/platform.json"),
    Layout("uv", "share/uv", "python", "python"),
    Layout("gvm", ".gvm", "gos", "go"),
    Layout("rvm", ".rvm", "rubies", "ruby"),
    Layout("ghcup", ".ghcup", "ghc", "ghc"),
)

CHOICES = (".tool-versions", "mise.toml", ".mise.toml")
"""Files of a project or a home that say which version of each tool is used there."""
