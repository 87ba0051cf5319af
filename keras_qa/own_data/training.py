"""The course of a training on one's own data."""

import shutil
import sys
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import asdict
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

import numpy as np

from keras_qa import hosts
from keras_qa.arguments import MOST_SEED
from keras_qa.arguments import check_not_negative
from keras_qa.errors import ExportError
from keras_qa.export.forms import check_packages
from keras_qa.files.whole import file_digest
from keras_qa.own_data.berts import bert_digest
from keras_qa.own_data.berts import bert_source
from keras_qa.own_data.card import CARD
from keras_qa.own_data.card import card
from keras_qa.own_data.card import data_warnings
from keras_qa.own_data.card import report
from keras_qa.own_data.identity import QUESTIONS
from keras_qa.own_data.identity import digests
from keras_qa.own_data.identity import fingerprint
from keras_qa.own_data.identity import folder_of
from keras_qa.own_data.onnx_form import ensure_onnx
from keras_qa.own_data.questions import Parts
from keras_qa.own_data.questions import Source
from keras_qa.own_data.questions import divide
from keras_qa.own_data.questions import mixed
from keras_qa.own_data.questions import read_questions
from keras_qa.own_data.settings import AUTOMATIC
from keras_qa.own_data.settings import DEFAULT_MODEL
from keras_qa.own_data.settings import MINILM
from keras_qa.own_data.settings import POPULARITY
from keras_qa.own_data.settings import TrainSettings
from keras_qa.own_data.settings import has_floors
from keras_qa.own_data.settings import networks_of
from keras_qa.own_data.settings import settings_of
from keras_qa.own_data.vectors import check_files
from keras_qa.own_data.vectors import vector_names
from keras_qa.own_data.vectors import word_matrix
from keras_qa.text.word_pieces import WORD_PIECES
from keras_qa.training.run_folder import METRICS
from keras_qa.training.run_folder import RunFolder

if TYPE_CHECKING:
    from keras_qa.datasets.corpus import Corpus
    from keras_qa.embeddings.bert.network import Bert
    from keras_qa.own_data.floors import Floors
    from keras_qa.ranker import Ranker
    from keras_qa.ranking.comparison import Comparison
    from keras_qa.training.corpus_scorer import CorpusScorer

PROGRESS = "progress.json"
SAVED = "saved_model"
# The network of a sum by itself, which can be indexed.
NETWORK = "network"
# A folder of each network, with the history of its epochs.
TRAINING = "training"


@dataclass(frozen=True)
class Trained:
    """A finished training.

    Attributes:
        folder: the run's folder.
        metrics: the content of its `metrics.json`.
        note: why there is no ONNX form, by which commands start fast; empty
            if there is one, or none was wanted.
    """

    folder: Path
    metrics: dict[str, Any]
    note: str = ""

    @property
    def ranker(self) -> "Ranker":
        """The trained model, which takes text."""
        from keras_qa.ranker import Ranker

        return Ranker.load(self.folder)

    @property
    def table(self) -> str:
        """The model and the floors on dev, and what to make of it."""
        return report(self.metrics)


def train(
    data: Source,
    output: Path | str,
    *,
    dev: Source | None = None,
    model: str = DEFAULT_MODEL,
    vectors: Path | str | Sequence[Path | str] = AUTOMATIC,
    bert: Path | str | None = None,
    recipe: str = "default",
    seed: int = 0,
    table: Mapping[str, Any] | None = None,
    onnx: bool | None = None,
    **settings: Any,
) -> Trained:
    """Trains a ranker on one's own questions, and compares it with floors.

    Some of the questions train, some choose the epoch and the weights of a
    sum, and those of dev are ranked at the end. Of pairs without a wrong
    answer, BM25 finds candidates. Everything is seeded. A killed training is
    resumed by the same call, and a finished one is read.

    Args:
        data: a CSV, TSV, JSON lines or Parquet file of labelled candidates or
            of question-answer pairs, or `Question`s.
        output: folder of the run, which must not exist, unless it is of the
            same call.
        dev: what the figures are of; None takes a part of `data`.
        model: names of `keras_qa.own_data.settings.NETWORKS` and `floors`,
            joined by `+`: a network, the floors, or, as by default, a sum,
            which is one model; or one of `BERTS` alone.
        vectors: `"skipgram"`, trained on the texts; `"minilm"`, of the extra
            `bert`; files of word vectors; several of these; or `"auto"`, the
            first, with the second if it is installed. A model of `BERTS`
            reads none; the floors that it is compared with do.
        bert: what a model of `BERTS` starts from, see
            `keras_qa.embeddings.bert.source.find_bert`; None is `"minilm"`.
        recipe: `"default"` or `"quick"`.
        seed: of all draws.
        table: the arguments of `keras_qa.datasets.tabular.read_tabular`, such
            as `{"encoding": "utf-16"}`.
        onnx: whether the run gets its ONNX form, by which commands start
            without Keras: True requires it; None tries, and `Trained.note`
            says why it failed. A finished run gets it by the same call.
        **settings: what differs from the recipe; see `TrainSettings`.

    Returns:
        The run, with its `table`, and its `ranker`.

    Raises:
        DatasetError: if a file is missing or malformed, or has too few
            questions.
        ExportError: if `onnx` is True, and Keras runs on another backend than
            TensorFlow, or the form cannot be written to the finished run.
        ImportError: if a package is missing that the vectors, the BERT, or
            `onnx`, need.
        RunFolderError: if `output` exists and is not of the same call.
        ValueError: if a name or a setting is unknown or out of range.
        keras_qa.errors.VectorsError: if a file of vectors, or the BERT, is
            missing or malformed, or `bert` is given for a model without one.

    Example:
        >>> run = keras_qa.train("faq.csv", "runs/faq", seed=1)
        >>> print(run.table)
        >>> run.ranker.rank("how do I pay", ["By card.", "On Monday."])
        [(0, 2.1), (1, -0.7)]
    """
    networks_of(model)
    check_not_negative(seed=seed)
    if seed > MOST_SEED:
        raise ValueError(
            f"`seed` must be at most {MOST_SEED:,}. Received: seed={seed!r}"
        )
    chosen = settings_of(recipe, settings, model)
    if onnx:
        check_packages()
    given = [vectors] if isinstance(vectors, Path | str) else vectors or []
    names = vector_names(given)
    source = bert_source(model, bert)
    identity: dict[str, Any] = {
        "command": "train",
        "model": model,
        "recipe": recipe,
        "seed": seed,
        "vectors": [Path(name).name for name in names],
        "settings": asdict(chosen),
        "inputs": {
            "train": fingerprint(data, table),
            "dev": None if dev is None else fingerprint(dev, table),
            "vectors": [file_digest(n) for n in names if Path(n).is_file()],
        },
    }
    if source is not None:
        identity["bert"] = Path(bert or MINILM).name
        identity["inputs"]["bert"] = bert_digest(source)
    folder = folder_of(Path(output), identity)
    if not folder.finished:
        check_files(names)
        parts = divide(
            read_questions(data, table),
            None if dev is None else read_questions(dev, table),
            chosen,
            seed,
        )
        if onnx:
            from keras_qa.export.target import check_tensorflow

            check_tensorflow()
        if hosts.is_first():
            # At the end they come too late.
            for line in data_warnings(parts.described()):
                print(line, file=sys.stderr)
        with folder.claim():
            _run(folder, identity, parts, names, source, chosen)
    metrics, note = folder.read_json(METRICS), ""
    if onnx is not False:
        try:
            ensure_onnx(folder.path)
        except (ExportError, ImportError) as error:
            if onnx:
                raise
            note = str(error)
            if isinstance(error, ImportError):
                note += ", and give the same command again"
    _remove_states(folder)
    return Trained(folder.path, metrics, note)


def _remove_states(folder: RunFolder) -> None:
    """Removes what a finished run could be resumed from, and nothing else."""
    if not hosts.is_first():
        return
    folder.tidy()
    for part in (folder.path / TRAINING).glob("*/"):
        for path in (*part.glob("epoch-*"), part / PROGRESS):
            path.unlink(missing_ok=True)


@dataclass(frozen=True)
class _Texts:
    """The texts of a training, in the forms in which they are read.

    Attributes:
        own: those of the training's questions.
        every: those of dev in addition, all words known.
        words: the same texts, as the floors read them: words that dev alone
            has are unknown, as new words of any text will be.
        read: the same texts, as the model reads them: words, or the pieces of
            its BERT.
        bert: the BERT, if there is one.
    """

    own: "Corpus"
    every: "Corpus"
    words: "Corpus"
    read: "Corpus"
    bert: "Bert | None"


def _run(
    folder: RunFolder,
    identity: Mapping[str, Any],
    parts: Parts,
    names: Sequence[str],
    source: Path | str | None,
    settings: TrainSettings,
) -> None:
    """Trains, measures and writes the files, the metrics last."""
    import keras

    from keras_qa.own_data.floors import evenly
    from keras_qa.own_data.floors import fit_floors
    from keras_qa.own_data.unread import count_unread

    texts = _texts(parts, source, settings)
    matrix, coverage = word_matrix(names, texts.own, settings, identity["seed"])
    # A file of its own: from now on, no other run may take the folder.
    folder.write("vocabulary.txt", texts.read.vocabulary.save)
    floors = fit_floors(
        texts.words,
        texts.words.index(evenly(mixed(parts.fit), settings.floor_questions)),
        matrix,
        settings.bm25_questions,
    )
    scorer, fitted = _fitted(
        folder, identity, texts.read, parts, texts.bert or matrix, floors
    )
    comparison = _compared(identity["model"], scorer, floors, texts, parts)
    _write_rankings(folder, comparison, parts)
    no_saved_model = _export(folder, scorer, parts)
    metrics = {
        **identity,
        "tokenizer": texts.read.tokenizer,
        **parts.described(),
        "vocabulary_size": int(texts.words.vocabulary.known.sum()),
        "coverage": coverage,
        "fitted": {**floors.fitted, **fitted},
        "comparison": comparison.to_json(),
        "table": comparison.lines(),
        "notes": [
            *comparison.notes(),
            *count_unread(scorer.reading, parts.dev).lines(identity["model"]),
            *filter(None, [no_saved_model]),
        ],
        "backend": keras.backend.backend(),
        "saved_model": not no_saved_model,
    }
    text = card(metrics)
    folder.write(CARD, lambda path: path.write_text(text, "utf-8"))
    # A folder with metrics contains a complete run.
    folder.write_json(METRICS, metrics)


def _texts(
    parts: Parts, source: Path | str | None, settings: TrainSettings
) -> _Texts:
    from keras_qa.datasets.corpus import Corpus
    from keras_qa.embeddings.bert.network import Bert
    from keras_qa.embeddings.bert.piece_vocabulary import piece_vocabulary

    # Next to a model of word pieces, floors read as next to all others.
    cut = settings if source is None else TrainSettings()
    reading = partial(
        Corpus,
        tokenizer=settings.tokenizer,
        max_question_length=cut.max_question_length,
        max_answer_length=cut.max_answer_length,
        oov_buckets=settings.oov_buckets,
    )
    taught = parts.fit, parts.held_out
    own = reading(*taught)
    every = reading(*taught, parts.dev)
    words = reading(*taught, parts.dev, vocabulary=own.vocabulary)
    if source is None:
        return _Texts(own, every, words, words, None)
    bert = Bert(source)
    pieces = piece_vocabulary(bert)
    read = reading(
        *(*taught, parts.dev),
        tokenizer=pieces.tokenizer,
        max_question_length=settings.max_question_length,
        max_answer_length=settings.max_answer_length,
        vocabulary=pieces.vocabulary,
    )
    return _Texts(own, every, words, read, bert)


def _fitted(
    folder: RunFolder,
    identity: Mapping[str, Any],
    corpus: "Corpus",
    parts: Parts,
    start: "np.ndarray | Bert",
    floors: "Floors",
) -> tuple["CorpusScorer", dict[str, Any]]:
    """The model with all of its parts fitted, and what was fitted."""
    import keras

    from keras_qa.own_data.floors import fused
    from keras_qa.own_data.networks import fit_network
    from keras_qa.training.corpus_scorer import CorpusScorer

    settings = TrainSettings(**identity["settings"])
    held_out = corpus.index(parts.held_out)
    rankers: dict[str, keras.Model] = {}
    fitted: dict[str, Any] = {}
    for network in networks_of(identity["model"]):
        # A finished run may be read, and exported, on any backend.
        part = RunFolder(
            folder.path / TRAINING / network,
            {**identity, "backend": keras.backend.backend()},
            resume=True,
        )
        with part.claim():
            rankers[network], epochs = fit_network(
                network,
                corpus,
                corpus.index(mixed(parts.fit)),
                held_out,
                start,
                part,
                settings,
                identity["seed"],
            )
        fitted.setdefault("best_epochs", {})[network] = epochs.best_epoch
    if has_floors(identity["model"]):
        rankers |= {
            "bm25": floors.bm25,
            "idf overlap": floors.overlap,
            "features": floors.features,
        }
    model = next(iter(rankers.values()))
    if len(rankers) > 1:
        judged = corpus.index(mixed(parts.held_out))
        model, of_sum = fused(
            list(rankers.values()), corpus, judged, settings.sum_l2
        )
        weights = dict(zip(rankers, of_sum["weights"], strict=True))
        fitted["sum"] = {**of_sum, "weights": weights}
    return CorpusScorer(model, corpus, unread_last=True), fitted


def _compared(
    model: str,
    scorer: "CorpusScorer",
    floors: "Floors",
    texts: _Texts,
    parts: Parts,
) -> "Comparison":
    """The model and the floors on dev."""
    from keras_qa.own_data.floors import popularity_scores
    from keras_qa.ranking.comparison import compare

    scores = floors.scores(
        texts.words, texts.every, texts.words.index(parts.dev)
    )
    popular = popularity_scores([*parts.fit, *parts.held_out], parts.dev)
    if popular is not None:
        scores[POPULARITY] = popular
    # Equal scores are ordered as in `keras-qa evaluate`, whatever the seed.
    return compare(
        parts.dev,
        {model: scorer.rank(texts.read.index(parts.dev)), **scores},
        list(scores),
    )


def _write_rankings(
    folder: RunFolder, comparison: "Comparison", parts: Parts
) -> None:
    """Writes the rankings of dev, and digests of the questions taught."""
    from keras_qa.files.trec_files import write_labels
    from keras_qa.files.trec_files import write_ranking

    found = comparison.evaluation
    known = digests([*parts.fit, *parts.held_out])
    folder.write(QUESTIONS, lambda path: np.save(path, known))
    folder.write("run.trec", lambda p: write_ranking(p, found.run, "train"))
    folder.write("qrels.trec", lambda p: write_labels(p, found.qrels))


def _export(folder: RunFolder, scorer: "CorpusScorer", parts: Parts) -> str:
    """Writes the model as Keras has it, and the SavedModel on TensorFlow.

    Returns:
        A line that says why there is no SavedModel; empty if there is one.
    """
    import keras

    from keras_qa.export.keras_file import export_keras
    from keras_qa.export.keras_folder import save_folder
    from keras_qa.export.saved_model import export_saved_model
    from keras_qa.export.verification import verify_export

    model, reading = scorer.model, scorer.reading
    folder.write("model.keras", lambda path: export_keras(model, path))
    rankers = getattr(model, "rankers", ())
    encoders = [r for r in rankers if hasattr(r, "answer_encoder")]
    if encoders:
        folder.write(
            NETWORK, lambda path: save_folder(encoders[0], reading, path)
        )
    none = f"There is no `{SAVED}`"
    if reading.tokenizer in WORD_PIECES:
        return f"{none}, which could not split word pieces."
    if keras.backend.backend() != "tensorflow":
        return (
            f"{none}: Keras ran on {keras.backend.backend()}. `keras-qa export "
            f"RUN --format {SAVED} --output FOLDER` writes one."
        )
    folder.write(SAVED, lambda path: export_saved_model(model, reading, path))
    question = parts.dev[0]
    answers = [c.text for c in question.candidates]
    asked = [question.text] * len(answers)
    try:
        verify_export(folder.path / SAVED, model, reading, asked, answers)
    except ExportError as error:
        # What was trained is not lost with one of its forms.
        shutil.rmtree(folder.path / SAVED)
        return f"{none}: {error}."
    return ""
