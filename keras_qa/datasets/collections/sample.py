"""The questions of `keras_qa.datasets.sample`, in the format of WikiQA."""

from pathlib import Path

from keras_qa.datasets.collection import Collection
from keras_qa.datasets.collection import register
from keras_qa.datasets.collections.wikiqa import open_wikiqa
from keras_qa.datasets.dataset import Dataset

_FOLDER = Path(__file__).parents[1] / "sample"


def open_sample(name: str, folder: Path) -> Dataset:
    """Opens the bundled questions.

    Args:
        name: the data set's name.
        folder: not used, since the files are in the package.
    """
    return open_wikiqa(name, _FOLDER)


register(Collection("sample", "sample", "the bundled questions", open_sample))
