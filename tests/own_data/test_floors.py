"""The floors of a training on one's own data."""

import numpy as np
import pytest

from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.own_data.floors import fit_floors
from keras_qa.own_data.floors import popularity_scores

pytestmark = pytest.mark.once


def test_unseen_words_have_the_mean_idf_of_the_others():
    questions = [
        Question(
            str(i),
            f"who wrote book{i}",
            (
                Candidate("0", f"she wrote book{i} .", 1),
                Candidate("1", "he sings .", 0),
            ),
        )
        for i in range(4)
    ]
    later = [Question("9", "who sang", (Candidate("0", "they sang", 1),))]
    corpus = Corpus(questions, later, oov_buckets=5)
    vocabulary = corpus.vocabulary
    matrix = np.eye(len(vocabulary), 8, dtype=np.float32)
    floors = fit_floors(corpus, corpus.index(questions), matrix, 4)
    # Of 4 + 4 + 1 texts, 5 or 4 or 8 have a word, or 2 each of the books.
    counts = {"who": 4, "wrote": 8, "she": 4, ".": 5, "he": 1, "sings": 1}
    counts |= {f"book{i}": 2 for i in range(4)}
    idf = {word: np.log(10 / (1 + n)) + 1 for word, n in counts.items()}
    for ranker in (floors.overlap, floors.features):
        found = np.array(ranker.counting.idf.idf)
        for word, expected in idf.items():
            assert found[vocabulary.encode([word])] == pytest.approx(expected)
        mean = np.mean(list(idf.values()))
        unseen = vocabulary.encode(["they", "sang", "unheard"])
        assert unseen[2] >= len(vocabulary) - 5
        assert found[unseen] == pytest.approx(mean)
    # BM25 counts the 5 answers, and no punctuation.
    counts = {"wrote": 4, "she": 4, "he": 1, "sings": 1}
    counts |= {f"book{i}": 1 for i in range(4)}
    idf = {w: np.log(1 + (5.5 - n) / (n + 0.5)) for w, n in counts.items()}
    found = np.array(floors.bm25.counting.idf)
    assert found[vocabulary.encode(["wrote"])] == pytest.approx(idf["wrote"])
    assert found[unseen] == pytest.approx(np.mean(list(idf.values())))
    assert found[vocabulary.encode(["."])] == 0


def test_popular_answers_are_those_that_were_right():
    def question(*labelled):
        candidates = [
            Candidate(str(i), text, label)
            for i, (text, label) in enumerate(labelled)
        ]
        return Question("q", "any", tuple(candidates))

    taught = [
        question(("Yes.", 1), ("No.", 0)),
        question(("yes.", 2), ("No.", 1), ("Perhaps.", 0)),
    ]
    asked = [question(("No.", 0), ("YES.", 1), ("Never.", 0))]
    # 3 of 5 were right: "yes." 2 of 2 times, "no." once of twice.
    (found,) = popularity_scores(taught, asked)
    np.testing.assert_allclose(found, [1.6 / 3, 2.6 / 3, 0.6])
    new = [question(*((f"a{i}", 0) for i in range(10)), ("No.", 1))]
    assert popularity_scores(taught, new) is None
