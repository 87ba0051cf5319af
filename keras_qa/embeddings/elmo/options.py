"""The sizes of an ELMo, and the shapes of the arrays in its file of weights.

The layout is that of the biLM that Peters et al. released
(https://github.com/allenai/bilm-tf) and that AllenNLP reads. The weights have
the shapes

    char_embed                                    (261, characters' dim)
    CNN/W_cnn_{i}, b_cnn_{i}                      (1, width, dim, filters)
    CNN_high_{i}/W_carry, W_transform, b_...      (all filters, all filters)
    CNN_proj/W_proj, b_proj                       (all filters, projection)
    RNN_{d}/RNN/MultiRNNCell/Cell{i}/LSTMCell/
        W_0, B          (2 projection, 4 units)
        W_P_0           (units, projection)

where d is 0 for the forward direction and 1 for the backward one, and the
length of a bias b is the last dimension of its W. The four gates of an LSTM are
in the order input, new, forget, output; 1 is added to the forget gate's bias.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.embeddings.elmo.characters import CHARACTERS
from keras_qa.embeddings.elmo.characters import SHORTEST
from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.errors import VectorsError

# The published models have two of each kind of layers, at most 4096 wide.
MAX_LAYERS = 64
MAX_SIZE = 1 << 16
ACTIVATIONS = ("relu", "tanh")


@dataclass(frozen=True)
class ElmoOptions:
    """The sizes of an ELMo.

    Attributes:
        max_characters: number of ids of a word, including its two marks.
        character_dim: width of the characters' vectors.
        filters: width and number of the filters of each convolution.
        activation: `"relu"` or `"tanh"`, after each convolution.
        highways: number of highway layers.
        units: width of the LSTMs' memory.
        projection: width of the LSTMs' output, and of a word's vector.
        layers: number of stacked LSTMs.
        cell_clip: bound of the memory; None does not clip.
        projection_clip: bound of the output; None does not clip.
        skip: True adds the input of each LSTM except the first to its output.
    """

    max_characters: int
    character_dim: int
    filters: tuple[tuple[int, int], ...]
    activation: str
    highways: int
    units: int
    projection: int
    layers: int
    cell_clip: float | None
    projection_clip: float | None
    skip: bool

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each array in the file of the weights."""
        wide = sum(number for _, number in self.filters)
        shapes: dict[str, tuple[int, ...]] = {
            "char_embed": (CHARACTERS, self.character_dim)
        }
        for i, (width, number) in enumerate(self.filters):
            shapes[f"CNN/W_cnn_{i}"] = (1, width, self.character_dim, number)
            shapes[f"CNN/b_cnn_{i}"] = (number,)
        for i in range(self.highways):
            for gate in ("carry", "transform"):
                shapes[f"CNN_high_{i}/W_{gate}"] = (wide, wide)
                shapes[f"CNN_high_{i}/b_{gate}"] = (wide,)
        shapes["CNN_proj/W_proj"] = (wide, self.projection)
        shapes["CNN_proj/b_proj"] = (self.projection,)
        for direction in (0, 1):
            for i in range(self.layers):
                cell = lstm_name(direction, i)
                both = 2 * self.projection
                shapes[f"{cell}/W_0"] = (both, 4 * self.units)
                shapes[f"{cell}/B"] = (4 * self.units,)
                shapes[f"{cell}/W_P_0"] = (self.units, self.projection)
        return shapes


def lstm_name(direction: int, layer: int) -> str:
    """The path of an LSTM's weights in the file."""
    return f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"


def read_options(path: PathLike) -> ElmoOptions:
    """Reads the options.

    Args:
        path: the file.

    Raises:
        VectorsError: if the file is not JSON, or an option is missing or bad.
    """
    try:
        options = json.loads(Path(path).read_text("utf-8"))
        return _options(options["char_cnn"], options["lstm"])
    # Too deeply nested JSON raises a RecursionError.
    except (ValueError, KeyError, TypeError, OSError, RecursionError) as error:
        raise VectorsError(
            f"{path}: expected the options of an ELMo. Received: "
            f"{type(error).__name__}: {str(error)[:200]!r}"
        ) from error


def _options(
    characters: Mapping[str, Any], lstm: Mapping[str, Any]
) -> ElmoOptions:
    filters = tuple((_size(w), _size(n)) for w, n in characters["filters"])
    options = ElmoOptions(
        max_characters=_size(characters["max_characters_per_token"]),
        character_dim=_size(characters["embedding"]["dim"]),
        filters=filters,
        activation=characters["activation"],
        highways=_size(characters.get("n_highway") or 0),
        units=_size(lstm["dim"]),
        projection=_size(lstm["projection_dim"]),
        layers=_size(lstm.get("n_layers", 1)),
        cell_clip=_clip("cell_clip", lstm),
        projection_clip=_clip("proj_clip", lstm),
        skip=bool(lstm["use_skip_connections"]),
    )
    if options.activation not in ACTIVATIONS:
        raise ValueError(f"activation {options.activation!r}")
    sizes = (options.character_dim, options.units, options.projection)
    sizes += (options.layers, *sum(filters, ()))
    if not filters or min(sizes) < 1 or options.highways < 0:
        raise ValueError(f"sizes that are not positive in {options}")
    if max(options.layers, options.highways) > MAX_LAYERS:
        raise ValueError(f"more than {MAX_LAYERS} layers in {options}")
    if options.max_characters < max(SHORTEST, *(w for w, _ in filters)):
        raise ValueError(f"max_characters_per_token {options.max_characters}")
    return options


def _size(value: object) -> int:
    """Returns an integer of at most `MAX_SIZE` unchanged."""
    if type(value) is not int or value > MAX_SIZE:
        raise ValueError(f"a size of {str(value)[:30]}, at most {MAX_SIZE}")
    return value


def _clip(name: str, lstm: Mapping[str, Any]) -> float | None:
    """A bound; None if the option is 0, null or missing."""
    stated = lstm.get(name) or 0
    if not isinstance(stated, int | float):
        raise TypeError(f"{name} {stated!r}")
    clip = float(stated)
    if not 0 <= clip < np.inf:
        raise ValueError(f"{name} {clip}")
    return clip or None
