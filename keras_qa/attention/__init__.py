"""Attention weights of a model, as numbers, text and pictures."""
