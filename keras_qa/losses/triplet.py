"""Triplet losses of a matrix of distances and of labelled embeddings."""

from collections.abc import Callable
from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_above_zero
from keras_qa.arguments import check_choice
from keras_qa.losses.batches import BatchLoss
from keras_qa.losses.batches import check_documents
from keras_qa.vectors import inverse_norms

MINING = ("hard", "semi-hard", "all", "batch-hard", "schroff-semi-hard")
BATCH_HARD = ("hard", "batch-hard")
METRICS = ("L2", "squared-L2", "angular")
REDUCTIONS = ("sum_over_batch_size", "sum")


@keras.saving.register_keras_serializable(package="keras_qa")
class TripletLoss(BatchLoss):
    r"""Triplet loss of the distances of questions from documents.

    For a question Q, a relevant document D+ and another document D-,

    $$L = \max(0, d(Q, D^+) - d(Q, D^-) + m)$$

    `mining` chooses the triplets of a batch:

    - `"hard"`: one per question, with its farthest relevant document and its
      nearest irrelevant document, as in the paper;
    - `"semi-hard"`: one per question and relevant document, with the nearest
      irrelevant document that is farther than the relevant one, or, without
      such a document, the farthest irrelevant one, as in TensorFlow Addons;
    - `"all"`: all questions with all relevant and all irrelevant documents;
    - `"batch-hard"`: the triplets of `"hard"`, under the name of Hermans et
      al. (2017, section 2), who have `soft_margin`, too;
    - `"schroff-semi-hard"`: as `"semi-hard"`, if the irrelevant document is
      farther than the relevant one and within the margin, and no triplet
      otherwise. Schroff et al. (2015, section 3.2) call these negatives alone
      semi-hard.

    A question without a relevant or without an irrelevant document is in no
    triplet; the loss of a batch without triplets is 0. The memory for the
    gradient is a few matrices of the size of the distances.

    With a margin of 1 and the distances 2 and 3 of two relevant documents and
    2.5 and 3.5 of two irrelevant ones, the losses are: hard 3 - 2.5 + 1 = 1.5;
    semi-hard, by both definitions, the mean of 2 - 2.5 + 1 and 3 - 3.5 + 1,
    0.5; all (0.5 + 0 + 1.5 + 0.5) / 4 = 0.625. With a soft margin hard is
    log(1 + exp(3 - 2.5)) = 0.974.

    Args:
        margin: the paper's m; positive.
        mining: one of the above.
        squared: whether the distances are squared first. Equation 13 prints a
            square, but the paper calls it the distance of equation 12.
        reduction: `"sum_over_batch_size"`, the mean over the batch's
            triplets, or `"sum"`, their sum. The paper does not give it.
        soft_margin: whether log(1 + exp(x)) replaces max(0, x + margin)
            (Hermans et al., 2017, section 2), with `"hard"` and
            `"batch-hard"`; `margin` then has no effect.
        name: name of the loss.
        dtype: dtype policy of the loss; by default that of Keras, float32.

    Call arguments:
        y_true: `(questions, documents)`, of any dtype: 1 or True where the
            document is relevant to the question, 0 or False where it is not,
            and -1 for pairs to ignore.
        y_pred: float distances `(questions, documents)`, not negative, lower
            is better.

    Output:
        A scalar.

    Raises:
        ValueError: if `margin` is not positive, `mining` or `reduction` is
            unknown, or `soft_margin` is asked for with another mining.

    Example:
        >>> trainer.compile("adam", loss=TripletLoss(margin=0.5))

    References: Cakaloglu et al., 2023, "MRNN: A Multi-Resolution Neural
    Network with Duplex Attention for Deep Ad-Hoc Retrieval", section 3.4,
    equation 13; Schroff et al., 2015, "FaceNet: A Unified Embedding for Face
    Recognition and Clustering"; Hermans et al., 2017, "In Defense of the
    Triplet Loss for Person Re-Identification".
    """

    def __init__(
        self,
        margin: float = 1.0,
        mining: str = "hard",
        squared: bool = False,
        reduction: str = "sum_over_batch_size",
        soft_margin: bool = False,
        name: str = "triplet_loss",
        dtype: Any = None,
    ):
        super().__init__(name=name, reduction=reduction, dtype=dtype)
        _check_margin(margin)
        check_choice("mining", mining, MINING)
        check_choice("reduction", reduction, REDUCTIONS)
        _check_soft_margin(soft_margin, mining)
        self.margin = margin
        self.mining = mining
        self.squared = squared
        self.soft_margin = soft_margin

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """Computes the mean, or the sum, over the triplets of the batch."""
        check_documents(y_pred)
        positives = ops.greater(y_true, 0.5)
        negatives = ops.less(ops.abs(y_true), 0.5)
        # Padding may have any score, NaN too.
        real = ops.logical_or(positives, negatives)
        distances = ops.where(real, y_pred, 0.0)
        distances = ops.square(distances) if self.squared else distances
        margin = None if self.soft_margin else self.margin
        losses = _mined(self.mining, distances, positives, negatives, margin)
        has_negative = ops.any(negatives, axis=1, keepdims=True)
        counts = _counts(
            self.mining, losses, positives, negatives, has_negative
        )
        total = ops.sum(ops.where(counts > 0, losses, 0.0))
        if self.reduction == "sum":
            return total
        return total / ops.maximum(ops.sum(counts), 1.0)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            **super().get_config(),
            "margin": self.margin,
            "mining": self.mining,
            "squared": self.squared,
            "soft_margin": self.soft_margin,
        }


@keras.saving.register_keras_serializable(package="keras_qa")
class EmbeddingTripletLoss(BatchLoss):
    """Triplet loss of labelled embeddings, as in TensorFlow Addons.

    Every embedding is an anchor. Its positives are the other embeddings with
    its label, its negatives those with other labels. The values are those of
    TensorFlow Addons 0.23.0:

    - `"hard"`: `TripletHardLoss(margin, soft=False)`, the mean over all
      anchors. An anchor without positives gets one at the smallest distance of
      its row, 0, and an anchor without negatives gets one at the greatest.
    - `"semi-hard"`: `TripletSemiHardLoss(margin)`, the mean over all pairs of
      an anchor and a positive. If all labels are equal, the negative's
      distance is 0. Without any pair the loss is 0, in TensorFlow Addons NaN.
    - `"all"`, `"batch-hard"` and `"schroff-semi-hard"`, which TensorFlow
      Addons lacks: the mean over the triplets of `TripletLoss`. The last two
      are the losses of their papers, with `"L2"` in Hermans et al. (2017) and
      `"squared-L2"` in Schroff et al. (2015).

    Args:
        margin: required difference of the distances of negatives and
            positives; positive.
        mining: one of the above.
        distance_metric: `"L2"`, `"squared-L2"` or `"angular"`, which is
            1 - cosine.
        soft_margin: see `TripletLoss`.
        name: name of the loss.
        dtype: dtype policy of the loss; by default that of Keras, float32.

    Call arguments:
        y_true: the labels of the embeddings, integers below 2^24,
            `(batch_size,)` or `(batch_size, 1)`.
        y_pred: the embeddings, float `(batch_size, units)`.

    Output:
        A scalar.

    Raises:
        ValueError: if `margin` is not positive, `mining` or
            `distance_metric` is unknown, or `soft_margin` is asked for with
            another mining.

    Example:
        >>> encoder.compile("adam", loss=EmbeddingTripletLoss(margin=0.5))

    References: Schroff et al., 2015, "FaceNet: A Unified Embedding for Face
    Recognition and Clustering"; Hermans et al., 2017, "In Defense of the
    Triplet Loss for Person Re-Identification".
    """

    def __init__(
        self,
        margin: float = 1.0,
        mining: str = "hard",
        distance_metric: str = "L2",
        soft_margin: bool = False,
        name: str = "embedding_triplet_loss",
        dtype: Any = None,
    ):
        super().__init__(name=name, dtype=dtype)
        _check_margin(margin)
        check_choice("mining", mining, MINING)
        check_choice("distance_metric", distance_metric, METRICS)
        _check_soft_margin(soft_margin, mining)
        self.margin = margin
        self.mining = mining
        self.distance_metric = distance_metric
        self.soft_margin = soft_margin

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """Computes the mean over the batch's anchors, pairs or triplets."""
        labels = ops.reshape(y_true, (-1, 1))
        same = ops.equal(labels, ops.transpose(labels))
        size = ops.shape(same)[0]
        positives = ops.logical_and(same, ops.eye(size, dtype="int32") == 0)
        negatives = ops.logical_not(same)
        distances = embedding_distances(y_pred, self.distance_metric)
        margin = None if self.soft_margin else self.margin
        losses = _mined(self.mining, distances, positives, negatives, margin)
        if self.mining == "hard":
            return ops.mean(losses)
        # Semi-hard pairs count even if their anchor has no negative.
        complete = self.mining == "semi-hard" or ops.any(
            negatives, axis=1, keepdims=True
        )
        counts = _counts(self.mining, losses, positives, negatives, complete)
        total = ops.sum(ops.where(counts > 0, losses, 0.0))
        return total / ops.maximum(ops.sum(counts), 1.0)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        config = super().get_config()
        del config["reduction"]
        return {
            **config,
            "margin": self.margin,
            "mining": self.mining,
            "distance_metric": self.distance_metric,
            "soft_margin": self.soft_margin,
        }


def embedding_distances(embeddings: Any, metric: str = "L2") -> Any:
    """Computes the pairwise distances of embeddings.

    They are computed from dot products, without the `(n, n, units)`
    differences. Equal embeddings have the distance 0, up to rounding, and
    finite gradients.

    Args:
        embeddings: float tensor `(n, units)`.
        metric: `"L2"`, `"squared-L2"` or `"angular"`, which is 1 - cosine.

    Returns:
        Float tensor `(n, n)`, not negative; the diagonal is exactly 0, except
        for `"angular"`.
    """
    if metric == "angular":
        square = ops.sum(ops.square(embeddings), axis=1, keepdims=True)
        unit = embeddings * inverse_norms(square)
        return ops.relu(1.0 - ops.matmul(unit, ops.transpose(unit)))
    square = ops.sum(ops.square(embeddings), axis=1, keepdims=True)
    product = ops.matmul(embeddings, ops.transpose(embeddings))
    distances = square + ops.transpose(square) - 2.0 * product
    off_diagonal = ops.eye(ops.shape(distances)[0], dtype="int32") == 0
    # Rounding makes some distances negative.
    real = ops.logical_and(off_diagonal, distances > 0)
    if metric == "squared-L2":
        return ops.where(real, distances, 0.0)
    # A root has an infinite gradient at 0.
    return ops.where(real, ops.sqrt(ops.where(real, distances, 1.0)), 0.0)


def _mined(
    mining: str,
    distances: Any,
    positives: Any,
    negatives: Any,
    margin: float | None,
) -> Any:
    """Returns losses `(questions,)`, for semi-hard minings of pairs."""
    mine: Callable[..., Any] = {
        "hard": _hard,
        "batch-hard": _hard,
        "semi-hard": _semi_hard,
        "schroff-semi-hard": _schroff,
        "all": _all,
    }[mining]
    return mine(distances, positives, negatives, margin)


def _counts(
    mining: str, losses: Any, positives: Any, negatives: Any, complete: Any
) -> Any:
    """Returns the number of triplets in each loss of `_mined`."""
    if mining == "all":
        ones = [ops.cast(mask, losses.dtype) for mask in (positives, negatives)]
        return ops.sum(ones[0], axis=1) * ops.sum(ones[1], axis=1)
    counted = ops.logical_and(positives, complete)
    if mining in BATCH_HARD:
        counted = ops.any(counted, axis=1)
    elif mining == "schroff-semi-hard":
        # Exactly the triplets within the margin cost something.
        counted = ops.logical_and(counted, losses > 0)
    return ops.cast(counted, losses.dtype)


def _farthest(distances: Any, allowed: Any) -> Any:
    """Returns the greatest allowed distance, the least of all without one."""
    greatest = ops.max(
        ops.where(allowed, distances, -float("inf")), axis=1, keepdims=True
    )
    least = ops.min(distances, axis=1, keepdims=True)
    return ops.where(ops.any(allowed, axis=1, keepdims=True), greatest, least)


def _hard(
    distances: Any, positives: Any, negatives: Any, margin: float | None
) -> Any:
    """Losses of farthest positives and nearest negatives, `(questions,)`.

    A margin of None is a soft one.
    """
    positive = _farthest(distances, positives)
    negative = -_farthest(-distances, negatives)
    if margin is None:
        return ops.softplus(positive - negative)[:, 0]
    return ops.relu(positive - negative + margin)[:, 0]


def _semi_hard(
    distances: Any, positives: Any, negatives: Any, margin: float
) -> Any:
    """Losses with each document as the positive, `(questions, documents)`."""
    negative, exists = _nearest_farther(distances, negatives)
    negative = ops.where(exists, negative, _farthest(distances, negatives))
    return ops.relu(distances - negative + margin)


def _schroff(
    distances: Any, positives: Any, negatives: Any, margin: float
) -> Any:
    """The same losses, but 0 if no negative is farther."""
    negative, exists = _nearest_farther(distances, negatives)
    return ops.where(exists, ops.relu(distances - negative + margin), 0.0)


def _nearest_farther(distances: Any, negatives: Any) -> tuple[Any, Any]:
    """The least distance of a farther negative, and whether there is one.

    Returns:
        For each document `(questions, documents)`, floats and booleans.
    """

    def nearest_farther(row: Any) -> Any:
        distance, negative = row
        farther = ops.logical_and(negative, distance > distance[:, None])
        nearest = ops.argmin(ops.where(farther, distance, float("inf")), axis=1)
        return ops.cast(nearest, "int32"), ops.any(farther, axis=1)

    # Chosen question by question and without gradient, so that no tensor has
    # the size questions * documents * documents.
    nearest, exists = ops.map(
        nearest_farther, (ops.stop_gradient(distances), negatives)
    )
    return ops.take_along_axis(distances, nearest, axis=1), exists


def _all(distances: Any, positives: Any, negatives: Any, margin: float) -> Any:
    """Sums of the losses of all triplets of each question, `(questions,)`.

    Over the triplets with a positive loss, each distance counts plus once per
    triplet as the positive's, and minus once per triplet as the negative's.
    """

    def uses(row: Any) -> Any:
        distance, positive, negative = row
        costs = distance[:, None] - distance + margin > 0
        costs = ops.logical_and(costs, positive[:, None])
        costs = ops.cast(ops.logical_and(costs, negative), distance.dtype)
        return ops.sum(costs, axis=1), ops.sum(costs, axis=0)

    as_positive, as_negative = ops.map(
        uses, (ops.stop_gradient(distances), positives, negatives)
    )
    return ops.sum(
        as_positive * (distances + margin) - as_negative * distances, axis=1
    )


def _check_margin(margin: float) -> None:
    check_above_zero(margin=margin)


def _check_soft_margin(soft_margin: bool, mining: str) -> None:
    if soft_margin and mining not in BATCH_HARD:
        raise ValueError(
            f"`soft_margin` must be False but for mining in {BATCH_HARD}. "
            f"Received: soft_margin={soft_margin!r}, mining={mining!r}"
        )
