"""Ranking measures by trec_eval."""

import re
from collections import defaultdict
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ir_measures
import numpy as np
from ir_measures import AP
from ir_measures import RR
from ir_measures import P
from ir_measures import R
from ir_measures import Success
from ir_measures import nDCG

from keras_qa.arguments import check_choice
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.ids import check_ids
from keras_qa.datasets.ids import no_blanks
from keras_qa.ranking.ties import shuffled_best_first

MEASURES = {"MAP": AP, "MRR": RR, "P@1": P @ 1}

# Those of the first k.
_CUT = {"P": P, "Recall": R, "nDCG": nDCG}

CONVENTION = (
    "mean over the questions that have a positive answer; equal scores are "
    "ordered by a seeded shuffle of the candidates"
)


def recall_measures(
    cutoffs: Sequence[int] = (1, 3, 5), counting: str = "any"
) -> dict[str, Any]:
    """Measures `"recall@k"` for `evaluate`.

    MRNN, 4.2: "the number of correct documents as listed within top-k returns
    out all possible documents". Where a question has one right document, both
    values of `counting` agree; on QUASAR-T, where all passages that contain
    the answer are right, the literature counts questions (`"any"`).

    Args:
        cutoffs: the values of k.
        counting: `"any"`: 1 for a question with a right answer among the first
            k (trec_eval's success); `"all"`: the share of a question's right
            answers that are among the first k (trec_eval's recall).

    Returns:
        Measures of `ir_measures` by name.

    Raises:
        ValueError: if `counting` is neither of the two, or a cutoff is not
            positive.

    Example:
        >>> evaluate(dev, scores, measures={**MEASURES, **recall_measures()})
    """
    kinds = {"any": Success, "all": R}
    check_choice("counting", counting, tuple(kinds))
    if min(cutoffs, default=1) < 1:
        raise ValueError(
            f"`cutoffs` must be positive. Received: cutoffs={tuple(cutoffs)}"
        )
    return {f"recall@{k}": kinds[counting] @ k for k in cutoffs}


def named_measures(*names: str) -> dict[str, Any]:
    """Measures for `evaluate` by their names.

    Candidates with a label of at least 1 are right. Only nDCG reads grades:
    with the grades g_1, g_2, ... of the candidates, best score first, it is
    the sum of g_i / log2(i + 1) over the first k, divided by the highest such
    sum that another order gives (trec_eval's `ndcg_cut`, the gain linear).

    Args:
        *names: `"MAP"`, `"MRR"`, and, with any positive k, `"P@k"` (the share
            of right answers among the first k), `"Recall@k"` (the share of a
            question's right answers that are among the first k; trec_eval's
            recall, `"recall@k"` of `recall_measures` with `"all"`) and
            `"nDCG@k"`.

    Returns:
        Measures of `ir_measures` by name.

    Raises:
        ValueError: if a name is none of these.

    Example:
        >>> evaluate(dev, scores, measures=named_measures("MAP", "nDCG@10"))
    """
    measures = {}
    for name in names:
        kind, _, cutoff = name.partition("@")
        if name in MEASURES:
            measures[name] = MEASURES[name]
        elif kind in _CUT and re.fullmatch(r"[1-9][0-9]{0,5}", cutoff):
            measures[name] = _CUT[kind] @ int(cutoff)
        else:
            raise ValueError(
                "`names` must be MAP, MRR, P@k, Recall@k or nDCG@k with a "
                f"positive number k. Received: {name!r}"
            )
    return measures


@dataclass(frozen=True)
class Evaluation:
    """The measures of a scorer on a split.

    Attributes:
        metrics: `"MAP"`, `"MRR"` and `"P@1"`, or the given measures, each in
            [0, 1], averaged over the scored questions.
        per_question: the measures of each scored question, by question id.
        questions: number of questions given.
        questions_scored: number of questions with at least one positive,
            found or missed.
        candidates: number of candidates of all questions given.
        ties: number of candidates whose score, in float32 as trec_eval
            compares, equals that of another candidate of the question.
        run: the ranking, as `ir_measures` scored documents, best first.
        qrels: the labels, as `ir_measures` relevance judgements.
    """

    metrics: dict[str, float]
    per_question: dict[str, dict[str, float]]
    questions: int
    questions_scored: int
    candidates: int
    ties: int
    run: list[ir_measures.ScoredDoc]
    qrels: list[ir_measures.Qrel]


def evaluate(
    questions: Sequence[Question],
    scores: Sequence[np.ndarray],
    seed: int = 0,
    measures: Mapping[str, Any] = MEASURES,
) -> Evaluation:
    """Computes trec_eval's MAP, MRR and P@1, or other measures, of rankings.

    The documents that a question `missed` count as relevant but unranked: a
    question whose only right document a first stage missed scores 0.

    trec_eval breaks ties by document id. The ids in the run are therefore
    numbers from a seeded shuffle of the candidates, followed by the candidate's
    id: neither the candidates' order nor their ids can reveal the labels.

    Args:
        questions: the questions with their candidates and labels. Of grades,
            1 and all above count as right, except in nDCG.
        scores: for each question the scores of its candidates, a vector,
            higher is better.
        seed: seed of the shuffle.
        measures: measures of `ir_measures` by name; see `named_measures` and
            `recall_measures`.

    Raises:
        ValueError: if the scores do not fit the candidates, a score is not
            finite, two questions have one id, or no question has a positive.
    """
    if len(questions) != len(scores):
        raise ValueError(
            f"`scores` must have one vector per question. Received: "
            f"{len(scores)} vectors for {len(questions)} questions"
        )
    check_ids(questions)
    rng = np.random.default_rng(seed)
    run: list[ir_measures.ScoredDoc] = []
    qrels: list[ir_measures.Qrel] = []
    ties = 0
    for question, values in zip(questions, scores, strict=True):
        values = _checked(question, values)
        order, shuffled = shuffled_best_first(values, rng)
        # As text, ids of one width are in the order of their numbers.
        width = max(5, len(str(len(values))))
        ids = [
            f"{number:0{width}d}-{no_blanks(candidate.id)}"
            for number, candidate in zip(
                shuffled, question.candidates, strict=True
            )
        ]
        counts = np.unique(values, return_counts=True)[1]
        ties += int(counts[counts > 1].sum())
        name = no_blanks(question.id)
        for i in order:
            run.append(ir_measures.ScoredDoc(name, ids[i], float(values[i])))
        qrels.extend(
            ir_measures.Qrel(name, id, candidate.label)
            for id, candidate in zip(ids, question.candidates, strict=True)
        )
        qrels.extend(
            ir_measures.Qrel(name, f"missed-{i}", 1)
            for i in range(question.missed)
        )
    per_question = measure_questions(qrels, run, measures)
    if not per_question:
        raise ValueError(
            "`questions` must hold at least one with a positive answer. "
            f"Received: {len(questions)} questions without any"
        )
    return Evaluation(
        metrics={
            name: float(np.mean([row[name] for row in per_question.values()]))
            for name in measures
        },
        per_question=per_question,
        questions=len(questions),
        questions_scored=len(per_question),
        candidates=len(run),
        ties=ties,
        run=run,
        qrels=qrels,
    )


def measure_questions(
    qrels: Sequence[ir_measures.Qrel],
    run: Sequence[ir_measures.ScoredDoc],
    measures: Mapping[str, Any] = MEASURES,
) -> dict[str, dict[str, float]]:
    """Computes the measures of each question that has a positive answer.

    Args:
        qrels: the labels.
        run: the ranking.
        measures: measures of `ir_measures` by name.

    Returns:
        By question id its measures by name.
    """
    scored = {q.query_id for q in qrels if q.relevance > 0}
    # Two names may be of one measure.
    names: dict[Any, list[str]] = defaultdict(list)
    for name, measure in measures.items():
        names[measure].append(name)
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for value in ir_measures.iter_calc(
        list(names),
        [q for q in qrels if q.query_id in scored],
        [d for d in run if d.query_id in scored],
    ):
        row = dict.fromkeys(names[value.measure], value.value)
        found[value.query_id] |= row
    return dict(found)


def _checked(question: Question, values: np.ndarray) -> np.ndarray:
    """The scores of a question as float32, which trec_eval compares."""
    values = np.asarray(values, dtype=np.float32).reshape(-1)
    if len(values) != len(question.candidates):
        raise ValueError(
            f"`scores` must have one value per candidate. Received: "
            f"{len(values)} for the {len(question.candidates)} candidates of "
            f"question {question.id!r}"
        )
    if not np.isfinite(values).all():
        raise ValueError(
            f"`scores` must be finite. Received: {values} for question "
            f"{question.id!r}"
        )
    return values
