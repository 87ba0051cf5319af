"""Answers and their vectors on disk, in shards, each an atomic folder."""
