"""IAM against its equations in NumPy, and what it takes from its stages."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.attention.weights import attention_weights
from keras_qa.layers import RBMJumpScore
from keras_qa.layers.interactive_attention import TERMS
from keras_qa.models import IAM
from keras_qa.models import BidirectionalLanguageModel
from keras_qa.ranking.scoring import score_pairs
from keras_qa.text.packing import RaggedTexts
from keras_qa.text.reading import TextReading
from keras_qa.text.vocabulary import Vocabulary
from support.iam_reference import ANSWER
from support.iam_reference import CONTEXTUAL
from support.iam_reference import CONTEXTUAL_ANSWERS
from support.iam_reference import DIM
from support.iam_reference import PAIRS
from support.iam_reference import QUESTION
from support.iam_reference import ROWS
from support.iam_reference import SIZE
from support.iam_reference import UNITS
from support.iam_reference import VECTORS
from support.iam_reference import VOCABULARY
from support.iam_reference import array_of
from support.iam_reference import attention_of
from support.iam_reference import expected_of
from support.iam_reference import inputs_of
from support.iam_reference import make_model
from support.iam_reference import read
from support.iam_reference import scored
from support.iam_reference import tf_idf_of
from support.layer_checks import QUICKEST
from support.layer_checks import by_turns
from support.layer_checks import run
from support.model_checks import check_l2
from support.model_checks import check_reload

SETTINGS = [
    {"layers": 2},
    {"question_term": "final", "contextual_vectors": CONTEXTUAL},
    {
        "contextual_vectors": CONTEXTUAL,
        "contextual_answers": CONTEXTUAL_ANSWERS,
        "match_in_logit": True,
    },
]


# Eagerly, the other tests run them.
@pytest.mark.once
@pytest.mark.parametrize(
    ("settings", "mode"), by_turns([(one,) for one in SETTINGS])
)
def test_the_equations(settings, mode):
    model = make_model(**settings)
    expected = [expected_of(model, row)[0] for row in range(4)]
    np.testing.assert_allclose(
        scored(model, mode=mode), expected, rtol=1e-4, atol=1e-6
    )


@pytest.mark.once
def test_attention_and_jumps_are_those_of_the_words():
    model = make_model()
    weights = attention_of(model)
    jumps = run(model.jumps, PAIRS["answer"], mode=QUICKEST)
    for found, place in ((weights, 1), (jumps, 2)):
        assert found.shape == ANSWER.shape
        assert (found[ANSWER == 0] == 0).all()
        for row in range(4):
            np.testing.assert_allclose(
                found[row, ANSWER[row] > 0],
                expected_of(model, row)[place],
                rtol=1e-4,
            )


@pytest.mark.once
@pytest.mark.parametrize("settings", SETTINGS[1:])
def test_padding_changes_nothing(settings):
    model = make_model(**settings)
    wide = {side: np.pad(x, ((0, 0), (0, 9))) for side, x in PAIRS.items()}
    np.testing.assert_allclose(
        scored(model, inputs_of(model, wide)), scored(model), atol=1e-6
    )


@pytest.mark.once
@pytest.mark.parametrize("terms", [(), *[(term,) for term in TERMS]])
def test_each_term_alone(terms):
    model = make_model(terms=terms)
    assert np.isfinite(scored(model)).all()
    assert (model.question_reader is None) == ("question" not in terms)
    assert (model.jumps is None) == ("jump" not in terms)
    weights = attention_of(model)
    # Of the words, with <EOS> beside them.
    uniform = np.abs(weights[0] - 1 / 4).max() < 1e-6
    assert uniform == (not {"question", "answer", "jump"} & set(terms))


@pytest.mark.once
def test_the_states_of_an_answer_know_no_question():
    model = make_model()
    found = run(model.answer_reader, PAIRS["answer"], mode=QUICKEST)
    assert set(found) == {"mask", "states"}
    table = array_of(model.embedding.embeddings)
    expected = read(
        table[[5, 6, VOCABULARY]],
        model.answer_reader.get_layer("answer_language"),
    )
    np.testing.assert_allclose(found["states"][1, :3], expected, atol=1e-5)
    assert (found["states"][1, 3:] == 0).all()


@pytest.mark.once
def test_parameter_count():
    count = IAM(2000).core_parameters
    stack = 8 * (100 * 100 + 100**2 + 100) + 8 * (2 * 100**2 + 100)
    attention = 200 + 2 + 2000 + 100**2
    inputs = 100 * 100 + 200 * 100 + 100
    matching = 2 * 200 * 100 + 100 + 2 * 100
    assert count == stack + attention + inputs + matching == 404_202


def _language_models(**settings):
    models = []
    for seed in (2, 3):
        rng = np.random.default_rng(seed)
        model = BidirectionalLanguageModel(
            VOCABULARY,
            **{
                "embedding_dim": DIM,
                "units": UNITS,
                "layers": 1,
                "embeddings": VECTORS,
                **settings,
            },
        )
        for weight in model.stack.weights:
            weight.assign(rng.uniform(-1, 1, size=weight.shape))
        models.append(model)
    return models


@pytest.mark.once
@pytest.mark.parametrize("own", [False, True])
def test_takes_over_the_language_models(own):
    models = _language_models()
    settings = {}
    if own:
        settings["reader_embeddings"] = "own"
        for i, model in enumerate(models):
            table = model.embedding.embeddings
            table.assign(ops.convert_to_numpy(table) * (i + 2))
    model = make_model(**settings)
    model.load_language_models(*models)
    for side, source in zip(("question", "answer"), models, strict=True):
        reader = getattr(model, f"{side}_reader")
        found, expected = (
            run(m, PAIRS[side], mode=QUICKEST) for m in (reader, source.encoder)
        )
        for name in ("mask", "states"):
            np.testing.assert_array_equal(found[name], expected[name])
    for weight, value in zip(
        model.question_stack.weights, models[0].stack.weights, strict=True
    ):
        np.testing.assert_array_equal(array_of(weight), array_of(value))
    np.testing.assert_array_equal(
        array_of(model.embedding.embeddings)[:-1], VECTORS
    )


@pytest.mark.once
def test_refuses_other_language_models():
    model = make_model()
    same = _language_models()
    with pytest.raises(ValueError, match=r"`answer_model` must have the voc"):
        model.load_language_models(same[0], _language_models(layers=2)[1])
    other = _language_models(embeddings=VECTORS + 1)
    with pytest.raises(ValueError, match=r"`question_model` must .* vectors"):
        model.load_language_models(*other)


@pytest.mark.once
def test_takes_over_a_jump():
    states = np.random.default_rng(4).uniform(-1, 1, size=(2, 5, 2 * UNITS))
    source = RBMJumpScore()
    source(states)
    source.mean_exponent.assign(0.5)
    source.deviation.assign(3)
    model = make_model()
    model.load_jump(source)
    np.testing.assert_array_equal(
        ops.convert_to_numpy(model.jump_score(states)),
        ops.convert_to_numpy(source(states)),
    )
    other = RBMJumpScore(offset="none")
    other(states)
    with pytest.raises(ValueError, match=r"`jump_score` must have .* Received"):
        model.load_jump(other)
    with pytest.raises(ValueError, match="`terms` must have 'jump'"):
        make_model(terms=["answer"]).load_jump(source)


@pytest.mark.once
def test_counts_documents():
    model = make_model()
    model.adapt_idf(RaggedTexts.from_sequences([[2, 3], [3]]))
    idf = array_of(model.tf_idf.idf)
    assert idf[[2, 3]] == pytest.approx([np.log(3 / 2) + 1, 1])
    counted = make_model()
    counted.tf_idf.idf.assign(idf)
    np.testing.assert_array_equal(scored(model), scored(counted))


@pytest.mark.once
@pytest.mark.parametrize(
    "settings",
    [
        {"name": "matcher", "l2": 0.1, "dropout": 0.2, "tf_idf_norm": None},
        {
            "terms": ["jump", "answer"],
            "jump": {"offset": "none"},
            "contextual_vectors": CONTEXTUAL,
            "input_initializer": "identity",
            "dtype": "mixed_bfloat16",
        },
        {
            "trainable_embeddings": True,
            "reader_embeddings": "own",
            "trainable_states": True,
            "attention_activation": "linear",
            "question_term": "final",
            "contextual_vectors": CONTEXTUAL,
            "contextual_answers": CONTEXTUAL_ANSWERS,
            "match_in_logit": True,
            "share_state_vector": False,
            "question_dropout": 0.1,
            "initializer_range": None,
            "layers": 2,
        },
    ],
)
def test_saves_and_reloads_without_the_arrays(settings, tmp_path):
    original = make_model(**settings)
    reloaded = check_reload(original, scored, tmp_path)
    assert [w.path for w in reloaded.trainable_weights] == [
        w.path for w in original.trainable_weights
    ]


@pytest.mark.slow
@pytest.mark.parametrize("fixed", [True, False])
def test_learns_and_leaves_what_is_fixed(fixed):
    keras.utils.set_random_seed(0)
    more = {
        "trainable_states": True,
        "trainable_embeddings": True,
        "reader_embeddings": "own",
    }
    model = make_model(contextual_vectors=CONTEXTUAL, **({} if fixed else more))
    readers = [model.question_reader, model.answer_reader]
    kept = [model.jump_score, model.tf_idf, model.text_vectors]
    kept += readers if fixed else [r.get_layer("embedding") for r in readers]
    kept = {id(weight) for layer in kept for weight in layer.weights}
    before = [array_of(weight) for weight in model.weights]
    model.compile(
        keras.optimizers.Adam(0.1, clipnorm=5.0),
        loss=keras.losses.BinaryCrossentropy(from_logits=True),
    )
    labels = np.array([[1], [0], [1], [0]], dtype="float32")
    losses = model.fit(
        inputs_of(model), labels, epochs=12, batch_size=4, verbose=0
    ).history["loss"]
    # Dropout makes single losses uneven.
    assert np.mean(losses[-3:]) < 0.5 * losses[0]
    for weight, old in zip(model.weights, before, strict=True):
        moved = (array_of(weight) != old).any()
        assert moved != (id(weight) in kept), weight.path


@pytest.mark.once
def test_starts_within_the_range_but_for_the_cosines():
    model = IAM(VOCABULARY, **SIZE, initializer_range=0.01)
    for weight in model.trainable_weights:
        expected = 1 if weight.name == "word_similarity" else 0.01
        assert 0 < np.abs(array_of(weight)).max() <= expected, weight.path
    identity = IAM(VOCABULARY, **SIZE, input_initializer="identity")
    (kernel,) = identity.get_layer("word_projection").weights
    np.testing.assert_array_equal(array_of(kernel), np.eye(DIM))


@pytest.mark.once
def test_a_new_match_ranks_by_itself():
    plain, model = (
        IAM(VOCABULARY, **SIZE),
        IAM(VOCABULARY, **SIZE, match_in_logit=True),
    )
    for weight, source in zip(model.weights, plain.weights, strict=False):
        assert weight.path == source.path
        weight.assign(source)
    (scale,) = model.get_layer("match_in_logit").weights
    assert array_of(scale) == 1
    # M starts as the cosines of all word vectors.
    table = array_of(model.embedding.embeddings)[:-1]
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    added = scored(model) - scored(plain)
    for row in range(3):
        question, answer = (x[row][x[row] > 0] for x in (QUESTION, ANSWER))
        d_q, d_a = (tf_idf_of(model, ids) for ids in (question, answer))
        assert added[row] == pytest.approx(d_q @ unit @ unit.T @ d_a, abs=1e-5)


@pytest.mark.once
def test_l2_on_all_trainable_parameters():
    model = make_model(l2=0.3, match_in_logit=True)
    check_l2(model, 0.3)
    assert not make_model().losses


@pytest.mark.once
@pytest.mark.parametrize("dtype", ["mixed_float16", "mixed_bfloat16"])
def test_scores_in_float32_under_mixed_precision(dtype):
    model = make_model(dtype=dtype)
    found, weights, jumps = run(
        lambda q, a: (
            model({"question": q, "answer": a}),
            model.attention({"question": q, "answer": a})["answer"],
            model.jumps(a),
        ),
        *PAIRS.values(),
        mode=QUICKEST,
    )
    assert found.dtype == weights.dtype == jumps.dtype == "float32"
    np.testing.assert_allclose(found[:, 0], scored(make_model()), atol=0.1)


@pytest.mark.once
def test_scores_pairs_of_ragged_texts():
    model = make_model(contextual_vectors=CONTEXTUAL)
    texts = RaggedTexts.from_sequences([*QUESTION, *ANSWER])
    found = score_pairs(
        model,
        texts,
        np.arange(4),
        np.arange(4, 8),
        features={"question_row": ROWS},
    )
    np.testing.assert_allclose(found, scored(model), atol=1e-6)


@pytest.mark.once
def test_shows_its_attention():
    words = [f"w{i}" for i in range(2, VOCABULARY)]
    model = make_model(contextual_vectors=None)
    reading = TextReading(Vocabulary(words))
    seen = attention_weights(model, reading, "w3 w7 w7 w2", "w8 w3 x")
    assert seen.score == pytest.approx(scored(model)[0], abs=1e-5)
    assert seen.question[0].weight is None
    assert [word.weight for word in seen.answer] == pytest.approx(
        expected_of(model, 0)[1], abs=1e-5
    )


@pytest.mark.once
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"units": 0}, "`units` must be a positive integer. Received: units=0"),
        ({"terms": ["leap"]}, "`terms` must be different ones of"),
        ({"reader_embeddings": "no"}, "`reader_embeddings` must be one .*'no'"),
        ({"input_initializer": 1}, "`input_initializer` must be one of .*=1"),
        ({"trainable_embeddings": True}, '`reader_embeddings` must be "own"'),
        ({"initializer_range": -1}, "`initializer_range` must be positive"),
        ({"embeddings": np.zeros((4, 5))}, r"`embeddings` must .*\(12, 4\)"),
        ({"contextual_vectors": (3, 4)}, r"`vectors` must .*ved: \(3, 4\)"),
        ({"match_in_logit": True, "terms": ["jump"]}, "have 'match' with `mat"),
        ({"contextual_answers": (2, 3, 4)}, "must have vectors of .*ved: None"),
    ],
)
def test_errors(settings, message):
    with pytest.raises(ValueError, match=message):
        IAM(VOCABULARY, **{**SIZE, **settings})
