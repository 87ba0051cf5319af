"""The other systems of the papers' tables, which the papers quote.

    python -m reproductions.systems --model mp-cnn --dataset wikiqa \
        --data-dir DIR --embeddings FILE --seed 1 --split dev

Recipe `paper` trains each system as its own paper does, as far as that is at
hand; `best` is one recipe for all of them, by which they compare with the
papers' own models. `--set objective=pointwise`, `pairwise` or `listwise` trains
any of them by another loss; by the first aNMM learns little, whose scores from
0 to 1 are never those of a wrong answer. `--model mp-cnn-rank` is MP-CNN with a
pairwise hinge and the hardest wrong answers (Rao et al., 2016). `--model
cnn-lr` and the others of `stacked.py` combine a model's score with counts or
BM25, fitted to its scores of training questions that it was not trained on.
"""

import inspect
from argparse import Namespace
from collections.abc import Mapping
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any

import numpy as np

import keras_qa
from keras_qa.text.overlap import OverlapFeatures
from reproductions.ctrn.experiment import longest_texts
from reproductions.ctrn.experiment import with_overlap
from reproductions.harness.command import run_command
from reproductions.harness.errors import SettingsError
from reproductions.harness.experiment import Experiment
from reproductions.harness.parts.floor_names import FLOORS
from reproductions.harness.parts.learners import Learner
from reproductions.harness.parts.learners import Training
from reproductions.harness.parts.runs import Outcome
from reproductions.harness.parts.runs import Run
from reproductions.systems.classes import CLASSES
from reproductions.systems.counts import COUNTS
from reproductions.systems.counts import PARAGRAPH_VECTORS
from reproductions.systems.counts import counting_model
from reproductions.systems.counts import paragraph_vectors
from reproductions.systems.counts import rank_texts
from reproductions.systems.settings import AS_PUBLISHED
from reproductions.systems.settings import DATASETS
from reproductions.systems.settings import MODELS
from reproductions.systems.settings import RECIPES
from reproductions.systems.settings import SystemsSettings
from reproductions.systems.stacked import STACKS
from reproductions.systems.stacked import member_of
from reproductions.systems.stacked import stack_model
from reproductions.systems.stacked import stack_texts

if TYPE_CHECKING:
    import keras

    from keras_qa.training.corpus_scorer import CorpusScorer

_SHARED = ("dropout", "l2")
# The systems that no gradients train.
_UNTRAINED = (
    *COUNTS,
    *(m for m in (PARAGRAPH_VECTORS, *STACKS) if member_of(m) not in CLASSES),
)


class SystemsExperiment(Experiment[SystemsSettings]):
    """The other systems of the papers' tables, which the papers quote."""

    name = "systems"
    settings = SystemsSettings
    models = (*CLASSES, *COUNTS, PARAGRAPH_VECTORS, *STACKS, *FLOORS)
    recipes = RECIPES
    of_model = MODELS
    of_dataset = DATASETS
    own_settings = {
        model: CLASSES[member_of(model)][1]
        for model in (*CLASSES, *STACKS)
        if member_of(model) in CLASSES
    }
    untrained = (*Experiment.untrained, *_UNTRAINED)
    wordless = (*Experiment.wordless, *_UNTRAINED)

    def check(self, arguments: Namespace, settings: SystemsSettings) -> None:
        """Refuses settings that a model does not have."""
        super().check(arguments, settings)
        if arguments.transfer and arguments.model in STACKS:
            raise SettingsError(
                f"`--transfer` must be left out for {arguments.model}: the "
                "other questions may be those of a fold. "
                f"Received: --transfer {' '.join(arguments.transfer)}"
            )
        member = member_of(arguments.model)
        # Floors are built from no class of ours.
        if member not in CLASSES:
            return
        class_name, _ = CLASSES[member]
        if settings.overlap and "overlap_features" not in _parameters(
            class_name
        ):
            raise SettingsError(
                f"the setting `overlap` must be false for {class_name}, "
                "which takes no features. Received: overlap=True"
            )

    def build_model(
        self,
        model: str,
        settings: SystemsSettings,
        matrix: np.ndarray,
        longest: Mapping[str, int] | None = None,
    ) -> "keras.Model":
        """A model that starts from word vectors.

        Args:
            model: the model's name.
            settings: the settings.
            matrix: word vectors by word id, float32 `(words, dim)`.
            longest: lengths of the longest `"question"` and `"answer"`, for
                classes that read texts of fixed lengths.
        """
        class_name, names = CLASSES[member_of(model)]
        known = _parameters(class_name)
        arguments: dict[str, Any] = {}
        if settings.overlap:
            arguments["overlap_features"] = len(OverlapFeatures.names)
        lengths = dict(longest or {})
        if settings.shared_feature_maps and "shared_feature_maps" in names:
            # Yin et al. (2016), 3: both texts are padded to one length.
            lengths = dict.fromkeys(lengths, max(lengths.values(), default=0))
        for side, length in lengths.items():
            parameter = known.get(f"{side}_length")
            if parameter and parameter.default is not None:
                arguments[f"{side}_length"] = length
        return self.model_of_words(
            class_name, settings, (*names, *_SHARED), matrix, **arguments
        )

    def build_learner(self, run: Run[SystemsSettings]) -> Learner:
        """The model, its optimizer and what makes the features of overlap."""
        import keras

        settings, corpus = run.settings, run.corpus
        model = self.build_model(
            run.arguments.model, settings, run.matrix, longest_texts(run)
        )
        if lengths := fixed_lengths(model):
            print(
                f"{run.arguments.model} pads texts to {max(lengths)} words, as "
                "many as the longest has: `--set max_answer_length=N` cuts "
                "answers, which takes less memory and time"
            )
        scorer = keras_qa.CorpusScorer(model, corpus)
        if settings.overlap:
            scorer = with_overlap(scorer, run.own.fit)
        optimizer = {
            "class_name": settings.optimizer,
            "config": {
                "learning_rate": settings.learning_rate,
                **AS_PUBLISHED.get(settings.optimizer, {}),
            },
        }
        return Learner(
            scorer, keras.optimizers.get(optimizer), settings.patience
        )

    def rank_by_words(self, run: Run[SystemsSettings]) -> Outcome | None:
        """Ranks with a system without a network; None for the others."""
        model = run.arguments.model
        if model == PARAGRAPH_VECTORS:
            return rank_texts(self, run, paragraph_vectors(run))
        if member_of(model) == PARAGRAPH_VECTORS:
            return rank_texts(self, run, *stack_texts(run))
        if model not in COUNTS:
            return None
        from reproductions.harness.fitting import rank_unfitted

        scorer = keras_qa.CorpusScorer(counting_model(run, model), run.corpus)
        return rank_unfitted(self, run, scorer)

    def finished(
        self,
        run: Run[SystemsSettings],
        scorer: "CorpusScorer",
        epochs: int | None,
    ) -> "tuple[CorpusScorer, Mapping[str, Any]]":
        """A stacked system from its trained member; the others as they are."""
        if run.arguments.model not in STACKS:
            return super().finished(run, scorer, epochs)
        return stack_model(self, run, scorer, epochs)

    def paper_training(
        self, run: Run[SystemsSettings], learner: Learner
    ) -> Training:
        """By the loss of the system's own paper."""
        from reproductions.harness.objectives import OBJECTIVES

        train = OBJECTIVES[run.settings.paper_objective]
        fit = run.corpus.index(run.fit)
        return train(learner, run.settings, fit, run.arguments.seed)

    def search_space(self) -> dict[str, list[Any]]:
        """Settings of the training, which all systems share."""
        return {
            "learning_rate": [3e-4, 1e-3, 3e-3],
            "dropout": [0.0, 0.2, 0.5],
            "l2": [0.0, 1e-5, 1e-4],
        }


def fixed_lengths(model: "keras.Model") -> list[int]:
    """The lengths to which a model cuts or pads texts, if it does."""
    from keras_qa.layers.fixed_length import FixedLength

    return [
        layer.length for layer in model.layers if isinstance(layer, FixedLength)
    ]


def _parameters(class_name: str) -> Mapping[str, inspect.Parameter]:
    """The arguments of a class of models by name."""
    return inspect.signature(getattr(keras_qa, class_name)).parameters


EXPERIMENT = SystemsExperiment()


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one model with one seed and prints its figures."""
    return run_command(EXPERIMENT, argv)
