"""Runs the experiment: `python -m reproductions.references`."""

import sys

from reproductions.references.experiment import main

sys.exit(main())
