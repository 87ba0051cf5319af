"""Keras layers of the papers."""
