"""Changes inside Python sources that a list of functions does not show."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

from evaluation.fresh.interrupted import require
from evaluation.fresh.shop import shop, work_goes_on
from evaluation.place import Place
from evaluation.second.tools import commit
from evaluation.variant import Claims, variant

_GROUP = "code"
_NEW = "+|added|new"
_GONE = "-|−|removed|deleted|gone"
_CHANGED = "~|changed|edited|modified|signature|parameter|default|→"
_VIEWS = '''\
"""Pages of the shop."""

import os
import json

from web import login_required, route

RETRIES = 3


@login_required
@route("/admin")
def admin(request):
    return {"user": request.user}


@route("/cart")
def cart(request, limit=20):
    return {"items": request.cart[:limit]}


class Report:
    def rows(self):
        return []

    @property
    def title(self):
        return "Report"
'''


def _views(place: Place) -> None:
    shop(place)
    place.write("shop/views.py", _VIEWS)
    commit(place, "views")


@variant(_GROUP, "the decorator that asks for a login removed")
def decorator_removed(place: Place, claims: Claims) -> Iterator[None]:
    _views(place)
    yield
    place.run("sed -i '/^@login_required/d' shop/views.py")
    work_goes_on(place)
    claims.say("views.py", "admin", f"{_CHANGED}|login_required|decorator")
    claims.lead("views.py")
    claims.deny("Report", "−admin", "+admin")


@variant(_GROUP, "the default of an argument and a constant changed")
def default_changed(place: Place, claims: Claims) -> Iterator[None]:
    _views(place)
    yield
    place.run("sed -i 's/limit=20/limit=200/; s/^RETRIES = 3/RETRIES = 30/' shop/views.py")
    claims.say("views.py", "cart", _CHANGED)
    claims.say("views.py", "RETRIES")
    claims.lead("views.py")
    claims.deny("admin", "Report")


@variant(_GROUP, "a class renamed in its file")
def class_renamed(place: Place, claims: Claims) -> Iterator[None]:
    _views(place)
    yield
    place.run("sed -i 's/^class Report/class Summary/' shop/views.py && git commit -qam summary")
    claims.say("views.py", "Report", "Summary")
    claims.lead("views.py|Summary")
    claims.deny("cart", "admin")


@variant(_GROUP, "a property becomes a method, and a nested function appears")
def property_changed(place: Place, claims: Claims) -> Iterator[None]:
    _views(place)
    yield
    text = _VIEWS.replace("    @property\n", "").replace(
        "    def rows(self):\n        return []\n",
        "    def rows(self):\n        def clean(row):\n            return row\n\n        return [clean(1)]\n",
    )
    place.write("shop/views.py", text)
    claims.say("views.py", "Report|rows|title", _CHANGED)
    claims.lead("views.py")
    claims.deny("cart", "admin")


@variant(_GROUP, "a module becomes a package of two files")
def module_split(place: Place, claims: Claims) -> Iterator[None]:
    _views(place)
    yield
    cut = _VIEWS.index("class Report")
    place.run("git rm -q shop/views.py")
    place.write("shop/views/__init__.py", _VIEWS[:cut].rstrip() + "\n")
    place.write("shop/views/report.py", _VIEWS[cut:])
    commit(place, "a package")
    claims.say("shop/views/report.py|report.py|shop/views", f"Report|{_NEW}|2")
    claims.say("shop/views.py|views.py", f"{_GONE}|moved|renamed|split|→")
    claims.lead("views")
    claims.deny("lost", "is gone")


@variant(_GROUP, "a cell of a notebook changed and one added")
def notebook(place: Place, claims: Claims) -> Iterator[None]:
    def cells(*sources: str) -> str:
        all_cells = [
            {
                "cell_type": "code",
                "execution_count": 1,
                "metadata": {},
                "outputs": [],
                "source": [text],
            }
            for text in sources
        ]
        return json.dumps(
            {"cells": all_cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1
        )

    shop(place)
    place.write("analysis.ipynb", cells("import json", "rows = 10", "print(rows)"))
    commit(place, "notebook")
    yield
    place.write("analysis.ipynb", cells("import json", "rows = 5000", "print(rows)", "rows * 2"))
    claims.say("analysis.ipynb", "cell", "1|4|added|changed|new")
    claims.lead("analysis.ipynb")


@variant(_GROUP, "docstrings only", benign=True)
def docstrings(place: Place, claims: Claims) -> Iterator[None]:
    _views(place)
    yield
    place.run(
        'sed -i \'s/^def admin(request):/&\\n    """Return the page of the admin."""/\' shop/views.py'
    )
    claims.say("views.py", "docstring|document|comment|text|no code|admin|+1")
    claims.lead("views.py")
    claims.deny("+admin", "−admin", "-admin", "Report")


@variant(_GROUP, "type hints only", benign=True)
def type_hints(place: Place, claims: Claims) -> Iterator[None]:
    _views(place)
    yield
    place.run(
        "sed -i 's/def cart(request, limit=20):/def cart(request: object, limit: int = 20) -> dict:/' shop/views.py"
    )
    claims.say("views.py", "cart|hint|annotation|type")
    claims.lead("views.py")
    claims.deny("+cart", "−cart", "admin", "Report")


@variant(_GROUP, "imports sorted by ruff", benign=True)
def imports_sorted(place: Place, claims: Claims) -> Iterator[None]:
    _views(place)
    yield
    place.run(
        f"{sys.executable} -m ruff check -q --no-cache --isolated --select I --fix shop/views.py"
    )
    require(bool(place.run("git diff --name-only")), "the imports have another order")
    claims.say("views.py", "import|order|no function|edited|format|layout")
    claims.lead("views.py|import")
    claims.deny("admin", "Report", "removed json", "−json")
