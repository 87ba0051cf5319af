"""MRNN (Cakaloglu et al., ICAART 2023)."""
