"""Runs the experiment: `python -m reproductions.qa_lstm`."""

import sys

from reproductions.qa_lstm.experiment import main

sys.exit(main())
