"""Combinations of the scores of several rankers, fitted to labels."""
