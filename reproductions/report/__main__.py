"""Writes the pages of results: `python -m reproductions.report`."""

import sys

from reproductions.report.pages import main

sys.exit(main())
