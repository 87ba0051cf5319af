"""Text: tokens, vocabularies, overlap features, and ragged arrays of texts."""
