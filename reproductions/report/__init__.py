"""The pages of results and the pictures."""
