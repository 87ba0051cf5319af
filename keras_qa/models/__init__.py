"""The models of the papers, and what they are compared with."""

from keras_qa.models.attentive_pooling import APCNN
from keras_qa.models.attentive_pooling import APBiLSTM
from keras_qa.models.compare_aggregate.bimpm import BiMPM
from keras_qa.models.compare_aggregate.cam import CompareAggregate
from keras_qa.models.compare_aggregate.iwan import IWAN
from keras_qa.models.convolutional.bigram_cnn import BigramCNN
from keras_qa.models.convolutional.mpcnn import MPCNN
from keras_qa.models.convolutional.severyn_moschitti import SeverynMoschitti
from keras_qa.models.cosineqa import CosineQA
from keras_qa.models.cosineqa import LogCosineQA
from keras_qa.models.ctrn.ctrn import CTRN
from keras_qa.models.ctrn.pointwise_baselines import CNNRanker
from keras_qa.models.ctrn.pointwise_baselines import LSTMRanker
from keras_qa.models.ctrn.pointwise_baselines import QRNNRanker
from keras_qa.models.floors.bm25_ranker import BM25Ranker
from keras_qa.models.floors.boosted import BoostedRanker
from keras_qa.models.floors.feature_ranker import FeatureRanker
from keras_qa.models.floors.fusion import FusionRanker
from keras_qa.models.floors.untrained import AlignmentRanker
from keras_qa.models.floors.untrained import IdfOverlapRanker
from keras_qa.models.floors.untrained import SentenceCosineRanker
from keras_qa.models.floors.word_count import WordCountRanker
from keras_qa.models.grids.abcnn import ABCNN
from keras_qa.models.grids.ai_cnn import AICNN
from keras_qa.models.grids.anmm import ANMM
from keras_qa.models.grids.arc_ii import ARCII
from keras_qa.models.grids.mv_lstm import MVLSTM
from keras_qa.models.hyperqa import HyperQA
from keras_qa.models.iam.iam import IAM
from keras_qa.models.iam.language_model import BidirectionalLanguageModel
from keras_qa.models.inner_attention.iarnn import IARNN
from keras_qa.models.joint_bilstm import JointBiLSTM
from keras_qa.models.memory.key_value_memory import KeyValueMemory
from keras_qa.models.memory.multihop_lstm import MultihopSequentialLSTM
from keras_qa.models.memory.rnn_poa import RNNPOA
from keras_qa.models.memory.self_lstm import SelfLSTM
from keras_qa.models.mrnn import MRNN
from keras_qa.models.qa_lstm.attentive import AttentiveCNN
from keras_qa.models.qa_lstm.attentive import AttentiveLSTM
from keras_qa.models.qa_lstm.feng_cnn import FengCNN
from keras_qa.models.qa_lstm.qa_lstm import QACNN
from keras_qa.models.qa_lstm.qa_lstm import QALSTM
from keras_qa.models.qa_lstm.qa_lstm import ConvBasedLSTM
from keras_qa.models.qa_lstm.qa_lstm import ConvPoolingLSTM
from keras_qa.models.sentence_encoders.infersent import InferSent
from keras_qa.models.sentence_encoders.relation_network import RelationNetwork
from keras_qa.models.siamese.arc_i import ARCI
from keras_qa.models.siamese.cntn import CNTN
from keras_qa.models.siamese.hd_lstm import HDLSTM
from keras_qa.models.siamese.ntn_lstm import NTNLSTM
from keras_qa.models.transformers.cross_encoder import CrossEncoder
from keras_qa.models.transformers.late_interaction import LateInteraction
from keras_qa.models.transformers.sentence_encoder import SentenceEncoder

__all__ = [
    "ABCNN",
    "AICNN",
    "ANMM",
    "APCNN",
    "ARCI",
    "ARCII",
    "CNTN",
    "CTRN",
    "HDLSTM",
    "IAM",
    "IARNN",
    "IWAN",
    "MPCNN",
    "MRNN",
    "MVLSTM",
    "NTNLSTM",
    "QACNN",
    "QALSTM",
    "RNNPOA",
    "APBiLSTM",
    "AlignmentRanker",
    "AttentiveCNN",
    "AttentiveLSTM",
    "BM25Ranker",
    "BiMPM",
    "BidirectionalLanguageModel",
    "BigramCNN",
    "BoostedRanker",
    "CNNRanker",
    "CompareAggregate",
    "ConvBasedLSTM",
    "ConvPoolingLSTM",
    "CosineQA",
    "CrossEncoder",
    "FeatureRanker",
    "FengCNN",
    "FusionRanker",
    "HyperQA",
    "IdfOverlapRanker",
    "InferSent",
    "JointBiLSTM",
    "KeyValueMemory",
    "LSTMRanker",
    "LateInteraction",
    "LogCosineQA",
    "MultihopSequentialLSTM",
    "QRNNRanker",
    "RelationNetwork",
    "SelfLSTM",
    "SentenceCosineRanker",
    "SentenceEncoder",
    "SeverynMoschitti",
    "WordCountRanker",
]
