"""CTRN (Tay et al., AAAI 2018)."""
