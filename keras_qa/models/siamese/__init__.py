"""Rankers that encode two texts and compare the vectors by a network."""
