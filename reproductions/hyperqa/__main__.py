"""Runs the experiment: `python -m reproductions.hyperqa`."""

import sys

from reproductions.hyperqa.experiment import main

sys.exit(main())
