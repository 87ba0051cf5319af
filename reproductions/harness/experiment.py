"""The interface between papers and the harness.

A paper's folder has one subclass of `Experiment` with its settings, recipes and
models and how these are built and trained. The harness uses only this
interface. The modules of papers import Keras in functions, so that `--help`
does not wait for it.
"""

import importlib
from argparse import ArgumentParser
from argparse import Namespace
from collections.abc import Mapping
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any
from typing import ClassVar
from typing import Generic
from typing import TypeVar

import numpy as np

import keras_qa
from keras_qa.arguments import check_choice
from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from reproductions.harness.errors import SettingsError
from reproductions.harness.measures import check_monitor
from reproductions.harness.measures import measures_of
from reproductions.harness.parts.floor_names import CONTEXTUAL_FLOORS
from reproductions.harness.parts.floor_names import FLOORS
from reproductions.harness.parts.floor_names import WORDLESS
from reproductions.harness.parts.learners import Learner
from reproductions.harness.parts.learners import Training
from reproductions.harness.parts.recipes import Recipe
from reproductions.harness.parts.runs import Outcome
from reproductions.harness.parts.runs import Run
from reproductions.harness.parts.setting_checks import check_objective
from reproductions.harness.parts.setting_checks import check_overrides
from reproductions.harness.parts.setting_checks import check_teacher
from reproductions.harness.settings import DISTILLED
from reproductions.harness.settings import CommonSettings
from reproductions.harness.settings import resolve_settings
from reproductions.harness.teaching.transfer import transfer_settings

if TYPE_CHECKING:
    import keras

    from keras_qa.embeddings import Coverage
    from keras_qa.embeddings.bert.piece_vocabulary import PieceVocabulary
    from keras_qa.text.vector_texts import VectorTexts
    from keras_qa.training.corpus_scorer import CorpusScorer

S = TypeVar("S", bound=CommonSettings)


class Experiment(Generic[S]):
    """Base class of papers; a docstring's first line describes the command.

    Attributes:
        name: short name of the paper and of its folder.
        settings: the class of its settings, with the published defaults.
        models: names of the models that it can run, the default first.
        recipes: its recipes by name, the default first.
        of_model: by model, published settings that differ from the defaults.
        of_dataset: the same by data set.
        rows: names of rows of the paper's tables, each with its model and the
            settings that differ from the defaults.
        choices: by model and setting, the values that the model allows.
        borrowed: models of other papers, each with that paper's experiment.
        contextual: models that read the vectors which words have in their
            texts.
        counts_words: False if no model reads statistics of the run's own
            questions, such as idf, except with a floor; runs on other
            questions can then share what `--transfer` learns.
        untrained: models that have no recipe, because nothing is trained by
            gradients.
        wordless: models that read no word vectors.
        own_settings: by model the settings that not all models have.
    """

    name: ClassVar[str]
    settings: ClassVar[type[CommonSettings]]
    models: ClassVar[Sequence[str]]
    recipes: ClassVar[Mapping[str, Recipe]]
    of_model: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    of_dataset: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    rows: ClassVar[Mapping[str, tuple[str, Mapping[str, Any]]]] = {}
    choices: ClassVar[Mapping[str, Mapping[str, Sequence[Any]]]] = {}
    borrowed: ClassVar[Mapping[str, "Experiment[Any]"]] = {}
    contextual: ClassVar[Sequence[str]] = ()
    counts_words: ClassVar[bool] = True
    untrained: ClassVar[Sequence[str]] = (*FLOORS, *CONTEXTUAL_FLOORS)
    wordless: ClassVar[Sequence[str]] = WORDLESS
    own_settings: ClassVar[Mapping[str, Sequence[str]]] = {}

    # === The command line and the settings ===

    def add_options(self, parser: ArgumentParser) -> None:
        """Adds the options that this paper's command alone has."""

    def owner(self, model: str) -> "Experiment[Any]":
        """The experiment whose settings and training a model uses."""
        return self.borrowed.get(model, self)

    def settings_of(self, arguments: Namespace) -> S:
        """The settings that a command line asks for; reads no file.

        Args:
            arguments: what `command.parse_arguments` returned.

        Raises:
            SettingsError: if a value is not allowed.
        """
        owner = self.owner(arguments.model)
        if owner is not self:
            return owner.settings_of(arguments)
        _, row = self.rows.get(arguments.row, ("", {}))
        published: Any = resolve_settings(
            self.settings(),
            self.of_model.get(arguments.model, {}),
            self.of_dataset.get(arguments.dataset, {}),
            row,
        )
        found = resolve_settings(
            published,
            self.recipe_changes(arguments, published),
            {} if arguments.epochs is None else {"epochs": arguments.epochs},
            overrides=arguments.overrides,
        )
        self.check(arguments, found)
        return found

    def recipe_changes(
        self, arguments: Namespace, published: S
    ) -> Mapping[str, Any]:
        """The changes that a recipe makes to a run's published settings."""
        recipe = self.recipes[arguments.recipe]
        return {
            **recipe.changes,
            **recipe.models.get(arguments.model, {}),
            **recipe.datasets.get(arguments.dataset, {}),
            **recipe.searched.get((arguments.model, arguments.dataset), {}),
        }

    def of_others(self, model: str) -> set[str]:
        """The names of the settings that only other models have."""
        if model not in self.own_settings:
            return set()
        every = {name for own in self.own_settings.values() for name in own}
        return every.difference(self.own_settings[model])

    def check(self, arguments: Namespace, settings: S) -> None:
        """Checks that settings fit the model and the data set.

        Raises:
            SettingsError: if a value is not allowed.
        """
        if settings.folds == 1:
            raise SettingsError(
                "the setting `folds` must be 0 or at least 2. Received: folds=1"
            )
        for name, choices in self.choices.get(arguments.model, {}).items():
            check_choice(
                name, getattr(settings, name), choices, error=SettingsError
            )
        check_objective(settings)
        check_teacher(arguments, settings)
        check_overrides(arguments, settings, self.of_others(arguments.model))
        if arguments.transfer:
            if arguments.model in self.untrained:
                raise SettingsError(
                    f"`--transfer` must be left out for {arguments.model}, "
                    "which is not fitted by epochs. "
                    f"Received: --transfer {' '.join(arguments.transfer)}"
                )
            before = transfer_settings(settings)
            # `--set` was checked above, for both trainings.
            first = {**vars(arguments), "transfer": [], "overrides": []}
            if before.objective not in DISTILLED:
                first["teacher"] = None
            self.check(Namespace(**first), before)
        if arguments.model not in self.untrained:
            check_monitor(self.monitor(settings), arguments.dataset)

    # === The data ===

    def tokenizer(self, settings: S, dataset: Dataset) -> str:
        """The name of the tokeniser."""
        return settings.tokenizer or dataset.tokenizer

    def word_pieces(
        self, arguments: Namespace, settings: S
    ) -> "PieceVocabulary | None":
        """The vocabulary of a model that reads word pieces; None for words."""
        return None

    def vectors(self, arguments: Namespace) -> list[str]:
        """The names of the vectors that a model reads, as on the command line.

        Args:
            arguments: what `command.parse_arguments` returned.
        """
        if arguments.model in self.wordless:
            return []
        return arguments.embeddings

    def word_matrix(
        self,
        arguments: Namespace,
        settings: S,
        corpus: Corpus,
        fit: list[Question],
    ) -> tuple[np.ndarray, "Coverage | None"]:
        """The word vectors of a run that has `vectors`.

        Args:
            arguments: the command line.
            settings: the settings.
            corpus: the texts.
            fit: the questions to train on.

        Returns:
            Vectors by word id, float32 `(words, dim)`, and how many words have
            one; an empty matrix and None if vectors depend on the text.

        Raises:
            ImportError: if a BERT needs a package that is missing.
            VectorsError: if a file is missing or bad.
        """
        from reproductions.harness.vectors import load_named
        from reproductions.harness.vectors import matrix_of
        from reproductions.harness.vectors import scaling_of
        from reproductions.harness.vectors import warn_of_weights

        found = []
        for name in self.vectors(arguments):
            vectors = load_named(
                name, arguments, settings, corpus, fit, **self.bert(settings)
            )
            if arguments.model not in self.untrained:
                warn_of_weights(name, vectors, settings, corpus)
            found.append(vectors)
        return matrix_of(
            found, arguments, settings, corpus, fit, scaling_of(settings)
        )

    def bert(self, settings: S) -> dict[str, Any]:
        """Further arguments of `bert_word_vectors`."""
        return {}

    def text_vectors(self, run: Run[S]) -> "VectorTexts":
        """The vectors that the words of all texts of a run have in them.

        Args:
            run: the run of one of `CONTEXTUAL_FLOORS`.

        Raises:
            ImportError: if a BERT needs a package that is missing.
            SettingsError: if the vectors are not those of one BERT.
            VectorsError: if a file is missing or bad.
        """
        from reproductions.harness.vectors import bert_texts

        # All dimensions: cosines need no scale, and fewer tell less.
        layers = self.bert(run.settings).get("layers", -1)
        return bert_texts(self.vectors(run.arguments), run.corpus, layers)

    # === Training and ranking ===

    def rank_by_words(self, run: Run[S]) -> Outcome | None:
        """Ranks with a model that is not fitted by epochs; None for others."""
        return None

    def build_model(
        self, model: str, settings: S, matrix: np.ndarray
    ) -> "keras.Model":
        """A model with new weights.

        Args:
            model: name of the model.
            settings: the settings.
            matrix: word vectors by word id, float32 `(words, dim)`.
        """
        raise NotImplementedError

    def model_of_words(
        self,
        class_name: str,
        settings: S,
        names: Sequence[str],
        matrix: np.ndarray,
        **arguments: Any,
    ) -> "keras.Model":
        """A model of the library that starts from word vectors.

        Args:
            class_name: name of its class.
            settings: the settings.
            names: names of the settings that are arguments of the class.
            matrix: word vectors by word id, float32 `(words, dim)`.
            **arguments: further arguments of the class.
        """
        vocabulary_size, embedding_dim = matrix.shape
        return getattr(keras_qa, class_name)(
            vocabulary_size=vocabulary_size,
            embedding_dim=embedding_dim,
            embeddings=matrix,
            trainable_embeddings=settings.trainable_embeddings,
            **{name: getattr(settings, name) for name in names},
            **arguments,
        )

    def build_learner(self, run: Run[S]) -> Learner:
        """Builds model and optimizer of a run, after Keras is seeded."""
        raise NotImplementedError

    def paper_training(self, run: Run[S], learner: Learner) -> Training:
        """Makes the batches and the loss that the paper has."""
        raise NotImplementedError

    def finished(
        self, run: Run[S], scorer: "CorpusScorer", epochs: int | None
    ) -> "tuple[CorpusScorer, Mapping[str, Any]]":
        """What ranks after the training, and is exported: the model itself.

        Args:
            run: the run.
            scorer: scores pairs with the fitted model.
            epochs: the fixed number of epochs; None if one was chosen.

        Returns:
            What scores pairs, and further entries of `metrics.json`.
        """
        return scorer, {}

    def monitor(self, settings: S) -> str:
        """The metric that chooses the epoch: the setting `monitor`, or MAP."""
        return getattr(settings, "monitor", "MAP")

    def measures(self, dataset: str) -> dict[str, Any]:
        """The measures of a data set's rankings, by name."""
        return measures_of(dataset)

    def search_space(self) -> dict[str, list[Any]]:
        """The values that a trial of a search draws from, by setting."""
        raise NotImplementedError


def experiment_of(paper: str) -> Experiment[Any]:
    """The experiment of a paper."""
    found: Experiment[Any] = importlib.import_module(
        f"reproductions.{paper}.experiment"
    ).EXPERIMENT
    return found
