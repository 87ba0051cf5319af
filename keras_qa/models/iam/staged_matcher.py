"""The base of IAM, which takes over weights from earlier training stages."""

from collections.abc import Iterable
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.layers.bidirectional_stack import BidirectionalStack
from keras_qa.layers.rbm_jump_score import RBMJumpScore
from keras_qa.layers.tf_idf import TfIdf
from keras_qa.models.configured import ConfiguredModel


class StagedMatcher(ConfiguredModel):
    """A matcher that reads what language models and an RBM have learnt.

    Attributes:
        embedding: the word vectors.
        reader_embeddings: `"shared"` if the readers use them, or `"own"`.
        tf_idf: the layer that weighs words.
        question_reader: model that reads questions as their language model
            does, or None.
        answer_reader: the same of answers.
        question_stack: what reads a question in view of an answer.
        jump_score: the layer of the jumps, or None.
        terms: the terms of equation 8.
    """

    embedding: keras.layers.Embedding
    reader_embeddings: str
    tf_idf: TfIdf
    question_reader: keras.Model | None
    answer_reader: keras.Model
    question_stack: BidirectionalStack
    jump_score: RBMJumpScore | None
    terms: list[str]

    def adapt_idf(self, texts: Iterable[Any], smooth: bool = True) -> None:
        """Counts in how many documents each word is.

        Args:
            texts: the documents, integer vectors of word ids: those of the
                training data.
            smooth: see `TfIdf.adapt`.

        Raises:
            ValueError: if there is no document, or an id is out of range.
        """
        self.tf_idf.adapt(texts, smooth)

    def load_language_models(
        self, question_model: keras.Model, answer_model: keras.Model
    ) -> None:
        """Takes over the weights of the first stage.

        The readers become those of the language models, and the stack that
        reads the question in view of the answer starts as that of questions.

        Args:
            question_model: a `BidirectionalLanguageModel` of questions.
            answer_model: one of answers, of the same size.

        Raises:
            ValueError: if a model has another size, or word vectors other than
                this one's where readers share them.
        """
        models = {"question": question_model, "answer": answer_model}
        for side, model in models.items():
            self._check_language_model(side, model)
        self.question_stack.set_weights(question_model.stack.get_weights())
        for side, reader in (
            ("question", self.question_reader),
            ("answer", self.answer_reader),
        ):
            if reader is not None:
                reader.set_weights(models[side].encoder.get_weights())

    def _check_language_model(self, side: str, model: keras.Model) -> None:
        ours, theirs = (
            [tuple(w.shape) for w in (m.weights)]
            for m in (self.answer_reader, model.encoder)
        )
        if ours != theirs:
            raise ValueError(
                f"`{side}_model` must have the vocabulary_size, embedding_dim, "
                f"units and layers of this model, and so weights of the shapes "
                f"{ours}. Received: {theirs}"
            )
        if self.reader_embeddings == "shared" and not np.array_equal(
            *(
                ops.convert_to_numpy(m.embedding.embeddings)
                for m in (self, model)
            )
        ):
            raise ValueError(
                f"`{side}_model` must have the word vectors of this model: "
                "give all the same `embeddings` and train none, or use "
                'reader_embeddings="own". Received: other vectors'
            )

    def load_jump(self, jump_score: RBMJumpScore) -> None:
        """Takes over the weights of the second stage.

        Args:
            jump_score: a trained layer with the `offset` and `temperature` of
                this model's.

        Raises:
            ValueError: if it has other weights, or this model has no jumps.
        """
        if self.jump_score is None:
            raise ValueError(
                "`terms` must have 'jump' for a jump to be loaded. "
                f"Received: terms={self.terms!r}"
            )
        ours, theirs = (
            {w.name: tuple(w.shape) for w in layer.weights}
            for layer in (self.jump_score, jump_score)
        )
        if ours != theirs:
            raise ValueError(
                "`jump_score` must have been built for states and with an "
                "offset and a temperature like this model's, and so have the "
                f"weights {ours}. Received: {theirs}"
            )
        self.jump_score.set_weights(jump_score.get_weights())
