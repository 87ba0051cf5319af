"""Losses of pairs and of triplets."""
