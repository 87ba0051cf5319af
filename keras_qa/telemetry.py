"""Keeps other packages from reporting what they are used for."""

import os

# onnxruntime (from 1.29) reports the models that it loads, and leaves an id of
# the machine in the user's cache; Ray reports the clusters that it starts.
_OFF = {"ORT_DISABLE_TELEMETRY": "1", "RAY_USAGE_STATS_ENABLED": "0"}


def switch_off_telemetry() -> None:
    """Sets the variables of the environment by which packages report nothing.

    Call it before one of them is imported. Values that the user has set stay.
    """
    for name, value in _OFF.items():
        os.environ.setdefault(name, value)
