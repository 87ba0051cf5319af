"""HyperQA (Tay et al., WSDM 2018): tables 2 to 6, with CosineQA of figure 3.

    python -m reproductions.hyperqa --dataset wikiqa --data-dir DIR \
        --embeddings glove.840B.300d.txt --seed 1 --split test

A run on WikiQA takes about a minute on 2 cores. `--model bm25` and `--model
cosine` (untrained) are simple baselines to compare with. `--model logcosineqa`
is a control that is not in the paper: HyperQA's distance on the sphere of
clipped vectors, a function of the cosine.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any

import numpy as np

import keras_qa
from reproductions.harness.command import run_command
from reproductions.harness.experiment import Experiment
from reproductions.harness.parts.floor_names import FLOORS
from reproductions.harness.parts.learners import Learner
from reproductions.harness.parts.learners import Training
from reproductions.harness.parts.runs import Run
from reproductions.hyperqa.settings import DATASETS
from reproductions.hyperqa.settings import RECIPES
from reproductions.hyperqa.settings import HyperQASettings

if TYPE_CHECKING:
    import keras


# The class of each model, and the settings that are its own arguments.
MODELS: dict[str, tuple[str, tuple[str, ...]]] = {
    "hyperqa": (
        "HyperQA",
        (
            *("projection", "epsilon", "scale", "radius"),
            *("trainable_curvature", "asymmetric"),
        ),
    ),
    "cosineqa": ("CosineQA", ("score_scale",)),
    "logcosineqa": ("LogCosineQA", ()),
}
# The settings that all models take as arguments.
_SHARED = (
    *("projection_dim", "projection_layers", "activation", "pooling"),
    *("dropout", "l2", "concatenate_embeddings"),
)


class HyperQAExperiment(Experiment[HyperQASettings]):
    """HyperQA (Tay et al., WSDM 2018): tables 2 to 6, CosineQA of figure 3."""

    name = "hyperqa"
    settings = HyperQASettings
    models = (*MODELS, *FLOORS)
    recipes = RECIPES
    of_dataset = DATASETS
    own_settings = {name: own for name, (_, own) in MODELS.items()}

    def build_model(
        self, model: str, settings: HyperQASettings, matrix: np.ndarray
    ) -> "keras.Model":
        """HyperQA or one of its twins over frozen word vectors."""
        import keras

        arguments: dict[str, Any] = {
            "kernel_initializer": keras.initializers.VarianceScaling(
                settings.kernel_scale**2, "fan_avg", "uniform"
            ),
        }
        if settings.conversion == "manifold":
            # The rows of the projection are the points of eq. 9.
            arguments["kernel_constraint"] = keras_qa.PoincareBall()
        class_name, names = MODELS[model]
        return self.model_of_words(
            class_name, settings, (*_SHARED, *names), matrix, **arguments
        )

    def build_optimizer(self, model: str, settings: HyperQASettings) -> Any:
        """The optimizer of the settings, for HyperQA Riemannian (eq. 8, 9)."""
        import keras

        config = {"learning_rate": settings.learning_rate}
        if settings.optimizer == "adagrad":
            config["initial_accumulator_value"] = settings.initial_accumulator
        inner = keras.optimizers.get(
            {"class_name": settings.optimizer, "config": config}
        )
        # The others are Euclidean: there is no gradient to convert.
        if model != "hyperqa" or settings.conversion == "none":
            return inner
        return keras_qa.RiemannianOptimizer(
            inner,
            conversion=settings.conversion,
            norm=settings.conversion_norm,
        )

    def build_learner(self, run: Run[HyperQASettings]) -> Learner:
        """The model and its optimizer."""
        model, settings = run.arguments.model, run.settings
        scorer = keras_qa.CorpusScorer(
            self.build_model(model, settings, run.matrix), run.corpus
        )
        return Learner(scorer, self.build_optimizer(model, settings))

    def paper_training(
        self, run: Run[HyperQASettings], learner: Learner
    ) -> Training:
        """Pairwise."""
        from reproductions.harness.objectives import pairwise_training

        return pairwise_training(
            learner,
            run.settings,
            run.corpus.index(run.fit),
            run.arguments.seed,
            learner.scorer.scores,
        )

    def search_space(self) -> dict[str, list[Any]]:
        """Settings from the lists of section 4.3.3."""
        return {
            "learning_rate": [0.2, 0.1, 0.05, 0.01],
            "batch_size": [50, 100, 200],
            "projection_dim": [100, 200, 300, 400],
            "l2": [1e-3, 1e-4, 1e-5],
            "negatives": list(range(2, 9)),
            "margin": [1.0, 2.0, 5.0, 10.0, 20.0],
        }


EXPERIMENT = HyperQAExperiment()


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one model with one seed and prints its figures."""
    return run_command(EXPERIMENT, argv)
