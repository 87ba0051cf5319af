"""QA-LSTM, its convolutional and attentive forms, and their predecessor."""
