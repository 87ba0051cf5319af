"""Programs that make, convert and check word vectors; run from the checkout."""
