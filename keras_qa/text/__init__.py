"""Text: tokens, words by number, shared words, and ragged arrays of them."""
