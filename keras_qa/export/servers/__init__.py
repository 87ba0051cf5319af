"""Exported models in the folders that model servers read."""
