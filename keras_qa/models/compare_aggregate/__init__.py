"""Models that align the words of two texts, compare them and aggregate."""
