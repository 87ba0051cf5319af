"""The tokeniser, the vocabulary and a model as one TensorFlow graph.

The graph uses only TensorFlow's operations, and contains the Unicode tables of
the running Python as constants. A SavedModel therefore tokenises as
`keras_qa.text.tokenizer` did in training, on any machine and with any versions
of Python, ICU and RE2.
"""

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from functools import partial

import keras
import tensorflow as tf

from keras_qa.arguments import check_choice
from keras_qa.export.tracing import unread_last
from keras_qa.text.characters import character_class
from keras_qa.text.characters import lower_case_table
from keras_qa.text.characters import number_pattern
from keras_qa.text.characters import word_pattern
from keras_qa.text.reading import TextReading
from keras_qa.text.tokenizer import NUMBER
from keras_qa.text.tokenizer import TOKENIZERS
from keras_qa.text.vocabulary import HASH_PRIME
from keras_qa.text.vocabulary import HASHED_CHARACTERS
from keras_qa.text.vocabulary import PADDING
from keras_qa.text.vocabulary import UNKNOWN
from keras_qa.text.vocabulary import UNKNOWN_ID
from keras_qa.text.vocabulary import hash_powers

POSITIONS = 1 << 16
"""Token positions that are scored at once: bounds the memory of a request."""

_SIAMESE = ("question_encoder", "answer_encoder", "head")


def lower_case_in_graph(texts: tf.Tensor) -> tf.Tensor:
    """Lower-cases each code point separately, as `tokenizer.lower_case` does.

    Args:
        texts: string tensor of shape `(n,)`, UTF-8. A byte sequence that is
            not UTF-8 becomes U+FFFD, as in `bytes.decode("utf-8", "replace")`.

    Returns:
        String tensor of shape `(n,)`, valid UTF-8.
    """
    upper, lower = lower_case_table()
    codes = tf.strings.unicode_decode(texts, "UTF-8", errors="replace")
    values = codes.flat_values
    place = tf.minimum(tf.searchsorted(upper, values), len(upper) - 1)
    changes = tf.equal(tf.gather(upper, place), values)
    values = tf.where(changes, tf.gather(lower, place), values)
    return tf.strings.unicode_encode(codes.with_flat_values(values), "UTF-8")


def tokenize_in_graph(
    texts: tf.Tensor, tokenizer: str = "word"
) -> tf.RaggedTensor:
    """Splits texts into lower-case tokens, as `tokenizer.tokenize` does.

    Args:
        texts: string tensor of shape `(n,)`, UTF-8.
        tokenizer: one of `tokenizer.TOKENIZERS`.

    Returns:
        Ragged string tensor of shape `(n, None)`.

    Raises:
        ValueError: if `tokenizer` is unknown.
    """
    check_choice("tokenizer", tokenizer, TOKENIZERS)
    splitter, _, numbers = tokenizer.partition("-")
    texts = lower_case_in_graph(texts)
    if splitter == "word":
        texts = tf.strings.regex_replace(texts, word_pattern(), r"\0 ")
    white_space = f"{character_class(str.isspace)}+"
    texts = tf.strings.regex_replace(texts, white_space, " ")
    # With the default separator, the C library's locale defines white space.
    pieces = tf.strings.split(texts, sep=" ")
    tokens = tf.ragged.boolean_mask(pieces, pieces != "")
    if numbers:
        replaced = tf.strings.regex_replace(
            tokens.flat_values, rf"\A(?:{number_pattern()})\z", NUMBER
        )
        tokens = tokens.with_flat_values(replaced)
    return tokens


def buckets_in_graph(words: tf.Tensor, buckets: int) -> tf.Tensor:
    """The buckets of unknown words, as `vocabulary.bucket_of` gives them.

    Args:
        words: string tensor of shape `(n,)`, valid UTF-8.
        buckets: number of buckets.

    Returns:
        int32 tensor of shape `(n,)`, from 0.
    """
    codes = tf.strings.unicode_decode(words, "UTF-8")
    shape = (None, HASHED_CHARACTERS)
    padded = tf.cast(codes.to_tensor(shape=shape), tf.int64)
    total = tf.reduce_sum(padded * hash_powers(), axis=1)
    return tf.cast(total % HASH_PRIME % buckets, tf.int32)


class TextEncoder(tf.Module):
    """Converts texts to ragged ids, in the graph.

    Args:
        words: the distinct words in the order of their ids, as
            `Vocabulary.words`: first `""` for padding, then `"[UNK]"` for
            unknown words.
        tokenizer: one of `tokenizer.TOKENIZERS`.
        oov_buckets: number of words at the end whose ids unknown words share,
            by `vocabulary.bucket_of`; 0 gives these the id of `"[UNK]"`.

    Raises:
        ValueError: if `words` or `tokenizer` is not as described.
    """

    def __init__(
        self,
        words: Sequence[str],
        tokenizer: str = "word",
        oov_buckets: int = 0,
    ):
        super().__init__()
        words = list(words)
        check_choice("tokenizer", tokenizer, TOKENIZERS)
        if words[:2] != [PADDING, UNKNOWN]:
            raise ValueError(
                f"`words` must begin with {PADDING!r} (padding) and "
                f"{UNKNOWN!r} (unknown words). Received: words[:2]={words[:2]}"
            )
        if len(set(words)) != len(words):
            raise ValueError(
                "`words` must be distinct. "
                f"Received: {len(words)} words, {len(set(words))} distinct"
            )
        self.tokenizer = tokenizer
        self.words = len(words)
        self.oov_buckets = oov_buckets
        self.table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(
                tf.constant([word.encode("utf-8") for word in words]),
                tf.range(len(words), dtype=tf.int32),
            ),
            default_value=UNKNOWN_ID,
        )

    def __call__(
        self, texts: tf.Tensor, max_length: int | None = None
    ) -> tf.RaggedTensor:
        """Converts texts to ids.

        Args:
            texts: string tensor of shape `(n,)`, UTF-8.
            max_length: number of tokens that texts are cut to; None keeps all.

        Returns:
            Ragged int32 tensor of shape `(n, None)`.
        """
        return self.ids(self.tokens(texts, max_length))

    def tokens(
        self, texts: tf.Tensor, max_length: int | None = None
    ) -> tf.RaggedTensor:
        """The tokens of texts, ragged strings of shape `(n, None)`."""
        return tokenize_in_graph(texts, self.tokenizer)[:, :max_length]

    def ids(self, tokens: tf.RaggedTensor) -> tf.RaggedTensor:
        """The ids of ragged tokens, int32 of the same shape."""
        ids = self.table.lookup(tokens)
        if not self.oov_buckets:
            return ids
        unknown = tf.where(tf.equal(ids.flat_values, UNKNOWN_ID))
        words = tf.gather(tokens.flat_values, unknown[:, 0])
        first = self.words - self.oov_buckets
        hashed = first + buckets_in_graph(words, self.oov_buckets)
        return ids.with_flat_values(
            tf.tensor_scatter_nd_update(ids.flat_values, unknown, hashed)
        )


def text_signatures(
    model: keras.Model,
    encoder: TextEncoder,
    reading: TextReading,
    width: Mapping[str, int | None],
    overlap: Callable[[tf.RaggedTensor, tf.RaggedTensor], tf.Tensor]
    | None = None,
) -> dict[str, tf.types.experimental.PolymorphicFunction]:
    """Wraps a model of word ids into functions of text.

    Args:
        model: takes `{"question", "answer"}` ids, and `"overlap"` features if
            `overlap` is given, and returns `(n, 1)` scores. If it has
            `question_encoder`, `answer_encoder` and `head`, `rank` encodes
            the question once for all candidates; the head then takes the
            model's inputs with encodings in place of ids.
        encoder: turns texts into the ids that the model was trained on.
        reading: the number of tokens that texts are cut to, and which
            answers are readable.
        width: for `"question"` and `"answer"`, the length that the model
            takes; None if it takes any.
        overlap: maps the tokens of `n` questions and of their answers to the
            float32 features `(n, features)`, as `OverlapInGraph` does.

    Returns:
        The two functions that `export_saved_model` describes, by the names of
        their signatures.
    """
    max_length = reading.max_length
    readable = reading.readable_ids

    def finished(scores: tf.Tensor, ids: tf.RaggedTensor) -> tf.Tensor:
        """Returns scores `(n,)` with those of unreadable answers replaced."""
        if readable is None:
            return scores
        words = tf.cast(tf.gather(readable, ids.flat_values), tf.int32)
        rows = ids.value_rowids()
        counts = tf.math.unsorted_segment_sum(words, rows, ids.nrows())
        return unread_last(scores, counts > 0)

    def extra_inputs(
        questions: tf.RaggedTensor, answers: tf.RaggedTensor
    ) -> Callable[[tf.Tensor, tf.Tensor], dict[str, tf.Tensor]]:
        """Returns a function from row numbers to the inputs other than ids."""
        if overlap is None:
            return lambda asked, answered: {}
        return lambda asked, answered: {
            "overlap": overlap(
                tf.gather(questions, asked), tf.gather(answers, answered)
            )
        }

    @tf.function(
        input_signature=[
            tf.TensorSpec((None,), tf.string, name="question"),
            tf.TensorSpec((None,), tf.string, name="answer"),
        ]
    )
    def score(question: tf.Tensor, answer: tf.Tensor) -> dict[str, tf.Tensor]:
        tf.debugging.assert_equal(
            tf.size(question),
            tf.size(answer),
            "`question` and `answer` must hold equally many texts.",
        )
        questions = encoder.tokens(question, max_length["question"])
        answers = encoder.tokens(answer, max_length["answer"])

        question_ids, answer_ids = encoder.ids(questions), encoder.ids(answers)
        extra = extra_inputs(questions, answers)

        def score_rows(rows: tf.Tensor) -> tf.Tensor:
            inputs = {
                "question": _pad(
                    tf.gather(question_ids, rows), width["question"]
                ),
                "answer": _pad(tf.gather(answer_ids, rows), width["answer"]),
                **extra(rows, rows),
            }
            return model(inputs, training=False)

        lengths = tf.maximum(questions.row_lengths(), answers.row_lengths())
        scores = _in_chunks(score_rows, lengths)
        return {"score": finished(scores, answer_ids)}

    @tf.function(
        input_signature=[
            tf.TensorSpec((), tf.string, name="question"),
            tf.TensorSpec((None,), tf.string, name="candidates"),
        ]
    )
    def rank(
        question: tf.Tensor, candidates: tf.Tensor
    ) -> dict[str, tf.Tensor]:
        siamese = all(hasattr(model, part) for part in _SIAMESE)
        asked = encoder.tokens(question[tf.newaxis], max_length["question"])
        answers = encoder.tokens(candidates, max_length["answer"])
        answer_ids = encoder.ids(answers)
        extra = extra_inputs(asked, answers)
        one = _pad(encoder.ids(asked), width["question"])
        if siamese:
            one = model.question_encoder(one, training=False)

        def score_rows(rows: tf.Tensor) -> tf.Tensor:
            many = _pad(tf.gather(answer_ids, rows), width["answer"])
            if siamese:
                many = model.answer_encoder(many, training=False)
            first = tf.zeros_like(rows)
            inputs = {
                "question": tf.nest.map_structure(
                    partial(tf.gather, indices=first), one
                ),
                "answer": many,
                **extra(first, rows),
            }
            return (model.head if siamese else model)(inputs, training=False)

        lengths = tf.maximum(asked.row_lengths(), answers.row_lengths())
        scores = finished(_in_chunks(score_rows, lengths), answer_ids)
        # `top_k` orders equal values by index.
        order = tf.math.top_k(scores, tf.size(scores)).indices
        return {"scores": scores, "order": order}

    return {"serving_default": score, "rank": rank}


def _pad(ids: tf.RaggedTensor, width: int | None) -> tf.Tensor:
    """Pads with 0 to `width` columns, or to the longest text, at least 1."""
    if width is not None:
        return ids.to_tensor(shape=(None, width))
    padded = ids.to_tensor()
    missing = tf.maximum(0, 1 - tf.shape(padded)[1])
    return tf.pad(padded, [[0, 0], [0, missing]])


def _in_chunks(
    score_rows: Callable[[tf.Tensor], tf.Tensor], lengths: tf.Tensor
) -> tf.Tensor:
    """Scores rows of similar length together, which keeps padding short.

    Args:
        score_rows: maps row numbers `(m,)` to scores `(m, 1)`.
        lengths: int64 `(n,)`, number of tokens of each row.

    Returns:
        float32 `(n,)`, the scores of all rows.
    """
    order = tf.argsort(lengths, direction="DESCENDING")
    n = tf.size(order)

    def score_chunk(
        start: tf.Tensor, scores: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        longest = tf.cast(lengths[order[start]], tf.int32)
        size = tf.maximum(1, POSITIONS // tf.maximum(1, longest))
        rows = order[start : start + size]
        chunk = tf.cast(tf.reshape(score_rows(rows), [-1]), tf.float32)
        scores = tf.tensor_scatter_nd_update(scores, rows[:, tf.newaxis], chunk)
        return start + size, scores

    _, scores = tf.while_loop(
        lambda start, _: start < n,
        score_chunk,
        (0, tf.zeros(n)),
        shape_invariants=(tf.TensorShape(()), tf.TensorShape((None,))),
        parallel_iterations=1,
    )
    return scores
