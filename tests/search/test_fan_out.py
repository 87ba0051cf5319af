"""Search in several indexes."""

import pytest

from keras_qa.errors import SearchError
from keras_qa.search.fan_out import search_indexes
from keras_qa.search.index import AnswerIndex
from support.search_runs import ANSWERS
from support.search_runs import QUESTION
from support.search_runs import build


def test_several_indexes_find_what_one_does(runs, hyperqa_index, tmp_path):
    indexes = []
    for number, (start, end) in enumerate([(0, 30), (30, 100)]):
        file = tmp_path / f"{number}.txt"
        file.write_text("\n".join(ANSWERS[start:end]))
        build(runs["hyperqa"], file, tmp_path / f"index-{number}")
        indexes.append(AnswerIndex(tmp_path / f"index-{number}"))
    whole = AnswerIndex(hyperqa_index)
    rows, scores = whole.search(whole.encode(QUESTION), 20)
    hits = search_indexes(indexes, QUESTION, 20)
    assert [(0, 30)[hit.index] + hit.row for hit in hits] == rows.tolist()
    assert [hit.score for hit in hits] == scores.tolist()
    with pytest.raises(SearchError, match="none"):
        search_indexes([], QUESTION, 1)
    build(runs["cosineqa"], tmp_path / "0.txt", tmp_path / "other")
    other = AnswerIndex(tmp_path / "other")
    with pytest.raises(SearchError, match="must be of one model"):
        search_indexes([indexes[0], other], QUESTION, 1)
