"""CTRN and the pointwise rankers that it is compared with."""
