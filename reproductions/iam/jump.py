"""IAM's second stage: the score of jumps between the states of answers."""

import zipfile
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import keras
import numpy as np

from keras_qa.errors import RunFolderError
from keras_qa.files.stored_arrays import DAMAGE
from keras_qa.files.stored_arrays import stored_array
from keras_qa.files.text_files import shorten
from keras_qa.layers import RBMJumpScore
from keras_qa.models import BidirectionalLanguageModel
from keras_qa.text.packing import RaggedTexts
from keras_qa.training.fitting import EpochProgress
from keras_qa.training.run_folder import RunFolder
from reproductions.harness.parts.runs import Run
from reproductions.iam.language_models import chosen_settings
from reproductions.iam.language_models import language_model_texts
from reproductions.iam.language_models import stage_epochs
from reproductions.iam.optimizer import TRAINING
from reproductions.iam.optimizer import learning_rates
from reproductions.iam.settings import IAMSettings

WEIGHTS = "rbm.npz"

# The settings that the stage depends on, in addition to `rbm_*`.
SHARED = (*TRAINING, "jump_offset", "jump_temperature")

# Number of positions whose states are computed at a time.
POSITIONS = 1 << 14


def jump_inputs(run: Run[IAMSettings], answers: RunFolder) -> dict[str, Any]:
    """The inputs of the jump's stage, for its fingerprint."""
    return {
        "seed": run.arguments.seed,
        **chosen_settings(run.settings, "rbm_", SHARED),
        "rbm_epochs": stage_epochs(run, "rbm_epochs"),
        "states": answers.path.name,
    }


def train_jump(
    run: Run[IAMSettings], model: BidirectionalLanguageModel, folder: RunFolder
) -> dict[str, Any]:
    """Trains the score of jumps on the states of the training answers.

    Args:
        run: the run.
        model: the trained language model of answers.
        folder: the stage's folder.

    Returns:
        Content of the stage's `metrics.json`: number of texts, mean energy gap
        and reconstruction error by epoch, seconds per epoch.
    """
    arguments, settings = run.arguments, run.settings
    keras.utils.set_random_seed(arguments.seed)
    score = _jump(settings)
    texts, _ = language_model_texts(run, "answer")
    most = settings.rbm_answers
    if len(texts) > most:
        # The states of all words are kept in memory.
        rng = np.random.default_rng(arguments.seed)
        texts = texts.take(np.sort(rng.permutation(len(texts))[:most]))
    epochs = stage_epochs(run, "rbm_epochs")
    rate = settings.rbm_learning_rate
    progress = EpochProgress(epochs, 0, "rbm", "reconstruction_error")
    history = score.fit(
        text_states(model.encoder, texts),
        epochs=epochs,
        batch_size=settings.batch_size,
        learning_rate=rate,
        clipnorm=settings.clipnorm or None,
        k=settings.rbm_k,
        seed=arguments.seed,
        callbacks=[*learning_rates(settings, rate), progress],
        verbose=0,
    ).history
    values = {w.name: keras.ops.convert_to_numpy(w) for w in score.weights}
    folder.write(WEIGHTS, lambda path: np.savez(path, **values))
    return {
        "texts": len(texts),
        "epochs": epochs,
        "energy_gap": history["loss"],
        "reconstruction_error": history["reconstruction_error"],
        "seconds_per_epoch": float(np.median(progress.seconds)),
    }


def jump_arguments(settings: IAMSettings) -> dict[str, Any]:
    """The arguments of `RBMJumpScore`, from the settings."""
    names = ("offset", "temperature", "scale", "max_exponent")
    return {name: getattr(settings, f"jump_{name}") for name in names}


def _jump(settings: IAMSettings) -> RBMJumpScore:
    score = RBMJumpScore(
        initializer_range=settings.rbm_initializer_range,
        **jump_arguments(settings),
    )
    score.build((None, None, 2 * settings.units))
    return score


def load_jump(settings: IAMSettings, folder: RunFolder) -> RBMJumpScore:
    """The trained score of a finished stage.

    Raises:
        RunFolderError: if the weights are damaged, or of another score.
    """
    score = _jump(settings)
    read_arrays(folder.path / WEIGHTS, score.weights)
    return score


def read_arrays(path: Path, weights: Sequence[keras.Variable]) -> None:
    """Assigns to weights the arrays of their names in a `.npz` file.

    Raises:
        RunFolderError: if the file is damaged, or an array is missing, has
            another shape, or is not of finite floats.
    """
    try:
        with path.open("rb") as raw, zipfile.ZipFile(raw) as archive:
            for weight in weights:
                value = stored_array(archive, weight.name)
                if value.shape != weight.shape or value.dtype.kind != "f":
                    raise ValueError(f"{weight.name} of shape {value.shape}")
                if not np.isfinite(value).all():
                    raise ValueError(f"{weight.name} with NaN or infinity")
                weight.assign(value)
    except (*DAMAGE, OSError) as error:
        raise RunFolderError(
            f"{path}: expected the weights of this score. "
            f"Received: {shorten(str(error))}"
        ) from error


def text_states(
    encoder: keras.Model, texts: RaggedTexts
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yields the states of texts, in batches of similar lengths.

    Args:
        encoder: encoder of a language model.
        texts: the texts.

    Yields:
        States `(n, length, dim)` and mask `(n, length)`.
    """
    order = np.argsort(-texts.lengths, kind="stable")
    start = 0
    while start < len(order):
        width = int(texts.lengths[order[start]]) + 1
        chosen = order[start : start + max(1, POSITIONS // width)]
        found = encoder.predict_on_batch(texts.padded(chosen))
        yield found["states"], found["mask"]
        start += len(chosen)
