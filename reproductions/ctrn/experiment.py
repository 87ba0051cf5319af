"""CTRN (Tay et al., AAAI 2018): tables 4 to 6, with QRNN and other baselines.

    python -m reproductions.ctrn --model ctrn --dataset trecqa-raw \
        --data-dir DIR --embeddings FILE --seed 1 --split test

CTRN, QRNN, LSTM and CNN are trained pointwise, AP-BiLSTM and AP-CNN (dos Santos
et al., 2016) pairwise. `--model overlap` is a logistic regression on the four
features of word overlap alone; it, `--model bm25` and `--model cosine`
(untrained) are simple baselines to compare with. A run of CTRN on TrecQA's
TRAIN takes some minutes on 2 cores.
"""

from argparse import Namespace
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from typing import Any

import numpy as np

import keras_qa
from keras_qa.datasets.dataset import Question
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.sides import SIDES
from reproductions.ctrn.settings import DATASETS
from reproductions.ctrn.settings import MODELS
from reproductions.ctrn.settings import RECIPES
from reproductions.ctrn.settings import CTRNSettings
from reproductions.harness.command import run_command
from reproductions.harness.errors import SettingsError
from reproductions.harness.experiment import Experiment
from reproductions.harness.parts.floor_names import FLOORS
from reproductions.harness.parts.learners import Learner
from reproductions.harness.parts.learners import Training
from reproductions.harness.parts.runs import Run

if TYPE_CHECKING:
    import keras

# The class of each model, and the settings that are arguments of it.
_COMMON = (
    *("projection_layers", "word_dropout", "pooling", "pooled_normalization"),
    *("hidden_units", "hidden_layers", "activation", "alignment_features"),
)
POINTWISE: dict[str, tuple[str, tuple[str, ...]]] = {
    "ctrn": (
        "CTRN",
        (*_COMMON, "kernel_size", "crossed_input", "alignment", "zoneout"),
    ),
    "qrnn": ("QRNNRanker", (*_COMMON, "kernel_size", "zoneout")),
    "lstm": ("LSTMRanker", _COMMON),
    "cnn": ("CNNRanker", (*_COMMON, "kernel_size")),
}
ATTENTIVE: dict[str, tuple[str, tuple[str, ...]]] = {
    "ap-bilstm": ("APBiLSTM", ()),
    "ap-cnn": ("APCNN", ("kernel_size",)),
}
_SHARED = ("projection_dim", "units", "dropout", "l2")
_STATES = {"pooling": ("mean", "last", "max", "attentive")}


class CTRNExperiment(Experiment[CTRNSettings]):
    """CTRN (Tay et al., AAAI 2018): tables 4 to 6, QRNN and other baselines."""

    name = "ctrn"
    settings = CTRNSettings
    models = (*POINTWISE, *ATTENTIVE, "overlap", *FLOORS)
    recipes = RECIPES
    of_dataset = DATASETS
    of_model = MODELS
    own_settings = {
        name: own for name, (_, own) in {**POINTWISE, **ATTENTIVE}.items()
    }
    choices = {
        "ctrn": {"pooling": ("mean", "max", "attentive")},
        "qrnn": _STATES,
        "lstm": _STATES,
        "cnn": {"pooling": ("max", "mean")},
    }

    def check(self, arguments: Namespace, settings: CTRNSettings) -> None:
        """Also checks that the model `overlap` has its features."""
        super().check(arguments, settings)
        if arguments.model == "overlap" and not settings.overlap:
            raise SettingsError(
                "the setting `overlap` must be true for the model overlap. "
                "Received: overlap=False"
            )

    def build_model(
        self,
        model: str,
        settings: CTRNSettings,
        matrix: np.ndarray,
        longest: Mapping[str, int] | None = None,
    ) -> "keras.Model":
        """A ranker over frozen word vectors.

        Args:
            model: the model's name.
            settings: the settings.
            matrix: word vectors by word id, float32 `(words, dim)`.
            longest: lengths of the longest `"question"` and `"answer"`, to
                which CTRN pads texts if the setting `alignment` is `"padded"`.
        """
        if model == "overlap":
            return overlap_model()
        class_name, names = {**POINTWISE, **ATTENTIVE}[model]
        arguments: dict[str, Any] = {}
        if model in POINTWISE and settings.overlap:
            arguments["overlap_features"] = len(OverlapFeatures.names)
        if model == "ctrn" and settings.alignment == "padded" and longest:
            arguments["question_length"] = longest["question"]
            arguments["answer_length"] = longest["answer"]
        return self.model_of_words(
            class_name, settings, (*names, *_SHARED), matrix, **arguments
        )

    def build_learner(self, run: Run[CTRNSettings]) -> Learner:
        """The model, its optimizer and what makes the features of overlap."""
        import keras

        settings, corpus = run.settings, run.corpus
        model = self.build_model(
            run.arguments.model, settings, run.matrix, longest_texts(run)
        )
        scorer = keras_qa.CorpusScorer(model, corpus)
        if settings.overlap and run.arguments.model not in ATTENTIVE:
            scorer = with_overlap(scorer, run.own.fit)
        if run.arguments.model in POINTWISE and settings.alignment_features:
            pairs = corpus.index(run.own.fit).pairs()
            model.adapt_alignment(corpus.texts, *pairs)
        return Learner(
            scorer,
            keras.optimizers.Adam(settings.learning_rate),
            settings.patience,
        )

    def paper_training(
        self, run: Run[CTRNSettings], learner: Learner
    ) -> Training:
        """Pointwise, or pairwise if the model is attentive."""
        from reproductions.harness.objectives import pairwise_training
        from reproductions.harness.objectives import pointwise_training

        attentive = run.arguments.model in ATTENTIVE
        train = pairwise_training if attentive else pointwise_training
        fit = run.corpus.index(run.fit)
        return train(learner, run.settings, fit, run.arguments.seed)

    def search_space(self) -> dict[str, list[Any]]:
        """Settings from the lists of the section "Implementation Details"."""
        return {
            "units": list(range(128, 1025, 128)),
            "hidden_layers": [1, 2, 3],
            "learning_rate": [1e-3, 1e-4, 1e-5],
            "batch_size": [64, 128, 256, 512],
        }


def with_overlap(
    scorer: "keras_qa.CorpusScorer", questions: Sequence[Question]
) -> "keras_qa.CorpusScorer":
    """A scorer that also gives its model the features of overlap.

    Args:
        scorer: the scorer.
        questions: the training questions, of whose texts document frequencies
            and the model's standardisation are.
    """
    corpus = scorer.corpus
    overlap = OverlapFeatures.fit(corpus.sentences(questions))
    scorer = replace(scorer, overlap=overlap)
    features = scorer.features(*corpus.index(questions).pairs())
    scorer.model.overlap_normalization.adapt(features["overlap"])
    return scorer


def overlap_model() -> "keras.Model":
    """A logistic regression on the features of overlap.

    It has the inputs of the other models and ignores the texts.
    """
    import keras

    from keras_qa.layers import FeatureStandardization

    texts = {
        side: keras.Input((None,), dtype="int32", name=side) for side in SIDES
    }
    overlap = keras.Input((len(OverlapFeatures.names),), name="overlap")
    standardize = FeatureStandardization(name="overlap_normalization")
    score = keras.layers.Dense(1, name="score")(standardize(overlap))
    model = keras.Model({**texts, "overlap": overlap}, score, name="overlap")
    model.overlap_normalization = standardize
    return model


def longest_texts(run: Run[Any]) -> dict[str, int]:
    """The lengths of the longest question and the longest answer."""
    sides = zip(
        *(run.corpus.index(part).pairs() for part in run.read), strict=True
    )
    lengths = run.corpus.texts.lengths
    return {
        side: max(1, int(lengths[np.concatenate(texts)].max()))
        for side, texts in zip(SIDES, sides, strict=True)
    }


EXPERIMENT = CTRNExperiment()


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one model with one seed and prints its figures."""
    return run_command(EXPERIMENT, argv)
