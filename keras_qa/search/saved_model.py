"""An exported model that takes text, without the code of its class."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from keras_qa.errors import SearchError
from keras_qa.files.text_files import shorten


class SavedModelRanker:
    """Scores candidates with what `export_saved_model` wrote.

    Args:
        folder: the SavedModel.

    Raises:
        ImportError: if TensorFlow is not installed.
        SearchError: if the folder holds no SavedModel that ranks text.
    """

    def __init__(self, folder: Path):
        import tensorflow as tf

        try:
            # Kept, for its variables live as long as it does.
            self._model = tf.saved_model.load(str(folder))
            self._rank = self._model.signatures["rank"]
        # TensorFlow has many errors for bad files, and none of its own.
        except Exception as error:
            raise SearchError(
                f"{folder}: expected a SavedModel with a signature `rank`, as "
                f"`export_saved_model` writes it. "
                f"Received: {shorten(str(error))}"
            ) from error

    def scores(self, question: str, candidates: Sequence[str]) -> np.ndarray:
        """Scores candidates.

        Args:
            question: the question.
            candidates: the texts of the candidates; may be empty.

        Returns:
            float32 `(candidates,)`, higher is better.
        """
        import tensorflow as tf

        ranked = self._rank(
            question=tf.constant(question),
            candidates=tf.constant(list(candidates), tf.string),
        )
        return ranked["scores"].numpy()
