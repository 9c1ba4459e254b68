"""What files declare to be installed: lock files and manifests, and where packages come from."""
