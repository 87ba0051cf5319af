"""Atomic writing, locking, and checked and bounded reading of files."""
