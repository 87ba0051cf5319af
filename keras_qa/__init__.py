"""keras_qa: neural question-answer ranking in Keras 3.

    from keras_qa import HyperQA, evaluate, open_dataset

Each name is imported at its first use, so that reading data does not import
Keras. The layers are in `keras_qa.layers`; other folders of the package, which
docs/architecture.md describes, are attributes too.
"""

import importlib
from typing import Any

from keras_qa.version import __version__

# Modules, and the names that the package exports from each.
_HOMES = {
    "batches.listwise": ("ListwiseBatches",),
    "batches.negatives": ("NegativeSampler",),
    "batches.pairs": (
        "HardestNegativeBatches",
        "PairwiseBatches",
        "PointwiseBatches",
    ),
    "batches.texts": ("TextBatches",),
    "batches.triplets": ("TripletBatches",),
    "datasets": (
        *("Candidate", "Corpus", "Question", "open_dataset", "open_tabular"),
    ),
    "devices": ("use_devices",),
    "embeddings": ("embedding_matrix", "load_vectors", "train_skipgram"),
    "embeddings.bert.piece_vocabulary": ("piece_vocabulary",),
    "export.onnx_beside": ("add_onnx",),
    "files.whole": ("refuse_existing",),
    "losses": (
        *("DistillationKL", "EmbeddingTripletLoss", "InBatchSoftmax"),
        *("ListwiseSoftmax", "MarginMSE", "PairwiseHinge", "TripletLoss"),
    ),
    "models": (
        *("ABCNN", "AICNN", "ANMM", "APBiLSTM", "APCNN", "ARCI", "ARCII"),
        *("AlignmentRanker", "AttentiveCNN", "AttentiveLSTM", "BM25Ranker"),
        *("BiMPM", "BidirectionalLanguageModel", "BigramCNN", "BoostedRanker"),
        *("CNNRanker", "CNTN", "CTRN", "CompareAggregate", "ConvBasedLSTM"),
        *("ConvPoolingLSTM", "CosineQA", "CrossEncoder", "FeatureRanker"),
        *("FengCNN", "FusionRanker", "HDLSTM", "HyperQA", "IAM", "IARNN"),
        *("IWAN", "IdfOverlapRanker", "InferSent", "JointBiLSTM"),
        *(
            "KeyValueMemory",
            "LSTMRanker",
            "LateInteraction",
            "LogCosineQA",
            "MPCNN",
            "MRNN",
        ),
        *("MVLSTM", "MultihopSequentialLSTM", "NTNLSTM", "QACNN", "QALSTM"),
        *("QRNNRanker", "RNNPOA", "RelationNetwork", "SelfLSTM"),
        *("SentenceCosineRanker", "SentenceEncoder", "SeverynMoschitti"),
        "WordCountRanker",
    ),
    "optimizers": ("PoincareBall", "RiemannianOptimizer"),
    "own_data.training": ("train",),
    "ranker": ("Ranker",),
    "ranking.evaluation": ("evaluate", "named_measures"),
    "ranking.paragraph_vectors": ("ParagraphVectors",),
    "ranking.scoring": ("score_pairs",),
    "ranking.stacking.combining": ("fit_stacker",),
    "ranking.stacking.folds": ("out_of_fold_scores",),
    "search.lifted": ("lifted_answers", "lifted_question"),
    "stacker": ("Stacker",),
    "text.reading": ("TextReading",),
    "text.vocabulary": ("Vocabulary",),
    "training.corpus_scorer": ("CorpusScorer",),
    "training.distillation": ("TeacherScores",),
    "training.fitting": ("fit_best_epoch",),
    "training.in_batch": ("InBatchTrainer",),
    "training.pairwise": ("HardestNegativeTrainer", "PairwiseTrainer"),
    "training.ranking_validation": ("RankingValidation",),
    "training.run_folder": ("RunFolder",),
    "training.triplets": ("TripletTrainer",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_FOLDERS = (
    *("attention", "batches", "datasets", "embeddings", "export", "layers"),
    *("losses", "metrics", "models", "optimizers", "own_data", "ranking"),
    *("search", "text", "training"),
)

__all__ = ["__version__", *_HOME_OF, *_FOLDERS]


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        module = importlib.import_module(f"{__name__}.{_HOME_OF[name]}")
        return getattr(module, name)
    if name in _FOLDERS:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
