"""The command `keras-qa`, with a module for each subcommand."""
