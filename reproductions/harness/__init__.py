"""What every paper's experiment shares."""
