"""The models of this experiment: a line each adds one."""

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
_ABCNN = (
    "ABCNN",
    (
        *("filters", "attention", "blocks", "kernel_size"),
        "shared_feature_maps",
    ),
)
_IARNN = ("IARNN", ("units", "inner_attention", "occam", "bidirectional"))
CLASSES: dict[str, tuple[str, tuple[str, ...]]] = {
    # keras_qa/models/convolutional
    "mp-cnn": _MP_CNN,
    "mp-cnn-rank": _MP_CNN,
    "severyn-moschitti": _SEVERYN_MOSCHITTI,
    "severyn-moschitti-plain": _SEVERYN_MOSCHITTI,
    "bigram-cnn": ("BigramCNN", ("ngram",)),
    # keras_qa/models/siamese
    "arc-i": (
        "ARCI",
        ("filters", "kernel_size", "blocks", "hidden_units", "activation"),
    ),
    "cntn": (
        "CNTN",
        (
            *("filters", "units", "kernel_size", "blocks", "k", "slices"),
            "activation",
        ),
    ),
    "ntn-lstm": (
        "NTNLSTM",
        ("units", "slices", "activation", "pooling", "bidirectional"),
    ),
    "hd-lstm": (
        "HDLSTM",
        (
            *("units", "hidden_units", "hidden_layers", "activation"),
            *("pooling", "bidirectional"),
        ),
    ),
    # keras_qa/models/inner_attention
    "iarnn-word": _IARNN,
    "iarnn-occam": _IARNN,
    "iarnn-gate": _IARNN,
    # keras_qa/models/compare_aggregate
    "cam": ("CompareAggregate", ("units", "comparison", "max_width")),
    "bimpm": ("BiMPM", ("units", "perspectives", "hidden_units")),
    "iwan": ("IWAN", ("units", "hidden_units")),
    # keras_qa/models/sentence_encoders
    "infersent": (
        "InferSent",
        ("units", "hidden_units", "activation", "pooling"),
    ),
    "relation-network": (
        "RelationNetwork",
        ("units", "depth", "hidden_units", "hidden_layers", "activation"),
    ),
    # keras_qa/models/joint_bilstm.py
    "bilstm": ("JointBiLSTM", ("units", "depth")),
    # keras_qa/models/memory
    "kv-memnn": ("KeyValueMemory", ("hops", "kernel_size")),
    "multihop-lstm": ("MultihopSequentialLSTM", ("units", "hops")),
    "self-lstm": ("SelfLSTM", ("units", "hops")),
    "rnn-poa": ("RNNPOA", ("units", "influence_units", "sigma")),
    # keras_qa/models/grids
    "arc-ii": (
        "ARCII",
        ("filters", "blocks", "kernel_size", "hidden_units", "activation"),
    ),
    "mv-lstm": (
        "MVLSTM",
        ("units", "similarity", "k", "channels", "hidden_units"),
    ),
    "anmm": ("ANMM", ("bins", "sets")),
    "bcnn": _ABCNN,
    "abcnn-1": _ABCNN,
    "abcnn-2": _ABCNN,
    "abcnn-3": _ABCNN,
    "ai-cnn": (
        "AICNN",
        ("filters", "kernel_size", "hidden_units", "activation"),
    ),
}
