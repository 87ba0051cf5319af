"""Batches of pairs and triplets, in an order that a seed decides."""
