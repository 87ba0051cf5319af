"""Training of a scorer by the distances of all texts of a batch."""

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
    gives the whole matrix of distances, and `TripletLoss` chooses triplets in
    it. It has no weights of its own: what `fit` learns is in the scorer.

    If the batch comes in several parts (`chunk` of `TripletBatches`), a
    training step computes one after the other and each a second time for the
    gradient, instead of keeping what the layers give (`Recomputation`). The
    gradient is that of the whole batch, which accumulating those of smaller
    batches would not give: there each question would have fewer documents to
    choose from. Only batch normalisation differs: it takes its statistics from
    each part, and moves its averages once per part.

    In float32, a step with Q questions and chunks of C texts holds

    - 5 numbers for each weight, with AdamW, and the word vectors of the batch;
    - what the n-gram blocks and the attention to them keep for each word of a
      chunk, some 16 N s numbers with N blocks of size s;
    - what the attention to documents keeps for each pair of words, of Q
      questions with C documents, some 9 numbers.

    For MRNN with s = 1024, N = 6, Q = 512 and C = 16, with questions of 40 and
    documents of 400 words and word vectors of 4396 numbers, that is 1.0 + 3.7,
    2.3 and 4.4 GiB: 12 GiB. With C = 512, without chunks, the second would be
    75 GiB and the third 141 GiB. It is a lower bound: what the framework needs
    to compute with comes on top. The largest size of a process of TensorFlow
    on 2 cores, in such a step with 48 documents, was 20 GiB, 1.9 of them before
    the step; 512 documents have 3.1 GiB more of vectors.

    Args:
        scorer: model with the models `question_encoder` and `answer_encoder`,
            from padded word ids to a tensor or a structure of tensors, and a
            method `encoded_distances`, from what these give for some questions
            and some documents to distances `(questions, documents)`. The
            method does not depend on whether the model is in training.
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
        """Never: texts are encoded whole."""
        return False

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        """Encodes all texts, and compares each question with each document."""
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
    """Structures of tensors, joined along one axis."""
    if len(parts) == 1:
        return parts[0]
    return keras.tree.map_structure(
        lambda *tensors: ops.concatenate(tensors, axis=axis), *parts
    )
