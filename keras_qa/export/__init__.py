"""Trained models in forms that others can use."""
