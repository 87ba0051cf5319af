"""Word vectors of a BERT."""
