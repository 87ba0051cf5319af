"""Damaged files for every reader: data, or an error that names the place.

`python -m devtools.fuzz` runs the nightly amount; `tests/devtools/test_fuzz.py`
a share of it.
"""
