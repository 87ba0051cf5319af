"""The public collections of questions and answers, a file each."""
