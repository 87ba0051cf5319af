"""Models that align the words of two texts, compare them and aggregate.

Their three slots (Wang and Jiang, 2017, sections 2.2 to 2.4) are layers of
their own, which a model of one's own can join in other ways:

- Alignment, a vector of the other text for each word: `SoftAlignment` in CAM
  and IWAN; in BiMPM a part of `MultiPerspectiveMatching`, whose strategies
  `"attentive"` and `"max_attentive"` align.
- Comparison of each word's two vectors: `WordComparison` in CAM,
  `OrthogonalDecomposition` in IWAN, `MultiPerspectiveMatching` in BiMPM.
- Aggregation to one vector: `NarrowConvolution` and `MaxOverTime` in CAM, sums
  weighted by `AnswerAttention` in IWAN, an LSTM and `HeadTail` in BiMPM.

CAM fills the slots for the answer alone; IWAN and BiMPM do so for both texts,
each compared with the other one, and join the vectors.
"""
