"""Files: whole or absent, owned, decompressed, checked and read piece by piece."""
