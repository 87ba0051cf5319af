"""Tools of this project's developers."""
