"""Repositories with a history, for scenarios to start from."""

from __future__ import annotations

from evaluation.place import Place


def repository(place: Place, directory: str = ".", commits: int = 1) -> None:
    """Make a small project with a history."""
    place.run(f"mkdir -p {directory} && cd {directory} && git init -q && mkdir -p src")
    for number in range(1, 21):
        lines = "".join(f"value_{number}_{line} = {line}\n" for line in range(number * 3))
        place.write(f"{directory}/src/module_{number}.py", lines)
    place.write(f"{directory}/README.md", "# A project\n")
    place.write(f"{directory}/.gitignore", "*.log\n/build/\n__pycache__/\n")
    git(place, f"add -A && git commit -qm 'first {place.canary()}'", directory)
    for number in range(2, commits + 1):
        change(place, number, directory)
        git(place, f"commit -qam 'number {number}'", directory)


def change(place: Place, number: int, directory: str = ".", text: str = "added = 1") -> None:
    place.run(f"echo '{text}' >> {directory}/src/module_{number}.py")


def git(place: Place, words: str, directory: str = ".") -> None:
    place.run(f"cd {directory} && git {words}")


def topic(place: Place, main: int, other: int) -> None:
    """Make a branch `topic` whose commit touches one module, and one of main that touches another."""
    git(place, "checkout -qb topic")
    change(place, other, text="topic = 1")
    git(place, "commit -qam topic && git checkout -q main")
    change(place, main, text="main = 1")
    git(place, "commit -qam main")


def hub(place: Place) -> None:
    """Make a repository beside the project, to clone from."""
    place.run(
        f"mkdir -p {place.around}/hub && cd {place.around}/hub && git init -q && seq 9 > a.py"
        " && seq 20 > b.py && git add -A && git commit -qm hub"
    )
