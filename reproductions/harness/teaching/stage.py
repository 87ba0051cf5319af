"""The stage of a run that trains on other data sets first."""

import copy
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from typing import Any

import keras
import numpy as np

from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Question
from keras_qa.errors import RunFolderError
from keras_qa.files.stored_arrays import DAMAGE
from keras_qa.files.text_files import shorten
from keras_qa.training.fitting import fit_best_epoch
from keras_qa.training.run_folder import RunFolder
from reproductions.harness.experiment import Experiment
from reproductions.harness.objectives import training_of
from reproductions.harness.parts.runs import Run
from reproductions.harness.questions import fingerprint_parts
from reproductions.harness.settings import DISTILLED
from reproductions.harness.settings import recorded
from reproductions.harness.stages import run_stage
from reproductions.harness.teaching.teachers import teacher_digest
from reproductions.harness.teaching.transfer import transfer_settings
from reproductions.harness.vectors import fingerprint
from reproductions.harness.vectors import vector_identity


@dataclass(frozen=True)
class Unmeasured:
    """The evaluation of an epoch that nothing depends on."""

    metrics: dict[str, float] = field(default_factory=dict)


NAME = "transfer"
WEIGHTS = "weights.npz"


def transferred_weights(
    experiment: Experiment[Any], run: Run[Any]
) -> dict[int, np.ndarray]:
    """What the training on the questions of `--transfer` has learnt.

    Runs with the same inputs, such as a resumed one, or those that differ in
    settings of the training on their own questions, share the stage in the
    folder of `--transfer-dir`.

    Args:
        experiment: the experiment that owns the model.
        run: the run.

    Returns:
        The weights that the training changed, by their position among all
        weights of the model; none without `--transfer`.

    Raises:
        RunFolderError: if another process makes the stage, or its weights are
            damaged.
    """
    if run.transfer is None:
        return {}
    arguments = run.arguments
    questions = run.transfer.questions
    root = arguments.transfer_dir or arguments.output_dir / NAME

    def make(folder: RunFolder) -> dict[str, Any]:
        stage = stage_run(experiment, run, questions, folder)
        return _train(experiment, stage, folder)

    inputs = _inputs(experiment, run, questions)
    folder = run_stage(root, NAME, inputs, make, (WEIGHTS,))
    path = folder.path / WEIGHTS
    try:
        with np.load(path) as stored:
            return {int(number): stored[number] for number in stored.files}
    except (*DAMAGE, OSError) as error:
        raise RunFolderError(
            f"{path}: expected the weights of this stage. "
            f"Received: {shorten(str(error))}"
        ) from error


def apply_weights(model: keras.Model, weights: dict[int, np.ndarray]) -> None:
    """Gives a new model what `transferred_weights` returned."""
    for position, value in weights.items():
        model.weights[position].assign(value)


def stage_run(
    experiment: Experiment[Any],
    run: Run[Any],
    questions: list[Question],
    folder: RunFolder,
) -> Run[Any]:
    """The run of a stage before another run.

    Runs of several seeds share a stage with `transfer_seed`; it is the same
    whichever of them makes it.

    Args:
        experiment: the experiment that owns the model.
        run: the run.
        questions: what to train on; its texts are in the corpus.
        folder: the stage's folder.
    """
    corpus: Corpus = copy.copy(run.corpus)
    # Wrong answers are drawn from the other data sets, too.
    texts = corpus.index(questions).candidate_texts
    corpus.answer_space = np.unique(np.concatenate(texts))
    own = _of_seed(experiment, run, _seed(run))
    return replace(
        own,
        settings=transfer_settings(run.settings),
        folder=folder,
        corpus=corpus,
        fit=questions,
        target=own,
    )


def _of_seed(experiment: Experiment[Any], run: Run[Any], seed: int) -> Run[Any]:
    """The run with another seed, also of its random and its own vectors."""
    if seed == run.arguments.seed:
        return run
    arguments = copy.copy(run.arguments)
    arguments.seed = seed
    matrix = run.matrix
    if matrix.size:
        matrix, _ = experiment.word_matrix(
            arguments, run.settings, run.corpus, run.fit
        )
    return replace(run, arguments=arguments, matrix=matrix)


def _seed(run: Run[Any]) -> int:
    seed: int | None = run.settings.transfer_seed
    return run.arguments.seed if seed is None else seed


def _inputs(
    experiment: Experiment[Any], run: Run[Any], questions: list[Question]
) -> dict[str, Any]:
    arguments = run.arguments
    names, vectors = vector_identity(experiment.vectors(arguments))
    words = "\n".join(run.corpus.vocabulary.words)
    settings = transfer_settings(run.settings)
    teacher = {}
    if settings.objective in DISTILLED:
        teacher = {"teacher": teacher_digest(arguments)}
    # Idf and the like are counted on the run's own questions.
    counted = experiment.counts_words or run.settings.joint_weight is not None
    own = run.fit if counted else []
    return {
        "model": arguments.model,
        "row": arguments.row,
        "seed": _seed(run),
        "smoke": arguments.smoke,
        "vectors": names,
        "settings": recorded(settings),
        "inputs": {
            "vectors": vectors,
            "vocabulary": fingerprint(words.encode()),
            "questions": fingerprint_parts((questions, own, [])),
            **teacher,
        },
    }


def _train(
    experiment: Experiment[Any], run: Run[Any], folder: RunFolder
) -> dict[str, Any]:
    settings, arguments = run.settings, run.arguments
    keras.utils.set_random_seed(arguments.seed)
    training = training_of(experiment, run)
    model = training.scorer.model
    before = model.get_weights()
    epochs = settings.smoke_epochs if arguments.smoke else settings.epochs
    selector = fit_best_epoch(
        training.trainer,
        training.batches,
        folder,
        Unmeasured,
        epochs,
        # The last epoch has the highest number.
        monitor="epoch",
        title=NAME,
        callbacks=training.callbacks,
    )
    changed = {
        str(position): value
        for position, value in enumerate(model.get_weights())
        if not np.array_equal(value, before[position])
    }
    folder.write(WEIGHTS, lambda path: np.savez(path, **changed))
    return {"loss": [row["loss"] for row in selector.history]}
