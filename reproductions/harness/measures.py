"""The measures of rankings, by data set."""

from typing import Any

from keras_qa.datasets.registry import collection
from keras_qa.ranking.evaluation import MEASURES
from keras_qa.ranking.evaluation import recall_measures
from reproductions.harness.errors import SettingsError

EVERY: dict[str, Any] = {**MEASURES, **recall_measures()}


def measures_of(dataset: str) -> dict[str, Any]:
    """MAP, MRR and P@1, and recall@1, 3 and 5 for a retrieval data set.

    Args:
        dataset: name of the data set.

    Returns:
        Measures of `ir_measures` by name.

    Raises:
        DatasetError: if there is no data set of that name.
    """
    return dict(EVERY if collection(dataset).retrieval else MEASURES)


def check_monitor(monitor: str, dataset: str) -> None:
    """Checks that rankings of a data set have a metric.

    Raises:
        DatasetError: if there is no data set of that name.
        SettingsError: if `monitor` is not among `measures_of(dataset)`.
    """
    names = tuple(measures_of(dataset))
    if monitor not in names:
        raise SettingsError(
            f"the setting `monitor` must be one of {names} for the data set "
            f"{dataset!r}. Received: monitor={monitor!r}"
        )
