"""IAM: interactive attention on the answer, then a reading of the question."""

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive
from keras_qa.initializers import uniform_initializers
from keras_qa.layers.append_token import AppendToken
from keras_qa.layers.bidirectional_stack import BidirectionalStack
from keras_qa.layers.head_tail import HeadTail
from keras_qa.layers.interactive_attention import TERMS
from keras_qa.layers.interactive_attention import InteractiveAttention
from keras_qa.layers.interactive_attention import check_terms
from keras_qa.layers.rbm_jump_score import RBMJumpScore
from keras_qa.layers.text_vectors import TextVectors
from keras_qa.layers.text_vectors import vectors_shape
from keras_qa.layers.tf_idf import TfIdf
from keras_qa.models.building import full_policy
from keras_qa.models.building import text_inputs
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.iam.sentence_embedding import sentence_embedding
from keras_qa.models.iam.sentence_reader import sentence_reader
from keras_qa.models.iam.staged_matcher import StagedMatcher
from keras_qa.text.vector_texts import VectorTexts

READER_EMBEDDINGS = ("shared", "own")
INPUT_INITIALIZERS = ("uniform", "identity")


@keras.saving.register_keras_serializable(package="keras_qa")
class IAM(StagedMatcher):
    """Scores a pair by a reading of the question that depends on the answer.

    `<EOS>`, whose id is `vocabulary_size`, is appended to both texts. Then

    1. two `BidirectionalStack`s, those of the language models of questions and
       of answers, compute the states h_q(t) and h_a(t), which are fixed unless
       `trainable_states` is true;
    2. `RBMJumpScore` computes the jumps between adjacent states of the answer
       (equation 13), `TfIdf` the tf-idf vectors of both texts;
    3. `InteractiveAttention` weighs the positions of the answer by these
       states, jumps and vectors (equations 7 and 8), and c is the weighted sum
       of the answer's states (equation 6);
    4. a third stack, which starts as that of the questions' language model,
       reads the question again: its input at t is tanh(V_q w(t) + V_a c + b)
       with w(t) the word's vector (equations 4 and 5);
    5. with h the final states of both directions, s = tanh(U_q h + U_a c + b_s)
       (equation 1), and two logits without bias follow (equation 2).

    The score is the log-odds of the class "related",

        score = logits[1] - logits[0],    p(y = 1) = sigmoid(score)

    so that `keras.losses.BinaryCrossentropy(from_logits=True)` on the score
    is the cross-entropy that the paper minimises.

    The printed equations are circular: the weights depend on the states of the
    question, which depend on the weights. Here attention and c use the states
    of the language models, the paper's "fixed input of the proposed matching
    model", and equation 1 uses the states of step 4.

    A new model has random readers. `load_language_models`, `load_jump` and
    `adapt_idf` set the results of the earlier training stages.

    `attention` is a model of both texts (with `contextual_answers`, of all
    inputs) that returns the weights of the answer's words, a dict of
    `"answer"` `(batch_size, answer_length)`; the rest of the sum 1 is the
    weight of `<EOS>`. `jumps` is a model of answers that returns the jump from
    each word to the next word or `<EOS>`. `question_reader` and `answer_reader`
    are models of one text that return the `"states"` of step 1 and their
    `"mask"`, as `BidirectionalLanguageModel.encoder` does. Parts that no term
    needs are None.

    Id 0 is padding and, after the words, changes nothing. Texts may have any
    length, including 0.
    Under mixed precision jumps, tf-idf, weights, c and scores are float32.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1), without `<EOS>`.
        embedding_dim: size of the word vectors (the paper's 100).
        units: size of the state of each direction (the paper's K).
        layers: number of stacked LSTMs in each direction.
        hidden_units: size of s (the paper's H, without a value).
        terms: the terms of equation 8, see `InteractiveAttention`.
        question_term: `"aligned"` or `"final"`, see `InteractiveAttention`.
        share_state_vector: see `InteractiveAttention`.
        attention_activation: name of the outer function of equation 8.
        tf_idf_norm: `"l2"` or None, see `TfIdf`. The paper does not give it.
        idf: array `(vocabulary_size,)` of the words' idf; 1 by default, until
            `adapt_idf`. Arrays are not part of the configuration but weights,
            which are saved.
        jump: the arguments of `RBMJumpScore`, as a dict.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. For the vector
            of `<EOS>` see `sentence_embedding`.
        trainable_embeddings: whether training changes the word vectors of
            equation 5 and of M. The paper does not say.
        reader_embeddings: `"shared"` if the readers use this model's
            embedding, which requires that no stage trains word vectors; `"own"`
            if each has the embedding of its language model.
        trainable_states: whether training changes the readers' LSTMs. In the
            paper the states are fixed, and the jumps are learnt from fixed
            states.
        contextual_vectors: contextual vectors of the words of each question,
            such as BERT's (`keras_qa.embeddings.bert_text_vectors`), which
            replace w(t), followed by the vector of `<EOS>` and zeros; or their
            shape `(questions, words, dim)`, see `TextVectors`. The readers do
            not use them, because they contain the words that a language model
            predicts, nor does M without `contextual_answers`.
        contextual_answers: the same for the words of answers, with the `dim` of
            `contextual_vectors`. M then compares the words of both texts by
            these vectors: they are the rows of E. The paper's M has one number
            for two words in any texts.
        match_in_logit: whether to add `d_q^T M d_a` of equation 8, times a
            trainable number that starts at 1, to the score. As printed it is
            the same at all positions of a softmax over positions, and so has
            almost no effect.
        input_initializer: initialiser of V_q: `"uniform"` (as printed) or
            `"identity"`, so that the first inputs of step 4 are similar to
            those of the language model.
        dropout: share of h and c dropped in training, in equation 1. The paper
            gives the share .5, but not its place.
        question_dropout: share of the inputs of the LSTMs of step 4 dropped in
            training.
        initializer_range: all other weights start uniform in (-range, range),
            except for M, which starts with the cosines of the word vectors;
            `None` keeps the defaults of Keras.
        l2: strength of the L2 regularisation of all trainable parameters. The
            paper has a "regularized" cost without a strength.
        dtype: dtype policy; the global one by default.
        name: name of the model.
        trainable: whether the model is trainable.

    Call arguments:
        inputs: dict of int tensors `"question"` `(batch_size,
            question_length)` and `"answer"` `(batch_size, answer_length)`, and
            with `contextual_vectors` an int tensor `"question_row"`
            `(batch_size, 1)`, the number of the question, with
            `contextual_answers` also `"answer_row"`, that of the answer.

    Output:
        Float tensor `(batch_size, 1)`, higher is better.

    Raises:
        ValueError: if an argument is out of range, `trainable_embeddings` is
            true with shared readers, or an array has another shape.

    Example:
        >>> model = IAM(vocabulary_size=100)
        >>> question, answer = np.array([[5, 7, 3]]), np.array([[9, 0]])
        >>> model({"question": question, "answer": answer}).shape
        (1, 1)
        >>> model.jumps(answer).shape
        (1, 2)

    Reference: Wu and Hao, "Cross-sentence Pre-trained model for Interactive
    QA matching", sections 2.1 to 2.6.
    """

    not_kept = (
        *("embeddings", "idf", "contextual_vectors", "contextual_answers"),
        "layers",
    )

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 100,
        units: int = 100,
        layers: int = 2,
        hidden_units: int = 100,
        *,
        terms: Sequence[str] = TERMS,
        question_term: str = "aligned",
        share_state_vector: bool = True,
        attention_activation: str = "tanh",
        tf_idf_norm: str | None = "l2",
        idf: np.ndarray | None = None,
        jump: Mapping[str, Any] | None = None,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        reader_embeddings: str = "shared",
        trainable_states: bool = False,
        contextual_vectors: VectorTexts | Sequence[int] | None = None,
        contextual_answers: VectorTexts | Sequence[int] | None = None,
        match_in_logit: bool = False,
        input_initializer: str = "uniform",
        dropout: float = 0.5,
        question_dropout: float = 0.0,
        initializer_range: float | None = 0.05,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(
            vocabulary_size=vocabulary_size,
            embedding_dim=embedding_dim,
            units=units,
            layers=layers,
            hidden_units=hidden_units,
        )
        terms = check_terms(terms)
        check_choice("reader_embeddings", reader_embeddings, READER_EMBEDDINGS)
        check_choice("input_initializer", input_initializer, INPUT_INITIALIZERS)
        if trainable_embeddings and reader_embeddings == "shared":
            raise ValueError(
                '`reader_embeddings` must be "own" with '
                "`trainable_embeddings`, which would change the fixed states. "
                f"Received: reader_embeddings={reader_embeddings!r}"
            )
        _check_match(
            terms, match_in_logit, contextual_vectors, contextual_answers
        )
        policy = full_policy(dtype)
        # Weights, sums and scores stay in float32 under mixed precision.
        precise = policy.variable_dtype

        # === Layers ===
        append = AppendToken(vocabulary_size, dtype=policy, name="append_end")

        def embed(trainable: bool) -> keras.layers.Embedding:
            return sentence_embedding(
                vocabulary_size,
                embedding_dim,
                embeddings,
                trainable,
                dtype=policy,
            )

        def stack(name: str, dropout: float = 0.0) -> BidirectionalStack:
            return BidirectionalStack(
                units,
                layers,
                dropout,
                initializer_range,
                dtype=policy,
                name=name,
            )

        def dense(
            size: int, name: str, dtype: Any = policy, **arguments: Any
        ) -> keras.layers.Dense:
            return keras.layers.Dense(
                size,
                **{
                    **uniform_initializers(initializer_range, "kernel", "bias"),
                    **arguments,
                },
                dtype=dtype,
                name=name,
            )

        embedding = embed(trainable_embeddings)
        tf_idf = TfIdf(
            vocabulary_size, idf, tf_idf_norm, dtype=policy, name="tf_idf"
        )
        jump_score = (
            RBMJumpScore(
                **(jump or {}), dtype=policy, trainable=False, name="jump_score"
            )
            if "jump" in terms
            else None
        )
        interactive = InteractiveAttention(
            terms,
            vocabulary_size,
            question_term,
            share_state_vector,
            attention_activation,
            **uniform_initializers(initializer_range, "kernel"),
            dtype=policy,
            name="interactive_attention",
        )
        word_projection = dense(
            embedding_dim,
            "word_projection",
            use_bias=False,
            **(
                {"kernel_initializer": "identity"}
                if input_initializer == "identity"
                else {}
            ),
        )
        context_projection = dense(embedding_dim, "context_projection")
        question_stack = stack("question_stack", question_dropout)
        ends = HeadTail(dtype=precise, name="ends")
        drop = keras.layers.Dropout(dropout, dtype=precise, name="dropout")
        matching = dense(
            hidden_units, "matching", activation="tanh", dtype=precise
        )
        softmax = dense(2, "softmax", use_bias=False, dtype=precise)
        text_vectors, answer_vectors = (
            None if x is None else TextVectors(x, dtype=policy, name=name)
            for x, name in (
                (contextual_vectors, "text_vectors"),
                (contextual_answers, "answer_vectors"),
            )
        )

        # === Functional model ===
        def reader(side: str) -> keras.Model:
            return sentence_reader(
                append,
                embedding if reader_embeddings == "shared" else embed(False),
                stack(f"{side}_language"),
                trainable_states,
                f"{side}_reader",
            )

        texts = text_inputs()
        rows = {
            name: keras.Input((1,), dtype="int32", name=name)
            for name, layer in (
                ("question_row", text_vectors),
                ("answer_row", answer_vectors),
            )
            if layer is not None
        }
        question, answer = texts["question"], texts["answer"]
        readers = {"question": None, "answer": reader("answer")}
        read = {"answer": readers["answer"](answer)}
        states = ops.cast(read["answer"]["states"], precise)
        inputs = {"answer_states": states}
        mask = {"answer_states": read["answer"]["mask"]}
        if "question" in terms:
            readers["question"] = reader("question")
            read["question"] = readers["question"](question)
            inputs["question_states"] = read["question"]["states"]
            mask["question_states"] = read["question"]["mask"]
        if jump_score is not None:
            inputs["jump"] = jump_score(states, mask=mask["answer_states"])
        if "frequency" in terms or "match" in terms:
            inputs["answer_ids"] = answer
            inputs["answer_tf_idf"] = tf_idf(answer)
        if "match" in terms:
            inputs["answer_words"] = embedding(answer)
            inputs["question_words"] = embedding(question)
            inputs["question_tf_idf"] = tf_idf(question)
        if text_vectors is not None and answer_vectors is not None:
            inputs["question_words"] = text_vectors(
                [rows["question_row"], question]
            )
            inputs["answer_words"] = answer_vectors(
                [rows["answer_row"], answer]
            )
        if match_in_logit:
            weights, match = interactive(inputs, mask=mask, return_match=True)
        else:
            weights = interactive(inputs, mask=mask)
        # (batch_size, 1, length) by (batch_size, length, 2 units)
        context = ops.squeeze(
            ops.matmul(ops.expand_dims(weights, 1), states), axis=1
        )

        ids = append(question)
        words = embedding(ids)
        if text_vectors is not None:
            words = text_vectors([rows["question_row"], ids])
        aware = ops.tanh(
            word_projection(words)
            + ops.expand_dims(context_projection(context), 1)
        )
        real = ops.not_equal(ids, 0)
        ended = ends(question_stack(aware, mask=real), mask=real)
        pair = keras.layers.Concatenate(dtype=precise, name="pair")(
            [ended, context]
        )
        logits = softmax(matching(drop(pair)))
        score = logits[:, 1:] - logits[:, :1]
        if match_in_logit:
            score = score + keras.layers.Dense(
                1,
                use_bias=False,
                kernel_initializer="ones",
                dtype=precise,
                name="match_in_logit",
            )(match)
        super().__init__({**texts, **rows}, score)
        for weight in self.trainable_weights if l2 else ():
            weight.regularizer = keras.regularizers.L2(l2)

        # === Config ===
        self.terms = list(terms)
        self.jump = dict(jump or {})
        self.embedding = embedding
        self.tf_idf = tf_idf
        self.jump_score = jump_score
        self.interactive_attention = interactive
        self.question_stack = question_stack
        self.text_vectors = text_vectors
        self.answer_vectors = answer_vectors
        self.question_reader = readers["question"]
        self.answer_reader = readers["answer"]
        # `<EOS>` is at the first position of padding, or at the last position.
        is_word = ops.cast(ops.not_equal(answer, 0), precise)
        self.attention = keras.Model(
            texts if answer_vectors is None else {**texts, **rows},
            {"answer": weights[:, :-1] * is_word},
            name="attention",
        )
        self.jumps = (
            keras.Model(answer, inputs["jump"][:, :-1] * is_word, name="jumps")
            if jump_score is not None
            else None
        )

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments, without the arrays."""
        return {
            **super().get_config(),
            "layers": self.question_stack.num_layers,
            "jump": dict(self.jump),
            **{
                name: None if layer is None else list(layer.shape)
                for name, layer in (
                    ("contextual_vectors", self.text_vectors),
                    ("contextual_answers", self.answer_vectors),
                )
            },
        }


def _check_match(
    terms: Sequence[str], in_logit: bool, questions: Any, answers: Any
) -> None:
    """Refuses a match of texts without what it is made of."""
    if (in_logit or answers is not None) and "match" not in terms:
        raise ValueError(
            "`terms` must have 'match' with `match_in_logit` and "
            f"`contextual_answers`. Received: terms={terms!r}"
        )
    if answers is None:
        return
    widths = [
        None if x is None else vectors_shape(x)[-1]
        for x in (questions, answers)
    ]
    if widths[0] != widths[1]:
        raise ValueError(
            "`contextual_vectors` must have vectors of the size of those of "
            f"`contextual_answers`, {widths[1]}. Received: {widths[0]}"
        )
