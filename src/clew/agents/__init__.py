"""How agents plug in: hooks of programs, adapters of libraries, and what sets them up."""
