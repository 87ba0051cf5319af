"""Optimization in the Poincaré ball."""
