"""Runs the experiment: `python -m reproductions.mrnn`."""

import sys

from reproductions.mrnn.experiment import main

sys.exit(main())
