"""The other systems of the papers' tables, which the papers quote."""
