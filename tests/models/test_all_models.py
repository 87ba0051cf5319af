"""What every model must pass, and that the list of all models is complete."""

import inspect

import pytest

import keras_qa.models
from keras_qa.training.pairwise import PairwiseTrainer
from support.all_models import MODELS
from support.all_models import WORDLESS
from support.all_models import build

CLASSES = sorted(keras_qa.models.__all__)
# The plainest form of each class, which is the first.
NAME_OF = {
    model.args[0].__name__: name for name, model in [*MODELS.items()][::-1]
}
SIZES = (
    *("vocabulary_size", "embedding_dim", "projection_dim", "units"),
    *("hidden_units", "hidden_layers", "filters", "kernel_size", "layers"),
    *("blocks", "pool_size", "max_document_length", "attention_units"),
    *("projection_layers", "question_length", "answer_length"),
    *("class_count", "k", "channels", "bins", "slices"),
    *("trees", "depth", "perspectives"),
)


def signature(name):
    return inspect.signature(getattr(keras_qa.models, name)).parameters


@pytest.mark.once
def test_every_class_is_there():
    assert sorted(NAME_OF) == CLASSES


@pytest.mark.once
@pytest.mark.parametrize("name", CLASSES)
def test_signature_configuration_name_and_frozen_weights(name):
    parameters = signature(name)
    assert {"dtype", "name", "trainable"} <= set(parameters)
    assert ("embeddings" in parameters) == (name not in WORDLESS)
    kinds = {parameter.kind for parameter in parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds
    model = build(NAME_OF[name], name="mine", trainable=False)
    config = model.get_config()
    arrays = {"embeddings", "idf", "classes", "weights"}
    assert set(config) == set(parameters) - arrays
    assert model.name == config["name"] == "mine"
    assert model.trainable_weights == []
    # Also inside another model.
    assert PairwiseTrainer(model).trainable_weights == []
    assert [v.path for v in model.variables if v.trainable] == []
    assert config["trainable"] is False


@pytest.mark.once
@pytest.mark.parametrize("name", CLASSES)
def test_unknown_keywords_raise_and_suggest_the_nearest(name):
    with pytest.raises(TypeError) as caught:
        build(NAME_OF[name], drop_out=0.3, embedings=None)
    dropout = "dropout" in signature(name)
    assert str(caught.value) == (
        f"`{name}` has no argument `drop_out`."
        f"{' Did you mean `dropout`?' * dropout} Received: drop_out=0.3"
    )
    if name not in WORDLESS:
        with pytest.raises(TypeError, match="Did you mean `embeddings`"):
            build(NAME_OF[name], embedings=None)
    with pytest.raises(TypeError, match=r"no argument `qqq`\. Received"):
        build(NAME_OF[name], qqq=1)


@pytest.mark.once
@pytest.mark.parametrize("name", CLASSES)
def test_sizes_are_integers(name):
    for size in set(SIZES) & set(signature(name)):
        for wrong in (2.5, 0, "3"):
            with pytest.raises(ValueError, match=f"`{size}` must be .*=") as e:
                build(NAME_OF[name], **{size: wrong})
            assert str(e.value).endswith(f"Received: {size}={wrong!r}")
