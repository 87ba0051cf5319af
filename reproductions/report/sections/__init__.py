"""Sections that stand on several pages."""
