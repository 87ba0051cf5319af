"""What a run learns from the scores of another ranker."""

from argparse import Namespace
from dataclasses import replace
from typing import Any

import numpy as np

from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.corpus import IndexedQuestions
from keras_qa.ranker import Ranker
from keras_qa.ranking.mining import CandidateMiner
from keras_qa.ranking.ties import best_first
from keras_qa.text.normal_forms import normal_text
from keras_qa.training.distillation import TeacherScores


def teacher_digest(arguments: Namespace) -> str:
    """The digest of the weights of `--teacher`.

    Raises:
        RankerError: if the folder has no ranker that takes text.
    """
    return Ranker.load(arguments.teacher).weights_digest()[:16]


def teacher_of(arguments: Namespace, corpus: Corpus) -> TeacherScores:
    """The scores of `--teacher`, which runs with one `--transfer-dir` share.

    Args:
        arguments: the command line.
        corpus: the texts of the run.

    Raises:
        RankerError: if the folder has no ranker that takes text.
        RunFolderError: if kept scores are damaged.
    """
    root = arguments.transfer_dir or arguments.output_dir / "teacher"
    return TeacherScores(Ranker.load(arguments.teacher), corpus, root)


def with_mined(
    fit: IndexedQuestions, corpus: Corpus, count: int
) -> IndexedQuestions:
    """Questions with further candidates, which BM25 finds among all answers.

    They are labelled wrong, though some may be right.

    Args:
        fit: the questions.
        corpus: the texts.
        count: number of answers that BM25 finds for a question; those that are
            among its candidates already are not added.
    """
    if not count:
        return fit
    number = {corpus.originals[i]: i for i in corpus.answer_space.tolist()}
    miner = CandidateMiner(
        number, tokenizer=corpus.tokenizer, show_progress=False
    )
    candidates, labels = [], []
    for i, (own, given) in enumerate(
        zip(fit.candidate_texts, fit.labels, strict=True)
    ):
        scores = miner.scores(fit.questions[i].text)
        best = [j for j in best_first(scores, count) if scores[j] > 0]
        # The miner has one spelling of texts that differ in case and spaces.
        known = {normal_text(corpus.originals[j]) for j in own.tolist()}
        found = [miner.texts[j] for j in best]
        new = np.array(
            [number[text] for text in found if normal_text(text) not in known],
            np.int64,
        )
        candidates.append(np.concatenate([own, new]))
        labels.append(np.concatenate([given, np.zeros_like(new)]))
    changed: dict[str, Any] = {"candidate_texts": candidates, "labels": labels}
    return replace(fit, **changed)
