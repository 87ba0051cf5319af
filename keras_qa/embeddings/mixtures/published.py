"""MRNN's multi-resolution word embedding, as configured in Tables 2 and 3.

Cakaloglu, Xu and Raghavan, "MRNN", ICAART 2023, section 4.3.1.
"""

from keras_qa.arguments import check_positive
from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.embeddings.mixtures.encoders import BertEncoder
from keras_qa.embeddings.mixtures.encoders import ElmoEncoder
from keras_qa.embeddings.mixtures.encoders import Encoder
from keras_qa.embeddings.mixtures.encoders import StaticEncoder
from keras_qa.embeddings.mixtures.layer_mixture import Mixture
from keras_qa.embeddings.mixtures.multi_resolution import MultiResolution

THIRD_OF_THREE = (0.0, 0.0, 1.0)


def multi_resolution(
    bert: PathLike | None = None,
    elmo: PathLike | None = None,
    fasttext: PathLike | None = None,
    *,
    bert_order: str = "top",
    bert_layers: int = 4,
    w_idf: float = 1.0,
) -> MultiResolution:
    """The paper's configuration of the given sources.

    Table 2: four layers of a BERT, weighted 1/4 each and concatenated, without
    idf; the third of an ELMo's three layers, and the word vectors of a
    fastText model, both weighted by idf. Table 3: these are concatenated, with
    equal weights that sum to 1.

    Args:
        bert: name or directory of a BERT; see
            `keras_qa.embeddings.bert.source.find_bert`.
        elmo: directory of an ELMo.
        fasttext: file of a fastText model, or of other word vectors.
        bert_order: `"top"` takes the BERT's last four layers, which Devlin et
            al. (2018, section 5.3) found the best features; `"bottom"` takes
            the first four, as the printed [1/4, 1/4, 1/4, 1/4, ..., 0] means
            if layers are counted like the ELMo's, whose weights are printed as
            [0, 0, 1].
        bert_layers: number of layers, weighted alike, where Table 2 has 4.
        w_idf: exponent of the idf where Table 2 has 1.

    Raises:
        ValueError: if no source is given, or a number is not allowed.
    """
    encoders: list[Encoder] = []
    if bert is not None:
        encoders.append(BertEncoder(bert))
    if elmo is not None:
        encoders.append(ElmoEncoder(elmo))
    if fasttext is not None:
        encoders.append(StaticEncoder(fasttext))
    if not encoders:
        raise ValueError(
            "one of `bert`, `elmo` and `fasttext` must be given. "
            "Received: None for each"
        )
    return MultiResolution(
        tuple(
            published_mixture(e, bert_order, bert_layers, w_idf)
            for e in encoders
        )
    )


def published_mixture(
    encoder: Encoder,
    bert_order: str = "top",
    bert_layers: int = 4,
    w_idf: float = 1.0,
) -> Mixture:
    """The row of Table 2 for an encoder.

    Args:
        encoder: a BERT, an ELMo, or word vectors, which get fastText's row.
        bert_order: see `multi_resolution`.
        bert_layers: see `multi_resolution`.
        w_idf: see `multi_resolution`.

    Raises:
        ValueError: if a number is not allowed.
    """
    check_positive(bert_layers=bert_layers)
    if isinstance(encoder, BertEncoder):
        alike = (1 / bert_layers,) * bert_layers
        return Mixture(encoder, alike, 0, "concat", bert_order)
    if isinstance(encoder, ElmoEncoder):
        return Mixture(encoder, THIRD_OF_THREE, w_idf)
    return Mixture(encoder, (1.0,), w_idf)
