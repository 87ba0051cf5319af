"""keras_qa: neural question-answer ranking in Keras 3.

The public modules are attributes, as in `keras_qa.models.HyperQA`; each is
imported at its first use, so that reading data does not import Keras.
"""

import importlib
from types import ModuleType

from keras_qa.version import __version__

_MODULES = (
    "attention",
    "attention_maps",
    "baselines",
    "batches",
    "constraints",
    "contrastive_divergence",
    "datasets",
    "evaluation",
    "export",
    "geometry",
    "initializers",
    "language_modeling",
    "layers",
    "lite_export",
    "losses",
    "mining",
    "models",
    "ngrams",
    "onnx_export",
    "optimizers",
    "recomputation",
    "recurrence",
    "retrieval",
    "scoring",
    "search",
    "seeded_epochs",
    "term_dependence",
    "training",
    "triplet_batches",
    "triplet_losses",
    "triplet_training",
)

__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> ModuleType:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
