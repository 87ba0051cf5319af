"""Question-answer collections: readers, vocabulary, padding and sampling."""
