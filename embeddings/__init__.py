"""Programs that train, convert and check word vectors, run from a checkout."""
