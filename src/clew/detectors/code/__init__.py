"""Reading of source code: definitions, layout, syntax."""
