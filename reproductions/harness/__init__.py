"""What the experiments of all papers share."""
