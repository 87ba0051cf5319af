"""The readers of InsuranceQA: words, ids, pools, and what may be wrong."""

import gzip
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from keras_qa.cli import main as cli
from keras_qa.datasets.audit import PoolAudit
from keras_qa.datasets.audit import audit_dataset
from keras_qa.datasets.audit import format_audit
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.registry import open_dataset
from keras_qa.errors import DatasetError

DATA = Path(__file__).parents[2] / "data/InsuranceQA"
ANSWERS = "answers.label.token_idx"
TRAIN = "question.train.token_idx.label"
DEV = "question.dev.label.token_idx.pool"


@pytest.fixture
def v1(tmp_path):
    """A copy of the small files, to be changed."""
    shutil.copytree(DATA / "V1", tmp_path, dirs_exist_ok=True)
    return tmp_path


def replace_line(path, number, line):
    lines = path.read_text("utf-8").splitlines()
    lines[number - 1] = line
    path.write_text("".join(f"{text}\n" for text in lines), "utf-8")


def labels(question):
    return {c.id: c.label for c in question.candidates}


def test_v1_texts_ids_and_labels():
    dataset = open_dataset("insuranceqa-v1", DATA)
    assert dataset.questions("train")[0] == Question(
        "train-1",
        "what be car insurance ?",
        (
            Candidate("1", "it cover damage to my car", 1),
            Candidate("3", "car insurance pay to other car and house", 1),
        ),
    )
    flood, _ = dataset.questions("dev")
    assert (flood.id, flood.text) == ("dev-1", "what cover a flood ?")
    assert labels(flood) == {"5": 1, "10": 1, "1": 0, "6": 0}
    assert [c.id for c in flood.candidates] == ["5", "10", "1", "6"]
    assert flood.candidates[3].text == "Medicare do not pay"


def test_v1_test_joins_both_parts():
    dataset = open_dataset("insuranceqa-v1", DATA)
    parts = dataset.questions("test1") + dataset.questions("test2")
    assert dataset.questions("test") == parts
    assert [q.id for q in parts] == ["test1-1", "test2-1"]
    # The pool repeats an id.
    assert labels(parts[0]) == {"3": 1, "6": 0, "4": 0}


def test_v2():
    dataset = open_dataset("insuranceqa-v2", DATA)
    first, second = dataset.questions("train")
    assert (first.id, first.text) == ("train-1", "what be car insurance ?")
    assert labels(first) == {"2": 0, "1": 1, "3": 0}
    # To train on an answer, it need not be in the pool.
    assert labels(second) == {"5": 1, "1": 0, "4": 0, "3": 1}
    found, lost = dataset.questions("dev")
    assert labels(found) == {"1": 0, "4": 1, "2": 0}
    assert labels(lost) == {"1": 0, "3": 0, "4": 0}
    train, dev = dataset.held_out_fold()
    assert dev == [q for q in (first, second) if q not in train]


def test_gzip(tmp_path):
    for path in (DATA / "V2").iterdir():
        data = gzip.compress(path.read_bytes())
        (tmp_path / f"{path.name}.gz").write_bytes(data)
    for split in ("train", "dev", "test"):
        zipped, plain = (
            open_dataset("insuranceqa-v2", folder).questions(split)
            for folder in (tmp_path, DATA)
        )
        assert zipped == plain


def test_all_answers_once(v1):
    with (v1 / ANSWERS).open("a", encoding="utf-8") as stream:
        stream.write("77\tidx_19 idx_8\n")
    answers = open_dataset("insuranceqa-v1", v1).answers()
    assert len(answers) == len(set(answers)) == 8
    assert answers[1] == "life insurance cost $421"
    assert answers[-1] == "it be a policy"


def test_candidates_are_shared():
    dataset = open_dataset("insuranceqa-v1", DATA)
    (one,), (two,) = (
        [c for c in dataset.questions(split)[0].candidates if c.id == "6"]
        for split in ("dev", "test1")
    )
    assert one is two


def test_a_held_out_fold_has_pools():
    dataset = open_dataset("insuranceqa-v1", DATA, pool_size=5)
    train, dev = dataset.held_out_fold(fraction=0.5)
    assert len(train) == len(dev) == 2
    assert all(len(q.candidates) == len(q.positives) for q in train)
    for question in dev:
        (original,) = [
            q for q in dataset.questions("train") if q.id == question.id
        ]
        assert set(question.positives) == set(original.candidates)
        assert len(labels(question)) == len(question.candidates) == 5
    assert dataset.held_out_fold(fraction=0.5) == (train, dev)
    again = open_dataset("insuranceqa-v1", DATA, pool_size=5)
    assert again.held_out_fold(fraction=0.5) == (train, dev)


def test_pools_are_random_of_all_answers_and_in_random_order():
    dataset = open_dataset("insuranceqa-v1", DATA, pool_size=5)
    question = dataset.questions("train")[0]
    places, others = set(), set()
    for seed in range(60):
        (pooled,) = dataset.add_pools([question], seed)
        ids = list(labels(pooled))
        places.add(ids.index("1"))
        others.update(c.id for c in pooled.negatives)
    assert places == set(range(5))
    assert others == {"2", "4", "5", "6", "10", "30001"}


def test_pools_of_few_answers_hold_them_all(v1):
    question = open_dataset("insuranceqa-v1", v1).questions("train")[1]
    # An answer with the text of the correct one is no wrong answer.
    with (v1 / ANSWERS).open("a", encoding="utf-8") as stream:
        stream.write("78\tidx_10 idx_5 idx_11 idx_22\n")
    dataset = open_dataset("insuranceqa-v1", v1)
    (pooled,) = dataset.add_pools([question], 0)
    expected = {"1", "2", "3", "4", "5", "6", "10", "30001"}
    assert labels(pooled).keys() == expected


def test_answers_of_equal_questions_are_not_wrong():
    dataset = open_dataset("insuranceqa-v1", DATA)
    first, second = dataset.questions("train")[:2]
    equal = replace(second, text=first.text)
    pools = dataset.add_pools([first, equal], 0)
    right = {c.id for c in (*first.candidates, *equal.candidates)}
    assert len(right) == 3
    assert all(not {c.id for c in q.negatives} & right for q in pools)


@pytest.mark.parametrize(
    ("name", "line", "text", "message"),
    [
        ("vocabulary", 3, "idx_3", "`idx_N<TAB>word` with another N"),
        ("vocabulary", 3, "idx_2\tmy", "`idx_N<TAB>word` with another N"),
        ("vocabulary", 3, "3\tmy", "`idx_N<TAB>word` with another N"),
        (ANSWERS, 2, "2 idx_1", "`id<TAB>words` with another id"),
        (ANSWERS, 2, "1\tidx_1", "`id<TAB>words` with another id"),
        (ANSWERS, 2, "\tidx_1", "an id without white space. Received: ''"),
        (ANSWERS, 2, "2\tidx_1 idx_999", "words of .*: 'idx_999'"),
        (TRAIN, 4, "idx_1", "`question<TAB>golds`. Received: 'idx_1'"),
        (TRAIN, 4, "idx_1\t", "ids of correct answers"),
        (TRAIN, 4, "idx_1 what\t1", "words of .*vocabulary. Received: 'what'"),
        (TRAIN, 4, "idx_1\t1 99", f"ids that .*{ANSWERS} has. Received: '99'"),
        (DEV, 1, "5\tidx_1", "`golds<TAB>question<TAB>pool`"),
        (DEV, 1, "5\tidx_1\t5 98 97", "ids that .* has. Received: '97'"),
    ],
)
def test_bad_lines(v1, name, line, text, message):
    replace_line(v1 / name, line, text)
    dataset = open_dataset("insuranceqa-v1", v1)
    place = re.escape(f"{v1 / name}:{line}: expected ")
    with pytest.raises(DatasetError, match=place + message):
        dataset.questions("dev" if name == DEV else "train")


def test_audit_of_good_pools(v1):
    dataset = open_dataset("insuranceqa-v1", v1, pool_size=4)
    audit = audit_dataset(dataset)
    assert list(audit.splits) == ["train", "dev", "test1", "test2"]
    assert audit.pools["train"] == PoolAudit(0, 0, 0, 0, 0, 0, 0)
    assert audit.pools["dev"] == PoolAudit(2, 0, 0, 0, 0, 0, 0)
    assert audit.pools["test1"] == PoolAudit(1, 0, 0, 0, 1, 0, 0)
    text = format_audit(audit)
    assert "pools of 4 by id" in text
    assert "Attention: there are repeated ids within a pool.\n" in text
    assert "Tan et al. 2016, Table 2" in text
    (v1 / "question.test1.label.token_idx.pool").unlink()
    audit = audit_dataset(open_dataset("insuranceqa-v1", v1, pool_size=4))
    assert "Every pool has its size and holds" in format_audit(audit)


def test_audit_of_bad_pools(v1):
    # Too short, without its only correct answer, an unknown id.
    replace_line(v1 / DEV, 1, "5 96\tidx_1\t5 1 1 97")
    replace_line(v1 / DEV, 2, "4\tidx_1\t5 1 2")
    replace_line(v1 / TRAIN, 1, "idx_1\t98 1")
    dataset = open_dataset("insuranceqa-v1", v1, pool_size=4)
    audit = audit_dataset(dataset)
    assert audit.pools["dev"] == PoolAudit(
        pools=2,
        other_size=1,
        without_gold=1,
        golds_outside=2,
        repeated=1,
        unknown=2,
        golds_unknown=1,
    )
    assert audit.pools["train"] == PoolAudit(0, 0, 0, 0, 0, 1, 1)
    # What has a text is counted all the same.
    assert audit.splits["dev"].pool_sizes == [2, 2, 3]
    assert audit.splits["dev"].negatives_only == 1
    assert "Attention: there are pools of another size, pools without a" in (
        format_audit(audit)
    )


def test_audit_command_takes_a_pool_size(capsys):
    command = ["data", "audit", "insuranceqa-v1", "--data-dir", str(DATA)]
    assert cli.main(command) == 0
    assert "pools of another size" in capsys.readouterr().out.split("Att")[1]
    assert cli.main([*command, "--pool-size", "4"]) == 0
    assert "pools of another" not in capsys.readouterr().out.split("Att")[1]
    command = ["data", "audit", "--pool-size", "4", "--dev", str(DATA)]
    assert cli.main(command) == 2
    assert "--pool-size goes with the NAME of" in capsys.readouterr().err


def test_audit_of_v2():
    audit = audit_dataset(open_dataset("insuranceqa-v2", DATA, pool_size=500))
    assert audit.pools["dev"] == PoolAudit(2, 2, 1, 2, 0, 0, 0)
    # The pools are judged as they are in the file.
    assert audit.pools["train"] == PoolAudit(2, 2, 0, 1, 0, 0, 0)
    assert audit.splits["train"].positives == 3
