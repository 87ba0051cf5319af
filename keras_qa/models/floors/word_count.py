"""The number of question words that an answer repeats."""

from collections.abc import Collection
from collections.abc import Iterable
from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.layers.bm25 import BM25
from keras_qa.models.building import full_policy
from keras_qa.models.building import text_inputs
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.floors.floor import Floor
from keras_qa.text.sides import SIDES

WEIGHTINGS = (None, "idf")


@keras.saving.register_keras_serializable(package="keras_qa")
class WordCountRanker(Floor):
    """Scores a pair by how many words of the question the answer has.

        score = Σ_{i: q_i in the answer} w(q_i)

    over the words q_i of the question, repeated ones as often as they occur.
    w(q_i) is 1, or with `weighting="idf"` the idf; that of stop words, which
    `adapt` is told, is 0. Unlike `IdfOverlapRanker`, it does not divide by the
    weight of the question. Unknown words (id 1) match nothing.

    These are "Word Cnt" and "Wgt Word Cnt" of Yang et al. (2015), which give
    no formula of the idf. It is that of `BM25`, ln((N + 1) / (df + 0.5)) where
    df of N documents have the word; the score is that of `BM25` with k1 = 0.

    Args:
        vocabulary_size: number of word ids, with padding (0).
        weighting: None or `"idf"`. Until `adapt`, each idf is 1, too.
        dtype: dtype policy; the score stays in float32 under mixed precision.
        name: name of the model.
        trainable: whether the model is trainable; it has nothing to train.

    Call arguments:
        inputs: dict of `"question"` and `"answer"`, int tensors `(batch_size,
            length)` of word ids.

    Output:
        Scores `(batch_size, 1)`, not negative.

    Raises:
        ValueError: if an argument is out of range.

    Example:
        >>> model = WordCountRanker(9)
        >>> model.adapt([[2, 3], [2, 4]], ignored=[2])
        >>> ids = np.array([[2, 3]])
        >>> model({"question": ids, "answer": ids})
        [[1.]]

    References: Yih et al., 2013, "Question Answering Using Enhanced Lexical
    Semantic Models"; Yang et al., 2015, "WikiQA: A Challenge Dataset for
    Open-Domain Question Answering".
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        weighting: str | None = None,
        *,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_choice("weighting", weighting, WEIGHTINGS)
        # Without saturation a repeated word counts once.
        layer = BM25(
            vocabulary_size,
            k1=0.0,
            dtype=full_policy(dtype).variable_dtype,
            name="word_count",
        )
        inputs = text_inputs()
        super().__init__(inputs, layer([inputs[side] for side in SIDES]))
        self.counting = layer

    def adapt(
        self, documents: Iterable[Any], ignored: Collection[int] = ()
    ) -> None:
        """Sets the weights of words by some documents.

        Args:
            documents: integer vectors of word ids; without weighting they
                make no difference, but there must be one.
            ignored: ids that do not count: those of stop words, by
                `keras_qa.text.overlap.is_stop_word`.

        Raises:
            ValueError: if there is no document, or an id is out of range.
        """
        self.counting.adapt(list(documents), ignored)
        if self.weighting is None:
            self.counting.idf.assign(
                ops.cast(self.counting.idf > 0, self.counting.idf.dtype)
            )
