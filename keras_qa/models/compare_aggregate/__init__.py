"""Models that align the words of two texts, compare and aggregate them."""
