"""HyperQA (Tay et al., WSDM 2018)."""
