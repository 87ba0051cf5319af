"""Runs the experiment: `python -m reproductions.ctrn`."""

import sys

from reproductions.ctrn.experiment import main

sys.exit(main())
