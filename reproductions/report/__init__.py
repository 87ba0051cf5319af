"""The results page and the pictures."""
