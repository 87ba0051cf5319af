"""What a data set contains: counts, gaps, repetitions, overlaps, lengths."""
