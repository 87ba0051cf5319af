"""The page's modules give the kit's ids, scores and measures."""

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest

from keras_qa import geometry
from keras_qa.export.tokenizer_file import make_tokenizer
from keras_qa.export.tokenizer_file import save_tokenizers
from keras_qa.text.readable import UNREAD_SCORE
from keras_qa.text.reading import TextReading
from keras_qa.text.tokenizer import TOKENIZERS
from keras_qa.text.vocabulary import Vocabulary
from keras_qa.text.word_pieces import WORD_PIECES

pytestmark = [
    pytest.mark.once,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:It looks like `register_random`"),
]

PAGE = Path(__file__).parents[3] / "keras_qa" / "demo" / "page"
# Words that no text contains, too: capital letters, and names of JavaScript.
WORDS = [
    *("who", "wrote", "emma", "don't", "x-ray", "12a", "1990s", "num"),
    *("σοφος", "ñandú", "straße", "i", "k", "a", "b", "ɤ", "\ufffd", "10"),
    *("\U0001fae8", "\U00010428", ".", ",", "-", "'", "’", "3", "3.5", "12-3"),
    *("5,", "it.", "Emma", "K", "\uffff", "x y", "__proto__", "constructor"),
    *("em", "##ma", "##s", "nandu", "漢", "?", "##\U00010428"),
]
# What decides where tokens begin and end, and whether they are numbers.
PIECES = [
    *"aA1٣5.,:/-'’+ _\t\x1c\u00a0\u3000\0\u202e\u200f",
    *("İ", "Σ", "ς", "\u212a", "É", "e\u0301", "\ufdd0", "\U0001ffff"),
    *("\U00010400", "\ua7cb", "\U0001fae8", "num", "[PAD]", "[UNK]", "3.5"),
    *("-12", "12a", "x-ray", " EMMA ", "don't", "漢字", "\ud800 ", "\udc00 "),
    *WORDS,
]


def edges():
    """The characters at which a class of `character_classes.js` ends."""
    text = (PAGE / "character_classes.js").read_text("utf-8")
    codes = {int(code, 16) for code in re.findall(r"\\u\{(\w+)\}", text)}
    around = {code + step for code in codes for step in (-1, 0, 1)}
    return [
        f"a{chr(code)}b {chr(code)}"
        for code in sorted(around)
        if 0 <= code < 0x110000 and not 0xD800 <= code < 0xE000
    ]


def fuzzed(rng):
    """Random texts, some of any characters."""
    for _ in range(400):
        parts = list(rng.choice(PIECES, rng.integers(0, 16)))
        parts += [chr(c) for c in rng.integers(0x110000, size=3) if c < 0xD800]
        rng.shuffle(parts)
        yield "".join(parts)


def test_token_ids(page, tmp_path):
    texts = [*fuzzed(np.random.default_rng(0)), *edges()]
    # Strings with lone surrogates do not reach the browser otherwise.
    codes = [[ord(c) for c in text] for text in texts]
    for number, name in enumerate((*TOKENIZERS, *WORD_PIECES)):
        most = 7 if number % 2 else None
        reading = TextReading(Vocabulary(WORDS), name, most)
        folder = tmp_path / name
        folder.mkdir()
        save_tokenizers(folder, make_tokenizer(reading), reading.max_length, {})
        found = page.run(
            "const { Tokenizer } = await import('./tokenizer.js');"
            "const tokenizer = new Tokenizer(JSON.parse(given[0]));"
            "return given[1].map((text) => tokenizer.read("
            "String.fromCodePoint(...text)).ids);",
            (folder / "question_tokenizer.json").read_text("utf-8"),
            codes,
        )
        for text, ids in zip(texts, found, strict=True):
            known = reading.vocabulary.encode(reading.tokens("question", text))
            assert ids == known.tolist(), (name, text)


def test_ids_of_unknown_words(page, tmp_path):
    rng = np.random.default_rng(0)
    # All browsers know the lower case of these.
    pieces = [piece for piece in PIECES if piece != "\ua7cb"]
    texts = ["".join(rng.choice(pieces, 12)) for _ in range(300)]
    texts += ["Ñ" * n for n in (63, 64, 65)] + ["[UNK1] [unk1]"]
    for name in ("word", "whitespace"):
        reading = TextReading(Vocabulary(WORDS, oov_buckets=700), name)
        save_tokenizers(
            tmp_path, make_tokenizer(reading), reading.max_length, {}
        )
        found = page.run(
            "const { Tokenizer } = await import('./tokenizer.js');"
            "const tokenizer = new Tokenizer(JSON.parse(given[0]));"
            "return given[1].map((text) => tokenizer.read("
            "String.fromCodePoint(...text)).ids);",
            (tmp_path / "question_tokenizer.json").read_text("utf-8"),
            [[ord(c) for c in text] for text in texts],
        )
        for text, ids in zip(texts, found, strict=True):
            known = reading.vocabulary.encode(reading.tokens("question", text))
            assert ids == known.tolist(), (name, text)


def test_where_tokens_stand(page):
    found = page.run(
        "const { Tokenizer } = await import('./tokenizer.js');"
        "const file = await (await fetch("
        "'rankers/ctrn/answer_tokenizer.json')).json();"
        "const tokenizer = new Tokenizer(file);"
        "const { spans } = tokenizer.read(given[0]);"
        "return spans.map(([from, to]) => given[0].slice(from, to));",
        "𐐀𐐁 Don't PAY 3.50, İt's 12!",
    )
    assert found == ["𐐀𐐁", "Don't", "PAY", "3.50", ",", "İt's", "12", "!"]


@pytest.mark.parametrize("change", ["normalizer", "pre_tokenizer", "model"])
def test_other_tokenizers_are_refused(page, change):
    message = page.run(
        "const { Tokenizer } = await import('./tokenizer.js');"
        "const file = await (await fetch("
        "'rankers/bm25/answer_tokenizer.json')).json();"
        "file[given[0]] = { ...file.model, type: 'BPE' };"
        "try { new Tokenizer(file); } catch (error) { return error.message; }",
        change,
    )
    assert message.startswith("This page cannot read the tokenizer's ")


@pytest.mark.filterwarnings("ignore::keras_qa.errors.TextWarning")
def test_scores(page, kit_rankers, questions):
    asked = [
        [question.text, [c.text for c in question.candidates]]
        for question in questions
    ]
    assert len(asked) == 40
    asked.append(["Who was the 2nd Ödön?", ["", "\0", "Ödön 1,000", "Ödön Ñ"]])
    # The last has unknown words alone, which no ranker reads.
    asked[-1][1].append("qxzzyxq vkvkvk")
    for name, ranker in kit_rankers().items():
        found = page.run(
            "const runtime = await import('./vendor/ort.wasm.bundle.min.mjs');"
            "runtime.env.wasm.numThreads = 1;"
            "const { Ranker } = await import('./ranker.js');"
            "const folder = new URL(`rankers/${given[0]}/`, document.baseURI);"
            "const ranker = await Ranker.load(runtime, folder);"
            "const results = [];"
            "for (const [question, answers] of given[1]) results.push("
            "[...(await ranker.rank(question, answers)).scores]);"
            "return results;",
            name,
            asked,
        )
        texts = [(q, answer) for q, answers in asked for answer in answers]
        known = ranker.scores(*map(list, zip(*texts, strict=True)))
        assert len(np.unique(known)) > 40
        assert known[-1] == np.float32(UNREAD_SCORE)
        np.testing.assert_allclose(
            list(itertools.chain(*found)), known, atol=1e-4, err_msg=name
        )


def mean_over_orders(scores, right):
    """The mean of the average precision over all orders of equal scores."""
    best, all_values = sorted(scores, reverse=True), []
    for order in itertools.permutations(range(len(scores))):
        if [scores[i] for i in order] == best:
            found = [place for place, i in enumerate(order, 1) if right[i]]
            values = [n / place for n, place in enumerate(found, 1)]
            all_values.append(sum(values) / len(values))
    return sum(all_values) / len(all_values)


def test_average_precision(page):
    rng = np.random.default_rng(1)
    cases = [
        (rng.integers(3, size=6).tolist(), rng.permutation(3 * [True, False]))
        for _ in range(20)
    ]
    cases = [(scores, right.tolist()) for scores, right in cases]
    cases.append(([0.5], [True]))
    script = (
        "const { averagePrecision } = await import('./measures.js');"
        "return given[0].map(([scores, right]) =>"
        "averagePrecision(scores, right));"
    )
    found = page.run(script, cases)
    np.testing.assert_allclose(found, [mean_over_orders(*c) for c in cases])
    unknown = [[[1, 2], [False, False]], [[1, 2], [True, None]]]
    assert page.run(script, unknown) == [None, None]


def test_order(page):
    script = (
        "const { bestFirst } = await import('./measures.js');"
        "return bestFirst(given[0].map((x) => x ?? NaN));"
    )
    assert page.run(script, [1, 3, None, 3, 2]) == [1, 3, 4, 0, 2]


def test_the_ball(page):
    rng = np.random.default_rng(2)
    points = rng.normal(size=(7, 4))
    points /= 1.02 * np.linalg.norm(points, axis=1, keepdims=True)
    points *= rng.uniform(size=(7, 1))
    question, answers = points[0], points[1:]
    distances, places, part = page.run(
        "const { around, distance } = await import('./ball.js');"
        "const distances = given[1].map((x) => distance(given[0], x));"
        "const { places, part } = around(given[1], distances);"
        "return [distances, places, part];",
        question.tolist(),
        answers.tolist(),
    )
    known = geometry.distance(question[None], answers)
    np.testing.assert_allclose(distances, np.ravel(known), rtol=1e-4)
    # The distance from the middle is that from the question.
    np.testing.assert_allclose([math.hypot(*p) for p in places], distances)
    centred = answers - answers.mean(0)
    values = np.linalg.svd(centred, compute_uv=False) ** 2
    assert part == pytest.approx(values[:2].sum() / values.sum(), rel=1e-3)
