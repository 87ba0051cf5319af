"""Training of a scorer on the distances of all texts of a batch."""

from functools import partial
from typing import Any

import keras
from keras import ops

from keras_qa.training.pairwise import PairwiseTrainer
from keras_qa.training.recomputation import Recomputation


@keras.saving.register_keras_serializable(package="keras_qa")
class TripletTrainer(PairwiseTrainer):
    """Trains a scorer on the distances of questions from documents.

    All documents of a batch are candidates of all its questions: the trainer
    returns the complete matrix of distances, and `TripletLoss` chooses triplets
    in it. The trainer has no weights in addition to those of the scorer.

    If the batch has several parts (`chunk` of `TripletBatches`), a training
    step computes them in sequence, and each a second time for the gradient
    (`Recomputation`). The gradient is that of the complete batch; accumulated
    gradients of smaller batches would be different, because each question
    would have fewer candidates. Only batch normalisation differs: it takes its
    statistics from each part and updates its averages once per part.

    In float32, a step with Q questions and chunks of C texts keeps

    - 5 numbers for each weight, with AdamW, and the word vectors of the batch;
    - about 16 N s numbers for each word of a chunk, in the n-gram blocks and
      their attention, with N blocks of size s;
    - about 9 numbers for each pair of words of Q questions and C documents, in
      the attention to documents.

    For MRNN with s = 1024, N = 6, Q = 512 and C = 16, with questions of 40 and
    documents of 400 words and word vectors of 4396 numbers, these are 1.0 +
    3.7, 2.3 and 4.4 GiB, together 11.4 GiB. With C = 512, without chunks, the
    second would be 75 GiB and the third 141 GiB. The framework needs additional
    memory: the peak of a TensorFlow process on 2 cores, in such a step with 48
    documents, was 20 GiB, of which 1.9 GiB before the step. The vectors of 512
    documents take 3.0 GiB more.

    Args:
        scorer: model with the models `question_encoder` and `answer_encoder`,
            from padded word ids or vectors to a tensor or a structure of
            tensors, and a method `encoded_distances` from their outputs to
            distances `(questions, documents)`. The method does not depend on
            whether the model is in training.
        **kwargs: the arguments of `keras.Model`.

    Call arguments:
        inputs: the inputs of a batch of `TripletBatches`.
        training: whether the scorer is in training.

    Output:
        Distances `(questions, documents)`, lower is better.

    Example:
        >>> trainer = TripletTrainer(MRNN(len(vocabulary), 300))
        >>> adam = keras.optimizers.AdamW(1e-4, weight_decay=1e-3)
        >>> trainer.compile(adam, loss=TripletLoss(margin=0.5))
        >>> batches = TripletBatches(
        ...     texts, questions, candidates, labels, batch_size=512, chunk=16
        ... )
        >>> trainer.fit(batches, epochs=25)

    Reference: Cakaloglu et al., 2023, "MRNN: A Multi-Resolution Neural Network
    with Duplex Attention for Deep Ad-Hoc Retrieval", sections 3.4 and 4.3.2.
    """

    @property
    def supports_packing(self) -> bool:
        """False: texts are encoded as padded ids or vectors."""
        return False

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        """Encodes all texts and compares each question with each document."""
        questions, documents = inputs["question"], inputs["texts"]
        encode_question = partial(
            self.scorer.question_encoder, training=training
        )
        encode_answer = partial(self.scorer.answer_encoder, training=training)

        def compare(encoded: Any, texts: Any) -> Any:
            return self.scorer.encoded_distances(encoded, encode_answer(texts))

        if not training or len(questions) == len(documents) == 1:
            encoded = _joined([encode_question(part) for part in questions])
            return _joined([compare(encoded, part) for part in documents], 1)
        recompute = Recomputation(self.scorer)
        encoded = _joined(
            [recompute(encode_question, part) for part in questions]
        )
        distances = [recompute(compare, encoded, part) for part in documents]
        recompute.update()
        return _joined(distances, 1)


def _joined(parts: list[Any], axis: int = 0) -> Any:
    """Joins structures of tensors along one axis."""
    if len(parts) == 1:
        return parts[0]
    return keras.tree.map_structure(
        lambda *tensors: ops.concatenate(tensors, axis=axis), *parts
    )
