"""The vocabulary of a BERT as one of the kit, with other ids.

In a `Vocabulary`, padding has the id 0 and the unknown word 1. BERT's [PAD] and
[UNK] take these ids, and all other pieces follow in BERT's order, so that the
ids are a fixed permutation of BERT's.
"""

from dataclasses import dataclass

import numpy as np

from keras_qa.embeddings.bert.network import Bert
from keras_qa.embeddings.bert.source import MINILM
from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.errors import VectorsError
from keras_qa.text.vocabulary import Vocabulary
from keras_qa.text.word_pieces import WORD_PIECES


@dataclass(frozen=True, eq=False)
class PieceVocabulary:
    """How a BERT reads text, for `TextReading` and `Corpus`.

    Attributes:
        vocabulary: the pieces by the kit's ids.
        tokenizer: one of `keras_qa.text.word_pieces.WORD_PIECES`.
        bert_ids: BERT's id of each of the kit's ids, int64 `(pieces,)`.
        cls_id: the kit's id of [CLS].
        sep_id: the kit's id of [SEP].
    """

    vocabulary: Vocabulary
    tokenizer: str
    bert_ids: np.ndarray
    cls_id: int
    sep_id: int


def piece_vocabulary(source: PathLike | Bert = MINILM) -> PieceVocabulary:
    """The vocabulary and the tokeniser of a BERT.

    Args:
        source: a BERT, or its name or directory; see
            `keras_qa.embeddings.bert.source.find_bert`.

    Raises:
        ImportError: if keras-hub, or the package of `"minilm"`, is not
            installed.
        keras_qa.errors.VectorsError: if a directory is missing or contains no
            BERT, or its tokeniser lower-cases but keeps accents, or the
            reverse.

    Example:
        >>> read = piece_vocabulary("minilm")
        >>> reading = TextReading(read.vocabulary, read.tokenizer)
        >>> reading.tokens("question", "Who wrote Persuasion?")
        ['who', 'wrote', 'persuasion', '?']
    """
    bert = source if isinstance(source, Bert) else Bert(source)
    tokenizer = bert.tokenizer
    lower, strips = bool(tokenizer.lowercase), bool(tokenizer.strip_accents)
    if lower != strips:
        raise VectorsError(
            f"{bert.source}: expected a tokeniser that lower-cases and strips "
            "accents, or neither. "
            f"Received: lowercase={lower}, strip_accents={strips}"
        )
    pieces = tokenizer.get_vocabulary()
    first = [tokenizer.pad_token_id, bert.unknown]
    others = [i for i in range(len(pieces)) if i not in first]
    bert_ids = np.array([*first, *others])
    kit_ids = np.argsort(bert_ids)
    return PieceVocabulary(
        vocabulary=Vocabulary(pieces[i] for i in others),
        tokenizer=WORD_PIECES[0 if lower else 1],
        bert_ids=bert_ids,
        cls_id=int(kit_ids[tokenizer.cls_token_id]),
        sep_id=int(kit_ids[tokenizer.sep_token_id]),
    )
