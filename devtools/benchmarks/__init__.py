"""Benchmarks of single questions."""
