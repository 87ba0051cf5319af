"""The models that an index supports, and the spaces of their vectors."""

from typing import Any

from keras import ops

from keras_qa.errors import SearchError
from keras_qa.layers import CosineSimilarity
from keras_qa.layers import HyperbolicDistance
from keras_qa.models import CosineQA
from keras_qa.models import HyperQA
from keras_qa.models import LateInteraction
from keras_qa.models import SentenceEncoder
from keras_qa.models.qa_lstm.encoded import EncodedTextRanker
from keras_qa.search.spaces import CosineSpace
from keras_qa.search.spaces import HyperboloidSpace
from keras_qa.search.spaces import PoincareSpace
from keras_qa.search.spaces import Space
from keras_qa.search.token_search import TokenSpace

SEARCHABLE = (
    "HyperQA or CosineQA without `concatenate_embeddings`, SentenceEncoder, "
    "LateInteraction, or one of Tan et "
    "al. and Feng et al. that encodes answers as questions and compares them "
    "by the cosine (QALSTM, ConvPoolingLSTM, ConvBasedLSTM, QACNN, FengCNN)"
)


def space_of(model: Any) -> Space | TokenSpace:
    """The space in which a model compares questions and answers.

    Args:
        model: a Keras model.

    Returns:
        The model's space, without a centre.

    Raises:
        SearchError: if the model's score is not a monotone function of an
            inner product of two vectors, one for each text or token, or ranks
            the farthest answer first.
    """
    if isinstance(model, EncodedTextRanker):
        if model.answer_encoder is model.question_encoder and isinstance(
            model.similarity, CosineSimilarity
        ):
            return CosineSpace(1.0)
        raise _unsearchable(model, "attention or another similarity")
    if not isinstance(
        model, (HyperQA, CosineQA, SentenceEncoder, LateInteraction)
    ):
        raise _unsearchable(model, "another head")
    if getattr(model, "concatenate_embeddings", False):
        raise _unsearchable(model, "`concatenate_embeddings`")
    kernel, bias = model.head.get_layer("score").get_weights()
    weight, shift = float(kernel[0, 0]), float(bias[0])
    if not isinstance(model, HyperQA):
        if not weight > 0:
            raise _misled(weight, "positive, as the weight of the cosine")
        if isinstance(model, LateInteraction):
            return TokenSpace(weight, shift, model.reduce)
        return CosineSpace(weight, shift)
    if not weight < 0:
        raise _misled(weight, "negative, as the weight of the distance")
    distance = model.head.get_layer("distance")
    if isinstance(distance, HyperbolicDistance):
        curvature, asymmetry = (
            float(ops.convert_to_numpy(number)) for number in distance.space()
        )
        return HyperboloidSpace(
            weight, shift, curvature=curvature, asymmetry=asymmetry
        )
    return PoincareSpace(weight, shift, epsilon=distance.epsilon)


def _unsearchable(model: Any, reason: str) -> SearchError:
    return SearchError(
        f"The model must be {SEARCHABLE}; others can rank, or order again "
        "what a search found (--rerank). Of a sum with floors, index the "
        "run's folder `network`. "
        f"Received: {type(model).__name__} with {reason}"
    )


def _misled(weight: float, expected: str) -> SearchError:
    return SearchError(
        f"The weight of the model's score must be {expected}, for the nearest "
        f"answer to be the best. Received: {weight}"
    )
