"""The base of IAM, which loads weights of earlier training stages."""

from collections.abc import Iterable
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.layers.bidirectional_stack import BidirectionalStack
from keras_qa.layers.rbm_jump_score import RBMJumpScore
from keras_qa.layers.tf_idf import TfIdf
from keras_qa.models.word_model import WordModel


class StagedMatcher(WordModel):
    """A matcher that uses the weights of language models and an RBM.

    Attributes:
        reader_embeddings: `"shared"` if the readers use `embedding`, or
            `"own"`.
        tf_idf: the layer that computes tf-idf weights.
        question_reader: model from questions to the states of their language
            model, or None.
        answer_reader: model from answers to the states of theirs.
        question_stack: the LSTMs that read a question with the answer's
            context.
        jump_score: the layer of the jumps, or None.
        terms: the terms of equation 8.
    """

    reader_embeddings: str
    tf_idf: TfIdf
    question_reader: keras.Model | None
    answer_reader: keras.Model
    question_stack: BidirectionalStack
    jump_score: RBMJumpScore | None
    terms: list[str]

    def adapt_idf(self, texts: Iterable[Any]) -> None:
        """Computes the idf of the words, see `TfIdf.adapt`.

        Args:
            texts: the documents, integer vectors of word ids. Use those of
                the training data only.

        Raises:
            ValueError: if there is no document, or an id is out of range.
        """
        self.tf_idf.adapt(texts)

    def load_language_models(
        self, question_model: keras.Model, answer_model: keras.Model
    ) -> None:
        """Loads the language models of the first stage.

        Each reader gets the weights of its language model, `question_stack`
        those of the questions' one.

        Args:
            question_model: a `BidirectionalLanguageModel` of questions.
            answer_model: a `BidirectionalLanguageModel` of answers.

        Raises:
            ValueError: if a model has other sizes than this model or, with
                `reader_embeddings="shared"`, other word vectors.
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
        """Loads the jump score of the second stage.

        Args:
            jump_score: a trained layer with the same `offset` and
                `temperature` as that of this model.

        Raises:
            ValueError: if the weights have other names or shapes, or this
                model has no jumps.
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
