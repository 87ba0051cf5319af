"""Indexes whose answers are encoded in parts, on one machine or on many.

Each part is encoded by a call of its own, which any scheduler can start, and
leaves a manifest: what it was made of, and the size and SHA-256 of its files.
`merge.merge_parts` checks the manifests and files, and finishes the index.
"""
