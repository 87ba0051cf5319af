"""The list of all models leaves none out."""

from all_models import MODELS

import keras_qa.models


def test_every_class_is_there():
    built = {model.args[0].__name__ for model in MODELS.values()}
    assert built == set(keras_qa.models.__all__)
