"""Distinct texts, their numbers and their word ids."""

import numpy as np

from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question


def test_texts_are_distinct_and_numbered(capital_questions):
    corpus = Corpus(capital_questions, capital_questions)
    # Three questions and seven candidates, one of which occurs twice.
    assert len(corpus.tokens) == len(corpus.texts) == 9
    indexed = corpus.index(capital_questions)
    assert indexed.candidate_texts[0][1] == indexed.candidate_texts[2][0]
    assert [label.tolist() for label in indexed.labels] == [
        [1, 0, 0],
        [1, 1, 0],
        [0],
    ]


def test_grades_are_right_answers():
    candidates = tuple(Candidate(str(i), f"a{i}", i) for i in range(4))
    questions = [Question("q", "q", candidates)]
    (labels,) = Corpus(questions).index(questions).labels
    assert labels.tolist() == [0, 1, 1, 1]


def test_ids_spell_the_tokens(capital_questions):
    corpus = Corpus(capital_questions)
    index = corpus.index(capital_questions).candidate_texts[1][0]
    words = [corpus.vocabulary.words[i] for i in corpus.texts[index]]
    assert words == ["emma", "is", "a", "novel", "by", "jane", "austen", "."]


def test_questions_and_answers_are_cut_apart(capital_questions):
    corpus = Corpus(
        capital_questions, max_question_length=2, max_answer_length=3
    )
    indexed = corpus.index(capital_questions)
    assert corpus.tokens[indexed.question_texts[0]] == ["what", "is"]
    answer = corpus.tokens[indexed.candidate_texts[0][0]]
    assert answer == ["paris", "is", "the"]


def test_pairs_and_split_are_inverse(capital_questions):
    indexed = Corpus(capital_questions).index(capital_questions)
    questions, answers = indexed.pairs()
    assert questions.shape == answers.shape == (7,)
    assert [len(s) for s in indexed.split(np.arange(7))] == [3, 3, 1]
    assert indexed.split(np.arange(7))[1].tolist() == [3, 4, 5]


def test_word_counts_and_sentences(capital_questions):
    corpus = Corpus(capital_questions)
    assert corpus.word_counts()["emma"] == 4
    only_first = corpus.sentences(capital_questions[:1])
    assert len(only_first) == 4
    assert only_first[0][-1] == "?"


def test_answers_beyond_the_candidates(capital_questions):
    first, others = capital_questions[:1], capital_questions[1:]
    plain = Corpus(first, others)
    (candidates,) = plain.index(first).candidate_texts
    assert plain.answer_space.tolist() == sorted(candidates)

    known = others[0].candidates[0].text
    corpus = Corpus(first, others, answers=["Rome .", known, "Rome ."])
    assert len(corpus.texts) == len(plain.texts) + 1
    rome = len(plain.texts)
    assert corpus.tokens[rome] == ["rome", "."]
    emma = corpus.index(others).candidate_texts[0][0]
    assert corpus.answer_space.tolist() == sorted([rome, emma])
    # Texts that both have keep their numbers.
    assert corpus.tokens[:-1] == plain.tokens
    assert "rome" in corpus.vocabulary
