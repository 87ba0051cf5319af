"""Tools for developers of this project."""
