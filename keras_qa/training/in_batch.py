"""Training of a scorer on all pairs of the questions and answers of a batch."""

from typing import Any

import keras
from keras import ops

from keras_qa.devices import divide
from keras_qa.training.pairwise import PairwiseTrainer


@keras.saving.register_keras_serializable(package="keras_qa")
class InBatchTrainer(PairwiseTrainer):
    """Trains a scorer to tell a question's answers from all others of a batch.

    Each text of a batch is encoded once, and each question is scored with each
    answer: the right answers of the other questions are wrong ones of this
    question, unless its labels say that they are right for it, too. So a batch
    of n questions has n - 1 negatives for each without further texts;
    `TripletBatches` adds wrong candidates of each question with `negatives`.

    The trainer has no weights in addition to those of the scorer. It compares
    (questions, answers) encodings: for `LateInteraction`, batches should be
    small.

    Args:
        scorer: model that computes `head({"question":
            question_encoder(question), "answer": answer_encoder(answer)})` with
            three models of these names. The encoders return tensors or
            structures of tensors.
        **kwargs: the arguments of `keras.Model`.

    Call arguments:
        inputs: the inputs of a batch of `TripletBatches`.
        training: whether the scorer is in training.

    Output:
        Scores `(questions, answers)`, higher is better.

    Example:
        >>> trainer = InBatchTrainer(scorer)
        >>> adam = keras.optimizers.AdamW(2e-5)
        >>> trainer.compile(adam, loss=InBatchSoftmax())
        >>> batches = TripletBatches(
        ...     texts, questions, candidates, labels, 32, positives=1
        ... )
        >>> trainer.fit(batches, epochs=3)

    Reference: Henderson et al., 2017, "Efficient Natural Language Response
    Suggestion for Smart Reply", section 4.4.
    """

    @property
    def supports_packing(self) -> bool:
        """False: texts are encoded as padded ids."""
        return False

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        """Encodes all texts and scores each question with each answer.

        Raises:
            ValueError: if the texts come in parts, and the scorer adds a loss
                for each of them.
        """
        scorer = self.scorer
        before = len(scorer.losses)
        answers = [
            scorer.answer_encoder(part, training=training)
            for part in inputs["texts"]
        ]
        rows = []
        for part in inputs["question"]:
            questions = scorer.question_encoder(part, training=training)
            rows.append(
                _joined([self._scores(questions, a, training) for a in answers])
            )
        parts = len(rows), len(answers)
        # A mean over all pairs would be added as often as there are parts.
        if max(parts) > 1 and len(scorer.losses) > before:
            raise ValueError(
                f"`chunk` of the batches must be None for {scorer.name!r}, "
                "which adds losses of its own for each part of a batch. "
                f"Received: {parts[0]} and {parts[1]} parts of questions and "
                "answers"
            )
        return _joined(rows, axis=0)

    def _scores(self, questions: Any, answers: Any, training: Any) -> Any:
        """The scores of all pairs of encoded texts, `(questions, answers)`."""
        height, width = _count(questions), _count(answers)
        question = ops.repeat(ops.arange(height), width)
        answer = ops.tile(ops.arange(width), (height,))
        pairs = {
            "question": _taken(questions, question),
            "answer": _taken(answers, answer),
        }
        if training:
            pairs = divide(pairs)
        scores = self.scorer.head(pairs, training=training)
        return ops.reshape(scores, (height, width))


def _count(encoded: Any) -> Any:
    return ops.shape(keras.tree.flatten(encoded)[0])[0]


def _taken(encoded: Any, rows: Any) -> Any:
    return keras.tree.map_structure(
        lambda x: ops.take(x, rows, axis=0), encoded
    )


def _joined(parts: list[Any], axis: int = 1) -> Any:
    return parts[0] if len(parts) == 1 else ops.concatenate(parts, axis=axis)
