"""Measured runs, tested differences, the papers' figures, deviations."""
