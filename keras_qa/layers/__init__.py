"""The Keras layers of the models."""

from keras_qa.layers.alignment_features import AlignmentFeatures
from keras_qa.layers.answer_attention import AnswerAttention
from keras_qa.layers.append_token import AppendToken
from keras_qa.layers.attention_feature_maps import AttentionFeatureMaps
from keras_qa.layers.attentive_bilstm import AttentiveBiLSTM
from keras_qa.layers.attentive_pooling import AttentivePooling
from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.ball_projection import BallProjection
from keras_qa.layers.bidirectional_stack import BidirectionalStack
from keras_qa.layers.bilinear_similarity import BilinearSimilarity
from keras_qa.layers.bm25 import BM25
from keras_qa.layers.boosted_trees import BoostedTrees
from keras_qa.layers.circular_correlation import CircularCorrelation
from keras_qa.layers.cosine_similarity import CosineSimilarity
from keras_qa.layers.cross_temporal import CrossTemporalLayer
from keras_qa.layers.distance_matches import DistanceMatches
from keras_qa.layers.duplex_attention import DuplexAttention
from keras_qa.layers.einstein_midpoint import EinsteinMidpoint
from keras_qa.layers.einstein_midpoint import LorentzPoints
from keras_qa.layers.feature_standardization import FeatureStandardization
from keras_qa.layers.fixed_length import FixedLength
from keras_qa.layers.gated_convolution import GatedConvolution
from keras_qa.layers.gated_convolution_2d import GatedConvolution2D
from keras_qa.layers.gesd import GESD
from keras_qa.layers.head_tail import HeadTail
from keras_qa.layers.hyperbolic_distance import HyperbolicDistance
from keras_qa.layers.inner_attention import InnerAttentionGRU
from keras_qa.layers.interactive_attention import InteractiveAttention
from keras_qa.layers.interactive_pooling import InteractivePooling
from keras_qa.layers.joined_texts import JoinedTexts
from keras_qa.layers.k_max_interactions import KMaxInteractions
from keras_qa.layers.k_max_pooling import KMaxPooling
from keras_qa.layers.log_cosine_distance import LogCosineDistance
from keras_qa.layers.max_over_time import MaxOverTime
from keras_qa.layers.max_over_windows import MaxOverWindows
from keras_qa.layers.max_similarity import MaxSimilarity
from keras_qa.layers.min_over_time import MinOverTime
from keras_qa.layers.multi_perspective_matching import MultiPerspectiveMatching
from keras_qa.layers.narrow_convolution import NarrowConvolution
from keras_qa.layers.neural_tensor import NeuralTensor
from keras_qa.layers.ngram_attention import NGramAttention
from keras_qa.layers.ngram_dense_block import NGramDenseBlock
from keras_qa.layers.orthogonal_decomposition import OrthogonalDecomposition
from keras_qa.layers.packed_texts import PackedTexts
from keras_qa.layers.pair_convolution import PairConvolution
from keras_qa.layers.per_dimension_convolution import PerDimensionConvolution
from keras_qa.layers.poincare_distance import PoincareDistance
from keras_qa.layers.position_influence import PositionInfluence
from keras_qa.layers.qrnn import QRNNLayer
from keras_qa.layers.query_attention import QueryAttention
from keras_qa.layers.rbm_jump_score import RBMJumpScore
from keras_qa.layers.relation_sum import RelationSum
from keras_qa.layers.self_attentive_pooling import SelfAttentivePooling
from keras_qa.layers.sentence_distance import SentenceDistance
from keras_qa.layers.sequential_attention import SequentialAttention
from keras_qa.layers.soft_alignment import SoftAlignment
from keras_qa.layers.softmax_block import SoftmaxBlock
from keras_qa.layers.softmax_pooling import SoftmaxPooling
from keras_qa.layers.state_matches import StateMatches
from keras_qa.layers.tangent_projection import TangentProjection
from keras_qa.layers.text_convolution import TextConvolution
from keras_qa.layers.text_vectors import TextVectors
from keras_qa.layers.tf_idf import TfIdf
from keras_qa.layers.value_shared_matching import ValueSharedMatching
from keras_qa.layers.vector_comparison import VectorComparison
from keras_qa.layers.wide_convolution import WideConvolution
from keras_qa.layers.window_pooling import WindowPooling
from keras_qa.layers.window_sums import WindowSums
from keras_qa.layers.word_comparison import WordComparison
from keras_qa.layers.word_prediction import WordPrediction
from keras_qa.layers.word_projection import WordProjection

__all__ = [
    "BM25",
    "GESD",
    "AlignmentFeatures",
    "AnswerAttention",
    "AppendToken",
    "AttentionFeatureMaps",
    "AttentiveBiLSTM",
    "AttentivePooling",
    "BagOfWords",
    "BallProjection",
    "BidirectionalStack",
    "BilinearSimilarity",
    "BoostedTrees",
    "CircularCorrelation",
    "CosineSimilarity",
    "CrossTemporalLayer",
    "DistanceMatches",
    "DuplexAttention",
    "EinsteinMidpoint",
    "FeatureStandardization",
    "FixedLength",
    "GatedConvolution",
    "GatedConvolution2D",
    "HeadTail",
    "HyperbolicDistance",
    "InnerAttentionGRU",
    "InteractiveAttention",
    "InteractivePooling",
    "JoinedTexts",
    "KMaxInteractions",
    "KMaxPooling",
    "LogCosineDistance",
    "LorentzPoints",
    "MaxOverTime",
    "MaxOverWindows",
    "MaxSimilarity",
    "MinOverTime",
    "MultiPerspectiveMatching",
    "NGramAttention",
    "NGramDenseBlock",
    "NarrowConvolution",
    "NeuralTensor",
    "OrthogonalDecomposition",
    "PackedTexts",
    "PairConvolution",
    "PerDimensionConvolution",
    "PoincareDistance",
    "PositionInfluence",
    "QRNNLayer",
    "QueryAttention",
    "RBMJumpScore",
    "RelationSum",
    "SelfAttentivePooling",
    "SentenceDistance",
    "SequentialAttention",
    "SoftAlignment",
    "SoftmaxBlock",
    "SoftmaxPooling",
    "StateMatches",
    "TangentProjection",
    "TextConvolution",
    "TextVectors",
    "TfIdf",
    "ValueSharedMatching",
    "VectorComparison",
    "WideConvolution",
    "WindowPooling",
    "WindowSums",
    "WordComparison",
    "WordPrediction",
    "WordProjection",
]
