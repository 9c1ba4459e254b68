"""LangGraph's graphs with clew as their checkpointer."""
