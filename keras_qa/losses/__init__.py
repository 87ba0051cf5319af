"""Losses of pairs, triplets, lists and batches, and of distillation."""
