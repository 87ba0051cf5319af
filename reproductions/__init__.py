"""The experiments of the papers, one script each."""
