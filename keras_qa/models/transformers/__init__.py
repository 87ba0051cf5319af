"""Rankers that read word pieces with a BERT."""
