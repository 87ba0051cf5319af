"""Writes the pages of results: `python -m reproductions.report`."""

import sys

from keras_qa.quiet import silence_tensorflow
from reproductions.report.pages import main

silence_tensorflow()
sys.exit(main())
