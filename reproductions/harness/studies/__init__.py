"""Studies: the runs of a paper, planned, queued and worked through."""
