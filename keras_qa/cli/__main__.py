"""Runs the command `keras-qa` as `python -m keras_qa.cli`."""

import sys

from keras_qa.cli.main import main

sys.exit(main())
