"""IAM (Wu and Hao, LREC 2020)."""
