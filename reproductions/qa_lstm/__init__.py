"""QA-LSTM (Tan et al., ACL 2016)."""
