"""Reading and writing files: whole or absent, owned, bounded, checked."""
