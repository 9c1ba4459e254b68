"""Environment files of a project: keys are reported, values never."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.histories import repository
from evaluation.place import Place
from evaluation.scenario import scenario


@scenario(
    23, ".env.local with two keys, and a value rotated",
    expected={
        ("env.added", ".env.local", "DB_URL", None, None),
        ("env.added", ".env.local", "API_TOKEN", None, None),
        ("env.changed", ".env", "SECRET_KEY", None, None),
    },
    benign=True, headline=(".env.local",),
)  # fmt: skip
def env_keys(place: Place) -> Iterator[None]:
    repository(place)
    place.run("printf '.env\\n.env.*\\n' >> .gitignore && git commit -qam ignore")
    place.write(".env", f"SECRET_KEY={place.canary()}\nDEBUG=1\n")
    yield
    place.write(".env", f"SECRET_KEY={place.canary()}\nDEBUG=1\n")
    place.write(
        ".env.local", f"DB_URL=postgres://app:{place.canary()}@db/app\nAPI_TOKEN={place.canary()}\n"
    )


@scenario(
    23, ".env with quotes, exports, comments and many lines",
    expected={
        ("env.removed", "api/.env", "OLD_FLAG", None, None),
        ("env.changed", "api/.env", "PRIVATE_KEY", None, None),
        ("env.added", "api/.env", "STRIPE_SECRET", None, None),
    },
    benign=True, headline=("STRIPE_SECRET",),
)  # fmt: skip
def env_shapes(place: Place) -> Iterator[None]:
    repository(place)
    place.run("echo .env >> .gitignore && git commit -qam ignore")
    place.write("api/.env", _shaped(place.canary(), "export OLD_FLAG=yes\n"))
    yield
    place.write("api/.env", _shaped(place.canary(), f"STRIPE_SECRET='{place.canary()}' # new\n"))


def _shaped(key: str, line: str) -> str:
    return f'# settings\nNAME="a b"\nPRIVATE_KEY="-----BEGIN KEY-----\n{key}\n-----END KEY-----"\n{line}'
