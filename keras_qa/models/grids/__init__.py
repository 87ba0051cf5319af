"""Models that compare all positions of two texts with each other."""
