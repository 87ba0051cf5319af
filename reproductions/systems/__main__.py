"""Runs the experiment: `python -m reproductions.systems`."""

import sys

from reproductions.systems.experiment import main

sys.exit(main())
