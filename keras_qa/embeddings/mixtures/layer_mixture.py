"""The mixture of an encoder's layers, a row of MRNN's Table 2."""

from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from keras_qa.arguments import check_choice
from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.embeddings.mixtures.combinations import check_combination
from keras_qa.embeddings.mixtures.combinations import f_mixture
from keras_qa.embeddings.mixtures.encoders import Encoder
from keras_qa.embeddings.mixtures.encoders import Rows
from keras_qa.embeddings.texts import Text

ORDERS = ("bottom", "top")
Idf = Callable[[Sequence[str]], np.ndarray]


@dataclass(frozen=True)
class Mixture:
    """An encoder and the mixture of its layers (MRNN, Table 2).

    Attributes:
        encoder: the encoder.
        m: the weights of the layers. Further layers have weight 0; layers of
            weight 0 are not used.
        w_idf: exponent of the words' inverse document frequency.
        f_mix: `"sum"` or `"concat"`.
        order: the layer of the first weight, `"bottom"`, the network's input,
            or `"top"`, its output.

    Raises:
        ValueError: if `m`, `f_mix` or `order` is not allowed.
    """

    encoder: Encoder
    m: tuple[float, ...] = (1.0,)
    w_idf: float = 0.0
    f_mix: str = "sum"
    order: str = "bottom"

    def __post_init__(self) -> None:
        check_combination("f_mix", self.f_mix, "m", self.m)
        check_choice("order", self.order, ORDERS)

    def rows(
        self,
        kind: str,
        texts: Sequence[Text],
        idf: Idf | None = None,
        cache_dir: PathLike | None = None,
        progress: bool = True,
    ) -> Rows:
        """The mixed vectors of texts.

        Args:
            kind: see `keras_qa.embeddings.mixtures.encoders.Encoder.rows`.
            texts: see `Encoder.rows`.
            idf: the inverse document frequencies of words, such as an
                `InverseDocumentFrequency`; required unless `w_idf` is 0.
            cache_dir: see `Encoder.rows`.
            progress: see `Encoder.rows`.

        Yields:
            Number of a text and its vectors, float32 `(words, width)`.

        Raises:
            ImportError, VectorsError: see `Encoder.rows`.
            ValueError: if `idf` is missing, or a layer does not exist.
        """
        if self.w_idf and idf is None:
            raise ValueError(
                "`idf` must be given where `w_idf` is not 0. "
                f"Received: idf=None, w_idf={self.w_idf}"
            )
        chosen = [j for j, weight in enumerate(self.m) if weight]
        top = self.order == "top"
        layers = [-1 - j if top else j for j in chosen]
        weights = [self.m[j] for j in chosen]
        for i, found in self.encoder.rows(
            kind, texts, layers, cache_dir, progress
        ):
            words = idf(texts[i]) if idf is not None else None
            mixed = f_mixture(found, weights, self.w_idf, self.f_mix, words)
            yield i, mixed
