"""A provider for benches: it answers as the offline one does, after as long as a model takes."""
