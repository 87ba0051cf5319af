"""Rankers that every figure is compared with, and the fusion of rankers."""
