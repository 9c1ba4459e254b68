"""What you can do: one package for each capability, on a store and a workspace."""
