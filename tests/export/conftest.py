"""The exported models, each written once."""

import functools

import keras
import pytest

from keras_qa.export.saved_model import SavedModel
from keras_qa.export.saved_model import export_saved_model
from keras_qa.files.locks import locked
from support.export_models import MODELS
from support.export_models import READING
from support.export_models import randomise


@pytest.fixture(scope="session")
def models():
    """The models in memory, by name; the same in each worker."""
    made = {}
    for name, make in MODELS.items():
        keras.utils.set_random_seed(0)
        made[name] = randomise(make(), name)
    return made


@pytest.fixture(scope="session")
def exported(models, tmp_path_factory, worker_id):
    """A function from a model's name to its export, written at first use."""
    folder = tmp_path_factory.getbasetemp()
    if worker_id != "master":
        # All workers use what one of them has written.
        folder = folder.parent
    folder = folder / "exported"

    @functools.cache
    def export(name):
        with locked(folder / f"{name}.lock"):
            if not (folder / name).exists():
                export_saved_model(models[name], READING[name], folder / name)
        return folder / name

    return export


@pytest.fixture(scope="session")
def scorers(exported):
    """A function from a model's name to its export, loaded once."""
    return functools.cache(lambda name: SavedModel(exported(name)))
