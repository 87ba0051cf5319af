"""The scores of a teacher: each pair once, kept, and learnt by a model."""

from types import SimpleNamespace

import keras
import numpy as np
import pytest

from keras_qa.batches.listwise import ListwiseBatches
from keras_qa.batches.negatives import NegativeSampler
from keras_qa.batches.pairs import PairwiseBatches
from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.errors import RunFolderError
from keras_qa.losses.distillation import DistillationKL
from keras_qa.losses.distillation import MarginMSE
from keras_qa.losses.pairwise import PairwiseHinge
from keras_qa.metrics.ranking import MeanAveragePrecision
from keras_qa.models import CosineQA
from keras_qa.ranking.scoring import score_pairs
from keras_qa.text.readable import UNREAD_SCORE
from keras_qa.text.reading import TextReading
from keras_qa.text.vocabulary import Vocabulary
from keras_qa.training import distillation
from keras_qa.training.distillation import TeacherScores
from keras_qa.training.pairwise import PairwiseTrainer

ANSWERS = {
    "Who wrote Emma?": {"Jane Austen did.": 1, "In 1815.": 0, "A cat!": 0},
    "When was it?": {"In 1815.": 1, "Jane Austen did.": 0},
    "And why?": {"A cat!": 0, "Who knows?": 0, "": 0},
    "Alone?": {"Yes.": 1},
}
QUESTIONS = [
    Question(
        text,
        text,
        tuple(Candidate(a, a, label) for a, label in answers.items()),
    )
    for text, answers in ANSWERS.items()
]


class Teacher:
    """Scores a pair by the lengths of its texts, and counts what is asked."""

    def __init__(self, digest="0123456789abcdef0123", readable="content"):
        self.asked = []
        self.digest = digest
        self.reading = TextReading(Vocabulary([]), readable=readable)

    def scores(self, questions, answers):
        self.asked += zip(questions, answers, strict=True)
        return np.array(
            [
                len(a) / len(q) if a else UNREAD_SCORE
                for q, a in zip(questions, answers, strict=True)
            ],
            np.float32,
        )

    def weights_digest(self):
        return self.digest


@pytest.fixture
def corpus():
    return Corpus(QUESTIONS)


def of(corpus):
    indexed = corpus.index(QUESTIONS)
    return indexed.question_texts, indexed.candidate_texts, indexed.labels


def test_each_pair_is_scored_once_as_it_was_read(corpus):
    teacher = Teacher()
    scores = TeacherScores(teacher, corpus)
    pairs = corpus.index(QUESTIONS).pairs()
    found = scores(*pairs)
    expected = [
        len(a) / len(q) if a else np.nan
        for q, answers in ANSWERS.items()
        for a in answers
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert found.dtype == np.float32
    assert set(teacher.asked) == {(q, a) for q in ANSWERS for a in ANSWERS[q]}
    doubled = [np.concatenate([texts, texts[::-1]]) for texts in pairs]
    np.testing.assert_array_equal(
        scores(*doubled), np.concatenate([found, found[::-1]])
    )
    assert len(teacher.asked) == len(expected)
    assert scores(*(texts[:0] for texts in pairs)).shape == (0,)


def test_scores_are_kept_for_other_runs(tmp_path, corpus):
    pairs = corpus.index(QUESTIONS).pairs()
    found = TeacherScores(Teacher(), corpus, tmp_path / "t")(*pairs)
    assert [p.name for p in (tmp_path / "t").glob("*.npz")] == [
        "teacher-0123456789abcdef-word-content.npz"
    ]
    again = Teacher()
    # Texts have other numbers there.
    other = Corpus(QUESTIONS[::-1])
    kept = TeacherScores(again, other, tmp_path / "t")
    indexed = other.index(QUESTIONS)
    np.testing.assert_array_equal(kept(*indexed.pairs()), found)
    assert again.asked == []
    kept(indexed.question_texts[:1], indexed.candidate_texts[3])
    assert again.asked == [("Who wrote Emma?", "Yes.")]
    third = TeacherScores(Teacher(), corpus, tmp_path / "t")
    assert len(third._known) == len(found) + 1
    # Another model, or one that scores other answers.
    for another in (Teacher("f" * 20), Teacher(readable="any")):
        TeacherScores(another, corpus, tmp_path / "t")(*pairs)
        assert len(another.asked) == len(found)


def test_two_runs_at_once_keep_the_scores_of_both(tmp_path, corpus):
    questions, answers = corpus.index(QUESTIONS).pairs()
    runs = [TeacherScores(Teacher(), corpus, tmp_path) for _ in range(2)]
    for run, part in zip(runs, (slice(0, 2), slice(2, None)), strict=True):
        run(questions[part], answers[part])
    third = Teacher()
    TeacherScores(third, corpus, tmp_path)(questions, answers)
    assert third.asked == []


def test_scores_of_a_stopped_run_are_kept(tmp_path, corpus, monkeypatch):
    class Stopped(Teacher):
        def scores(self, questions, answers):
            if len(self.asked) == 4:
                raise KeyboardInterrupt
            return super().scores(questions, answers)

    monkeypatch.setattr(distillation, "CHUNK", 2)
    monkeypatch.setattr(distillation, "KEPT_AFTER", 1)
    pairs = corpus.index(QUESTIONS).pairs()
    stopped, again = Stopped(), Teacher()
    with pytest.raises(KeyboardInterrupt):
        TeacherScores(stopped, corpus, tmp_path)(*pairs)
    found = TeacherScores(again, corpus, tmp_path)(*pairs)
    assert len(again.asked) == len(pairs[0]) - 4
    np.testing.assert_array_equal(
        found, TeacherScores(Teacher(), corpus)(*pairs)
    )


def test_damaged_scores(tmp_path, corpus):
    (tmp_path / "teacher-0123456789abcdef-word-content.npz").write_bytes(b"PK")
    with pytest.raises(RunFolderError, match="expected the scores of a teac"):
        TeacherScores(Teacher(), corpus, tmp_path)


def test_groups_have_the_teachers_scores(corpus):
    scores = TeacherScores(Teacher(), corpus)
    sampler = NegativeSampler(*of(corpus), 2, strategy="random")
    batches = PairwiseBatches(
        corpus.texts, sampler.sample, 2, packed=False, targets=scores
    )
    for index in range(len(batches)):
        targets = batches[index][1]
        assert targets.shape[1] == 3 and targets.dtype == np.float32
        chosen = slice(index * 2, index * 2 + 2)
        expected = [
            scores(np.repeat(q, 3), answers)
            for q, answers in zip(
                batches._question[chosen], batches._answers[chosen], strict=True
            )
        ]
        np.testing.assert_array_equal(targets, expected)


@pytest.mark.parametrize("both", [False, True])
def test_lists_have_the_teachers_scores(corpus, both):
    scores = TeacherScores(Teacher(), corpus)
    batches = ListwiseBatches(
        corpus.texts,
        *of(corpus),
        batch_size=4,
        packed=False,
        targets=scores,
        both=both,
    )
    # That without a right answer is there, that with one answer is not.
    inputs, targets = batches[0]
    assert targets.shape[:1] == inputs["question"].shape[:1] == (3,)
    labels = None
    if both:
        targets, labels = targets[..., 0], targets[..., 1]
    found = []
    for row, question in enumerate(batches._question[batches._batches[0]]):
        text = corpus.originals[question]
        real = targets[row][~np.isnan(targets[row])]
        expected = [len(a) / len(text) for a in ANSWERS[text] if a]
        np.testing.assert_allclose(sorted(real), sorted(expected), rtol=1e-6)
        found.append(text)
        if labels is not None:
            right = sum(ANSWERS[text].values())
            size = len(ANSWERS[text])
            assert (labels[row] == 1).sum() == right
            assert (labels[row] >= 0).sum() == size
            assert np.isnan(targets[row][labels[row] == -1]).all()
    assert sorted(found) == sorted(list(ANSWERS)[:3])


@pytest.mark.parametrize("loss", [MarginMSE(), DistillationKL()])
def test_a_model_learns_the_order_of_its_teacher(corpus, loss):
    keras.utils.set_random_seed(1)
    model = CosineQA(len(corpus.vocabulary), 8, projection_dim=8)
    scores = TeacherScores(Teacher(), corpus)
    trainer = PairwiseTrainer(model)
    trainer.compile(keras.optimizers.Adam(0.1), loss=loss)
    if isinstance(loss, MarginMSE):
        sampler = NegativeSampler(*of(corpus), 2, strategy="random")
        batches = PairwiseBatches(
            corpus.texts,
            sampler.sample,
            4,
            packed=trainer.supports_packing,
            targets=scores,
        )
    else:
        batches = ListwiseBatches(
            corpus.texts,
            *of(corpus),
            batch_size=4,
            packed=trainer.supports_packing,
            targets=scores,
        )
    history = trainer.fit(batches, epochs=12, verbose=0).history["loss"]
    assert history[-1] < 0.5 * history[0]
    first = corpus.index(QUESTIONS[:1])
    found = score_pairs(model, corpus.texts, *first.pairs())
    assert np.argmax(found) == 0


def test_measures_of_labels_need_labels(corpus):
    """The scores of a teacher would be taken for labels."""
    model = CosineQA(len(corpus.vocabulary.words), 4, 3)

    def batches(**options):
        return ListwiseBatches(
            corpus.texts,
            *of(corpus),
            batch_size=2,
            packed=False,
            targets=lambda questions, answers: np.ones(len(questions)),
            **options,
        )

    trainer = PairwiseTrainer(model)
    for loss, metrics in (
        (MarginMSE(), [MeanAveragePrecision()]),
        (PairwiseHinge(), []),
    ):
        for kind in ("metrics", "weighted_metrics"):
            trainer.compile("sgd", loss=loss, **{kind: metrics})
            with pytest.raises(ValueError, match="read labels, but the bat"):
                trainer.fit(batches(), verbose=0)
            with pytest.raises(ValueError, match="read labels, but the bat"):
                trainer.evaluate(batches(), verbose=0)
            with pytest.raises(ValueError, match="read labels, but the bat"):
                trainer.fit(batches(both=True), validation_data=batches())
    loss = DistillationKL(label_weight=0.5)
    trainer.compile("sgd", loss=loss, metrics=[MeanAveragePrecision()])
    found = trainer.fit(batches(both=True), verbose=0).history["map"]
    assert 0 < found[0] <= 1
    with pytest.raises(ValueError, match="predict_on_batch` one batch"):
        trainer.predict(batches(both=True))


@pytest.mark.parametrize("loss", [MarginMSE(), DistillationKL()])
def test_labels_are_no_scores_of_a_teacher(corpus, loss):
    """-1, which fills rows of labels, would be one."""
    trainer = PairwiseTrainer(CosineQA(len(corpus.vocabulary.words), 4, 3))
    trainer.compile("sgd", loss=loss)
    labelled = ListwiseBatches(
        corpus.texts, *of(corpus), batch_size=2, packed=False
    )
    with pytest.raises(ValueError, match="read a teacher's scores, but the b"):
        trainer.fit(labelled, verbose=0)


def test_where_the_question_ends_counts():
    pairs = [("who", "is it"), ("whois", " it")]
    questions = [
        Question(str(i), asked, (Candidate("a", answer, 1),))
        for i, (asked, answer) in enumerate(pairs)
    ]
    corpus = Corpus(questions)
    teacher = SimpleNamespace(
        scores=lambda asked, _: np.array([float(len(q)) for q in asked])
    )
    found = TeacherScores(teacher, corpus)(*corpus.index(questions).pairs())
    assert found.tolist() == [3, 5]
