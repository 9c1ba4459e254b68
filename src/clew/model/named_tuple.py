"""Fast replacement of `typing.NamedTuple`: class creation takes a tenth of the time.

`typing` compiles the annotation of every field, and a constructor for every class, which is a third
of the import time of a hook.  Here annotations remain strings, the constructor is copied from another
class with as many fields, with the names replaced, and common methods are in one base class.  Type
checkers see no difference.

`_tuplegetter` and the renamed code object are details of CPython.  Where the first is missing,
both are replaced by plain properties and a constructor compiled for each class.
"""

from __future__ import annotations

try:
    from _collections import _tuplegetter  # type: ignore[import-not-found]  # as `collections` does
except ImportError:
    _tuplegetter = None

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    _SPECIAL_NAMES = frozenset(
        ("__annotations__", "__dict__", "__module__", "__qualname__", "__weakref__")
    )
    _new = tuple.__new__
    _templates = {}
    _Function = type(lambda: None)

    class _NamedTupleBase(tuple):
        """Methods of all named tuples."""

        __slots__ = ()
        _fields = ()
        _field_defaults = {}

        @classmethod
        def _make(cls, values):
            made = _new(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
            return made

        def _replace(self, /, **changes):
            made = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"Got unexpected field names: {list(changes)!r}")
            return made

        __replace__ = _replace

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            values = zip(self._fields, self, strict=True)
            return (
                f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in values)})"
            )

        def __getnewargs__(self):
            return tuple(self)

    class _NamedTupleMeta(type):
        """Creates a named tuple from a class body with annotated fields."""

        def __new__(maker, name, bases, body):  # noqa: N804, RUF100
            annotations = body.get("__annotations__", {})
            fields = tuple(annotations)
            given = [field in body for field in fields]
            if given != sorted(given):
                raise TypeError(f"In {name} a field without a default follows one that has one")
            defaults = {field: body[field] for field in fields if field in body}
            own = {
                "__slots__": (),
                "__module__": body["__module__"],
                "__qualname__": body["__qualname__"],
                "__annotations__": annotations,
                "__match_args__": fields,
                "__new__": _constructor(fields, tuple(defaults.values())),
                "_fields": fields,
                "_field_defaults": defaults,
            }
            for number, field in enumerate(fields):
                own[field] = _getter(number)
            for key, value in body.items():
                if key not in own and key not in _SPECIAL_NAMES:
                    own[key] = value
            return type(name, (_NamedTupleBase,), own)

    def _getter(number):
        if _tuplegetter is not None:
            return _tuplegetter(number, None)
        from _operator import itemgetter  # noqa: PLC0415

        return property(itemgetter(number))

    def _constructor(fields, defaults):
        """Return the constructor of a class; compiled once for each number of fields."""
        if _tuplegetter is None:
            return _plain_constructor(fields, defaults)
        if len(fields) not in _templates:
            names = ", ".join(f"_{number}" for number in range(len(fields)))
            source = f"lambda _cls{names and ', ' + names}: _new(_cls, ({names and names + ','}))"
            _templates[len(fields)] = eval(source, {"_new": _new})  # noqa: S307 - text from this module
        template = _templates[len(fields)]
        code = template.__code__.replace(co_varnames=("_cls", *fields), co_name="__new__")
        return _Function(code, template.__globals__, "__new__", defaults)

    def _plain_constructor(fields, defaults):
        names = "".join(f", {field}" for field in fields)
        values = "".join(f"{field}, " for field in fields)
        made = eval(f"lambda _cls{names}: _new(_cls, ({values}))", {"_new": _new})  # noqa: S307 - our own text
        made.__defaults__ = defaults
        made.__name__ = made.__qualname__ = "__new__"
        return made

    NamedTuple = type.__new__(_NamedTupleMeta, "NamedTuple", (), {})
