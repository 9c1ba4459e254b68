"""What one can do: one verb per file, inputs first, options next, the monitor last."""
