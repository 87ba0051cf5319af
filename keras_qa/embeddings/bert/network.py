"""A BERT, loaded with keras-hub.

The network differs from Hugging Face's only in the approximation of GELU by a
hyperbolic tangent, which changes the states of the last of MiniLM's six layers
by up to .003, compared to a standard deviation of .5. The tokeniser strips
accents where BERT's own does, but unlike it folds compatibility characters
together with case, "½" to "1⁄2" and "ß" to "ss".
"""

import functools
import hashlib
import json
import random
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.arguments import check_choice
from keras_qa.embeddings.bert.directory_checks import check_directory
from keras_qa.embeddings.bert.directory_checks import read_object
from keras_qa.embeddings.bert.source import INSTALL
from keras_qa.embeddings.bert.source import MINILM
from keras_qa.embeddings.bert.source import directory_digest
from keras_qa.embeddings.bert.source import find_bert
from keras_qa.embeddings.cache import Identity
from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.errors import VectorsError
from keras_qa.text.packing import next_power

TOKENIZER_CONFIG = "tokenizer_config.json"
# [CLS] and [SEP].
FRAME = 2
SHORTEST_WIDTH = 8
COMBINE = ("mean", "concat")
# To be raised with each change that gives the same texts other vectors.
VERSION = 1


class Bert:
    """A BERT and its tokeniser, each loaded on first use.

    Args:
        source: name or directory of a BERT; see
            `keras_qa.embeddings.bert.source.find_bert`.
        layers: one or several layers whose states are taken: 0 is the input
            of the first layer, -1 the output of the last.
        combine: several layers are averaged (`"mean"`), or concatenated in the
            order of `layers` (`"concat"`).

    Raises:
        ImportError: if the package of `"minilm"` is not installed.
        VectorsError: if a directory is missing or contains no BERT; on first
            use, if keras-hub can load none of this directory or name.
        ValueError: if `layers` is empty or `combine` is unknown. A layer out
            of range raises it on first use.
    """

    def __init__(
        self,
        source: PathLike = MINILM,
        layers: int | Sequence[int] = -1,
        combine: str = "mean",
    ):
        self.source = find_bert(source)
        # JSON and the cache know no integers of NumPy.
        self.layers = tuple(int(layer) for layer in np.atleast_1d(layers))
        self.combine = combine
        check_choice("combine", combine, COMBINE)
        if not self.layers:
            raise ValueError(
                f"`layers` must not be empty. Received: layers={layers!r}"
            )
        self._pieces: dict[str, list[int]] = {}

    @functools.cached_property
    def fingerprint(self) -> str:
        """Hexadecimal digest of settings, vocabulary and weights.

        The digest of a directory is computed from its files.
        """
        if isinstance(self.source, Path):
            return directory_digest(self.source)
        return _weights_digest(self.backbone, self.tokenizer)

    @property
    def identity(self) -> Identity:
        """The identity of the vectors in the cache."""
        about: dict[str, Any] = {
            "version": VERSION,
            "fingerprint": self.fingerprint,
            "layers": self.layers,
        }
        if self.combine != "mean":
            about["combine"] = self.combine
        return Identity("BERT", str(self.source), about)

    @property
    def width(self) -> int:
        """Width of the combined states."""
        parts = len(self.layers) if self.combine == "concat" else 1
        return parts * self.backbone.hidden_dim

    @property
    def room(self) -> int:
        """The largest number of pieces in a text."""
        return self.backbone.max_sequence_length - FRAME

    @property
    def size(self) -> int:
        """Bytes of the weights, in float32."""
        return 4 * int(self.backbone.count_params())

    def pieces(self, words: Iterable[str]) -> dict[str, list[int]]:
        """Splits words into pieces.

        Args:
            words: words with their original case.

        Returns:
            For each word the ids of its pieces; none for an empty word.
        """
        words = list(dict.fromkeys(words))
        new = [word for word in words if word not in self._pieces]
        if new:
            for word, ids in zip(
                new, self.tokenizer.tokenize(new), strict=True
            ):
                self._pieces[word] = [int(i) for i in ids]
            # The word "[UNK]" is one piece, and not split at its brackets.
            self._pieces[self.tokenizer.oov_token] = [self.unknown]
        return {word: self._pieces[word] for word in words}

    @functools.cached_property
    def unknown(self) -> int:
        """Id of the piece [UNK]."""
        return self.tokenizer.token_to_id(self.tokenizer.oov_token)

    def padded(self, pieces: int) -> int:
        """The width of a batch whose longest text has this number of pieces.

        On JAX, which compiles each new shape, it is a power of two.
        """
        width = pieces + FRAME
        if not _on_jax():
            return width
        width = max(SHORTEST_WIDTH, next_power(width))
        return min(width, self.backbone.max_sequence_length)

    def states(self, texts: Sequence[Sequence[int]]) -> np.ndarray:
        """The states of pieces, with each text between [CLS] and [SEP].

        Args:
            texts: the piece ids of each text, at most `room`.

        Returns:
            float32 `(texts, longest, width)`, undefined beyond the pieces of
            a text.
        """
        tokenizer = self.tokenizer
        longest = max(map(len, texts))
        rows = next_power(len(texts)) if _on_jax() else len(texts)
        shape = (rows, self.padded(longest))
        ids = np.full(shape, tokenizer.pad_token_id, np.int32)
        mask = np.zeros(shape, np.int32)
        for row, text in enumerate(texts):
            framed = [tokenizer.cls_token_id, *text, tokenizer.sep_token_id]
            ids[row, : len(framed)] = framed
            mask[row, : len(framed)] = 1
        # Rows that fill the batch are copies, to avoid a softmax over nothing.
        ids[len(texts) :], mask[len(texts) :] = ids[0], mask[0]
        states = self._model.predict_on_batch(
            {
                "token_ids": ids,
                "segment_ids": np.zeros_like(ids),
                "padding_mask": mask,
            }
        )
        return states[: len(texts), 1 : longest + 1]

    @functools.cached_property
    def backbone(self) -> Any:
        """The network, a `keras_hub.models.BertBackbone`."""
        models = keras_hub_package().models
        # Initial weights, which the loaded ones replace, are drawn from
        # Python's generator, whose state must not change.
        state = random.getstate()
        try:
            with _named_errors(self.source):
                return models.BertBackbone.from_preset(
                    str(self.source), dtype="float32"
                )
        finally:
            random.setstate(state)

    @functools.cached_property
    def tokenizer(self) -> Any:
        """Its tokeniser, a `keras_hub.models.BertTokenizer`."""
        models = keras_hub_package().models
        with _named_errors(self.source):
            tokenizer = models.BertTokenizer.from_preset(str(self.source))
            tokenizer.strip_accents = _strips_accents(self.source, tokenizer)
        return tokenizer

    @functools.cached_property
    def _model(self) -> Any:
        """The model from the backbone's inputs to the combined layers."""
        import keras

        backbone = self.backbone
        states = [backbone.embeddings_dropout.output]
        states += [layer.output for layer in backbone.transformer_layers]
        for layer in self.layers:
            if not -len(states) <= layer < len(states):
                raise ValueError(
                    f"`layers` must lie between {-len(states)} and "
                    f"{len(states) - 1}. Received: layers={self.layers}"
                )
        chosen = [states[layer] for layer in self.layers]
        combined = chosen[0]
        if len(chosen) > 1:
            join = keras.layers.average
            if self.combine == "concat":
                join = keras.layers.concatenate
            combined = join(chosen)
        model = keras.Model(backbone.input, combined)
        # On TensorFlow, XLA would compile each new shape.
        model.compile(jit_compile="auto" if _on_jax() else False)
        return model


def keras_hub_package() -> Any:
    """The package keras_hub.

    Raises:
        ImportError: if it, or a package that it needs, is not installed.
    """
    try:
        import keras_hub
    except ImportError as error:
        raise ImportError(
            f"The network of a BERT needs keras-hub: {INSTALL}. "
            f"Received: {error}"
        ) from error
    return keras_hub


@contextmanager
def _named_errors(source: Path | str) -> Iterator[None]:
    """Converts errors of loading a BERT to errors that name it."""
    if isinstance(source, Path):
        check_directory(source)
    try:
        yield
    except (VectorsError, ImportError):
        raise
    # keras-hub and safetensors raise many types of errors for bad files.
    except Exception as error:
        raise VectorsError(
            f"{source}: expected a BERT that keras-hub can load, a folder or "
            "the name of a preset. Received: "
            f"{type(error).__name__}: {str(error)[:200]!r}"
        ) from error


def _on_jax() -> bool:
    import keras

    return keras.backend.backend() == "jax"


def _strips_accents(source: Path | str, tokenizer: Any) -> bool:
    """Returns True if accents are stripped, by default as case is."""
    config = Path(source) / TOKENIZER_CONFIG
    if isinstance(source, Path) and config.is_file():
        stated = read_object(config).get("strip_accents")
        if stated is not None:
            return bool(stated)
    return bool(tokenizer.lowercase)


def _weights_digest(backbone: Any, tokenizer: Any) -> str:
    vocabulary = tokenizer.get_vocabulary()
    facts = [backbone.num_heads, tokenizer.lowercase, vocabulary]
    digest = hashlib.sha256(json.dumps(facts).encode())
    for weight in backbone.get_weights():
        digest.update(f"{weight.shape} {weight.dtype}".encode())
        digest.update(np.ascontiguousarray(weight).tobytes())
    return digest.hexdigest()
