"""Benchmarks that answered one question each."""
