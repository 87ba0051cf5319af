"""Texts as sequences of words."""

Text = tuple[str, ...]
