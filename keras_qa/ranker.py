"""Rankers: trained models that take text, loaded from any exported form."""

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any
from typing import Protocol

import numpy as np

from keras_qa.arguments import check_choice
from keras_qa.errors import ExportError
from keras_qa.errors import RankerError
from keras_qa.export.forms import FORMATS
from keras_qa.export.forms import check_contained
from keras_qa.export.forms import check_form
from keras_qa.export.forms import export_form
from keras_qa.export.keras_file import load_model
from keras_qa.export.keras_folder import folder_reading
from keras_qa.export.keras_folder import save_folder
from keras_qa.export.onnx_model import ENCODER_FILE
from keras_qa.export.onnx_model import OnnxModel
from keras_qa.export.onnx_model import find_beside
from keras_qa.export.target import MODEL
from keras_qa.export.target import ONNX
from keras_qa.export.target import SAVED_MODEL
from keras_qa.files.checks import fits
from keras_qa.files.checks import read_json
from keras_qa.files.whole import file_digest
from keras_qa.ranking.ties import best_first
from keras_qa.text.reading import READING
from keras_qa.text.reading import TextReading
from keras_qa.text.reading import check_texts
from keras_qa.text.report import TextReport
from keras_qa.text.sides import SIDES

if TYPE_CHECKING:
    import keras

    from keras_qa.export.saved_model import SavedModel


class TextScorer(Protocol):
    """Whatever scores texts: `Ranker`, `ParagraphVectors`, `Stacker`."""

    def scores(
        self, questions: str | Sequence[str], answers: Sequence[str]
    ) -> np.ndarray:
        """Scores pairs, as `keras_qa.Ranker.scores`."""


class Ranker:
    """A trained model and the way it reads text.

    The first unknown word and the first empty text give a `TextWarning` each;
    `report` counts all of them. A ranker of an ONNX folder, or of a folder to
    which `add_onnx` added one, scores with onnxruntime and imports no Keras.

    Args:
        model: a model from a dict of `"question"` and `"answer"` ids, with
            `"overlap"` features if the model takes them, to scores `(n, 1)`,
            higher is better.
        reading: how the model read text in training.

    Attributes:
        reading: how the model reads text, with the lengths of its inputs.
        report: counts of unknown words and empty texts.

    Raises:
        RankerError: if `reading` does not give the inputs of the model.

    Example:
        >>> ranker = Ranker.load("runs/faq")
        >>> ranker.rank("who wrote emma", ["Jane Austen.", "In 1815."], top=1)
        [(0, 2.4)]
    """

    def __init__(self, model: Any, reading: TextReading):
        self.report = TextReport()
        self._file: Path | None = None
        self._model = self._scorer = model
        self._encoder: OnnxModel | None = None
        self._saved: SavedModel | None = None
        self.reading = replace(reading.for_model(model), report=self.report)

    @classmethod
    def load(
        cls,
        path: str | Path,
        tokenizer: str | None = None,
        readable: str | None = None,
    ) -> "Ranker":
        """Loads a model in any form that takes text.

        Args:
            path: the output folder of a run, a folder that `save` wrote, a
                SavedModel (needs TensorFlow) or an ONNX folder (needs
                onnxruntime).
            tokenizer: replaces the tokenizer that the folder names. It must
                be None for a SavedModel, which contains its tokenizer.
            readable: replaces what the folder says, or the default, about
                which answers have a score; see `TextReading`. It must be None
                for a SavedModel and an ONNX folder, whose graphs contain it.

        Raises:
            DatasetError: if the vocabulary or word count file is malformed.
            ImportError: if the package that the form needs is not installed.
            ModelFileError: if a Keras model cannot be loaded.
            RankerError: if `path` has none of these forms, the model takes
                anything but texts, or a graph contains what an argument
                should replace.
        """
        path = Path(path)
        check_form(path)
        if (path / SAVED_MODEL).is_file():
            check_contained(path, "a SavedModel", tokenizer=tokenizer)
            check_contained(path, "a SavedModel", readable=readable)
            return cls._of_saved_model(path)
        if (path / ONNX).is_file():
            check_contained(path, "an ONNX folder", readable=readable)
            return cls._of_onnx(path, tokenizer)
        reading = folder_reading(path, tokenizer)
        if readable is None:
            return cls._of_keras(path / MODEL, reading)
        # An ONNX form next to the model contains what is replaced.
        reading = replace(reading, readable=readable)
        return cls._of_file(path / MODEL, load_model(path / MODEL), reading)

    @classmethod
    def _of_keras(cls, file: Path, reading: TextReading) -> "Ranker":
        """A ranker by the ONNX forms next to a Keras model, or by this."""
        beside = find_beside(file)
        scoring, encoding = map(beside.get, (ONNX, ENCODER_FILE))
        if scoring is not None:
            ranker = cls._of_file(file, OnnxModel(scoring), reading)
            ranker._model = None
        elif encoding is not None:
            ranker = cls._without_model(file, reading)
        else:
            return cls._of_file(file, load_model(file), reading)
        if encoding is not None:
            ranker._encoder = OnnxModel(encoding)
        return ranker

    @classmethod
    def _of_saved_model(cls, path: Path) -> "Ranker":
        from keras_qa.export.saved_model import EXTRA
        from keras_qa.export.saved_model import VARIABLES
        from keras_qa.export.saved_model import SavedModel

        saved = SavedModel(path)
        reading = TextReading.load(path / EXTRA)
        ranker = cls._without_model(path / VARIABLES, reading)
        ranker._saved = saved
        return ranker

    @classmethod
    def _of_onnx(cls, path: Path, tokenizer: str | None) -> "Ranker":
        noted = read_json(path / READING, dict[str, Any], RankerError)
        if "tokenizer" not in noted:
            raise RankerError(
                f"{path}: expected a model of word ids. Received: one that "
                "reads vectors of words"
            )
        reading = TextReading.load(path, tokenizer)
        ranker = cls._of_file(path / ONNX, OnnxModel(path / ONNX), reading)
        ranker._model = None
        return ranker

    @classmethod
    def _without_model(cls, file: Path, reading: TextReading) -> "Ranker":
        ranker = cls.__new__(cls)
        ranker.report = TextReport()
        ranker._file = file
        ranker._model = ranker._scorer = ranker._encoder = ranker._saved = None
        ranker.reading = replace(reading, report=ranker.report)
        return ranker

    @classmethod
    def _of_file(cls, file: Path, model: Any, reading: TextReading) -> "Ranker":
        try:
            ranker = cls(model, reading)
        except RankerError as error:
            raise RankerError(f"{file.parent}: {error}") from error
        ranker._file = file
        return ranker

    @property
    def model(self) -> "keras.Model":
        """The Keras model.

        At the first use, that of a SavedModel is rebuilt, and that of a folder
        which ranks by ONNX is loaded.

        Raises:
            ModelFileError: if the model cannot be rebuilt or loaded.
            RankerError: if there is no Keras model, as in an ONNX folder.
        """
        if self._model is None and self._saved is not None:
            self._model = self._saved.load_keras_model()
        if self._model is None and self.keras_file is not None:
            self._model = load_model(self.keras_file)
        if self._model is None:
            folder = None if self._file is None else self._file.parent
            raise RankerError(
                f"{folder}: expected a form that contains the Keras model: a "
                "run's folder, a folder of `Ranker.save` or a SavedModel. "
                "Received: an ONNX folder, which ranks only"
            )
        return self._model

    @property
    def keras_file(self) -> Path | None:
        """The file of the Keras model; None if it was loaded otherwise."""
        named = self._file is not None and self._file.name == MODEL
        return self._file if named else None

    def weights_digest(self) -> str:
        """Returns the SHA-256, in hexadecimal, of the file with the weights.

        Raises:
            RankerError: if the ranker was made from a model in memory.
        """
        if self._file is None:
            raise RankerError(
                "Expected a ranker that was loaded. Received: one of a model "
                "in memory"
            )
        return file_digest(self._file)

    def rank(
        self, question: str, answers: Sequence[str], top: int | None = None
    ) -> list[tuple[int, float]]:
        """Orders answers to a question.

        Args:
            question: the question.
            answers: the texts of the answers; may be empty.
            top: the most answers to return; None returns all.

        Returns:
            Pairs of a position in `answers` and its score, best first;
            `keras_qa.ranking.ties.best_first` orders equal scores.

        Raises:
            RankerError: if `top` is less than 1.
        """
        return rank_by(self, question, answers, top)

    def scores(
        self, questions: str | Sequence[str], answers: Sequence[str]
    ) -> np.ndarray:
        """Scores pairs of a question and an answer.

        Args:
            questions: one question for all answers, or one for each answer.
            answers: `n` texts; `n` may be 0.

        Returns:
            float32 `(n,)`, higher is better; `UNREAD_SCORE` of
            `keras_qa.text.readable` for answers that are not readable by
            `TextReading.readable`, lower than all others.

        Raises:
            RankerError: if the numbers of questions and answers differ,
                `answers` is a single text, or an item is no string; or if a
                score is not finite, as of a model whose training diverged.
        """
        check_texts("answers", answers)
        if not isinstance(questions, str):
            check_texts("questions", questions)
        scores = self._scores(questions, answers)
        if not np.isfinite(scores).all():
            raise RankerError(
                "Expected a model with finite scores: its training may have "
                f"diverged, or its weights be broken. Received: {scores}"
            )
        return scores

    def _scores(
        self, questions: str | Sequence[str], answers: Sequence[str]
    ) -> np.ndarray:
        if self._saved is not None:
            scores = self._saved.scores(questions, answers)
            # For `report`: the graph reads the texts by itself.
            asked = [questions] if isinstance(questions, str) else questions
            self.reading.texts("question", asked)
            self.reading.texts("answer", answers)
            return scores
        if isinstance(questions, str):
            questions = [questions] * len(answers)
        read = self.reading.pairs(questions, answers)
        texts, question, answer, features = read
        # Of equal pairs one is scored: another row of a batch may be rounded
        # differently.
        numbers: dict[tuple[str, str], int] = {}
        number = [
            numbers.setdefault(pair, len(numbers))
            for pair in zip(questions, answers, strict=True)
        ]
        _, once = np.unique(number, return_index=True)
        features = {name: rows[once] for name, rows in features.items()}
        read = texts, question[once], answer[once], features
        if self.engine == "onnxruntime":
            from keras_qa.ranking.padded import score_padded

            scores = score_padded(self._scorer, *read)
        else:
            from keras_qa.ranking.scoring import score_pairs

            scores = score_pairs(self.model, *read)
        scores = scores[np.array(number, np.int64)]
        return self.reading.unread_last(scores, texts, answer)

    def __repr__(self) -> str:
        words = len(self.reading.vocabulary)
        model = self._model
        name = "" if model is None else f" of {type(model).__name__}"
        return f"<Ranker{name} by {self.engine}, {words:,} words>"

    @property
    def engine(self) -> str:
        """What scores: `"onnxruntime"`, `"tensorflow"` or `"keras"`."""
        if isinstance(self._scorer, OnnxModel):
            return "onnxruntime"
        return "keras" if self._saved is None else "tensorflow"

    def encode(self, texts: Sequence[str], side: str = "answer") -> np.ndarray:
        """Encodes each text by itself.

        Args:
            texts: `n` texts; `n` may be 0.
            side: `"question"` or `"answer"`.

        Returns:
            float32 `(n, dim)`.

        Raises:
            RankerError: if the model does not encode a text of that side as
                one vector, there is no Keras model, `side` is unknown, or
                `texts` is a single text.
        """
        check_choice("side", side, SIDES, error=RankerError)
        check_texts("texts", texts)
        if side == "question" and self._encoder is not None:
            return self._encoder.encode(self.reading.texts(side, texts))
        model = self.model
        shape = getattr(
            getattr(model, f"{side}_encoder", None), "output_shape", None
        )
        if not fits(list(shape or ()), tuple[int | None, int]):
            raise RankerError(
                f"The model must give each {side} one vector to be encoded, "
                "as HyperQA, CosineQA and QA-LSTM do; others score pairs. Of a "
                "run of `keras-qa train` with one network, load its folder "
                "`network`. "
                f"Received: {type(model).__name__}"
            )
        from keras_qa.ranking.scoring import encode_texts

        return encode_texts(model, side, self.reading.texts(side, texts))

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Writes the Keras model and the reading to a folder for `load`.

        Args:
            path: folder to write; after an error there is no partial folder.
                `keras_qa.files.whole.refuse_existing` checks before training
                that it does not exist.
            overwrite: whether a folder that `save` wrote may be replaced.

        Raises:
            FileExistsError: if `path` exists and `overwrite` is false, or it
                has something else in it.
            RankerError: if there is no Keras model.
        """
        save_folder(self.model, self.reading, Path(path), overwrite=overwrite)

    def export(
        self,
        path: str | Path,
        format: str,
        *,
        pairs: int = 1,
        name: str = "ranker",
        overwrite: bool = False,
    ) -> None:
        """Writes the model for other programs.

        Args:
            path: the file ending in `.keras`, or the folder of another form.
            format: `"keras"`, the Keras model alone; `"saved_model"`, which
                takes text, for TensorFlow; `"onnx"`, which takes ids, for
                onnxruntime; `"tflite"`, which takes ids, for TensorFlow Lite;
                `"tf_serving"`, a SavedModel, for TensorFlow Serving; or
                `"triton"`, ONNX, for NVIDIA Triton.
            pairs: the number of pairs that TensorFlow Lite scores at once.
            name: the model's name in requests to a model server.
            overwrite: whether an existing export may be replaced.

        Raises:
            ExportError: if the model cannot be written in that form, or
                `format`, `pairs` or `name` is out of range.
            FileExistsError: if `path` exists and `overwrite` is false, or it
                is no export of this form alone.
            ImportError: if the package that the form needs is not installed.
            RankerError: if there is no Keras model, or the reading is unknown.
        """
        check_choice("format", format, FORMATS, error=ExportError)
        export_form(
            self.model,
            self.reading,
            Path(path),
            format,
            pairs=pairs,
            name=name,
            overwrite=overwrite,
        )


def rank_by(
    scorer: TextScorer,
    question: str,
    answers: Sequence[str],
    top: int | None = None,
) -> list[tuple[int, float]]:
    """Orders answers to a question by their scores, as `Ranker.rank`.

    Args:
        scorer: scores the answers.
        question: the question.
        answers: the texts of the answers; may be empty.
        top: the most answers to return; None returns all.

    Returns:
        Pairs of a position in `answers` and its score, best first.

    Raises:
        RankerError: if `top` is no positive integer, or `question` no text.
    """
    if top is not None and not (isinstance(top, Integral) and top > 0):
        raise RankerError(
            f"`top` must be a positive integer. Received: top={top!r}"
        )
    if not isinstance(question, str):
        raise RankerError(
            f"`question` must be a text. Received: question={question!r}"
        )
    check_texts("answers", answers)
    scores = scorer.scores(question, list(answers))
    return [(int(i), float(scores[i])) for i in best_first(scores, top)]
