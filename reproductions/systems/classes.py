"""The models of this experiment: a line each adds one.

The command offers those whose class the library has.
"""

import keras_qa

# The class of each model, and the settings that are its own arguments. Several
# models are one class with other settings (`settings.MODELS`).
_MP_CNN = (
    "MPCNN",
    ("max_width", "per_dimension_filters", "hidden_units"),
)
_SEVERYN_MOSCHITTI = (
    "SeverynMoschitti",
    ("filters", "kernel_size", "activation"),
)
CLASSES: dict[str, tuple[str, tuple[str, ...]]] = {
    # keras_qa/models/convolutional
    "mp-cnn": _MP_CNN,
    "mp-cnn-rank": _MP_CNN,
    "severyn-moschitti": _SEVERYN_MOSCHITTI,
    "severyn-moschitti-plain": _SEVERYN_MOSCHITTI,
    "bigram-cnn": ("BigramCNN", ("ngram",)),
    # keras_qa/models/siamese
    "arc-i": ("ARCI", ()),
    "cntn": ("CNTN", ()),
    "ntn-lstm": ("NTNLSTM", ()),
    "hd-lstm": ("HDLSTM", ()),
    # keras_qa/models/grids
    "arc-ii": ("ARCII", ()),
    "mv-lstm": ("MVLSTM", ("similarity",)),
    "anmm": ("ANMM", ()),
    "bcnn": ("ABCNN", ("attention",)),
    "abcnn-1": ("ABCNN", ("attention",)),
    "abcnn-2": ("ABCNN", ("attention",)),
    "abcnn-3": ("ABCNN", ("attention",)),
    "ai-cnn": ("AICNN", ()),
    "ai-cnn-feats": ("AICNN", ()),
}


def offered() -> tuple[str, ...]:
    """The models whose class the library has."""
    return tuple(
        model
        for model, (class_name, _) in CLASSES.items()
        if class_name in keras_qa.__all__
    )
