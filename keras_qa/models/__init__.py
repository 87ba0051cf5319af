"""The models of the papers, one file each."""
