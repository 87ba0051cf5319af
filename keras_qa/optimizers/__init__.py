"""Optimizers and constraints for the Poincaré ball."""
