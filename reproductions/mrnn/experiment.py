"""MRNN (Cakaloglu et al., ICAART 2023): Tables 4 to 7, with their baselines.

    python -m reproductions.mrnn --dataset wikiqa --data-dir DIR \
        --embeddings bert:minilm glove.6B.300d.txt --seed 1 --split test

`mrnn` reads the mixture of all vectors of `--embeddings` (Tables 2 and 3), with
each word encoded alone: four layers of a BERT (`bert:SOURCE`), the top of an
ELMo (`elmo:DIR`), and vectors of a file, such as a fastText model, the last two
weighed by idf. `mrnn-contextual` reads the mixture with each word encoded in
its text; it is exported only for Keras, since it takes no text. `--set
n_gram_attention=false` and `--set query_attention=false` each leave out one
attention. Models of other papers have those papers' settings.

On `squad` and `quasar-t` recall@1, @3 and @5 are measured, too; SQuAD has no
test set, so its figures are those of `--split dev`. An epoch of `--recipe
small` takes some seconds on WikiQA and 2 cores; the published sizes need a GPU
(see `TripletTrainer` for the memory of a step).
"""

from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any

import numpy as np

import keras_qa
from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Question
from reproductions.ctrn.experiment import EXPERIMENT as CTRN
from reproductions.harness.command import run_command
from reproductions.harness.experiment import Experiment
from reproductions.harness.parts.floor_names import FLOORS
from reproductions.harness.parts.learners import Learner
from reproductions.harness.parts.learners import Training
from reproductions.harness.parts.runs import Run
from reproductions.harness.settings import PAPER
from reproductions.hyperqa.experiment import EXPERIMENT as HYPERQA
from reproductions.mrnn.settings import CONTEXTUAL
from reproductions.mrnn.settings import DATASETS
from reproductions.mrnn.settings import RECIPES
from reproductions.mrnn.settings import MRNNSettings
from reproductions.qa_lstm.experiment import EXPERIMENT as QA_LSTM

if TYPE_CHECKING:
    import keras

    from keras_qa.embeddings import Coverage
    from keras_qa.text.vector_texts import VectorTexts

OWN = ("mrnn", CONTEXTUAL)

# The settings that are arguments of the model with the same names.
_ARGUMENTS = (
    *("filters", "blocks", "kernel_size", "max_document_length"),
    *("momentum", "hidden_units", "n_gram_attention", "query_attention"),
    *("without_n_gram_attention", "share_blocks", "share_attention"),
    *("alpha", "dropout", "trainable_embeddings", "batch_normalization"),
    *("later_scale", "sentence_term"),
)


class MRNNExperiment(Experiment[MRNNSettings]):
    """MRNN (Cakaloglu et al., ICAART 2023): Tables 4 to 7, with baselines."""

    name = "mrnn"
    settings = MRNNSettings
    # Models of Tables 5 and 7, and HyperQA.
    borrowed = {
        "qa-lstm": QA_LSTM,
        "attentive-lstm": QA_LSTM,
        "ap-bilstm": CTRN,
        "ap-cnn": CTRN,
        "hyperqa": HYPERQA,
    }
    models = (*OWN, *borrowed, *FLOORS)
    recipes = RECIPES
    of_dataset = DATASETS
    # Its vectors depend on the text and are not in a matrix.
    choices = {CONTEXTUAL: {"idf_weighting": (False,)}}
    contextual = (CONTEXTUAL,)

    def settings_of(self, arguments: Namespace) -> MRNNSettings:
        """Uses recipe `best` of HyperQA, which has no recipe `small`."""
        if (arguments.model, arguments.recipe) == ("hyperqa", "small"):
            arguments = Namespace(**{**vars(arguments), "recipe": "best"})
        return super().settings_of(arguments)

    def word_matrix(
        self,
        arguments: Namespace,
        settings: MRNNSettings,
        corpus: Corpus,
        fit: list[Question],
    ) -> "tuple[np.ndarray, Coverage | None]":
        """The mixture of all vectors, with each word encoded alone."""
        from reproductions.harness.vectors import matrix_of
        from reproductions.mrnn.texts import mixed_vectors

        if arguments.model == CONTEXTUAL:
            return np.zeros((0, 0), np.float32), None
        if arguments.model not in OWN:
            return super().word_matrix(arguments, settings, corpus, fit)
        source, idf = mixed_vectors(
            self.vectors(arguments), arguments, settings, corpus, fit
        )
        # The first two entries are padding and the unknown word.
        words = corpus.vocabulary.words[2:]
        found = [source.word_vectors(words, idf)]
        return matrix_of(found, arguments, settings, corpus, fit)

    def text_vectors(self, run: Run[MRNNSettings]) -> "VectorTexts":
        """The mixture of all vectors, of each word in its text."""
        from reproductions.mrnn.texts import contextual_texts

        return contextual_texts(run, self.vectors(run.arguments), whole=True)

    def build_model(
        self,
        model: str,
        settings: MRNNSettings,
        matrix: np.ndarray,
        embedding_dim: int | None = None,
    ) -> "keras.Model":
        """MRNN with new weights.

        Args:
            model: the model's name.
            settings: the settings.
            matrix: word vectors by word id, float32 `(words, dim)`.
            embedding_dim: size of the word vectors, for a model that reads
                vectors instead of ids; `matrix` is then ignored.
        """
        vocabulary_size: int | None = None
        arguments: dict[str, Any] = {}
        if embedding_dim is None:
            vocabulary_size, embedding_dim = matrix.shape
            arguments["embeddings"] = matrix
        pooling = settings.pooling
        return keras_qa.MRNN(
            vocabulary_size,
            embedding_dim,
            pooling=None if pooling == "none" else pooling,
            pool_size=settings.pooling_window,
            block_initializer=_start(settings.block_gain),
            position_initializer=_start(settings.position_gain),
            **{name: getattr(settings, name) for name in _ARGUMENTS},
            **arguments,
        )

    def build_learner(self, run: Run[MRNNSettings]) -> Learner:
        """The model and its optimizer."""
        import keras

        from reproductions.mrnn.texts import contextual_texts
        from reproductions.mrnn.texts import trained_vectors

        settings = run.settings
        texts = width = None
        if run.arguments.model == CONTEXTUAL:
            # Only the paper's objective leaves texts of training unread.
            texts = contextual_texts(
                run,
                self.vectors(run.arguments),
                whole=settings.objective != PAPER,
            )
            width = texts.vectors.shape[1]
        # Seeded after the vectors, so that computing them does not change the
        # initial weights.
        keras.utils.set_random_seed(run.arguments.seed)
        model = self.build_model(
            run.arguments.model, settings, run.matrix, width
        )
        if settings.start == "principal":
            model.start_principal(trained_vectors(run, texts))
        return Learner(
            keras_qa.CorpusScorer(model, run.corpus, vectors=texts),
            keras.optimizers.AdamW(
                settings.learning_rate, weight_decay=settings.weight_decay
            ),
            settings.patience,
        )

    def paper_training(
        self, run: Run[MRNNSettings], learner: Learner
    ) -> Training:
        """On triplets of each batch."""
        settings, fit = run.settings, run.corpus.index(run.fit)
        trainer = keras_qa.TripletTrainer(learner.scorer.model)
        trainer.compile(
            learner.optimizer,
            keras_qa.TripletLoss(
                settings.margin,
                settings.mining,
                settings.squared,
                settings.reduction,
                settings.soft_margin,
            ),
        )
        batches = keras_qa.TripletBatches(
            learner.scorer.texts,
            fit.question_texts,
            fit.candidate_texts,
            fit.labels,
            batch_size=settings.batch_size,
            seed=run.arguments.seed,
            positives=settings.positives,
            negatives=settings.negatives,
            chunk=settings.chunk,
        )
        return learner.fitted(trainer, batches)

    def search_space(self) -> dict[str, list[Any]]:
        """Settings that the paper leaves open."""
        return {
            "margin": [0.5, 0.8, 1.0],
            "blocks": [4, 6],
            "learning_rate": [1e-4, 3e-4, 1e-3],
            "momentum": [0.9, 0.99],
            "pooling": ["max", "avg", "none"],
            "negatives": [0, 4, 16],
            "dropout": [0.0, 0.3],
        }


def _start(gain: float | None) -> "keras.initializers.Initializer":
    """The initializer of a softmax block's kernels."""
    import keras

    from keras_qa.initializers import ScaledIdentity

    if gain is None:
        return keras.initializers.GlorotUniform()
    return ScaledIdentity(gain)


EXPERIMENT = MRNNExperiment()


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one model with one seed and prints its figures."""
    return run_command(EXPERIMENT, argv)
