"""QA-LSTM, its convolutional and attentive variants, and Feng et al.'s CNN."""
