"""Rules by which pages say what the records show."""
