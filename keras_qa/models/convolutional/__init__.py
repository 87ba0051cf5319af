"""Convolutional rankers that the papers compare with."""
