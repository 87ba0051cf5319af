"""What a model can be fitted by, whatever its paper fits it by."""

import dataclasses
from collections.abc import Callable
from typing import Any

import keras
import numpy as np

from keras_qa.batches.listwise import ListwiseBatches
from keras_qa.batches.negatives import NegativeSampler
from keras_qa.batches.negatives import ScoreFunction
from keras_qa.batches.pairs import PairwiseBatches
from keras_qa.batches.pairs import PointwiseBatches
from keras_qa.datasets.corpus import IndexedQuestions
from keras_qa.losses.distillation import DistillationKL
from keras_qa.losses.distillation import MarginMSE
from keras_qa.losses.listwise import ListwiseSoftmax
from keras_qa.losses.pairwise import PairwiseHinge
from keras_qa.models.floors.fusion import FusionRanker
from keras_qa.text.sides import SIDES
from keras_qa.training.corpus_scorer import CorpusScorer
from keras_qa.training.pairwise import PairwiseTrainer
from reproductions.harness.experiment import Experiment
from reproductions.harness.floors import fitted_floor
from reproductions.harness.parts.learners import Learner
from reproductions.harness.parts.learners import Training
from reproductions.harness.parts.runs import Run
from reproductions.harness.settings import DISTILLED
from reproductions.harness.settings import PAPER
from reproductions.harness.teaching.teachers import teacher_of
from reproductions.harness.teaching.teachers import with_mined


def training_of(experiment: Experiment[Any], run: Run[Any]) -> Training:
    """A training by the setting `objective`, after Keras is seeded."""
    learner, settings = experiment.build_learner(run), run.settings
    if settings.objective == PAPER:
        return experiment.paper_training(run, learner)
    fit = with_mined(run.corpus.index(run.fit), run.corpus, settings.mined)
    if settings.joint_weight is not None:
        learner = beside_features(learner, experiment, run)
    own: dict[str, Any] = {}
    if settings.objective in DISTILLED:
        own["teacher"] = teacher_of(run.arguments, run.corpus)
    return OBJECTIVES[settings.objective](
        learner, settings, fit, run.arguments.seed, **own
    )


def beside_features(
    learner: Learner, experiment: Experiment[Any], run: Run[Any]
) -> Learner:
    """A learner of a weighted sum of the model's and a floor's score.

    The floor is `features`. All is trained: its weights, too, and those of the
    sum, which are 1 for the floor and `joint_weight` for the model. With a
    model that reads words in their texts, the floor reads these, too, and of
    it only the weight in the sum is trained: its scores are inputs.

    Args:
        learner: the model and what goes with it.
        experiment: the experiment that owns the model.
        run: the run, on whose training questions the floor is fitted.
    """
    scorer = learner.scorer
    if run.arguments.model in experiment.contextual:
        vectors = scorer.vectors
        if vectors is None:
            vectors = experiment.text_vectors(run)
        fitted, _ = fitted_floor("contextual-features", run.own, vectors)
        alone = CorpusScorer(fitted, run.corpus, word_vectors=vectors)
        scorer = dataclasses.replace(
            scorer, floor=_remembered(alone.distinct_scores)
        )
        given = keras.Input((1,), name="floor")
        floor = keras.Model({"floor": given}, keras.layers.Identity()(given))
    else:
        floor, _ = fitted_floor("features", run.own)
    weights = [run.settings.joint_weight, 1.0]
    model = FusionRanker([scorer.model, floor], weights)
    scorer = dataclasses.replace(scorer, model=model)
    return dataclasses.replace(learner, scorer=scorer)


def _remembered(scores: ScoreFunction) -> ScoreFunction:
    """The same scores; those of a pair are computed once."""
    known: dict[tuple[int, int], float] = {}

    def look_up(questions: np.ndarray, answers: np.ndarray) -> np.ndarray:
        pairs = list(zip(questions.tolist(), answers.tolist(), strict=True))
        new = [pair for pair in dict.fromkeys(pairs) if pair not in known]
        if new:
            found = scores(*np.array(new).T)
            known.update(zip(new, found.tolist(), strict=True))
        return np.array([known[pair] for pair in pairs], np.float32)

    return look_up


def pointwise_training(
    learner: Learner, settings: Any, fit: IndexedQuestions, seed: int
) -> Training:
    """A training to classify question-answer pairs as right or wrong.

    Args:
        learner: the model and what goes with it.
        settings: has `batch_size`.
        fit: the training questions.
        seed: seed of the order of the batches.
    """
    scorer, model = learner.scorer, learner.scorer.model
    pairs = fit.pairs()
    # The score is the log-odds of the softmax's two classes.
    loss = keras.losses.BinaryCrossentropy(from_logits=True)
    model.compile(learner.optimizer, loss=loss)
    batches = PointwiseBatches(
        scorer.texts,
        *pairs,
        np.concatenate(fit.labels),
        batch_size=settings.batch_size,
        seed=seed,
        features=scorer.features(*pairs),
        widths=_widths(model),
    )
    return learner.fitted(model, batches)


def pairwise_training(
    learner: Learner,
    settings: Any,
    fit: IndexedQuestions,
    seed: int,
    scores: ScoreFunction | None = None,
    everything: np.ndarray | None = None,
    teacher: ScoreFunction | None = None,
) -> Training:
    """A training to rank right answers above sampled wrong ones.

    Args:
        learner: the model and what goes with it.
        settings: has `negatives`, `sampler`, `sampler_pool`, `margin` and
            `batch_size`.
        fit: the training questions.
        seed: seed of the sampler and of the order of the batches.
        scores: the current scores of pairs, for the sampler; by default those
            of the learner's scorer, each distinct pair scored once.
        everything: see `NegativeSampler`.
        teacher: scores whose margins are learnt; None takes those of
            `settings.margin` and more.
    """
    scorer = learner.scorer
    scores = scores or scorer.distinct_scores
    sampler = NegativeSampler(
        fit.question_texts,
        fit.candidate_texts,
        fit.labels,
        negatives=settings.negatives,
        strategy=settings.sampler,
        pool=settings.sampler_pool,
        seed=seed,
        everything=everything,
    )
    trainer = PairwiseTrainer(scorer.model)
    loss = MarginMSE() if teacher else PairwiseHinge(settings.margin)
    trainer.compile(optimizer=learner.optimizer, loss=loss)
    batches = PairwiseBatches(
        scorer.texts,
        lambda epoch: sampler.sample(epoch, scores),
        batch_size=settings.batch_size,
        seed=seed,
        targets=teacher,
        **_of_groups(trainer, scorer),
    )
    return learner.fitted(trainer, batches)


def listwise_training(
    learner: Learner,
    settings: Any,
    fit: IndexedQuestions,
    seed: int,
    teacher: ScoreFunction | None = None,
) -> Training:
    """A training to rank the candidates of each question.

    Args:
        learner: the model and what goes with it.
        settings: has `candidates`, `sampler_pool`, `right_answers`,
            `temperature` and `batch_size`, a number of questions; with a
            teacher also `label_weight`.
        fit: the training questions.
        seed: seed of the draws and of the order of the batches.
        teacher: scores whose softmax is learnt; None takes the labels.
    """
    scorer = learner.scorer
    trainer = PairwiseTrainer(scorer.model)
    heat = settings.temperature
    loss: keras.losses.Loss = ListwiseSoftmax(settings.right_answers, heat)
    of_teacher: dict[str, Any] = {}
    if teacher is not None:
        loss = DistillationKL(heat, settings.label_weight)
        of_teacher = {"targets": teacher, "both": settings.label_weight > 0}
        # All at once, with one bar.
        teacher(*fit.pairs())
    trainer.compile(optimizer=learner.optimizer, loss=loss)
    batches = ListwiseBatches(
        scorer.texts,
        fit.question_texts,
        fit.candidate_texts,
        fit.labels,
        batch_size=settings.batch_size,
        seed=seed,
        group_size=settings.candidates,
        pool=settings.sampler_pool,
        everything=scorer.corpus.answer_space,
        **of_teacher,
        **_of_groups(trainer, scorer),
    )
    return learner.fitted(trainer, batches)


def _pairwise(
    learner: Learner,
    settings: Any,
    fit: IndexedQuestions,
    seed: int,
    teacher: ScoreFunction | None = None,
) -> Training:
    """Pairwise training with all answers of the data set to draw from."""
    everything = learner.scorer.corpus.answer_space
    return pairwise_training(
        learner, settings, fit, seed, everything=everything, teacher=teacher
    )


OBJECTIVES: dict[str, Callable[..., Training]] = {
    "pointwise": pointwise_training,
    "pairwise": _pairwise,
    "listwise": listwise_training,
    "margin-mse": _pairwise,
    "kl": listwise_training,
}


def _of_groups(
    trainer: PairwiseTrainer, scorer: CorpusScorer
) -> dict[str, Any]:
    """The arguments of `GroupBatches` that follow from the model."""
    return {
        "packed": trainer.supports_packing,
        "features": scorer.features,
        "widths": _widths(scorer.model),
    }


def _widths(model: keras.Model) -> dict[str, int | None]:
    """The widths of texts that a model takes, None for any."""
    return {side: model.input[side].shape[1] for side in SIDES}
