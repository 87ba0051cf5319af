"""Fuzzing: every reader must return data or an error that names the file.

`python -m devtools.fuzz` tries all inputs, `tests/devtools/test_fuzz.py` a
share of them.
"""
