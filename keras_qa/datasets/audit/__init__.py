"""Audits of data sets: counts, missing data, repetitions, overlaps, lengths."""
