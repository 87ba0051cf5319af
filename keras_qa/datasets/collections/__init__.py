"""The public collections of questions and answers, one module each."""
