"""Paired tests between models, question by question."""
