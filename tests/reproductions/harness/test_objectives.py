"""What every script can fit its models by."""

from dataclasses import replace
from types import SimpleNamespace

import keras
import numpy as np
import pytest

from keras_qa import CosineQA
from keras_qa.batches.listwise import ListwiseBatches
from keras_qa.batches.negatives import NegativeSampler
from keras_qa.batches.pairs import PairwiseBatches
from keras_qa.batches.pairs import PointwiseBatches
from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.losses.listwise import ListwiseSoftmax
from keras_qa.losses.pairwise import PairwiseHinge
from keras_qa.models import CNNRanker
from keras_qa.ranking.scoring import score_pairs
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.vector_texts import VectorTexts
from keras_qa.training.corpus_scorer import CorpusScorer
from reproductions.ctrn.experiment import EXPERIMENT as CTRN
from reproductions.harness import objectives
from reproductions.harness.command import parse_arguments
from reproductions.harness.errors import SettingsError
from reproductions.harness.experiment import Experiment
from reproductions.harness.floors import fitted_floor
from reproductions.harness.objectives import training_of
from reproductions.harness.parts.learners import Learner
from reproductions.harness.settings import DISTILLED
from reproductions.harness.settings import OBJECTIVES
from reproductions.harness.settings import CommonSettings
from reproductions.hyperqa.experiment import EXPERIMENT as HYPERQA
from reproductions.iam.experiment import EXPERIMENT as IAM
from reproductions.mrnn.experiment import EXPERIMENT as MRNN
from reproductions.qa_lstm.experiment import EXPERIMENT as QA_LSTM

PAPERS = (CTRN, HYPERQA, IAM, MRNN, QA_LSTM)
QUESTIONS = [
    Question(
        f"q{i}",
        f"what is {word}",
        tuple(
            Candidate(f"q{i}-{j}", f"{word} is number {j}", int(j == i))
            for j in range(4)
        ),
    )
    for i, word in enumerate(("one", "two", "three"))
]


class Toy(Experiment):
    """A learner without a paper."""

    def __init__(self, features=False):
        self.features = features

    def build_learner(self, run):
        size = len(run.corpus.vocabulary)
        if not self.features:
            return Learner(
                CorpusScorer(CosineQA(size, 3, 2), run.corpus),
                keras.optimizers.SGD(0.1),
                patience=2,
            )
        model = CNNRanker(
            size, 3, projection_dim=2, units=2, overlap_features=4
        )
        overlap = OverlapFeatures.fit(run.corpus.tokens)
        return Learner(
            CorpusScorer(model, run.corpus, overlap), keras.optimizers.SGD(0.1)
        )

    def paper_training(self, run, learner):
        return "as printed"


def _run(**changes):
    settings = {
        name: field.default
        for name, field in CommonSettings.__dataclass_fields__.items()
    }
    run = SimpleNamespace(
        settings=SimpleNamespace(**{**settings, "batch_size": 3, **changes}),
        corpus=Corpus(QUESTIONS),
        fit=QUESTIONS,
        arguments=SimpleNamespace(seed=3),
    )
    run.own = run
    return run


def test_the_default_is_the_papers():
    assert training_of(Toy(), _run()) == "as printed"


@pytest.mark.parametrize(
    ("objective", "kind", "loss"),
    [
        ("pointwise", PointwiseBatches, keras.losses.BinaryCrossentropy),
        ("pairwise", PairwiseBatches, PairwiseHinge),
        ("listwise", ListwiseBatches, ListwiseSoftmax),
    ],
)
@pytest.mark.parametrize("features", [False, True])
def test_a_model_learns_by_each(objective, kind, loss, features):
    settings = {"margin": 0.7, "temperature": 0.4, "right_answers": "sum"}
    settings |= {"negatives": 2, "candidates": 3, "objective": objective}
    training = training_of(Toy(features), _run(**settings))
    assert isinstance(training.batches, kind)
    assert isinstance(training.trainer.loss, loss)
    assert training.patience == (0 if features else 2)
    assert training.batches.seed == 3
    found = training.trainer.loss
    if objective == "pairwise":
        assert found.margin == 0.7
    elif objective == "listwise":
        assert (found.positives, found.temperature) == ("sum", 0.4)
    training.batches.start_epoch(0)
    inputs, labels = training.batches[0]
    assert labels.shape == (3, 1 if objective == "pointwise" else 3)
    if features:
        lead = labels.shape if objective != "pointwise" else (3,)
        assert inputs["overlap"].shape == (*lead, 4)
    before = training.scorer.model.get_weights()
    training.trainer.train_on_batch(inputs, labels)
    after = training.scorer.model.get_weights()
    assert any((a != b).any() for a, b in zip(before, after, strict=True))


@pytest.mark.parametrize("objective", ["pointwise", "pairwise", "listwise"])
def test_mined_answers_are_wrong_candidates(objective):
    """Questions with their right answer alone have no others."""
    run = _run(objective=objective, mined=2, negatives=1)
    run.fit = [
        replace(q, candidates=tuple(c for c in q.candidates if c.label))
        for q in QUESTIONS
    ]
    batches = training_of(Toy(), run).batches
    batches.start_epoch(0)
    _, labels = batches[0]
    assert 0 < labels.sum() < labels.size


def test_a_model_is_trained_beside_the_features():
    run = _run(objective="pairwise", negatives=2, joint_weight=0.5)
    size = len(run.corpus.vocabulary), 3
    run.matrix = np.random.default_rng(0).normal(size=size).astype("float32")
    run.arguments.model = "toy"
    training = training_of(Toy(), run)
    fused = training.scorer.model
    model, floor = fused.rankers
    # At the start half the model's score, and the floor's log-odds.
    indexed = run.corpus.index(QUESTIONS)
    texts, pairs = run.corpus.texts, indexed.pairs()
    alone, odds = (score_pairs(m, texts, *pairs) for m in (model, floor))
    np.testing.assert_allclose(
        training.scorer.scores(*pairs), 0.5 * alone + odds, atol=1e-5
    )
    before = [m.get_weights() for m in (model, floor, fused.score)]
    training.batches.start_epoch(0)
    training.trainer.train_on_batch(*training.batches[0])
    after = [m.get_weights() for m in (model, floor, fused.score)]
    for old, new in zip(before, after, strict=True):
        assert any((a != b).any() for a, b in zip(old, new, strict=True))


class InContext(Toy):
    """A learner beside a floor of the words in their texts."""

    contextual = ("toy",)

    def text_vectors(self, run):
        lengths = [len(tokens) for tokens in run.corpus.tokens]
        rng = np.random.default_rng(0)
        return VectorTexts(
            rng.normal(size=(sum(lengths), 4)).astype("float32"),
            np.cumsum([0, *lengths]),
        )


@pytest.mark.parametrize("objective", ["pairwise", "pointwise"])
def test_a_model_is_trained_beside_the_features_of_words_in_context(objective):
    # By the wide margin, whatever the weights, some loss is left.
    run = _run(objective=objective, negatives=2, joint_weight=0.5, margin=50.0)
    run.arguments.model = "toy"
    experiment = InContext()
    training = training_of(experiment, run)
    fused = training.scorer.model
    pairs = run.corpus.index(QUESTIONS).pairs()
    vectors = experiment.text_vectors(run)
    floor, _ = fitted_floor("contextual-features", run, vectors)
    odds = score_pairs(floor, run.corpus.texts, *pairs, vectors=vectors)
    alone = score_pairs(fused.rankers[0], run.corpus.texts, *pairs)
    np.testing.assert_allclose(
        training.scorer.scores(*pairs), 0.5 * alone + odds, atol=1e-5
    )
    before = fused.score.get_weights()
    training.batches.start_epoch(0)
    training.trainer.train_on_batch(*training.batches[0])
    after = fused.score.get_weights()
    assert any((a != b).any() for a, b in zip(before, after, strict=True))


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_every_script_has_the_settings(paper):
    def settings(*changes, options=()):
        changes = [f"--set={change}" for change in changes]
        return paper.settings_of(parse_arguments(paper, [*changes, *options]))

    assert settings().objective == "paper"
    assert settings().average_last == 0
    for objective in OBJECTIVES[1:]:
        teacher = ("--teacher", "folder") if objective in DISTILLED else ()
        changed = settings(
            *(f"objective={objective}", "sampler=mix", "sampler_pool=own"),
            *("negatives=4", "margin=0.1", "candidates=20"),
            options=teacher,
        )
        assert (changed.objective, changed.candidates) == (objective, 20)
    with pytest.raises(SettingsError, match=r"`negatives` must .*negatives=0"):
        settings("objective=pairwise", "negatives=0")
    # HyperQA's runs all epochs and has no patience to be 0.
    fixed = ["patience=0"] if hasattr(settings(), "patience") else []
    assert settings(*fixed, "average_last=3").average_last == 3
    with pytest.raises(SettingsError, match=r"at most `epochs`, 2.*last=3"):
        settings(*fixed, "average_last=3", "epochs=2")


def test_settings_that_rule_out_each_other():
    def settings(paper, *changes):
        changes = [f"--set={change}" for change in changes]
        paper.settings_of(parse_arguments(paper, changes))

    with pytest.raises(
        SettingsError, match=r"`patience` must be 0.*patience=5"
    ):
        settings(CTRN, "average_last=3")
    with pytest.raises(SettingsError, match="`joint_weight` must be null"):
        settings(CTRN, "joint_weight=1")
    with pytest.raises(SettingsError, match="`sampler` must be 'random'"):
        settings(QA_LSTM, "sampler=mix")


def test_what_is_drawn_is_as_the_settings_say(monkeypatch):
    drawn = {}

    def sampler(*arguments, **options):
        drawn.update(options)
        return NegativeSampler(*arguments, **options)

    monkeypatch.setattr(objectives, "NegativeSampler", sampler)
    given = {"negatives": 2, "sampler": "max", "sampler_pool": "all"}
    training_of(Toy(), _run(objective="pairwise", **given))
    names = ("negatives", "strategy", "pool", "seed")
    assert [drawn[name] for name in names] == [2, "max", "all", 3]
    given = {"candidates": 3, "sampler_pool": "all"}
    batches = training_of(Toy(), _run(objective="listwise", **given)).batches
    assert (batches.group_size, batches.pool) == (3, "all")


def test_what_is_learnt_of_a_teacher_is_as_the_settings_say(monkeypatch):
    mined = []

    def teacher(questions, answers):
        return np.zeros(len(questions), np.float32)

    def with_mined(fit, corpus, count):
        mined.append(count)
        return fit

    monkeypatch.setattr(objectives, "teacher_of", lambda *_: teacher)
    monkeypatch.setattr(objectives, "with_mined", with_mined)
    given = {"temperature": 0.5, "label_weight": 0.25, "mined": 7}
    training = training_of(Toy(), _run(objective="kl", **given))
    loss = training.trainer.loss
    assert (loss.temperature, loss.label_weight) == (0.5, 0.25)
    assert training.batches.both and mined == [7]
    training = training_of(Toy(), _run(objective="kl", label_weight=0.0))
    assert not training.batches.both
