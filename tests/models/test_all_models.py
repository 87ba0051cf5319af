"""The list of all models leaves none out."""

import keras_qa.models
from support.all_models import MODELS


def test_every_class_is_there():
    built = {model.args[0].__name__ for model in MODELS.values()}
    assert built == set(keras_qa.models.__all__)
