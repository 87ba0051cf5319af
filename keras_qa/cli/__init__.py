"""The command `keras-qa`, a file for each subcommand."""
