"""Writes the results page: `python -m reproductions.report`."""

import sys

from reproductions.report.page import main

sys.exit(main())
