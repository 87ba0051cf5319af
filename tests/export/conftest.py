"""The exported models, each written once."""

import functools

import pytest

from keras_qa.export.saved_model import SavedModel
from keras_qa.export.saved_model import export_saved_model
from support.export_models import MODELS
from support.export_models import READING
from support.export_models import randomise


@pytest.fixture(scope="session")
def models():
    """The models in memory, by name."""
    return {name: randomise(make()) for name, make in MODELS.items()}


@pytest.fixture(scope="session")
def exported(models, tmp_path_factory):
    """A function from a model's name to its export, written at first use."""
    folder = tmp_path_factory.mktemp("exported")

    @functools.cache
    def export(name):
        export_saved_model(models[name], READING[name], folder / name)
        return folder / name

    return export


@pytest.fixture(scope="session")
def scorers(exported):
    """A function from a model's name to its export, loaded once."""
    return functools.cache(lambda name: SavedModel(exported(name)))
