"""A trained model that takes text: the folder of a run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.cli.attention import run_model
from keras_qa.cli.attention import run_reading
from keras_qa.errors import SearchError
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.packing import RaggedTexts
from keras_qa.text.tokenizer import tokenize
from keras_qa.text.vocabulary import Vocabulary

OVERLAP = "overlap.json"


class TrainedRanker:
    """The model of a run, with the reading of text that it was trained with.

    Args:
        folder: the run's folder.
        tokenizer: instead of the one that the run notes.

    Attributes:
        model: the Keras model.
        reading: `tokenizer`, `max_question_length` and `max_answer_length`.

    Raises:
        ValueError: if the folder holds no run, or its model takes more than
            two texts and their overlap.
    """

    def __init__(self, folder: Path, tokenizer: str | None = None):
        self.reading = run_reading(folder, tokenizer)
        self.model = run_model(folder)
        self._vocabulary = Vocabulary.load(folder / "vocabulary.txt")
        self._overlap = None
        if (folder / OVERLAP).is_file():
            self._overlap = OverlapFeatures.load(folder / OVERLAP)
        size = getattr(self.model, "vocabulary_size", len(self._vocabulary))
        if size != len(self._vocabulary):
            raise SearchError(
                f"{folder}: expected the {size} words of the model. "
                f"Received: {len(self._vocabulary)}"
            )
        self._check_inputs(folder)

    def scores(self, question: str, candidates: Sequence[str]) -> np.ndarray:
        """Scores candidates.

        Args:
            question: the question.
            candidates: the texts of the candidates; may be empty.

        Returns:
            float32 `(candidates,)`, higher is better.
        """
        from keras_qa.ranking.scoring import score_pairs

        tokens = [
            self._tokens("question", question),
            *(self._tokens("answer", text) for text in candidates),
        ]
        questions = np.zeros(len(candidates), np.int64)
        answers = np.arange(1, len(tokens))
        features = {}
        if self._overlap is not None and candidates:
            features["overlap"] = self._overlap.pairs(
                tokens, questions, answers
            )
        return score_pairs(
            self.model, self._ragged(tokens), questions, answers, features
        )

    def vectors(self, side: str, texts: Sequence[str]) -> np.ndarray:
        """Encodes texts with the encoder of a side.

        Args:
            side: `"question"` or `"answer"`.
            texts: the texts.

        Returns:
            float32 `(texts, dim)`.
        """
        from keras_qa.ranking.scoring import encode_texts

        return encode_texts(
            self.model,
            side,
            self._ragged([self._tokens(side, text) for text in texts]),
        )

    def _tokens(self, side: str, text: str) -> list[str]:
        tokens = tokenize(text, self.reading["tokenizer"])
        return tokens[: self.reading[f"max_{side}_length"]]

    def _ragged(self, tokens: Sequence[Sequence[str]]) -> RaggedTexts:
        return RaggedTexts.from_sequences(
            [self._vocabulary.encode(text) for text in tokens]
        )

    def _check_inputs(self, folder: Path) -> None:
        inputs: Any = getattr(self.model, "input", None)
        if not isinstance(inputs, dict):
            return
        known = {"question", "answer"}
        if self._overlap is not None:
            known.add("overlap")
        if other := sorted(set(inputs) - known):
            raise SearchError(
                f"{folder}: expected a model of {', '.join(sorted(known))}. "
                f"Received: one that takes {', '.join(other)}, too"
            )
