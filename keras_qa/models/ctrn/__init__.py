"""CTRN and its pointwise baselines."""
