"""Paragraph vectors (PV), whose cosine scores a pair of texts."""

import zlib
from collections.abc import Iterable
from collections.abc import Sequence

import numpy as np
from gensim.models.doc2vec import Doc2Vec
from gensim.models.doc2vec import TaggedDocument
from gensim.models.doc2vec import train_document_dbow
from gensim.models.doc2vec import train_document_dm
from gensim.models.keyedvectors import pseudorandom_weak_vector

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_equally_many
from keras_qa.arguments import check_positive
from keras_qa.errors import RankerError
from keras_qa.ranking.floors import cosine_scores
from keras_qa.text.reading import check_texts
from keras_qa.text.tokenizer import TOKENIZERS
from keras_qa.text.tokenizer import tokenize

ARCHITECTURES = ("dm", "dbow")


class ParagraphVectors:
    """Scores a pair by the cosine of the paragraph vectors of its texts.

    A text's vector is trained to predict each of its words, together with the
    mean vector of the words around it (`"dm"`, distributed memory) or alone
    (`"dbow"`, distributed bag of words); those of several architectures are
    concatenated. Vectors of words come from `fit`; the vector of a text that
    is scored is inferred, with all else fixed (gensim's Doc2Vec).

    It has `scores` of texts, as `keras_qa.Ranker`, so that `Stacker` takes it,
    but is no Keras model: inference is a training. It is deterministic, in all
    processes of a machine: each text starts from numbers that itself and the
    seed decide. It is not saved, as gensim's files are pickles: fit it anew.

    Args:
        vector_size: size of the vectors of each architecture.
        window: largest distance of a word that predicts and the predicted one,
            on both sides; the paper's words are the seven before.
        architectures: some of `ARCHITECTURES`. The paper's experiments take
            both, with words concatenated where here is their mean, which its
            section 2.1 allows.
        negative: number of noise words per word; 0 takes a hierarchical
            softmax, as the paper does.
        min_count: smallest number of occurrences of a word that is read.
        epochs: number of passes over the texts, and over each inferred one.
        tokenizer: name of the tokenizer.
        seed: of all draws.

    Raises:
        ValueError: if an argument is out of range.

    Example:
        >>> texts = ["Who wrote Emma?", "Jane Austen wrote Emma."]
        >>> vectors = ParagraphVectors(vector_size=8).fit(texts)
        >>> vectors.scores("Who wrote Emma?", ["Who wrote Emma?", "In 1815."])
        [1., 0.]

    Reference: Le and Mikolov, 2014, "Distributed Representations of Sentences
    and Documents", sections 2.2 and 2.3. Yang et al. (2015), "WikiQA", rank by
    the cosine.
    """

    def __init__(
        self,
        vector_size: int = 400,
        window: int = 8,
        architectures: Sequence[str] = ARCHITECTURES,
        *,
        negative: int = 0,
        min_count: int = 2,
        epochs: int = 20,
        tokenizer: str = "word",
        seed: int = 0,
    ):
        check_positive(
            vector_size=vector_size,
            window=window,
            min_count=min_count,
            epochs=epochs,
        )
        for name in architectures:
            check_choice("architectures", name, ARCHITECTURES)
        if not architectures:
            raise ValueError(
                "`architectures` must name at least one. "
                f"Received: architectures={architectures!r}"
            )
        check_choice("tokenizer", tokenizer, TOKENIZERS)
        if negative < 0:
            raise ValueError(
                f"`negative` must be at least 0. Received: negative={negative}"
            )
        self.vector_size = vector_size
        self.window = window
        self.architectures = tuple(architectures)
        self.negative = negative
        self.min_count = min_count
        self.epochs = epochs
        self.tokenizer = tokenizer
        self.seed = seed
        self._models: list[Doc2Vec] = []

    def fit(self, texts: Iterable[str]) -> "ParagraphVectors":
        """Trains the vectors of words.

        Args:
            texts: those of the training data, questions and answers.

        Returns:
            The object itself.

        Raises:
            RankerError: if `texts` is a single text.
            ValueError: if no word is frequent enough.
        """
        check_texts("texts", texts)
        documents = [
            TaggedDocument(tokenize(text, self.tokenizer), [i])
            for i, text in enumerate(texts)
        ]
        self._models = []
        for name in self.architectures:
            model = Doc2Vec(
                dm=int(name == "dm"),
                dm_mean=1,
                vector_size=self.vector_size,
                window=self.window,
                shrink_windows=False,
                sample=0,
                hs=int(not self.negative),
                negative=self.negative,
                min_count=self.min_count,
                epochs=self.epochs,
                seed=self.seed,
                workers=1,
            )
            model.build_vocab(documents)
            if not len(model.wv):
                raise ValueError(
                    "`texts` must have words that occur at least "
                    f"min_count={self.min_count} times. "
                    f"Received: {len(documents)} texts without"
                )
            model.train(
                documents,
                total_examples=model.corpus_count,
                epochs=model.epochs,
            )
            self._models.append(model)
        return self

    def vectors(self, texts: Sequence[str]) -> np.ndarray:
        """Infers the vectors of texts.

        Args:
            texts: `n` texts.

        Returns:
            float32 `(n, architectures * vector_size)`; 0 for a text without a
            word that was fitted.

        Raises:
            RankerError: if `texts` is a single text.
            RuntimeError: if `fit` was not called.
        """
        check_texts("texts", texts)
        if not self._models:
            raise RuntimeError("Call `fit` before vectors are inferred")
        found = [
            [self._infer(model, text) for model in self._models]
            for text in texts
        ]
        width = len(self._models) * self.vector_size
        return np.array(found, np.float32).reshape(len(texts), width)

    def scores(
        self, questions: str | Sequence[str], answers: Sequence[str]
    ) -> np.ndarray:
        """Scores pairs of a question and an answer.

        Args:
            questions: one question for all answers, or one for each answer.
            answers: `n` texts; `n` may be 0.

        Returns:
            float32 `(n,)`, from -1 to 1; 0 where a text has no vector.

        Raises:
            RankerError: if the numbers of questions and answers differ, or
                `answers` is a single text.
            RuntimeError: if `fit` was not called.
        """
        check_texts("answers", answers)
        if isinstance(questions, str):
            questions = [questions] * len(answers)
        check_equally_many(RankerError, questions=questions, answers=answers)
        texts = list(dict.fromkeys([*questions, *answers]))
        vectors = self.vectors(texts)
        row = {text: i for i, text in enumerate(texts)}
        sides = (
            vectors[[row[text] for text in side]]
            for side in (questions, answers)
        )
        return cosine_scores(*sides)

    def _infer(self, model: Doc2Vec, text: str) -> np.ndarray:
        """The vector of a text, by the steps of `Doc2Vec.infer_vector`.

        That one draws the first vector by Python's `hash`, which differs
        between processes, and all draws go on from those of the texts before.
        """
        words = [w for w in tokenize(text, self.tokenizer) if w in model.wv]
        if not words:
            return np.zeros(self.vector_size, np.float32)
        model.random.seed(self.seed)
        vector = pseudorandom_weak_vector(
            self.vector_size,
            f"{self.seed} {' '.join(words)}",
            lambda start: zlib.crc32(start.encode()),
        ).reshape(1, -1)
        fixed = {
            "learn_words": False,
            "learn_hidden": False,
            "doctag_vectors": vector,
            "doctags_lockf": np.ones(1, np.float32),
        }
        memory = [np.zeros(model.layer1_size, np.float32) for _ in range(2)]
        for rate in np.linspace(model.alpha, model.min_alpha, self.epochs):
            if model.sg:
                train_document_dbow(model, words, [0], rate, memory[0], **fixed)
            else:
                train_document_dm(model, words, [0], rate, *memory, **fixed)
        return vector[0]
