"""A trained model as files that others can use: `.keras` and SavedModel.

Both hold what scoring needs and nothing of training. A SavedModel takes text
and needs TensorFlow only; a `.keras` file takes ids, needs the classes of the
model, and loads under any backend.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import keras
import numpy as np

from keras_qa.files.whole import write_whole
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.tokenizer import tokenize
from keras_qa.text.tokenizer import well_formed
from keras_qa.text.vocabulary import Vocabulary
from keras_qa.text.vocabulary import pad

SIDES = ("question", "answer")

BATCH_SIZE = 32
"""Pairs that `score_texts` scores at once."""


def export_keras(model: keras.Model, path: str | Path) -> None:
    """Writes a model for inference, without optimizer and loss.

    The file is whole or absent; one that exists is replaced. It loads with
    `keras.models.load_model(path)` once the module that defines the model's
    class is imported.

    Args:
        model: a built model.
        path: file to write; must end in `.keras`.

    Raises:
        IsADirectoryError: if `path` is a folder.
        ValueError: if `path` has another ending.
    """
    path = Path(path)
    if path.suffix != ".keras":
        raise ValueError(f"`path` must end in .keras. Received: path={path}")
    if path.is_dir():
        raise IsADirectoryError(
            f"`path` must not be a folder. Received: path={path}"
        )
    # Keras has no option to leave the optimizer out, so save an uncompiled
    # twin of the model.
    config = keras.saving.serialize_keras_object(model)
    config.pop("compile_config", None)
    twin = keras.saving.deserialize_keras_object(config)
    twin.set_weights(model.get_weights())
    write_whole(path, twin.save)


def export_saved_model(
    model: keras.Model,
    vocabulary: Sequence[str],
    path: str | Path,
    tokenizer: str = "word",
    max_question_length: int | None = None,
    max_answer_length: int | None = None,
    *,
    overlap: OverlapFeatures | None = None,
    overwrite: bool = False,
) -> None:
    """Writes a SavedModel that takes text.

    Tokeniser, vocabulary, weights and what the overlap features count are
    inside; whoever loads it needs TensorFlow (2.15 or later) and nothing
    else. It has two signatures. Strings are UTF-8; bytes that are not become
    U+FFFD.

    `serving_default` scores pairs:

    - `question`: string `(n,)`.
    - `answer`: string `(n,)`.
    - returns `score`: float32 `(n,)`, higher is better.

    `rank` orders the candidates of one question:

    - `question`: string, a scalar.
    - `candidates`: string `(n,)`; `n` may be 0.
    - returns `scores`: float32 `(n,)` in the order of the candidates, and
      `order`: int32 `(n,)`, the positions of the candidates from best to
      worst, of equal ones the first first.

    Both take any number of texts of any length: inside, texts of like length
    are scored together, some 65,000 tokens at a time.

    Args:
        model: takes `{"question", "answer"}` ids, and `"overlap"` features
            `(n, 4)` if it wants them, and returns `(n, 1)` scores.
        vocabulary: the words by their ids, as `Vocabulary.words`.
        path: folder to write. It is whole or absent.
        tokenizer: the one used in training, see `tokenizer.TOKENIZERS`. A
            model trained on tokenised text ("whitespace") splits what users
            type on blanks only: to it `it.` is another word than `it`.
        max_question_length: questions are cut to so many tokens, as they were
            in training; `None` keeps them whole.
        max_answer_length: the same for answers.
        overlap: the features of training, if the model has that input. They
            are computed from the tokens that the model reads.
        overwrite: whether a SavedModel that is there may be replaced.

    Raises:
        FileExistsError: if there is something at `path` and `overwrite` is
            false, or it is not a SavedModel.
        ValueError: if Keras runs on another backend than TensorFlow, the
            vocabulary is not that of the model, the model takes more than
            words can give, `overlap` is not what it takes, or an argument is
            out of range.

    Example:
        >>> export_saved_model(model, vocabulary.words, "saved_model")
        >>> loaded = tf.saved_model.load("saved_model")
        >>> loaded.signatures["serving_default"](
        ...     question=tf.constant(["who wrote moby dick"]),
        ...     answer=tf.constant(["Herman Melville wrote it."]),
        ... )["score"]
    """
    path = Path(path)
    if keras.backend.backend() != "tensorflow":
        raise ValueError(
            "A SavedModel can be written with the TensorFlow backend only. "
            "Write the model with `export_keras`, set "
            "KERAS_BACKEND=tensorflow, load the file in a new process and "
            "export it there. Received: keras.backend.backend()="
            f"{keras.backend.backend()!r}"
        )
    if path.exists() and not overwrite:
        raise FileExistsError(
            f"`path` must not exist, unless `overwrite=True`. "
            f"Received: path={path}"
        )
    if path.exists() and not (path / "saved_model.pb").is_file():
        raise FileExistsError(
            f"`path` must be a SavedModel, to be overwritten. "
            f"Received: path={path}"
        )
    _check_takes_words(model)
    size = getattr(model, "vocabulary_size", len(vocabulary))
    if size != len(vocabulary):
        raise ValueError(
            f"`vocabulary` must have the {size} words of the model. "
            f"Received: {len(vocabulary)} words"
        )
    max_length, width = _lengths(model, max_question_length, max_answer_length)
    _check_overlap(model, overlap)
    import tensorflow as tf

    from keras_qa.export.overlap_graph import OverlapInGraph
    from keras_qa.export.text_graph import TextEncoder
    from keras_qa.export.text_graph import text_signatures
    from keras_qa.export.tracing import for_any_machine

    encoder = TextEncoder(vocabulary, tokenizer)
    features = None if overlap is None else OverlapInGraph(overlap)
    functions = text_signatures(model, encoder, max_length, width, features)
    with for_any_machine(model):
        signatures = {
            name: function.get_concrete_function()
            for name, function in functions.items()
        }
    # A plain module, with what the signatures use, keeps out everything else
    # that hangs on a Keras model: its layers' own functions, its optimizer.
    module = tf.Module()
    module.encoder = encoder
    module.features = features
    module.weights = [f.variables for f in signatures.values()]
    write_whole(
        path,
        lambda scratch: tf.saved_model.save(
            module, str(scratch), signatures=signatures
        ),
    )


class TextScorer:
    """A SavedModel written by `export_saved_model`, with Python arguments.

    Args:
        path: folder of the SavedModel.

    Raises:
        OSError: if there is no SavedModel at `path`.
    """

    def __init__(self, path: str | Path):
        try:
            import tensorflow as tf
        except ImportError as error:
            raise ImportError(
                "Loading a SavedModel requires TensorFlow: "
                "pip install tensorflow"
            ) from error
        self._strings = lambda texts: tf.constant(texts, tf.string)
        # The signatures do not keep alive the weights that they use.
        self._loaded = tf.saved_model.load(str(path))

    def score(
        self, questions: Sequence[str], answers: Sequence[str]
    ) -> np.ndarray:
        """Scores pairs of texts.

        Args:
            questions: `n` texts.
            answers: `n` texts, each beside its question.

        Returns:
            float32 array of shape `(n,)`, higher is better.

        Raises:
            ValueError: if there are not as many questions as answers.
        """
        _check_pairs(questions, answers)
        scored = self._loaded.signatures["serving_default"](
            question=self._strings(_utf8(questions)),
            answer=self._strings(_utf8(answers)),
        )
        return scored["score"].numpy()

    def rank(
        self, question: str, candidates: Sequence[str]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Scores and orders the candidates of one question.

        Args:
            question: the question.
            candidates: `n` texts; there may be none.

        Returns:
            Scores, float32 `(n,)`, in the order of the candidates; and the
            positions of the candidates from best to worst, int32 `(n,)`, of
            equal ones the first first.
        """
        (question_bytes,) = _utf8([question])
        ranked = self._loaded.signatures["rank"](
            question=self._strings(question_bytes),
            candidates=self._strings(_utf8(candidates)),
        )
        return ranked["scores"].numpy(), ranked["order"].numpy()


def load_saved_model(path: str | Path) -> TextScorer:
    """Loads what `export_saved_model` wrote.

    Args:
        path: folder of the SavedModel.

    Returns:
        An object with the methods `score(questions, answers)` and
        `rank(question, candidates)`.
    """
    return TextScorer(path)


def score_texts(
    model: keras.Model,
    vocabulary: Sequence[str],
    questions: Sequence[str],
    answers: Sequence[str],
    tokenizer: str = "word",
    max_question_length: int | None = None,
    max_answer_length: int | None = None,
    *,
    overlap: OverlapFeatures | None = None,
) -> np.ndarray:
    """Scores texts with a model in memory and the tokeniser of training.

    Args:
        model: takes `{"question", "answer"}` ids, and `"overlap"` features
            `(n, 4)` if it wants them, and returns `(n, 1)` scores.
        vocabulary: the words by their ids, as `Vocabulary.words`.
        questions: `n` texts.
        answers: `n` texts, each beside its question.
        tokenizer: see `tokenizer.TOKENIZERS`.
        max_question_length: questions are cut to so many tokens.
        max_answer_length: answers are cut to so many tokens.
        overlap: the features of training, if the model has that input.

    Returns:
        float32 array of shape `(n,)`.

    Raises:
        ValueError: if there are not as many questions as answers, or
            `overlap` is not what the model takes.
    """
    _check_pairs(questions, answers)
    known = Vocabulary(vocabulary[2:])
    max_length, width = _lengths(model, max_question_length, max_answer_length)
    _check_overlap(model, overlap)
    sides = {
        side: [tokenize(text, tokenizer)[: max_length[side]] for text in texts]
        for side, texts in (("question", questions), ("answer", answers))
    }
    every = np.arange(len(questions))
    features = (
        None
        if overlap is None
        else overlap.pairs(
            sides["question"] + sides["answer"], every, every + len(every)
        )
    )
    scores = np.empty(len(questions), dtype=np.float32)
    # Longest first, such that few texts share the padding of a long one.
    order = np.argsort(
        [-len(tokens) for tokens in sides["answer"]], kind="stable"
    )
    for rows in np.split(order, range(BATCH_SIZE, len(order), BATCH_SIZE)):
        inputs = {
            side: _widened(
                pad([known.encode(s[row]) for row in rows]), width[side]
            )
            for side, s in sides.items()
        }
        if features is not None:
            inputs["overlap"] = features[rows]
        batch = model(inputs, training=False)
        scores[rows] = keras.ops.convert_to_numpy(batch).reshape(-1)
    return scores


def verify_export(
    path: str | Path,
    model: keras.Model,
    vocabulary: Sequence[str],
    questions: Sequence[str],
    answers: Sequence[str],
    *,
    tolerance: float = 1e-5,
    **reading: Any,
) -> float:
    """Loads a SavedModel and compares its scores with the model in memory.

    Pairs are compared as `serving_default` scores them, and all the answers
    to the first question as `rank` does.

    Args:
        path: folder of the SavedModel.
        model: the model that was exported.
        vocabulary: the words by their ids, as `Vocabulary.words`.
        questions: at least one text.
        answers: as many texts, each beside its question.
        tolerance: largest difference allowed between two scores, absolute for
            scores of up to 1 and relative to the score beyond.
        **reading: `tokenizer`, `max_question_length`, `max_answer_length` and
            `overlap`, as they were given to `export_saved_model`.

    Returns:
        The largest difference found, in the same measure.

    Raises:
        ValueError: if a difference exceeds the tolerance.
    """
    scorer = load_saved_model(path)
    largest = 0.0
    for signature, asked, scores in (
        ("serving_default", questions, scorer.score(questions, answers)),
        (
            "rank",
            [questions[0]] * len(answers),
            scorer.rank(questions[0], answers)[0],
        ),
    ):
        expected = score_texts(model, vocabulary, asked, answers, **reading)
        difference = np.abs(scores - expected)
        difference /= np.maximum(1, np.abs(expected))
        worst = int(np.argmax(difference))
        # Written so that NaN fails.
        if not difference[worst] <= tolerance:
            raise ValueError(
                f"{path}: expected the scores of the model in memory, to "
                f"{tolerance}. Received: {scores[worst]} instead of "
                f"{expected[worst]} from {signature!r} for the question "
                f"{asked[worst]!r} and answer {worst}"
            )
        largest = max(largest, float(difference[worst]))
    return largest


def _lengths(
    model: keras.Model,
    max_question_length: int | None,
    max_answer_length: int | None,
) -> tuple[dict[str, int | None], dict[str, int | None]]:
    """What texts are cut to and what they are padded to, by side.

    The latter is the one length that a model takes, `None` if it takes any.
    """
    max_length = {"question": max_question_length, "answer": max_answer_length}
    inputs = getattr(model, "input", None)  # a functional model's
    width = {}
    for side, length in max_length.items():
        argument = f"max_{side}_length"
        if length is not None and length < 1:
            raise ValueError(
                f"`{argument}` must be at least 1. "
                f"Received: {argument}={length}"
            )
        taken = inputs[side].shape[1] if isinstance(inputs, dict) else None
        if taken and length and length > taken:
            raise ValueError(
                f"`{argument}` must not exceed the {taken} tokens that the "
                f"model takes. Received: {argument}={length}"
            )
        width[side] = taken
        max_length[side] = length or taken
    return max_length, width


def _check_takes_words(model: keras.Model) -> None:
    taken = getattr(model, "input", None)  # a functional model's
    if taken is None:
        return
    inputs = taken
    if not isinstance(taken, dict):
        inputs = {x.name: x for x in model.inputs}
    named = {*inputs} - {"overlap"} == {"question", "answer"}
    if not named or any(len(inputs[s].shape) != 2 for s in SIDES):
        raise ValueError(
            "`model` must take word ids of a question and of an answer, and "
            "nothing else but features of overlap, to be given texts. "
            f"Received: a model that takes {inputs}"
        )


def _check_overlap(model: keras.Model, overlap: OverlapFeatures | None) -> None:
    inputs = getattr(model, "input", None)
    wanted = inputs.get("overlap") if isinstance(inputs, dict) else None
    if overlap is None:
        if wanted is not None:
            raise ValueError(
                "`overlap` must be given for a model with an input "
                '"overlap". Received: overlap=None'
            )
    elif wanted is None:
        raise ValueError(
            "`overlap` must be None for a model without an input "
            f'"overlap". Received: overlap={overlap}'
        )
    elif wanted.shape[1] != len(overlap.names):
        raise ValueError(
            "`model` must take the features of `overlap` as its input "
            f'"overlap", {len(overlap.names)} columns. '
            f"Received: an input of shape {wanted.shape}"
        )


def _widened(ids: np.ndarray, width: int | None) -> np.ndarray:
    missing = width - ids.shape[1] if width else 0
    return np.pad(ids, [(0, 0), (0, missing)])


def _utf8(texts: Sequence[str]) -> list[bytes]:
    """Texts as UTF-8, which cannot hold surrogates."""
    return [well_formed(text).encode("utf-8") for text in texts]


def _check_pairs(questions: Sequence[str], answers: Sequence[str]) -> None:
    if len(questions) != len(answers):
        raise ValueError(
            "`questions` and `answers` must be equally many. "
            f"Received: {len(questions)} questions, {len(answers)} answers"
        )
