"""Recurrent rankers whose attention is inside, or of, a single text."""
