"""IAM and its language models."""
