"""Shapes of the JSON output: the only declaration of its fields, their types and their meaning.

The functions of `clew.render` are annotated with these shapes, so mypy checks every field.
`clew.mcp` builds the output schemas of its tools from them, and `tests/docs` the field tables of
docs/json.md: the string below a field is its description there, and covers the fields above it that
have none.  A field `…_b64` is optional everywhere and described once, with the paths.

Render imports this package for type checking only: a hundred classes are slow to define.
They are `typing_extensions.TypedDict` because pydantic rejects the one of `typing` before Python 3.12,
and have no class docstrings because those would become part of the schemas.
"""
