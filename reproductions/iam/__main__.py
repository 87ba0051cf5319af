"""Runs the experiment: `python -m reproductions.iam`."""

import sys

from reproductions.iam.experiment import main

sys.exit(main())
