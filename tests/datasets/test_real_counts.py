"""Counts of the published files, for those who have them."""

import pytest

from keras_qa.datasets.audit import PoolAudit
from keras_qa.datasets.audit import audit_dataset
from keras_qa.datasets.collections.semeval import read_semeval
from keras_qa.datasets.collections.trecqa import both_labels_only
from keras_qa.datasets.collections.trecqa import read_trecqa_xml
from keras_qa.datasets.registry import open_dataset
from keras_qa.datasets.toks import read_toks
from keras_qa.text.tokenizer import tokenize


def counts(questions):
    questions = list(questions)
    return (
        len(questions),
        sum(len(q.candidates) for q in questions),
        sum(len(q.positives) for q in questions),
    )


@pytest.mark.parametrize(
    ("name", "split", "expected"),
    [
        ("wikiqa", "train", (873, 8672, 1040)),
        ("wikiqa", "dev", (126, 1130, 140)),
        ("wikiqa-full", "train", (873, 8672, 1040)),
        ("wikiqa-full", "dev", (126, 1130, 140)),
        ("trecqa-raw", "train", (93, 4718, 348)),
        ("trecqa-raw", "dev", (81, 1148, 222)),
        ("trecqa-clean", "train", (93, 4718, 348)),
        ("trecqa-clean", "dev", (65, 1117, 205)),
        ("trecqa-raw", "train-all", (1229, 53_417, 6403)),
        ("trecqa-all", "train", (1229, 53_417, 6403)),
        ("semeval", "train", (379, 3790, 1364)),
        ("semeval", "dev", (244, 2440, 818)),
        ("wikiqa-all", "train", (2118, 20_360, 1040)),
        ("wikiqa-all", "dev", (296, 2733, 140)),
        ("selqa", "train", (2375, 28_812, 2691)),
        ("medquad", "train", (16_407, 16_407, 16_407)),
        # 2 of 10,570 questions have no answer in one sentence.
        ("squad-sentences", "train", (10_568, 52_990, 11_384)),
        ("insuranceqa-v1", "train", (3437, 3834, 3834)),
        ("insuranceqa-v1", "dev", (260, 130_000, 292)),
    ],
)
def test_counts(real_data, name, split, expected):
    dataset = open_dataset(name, real_data)
    assert counts(dataset.questions(split)) == expected


@pytest.mark.parametrize(
    ("xml", "toks", "expected"),
    [
        ("TRAIN.xml.gz", "train", (94, 4718, 348)),
        ("DEV.xml.gz", "raw-dev", (82, 1148, 222)),
    ],
)
def test_trecqa_xml_equals_the_folders(real_data, xml, toks, expected):
    folder = real_data / "TrecQA"
    questions = list(read_trecqa_xml(folder / xml))
    assert counts(questions) == expected
    assert [q for q in questions if q.candidates] == list(
        read_toks(folder / toks)
    )


def test_clean_trecqa_equals_its_folder(real_data):
    folder = real_data / "TrecQA"
    assert list(
        both_labels_only(read_trecqa_xml(folder / "DEV.xml.gz"))
    ) == list(read_toks(folder / "clean-dev"))


def test_semeval_with_repeated_threads(real_data):
    folder = real_data / "SemEval2016-Task3"
    for part, expected in {
        "train-part2": (670, 6700, 2483),
        "dev": (500, 5000, 1851),
    }.items():
        path = folder / f"SemEval2016-Task3-CQA-QL-{part}.xml.gz"
        assert counts(read_semeval(path, skip_repeated=False)) == expected


@pytest.mark.parametrize(
    ("split", "cut", "equal", "answers"),
    [("train", 1033, 6286, 8672), ("dev", 118, 811, 1130)],
)
def test_the_folders_of_wikiqa_are_its_files_cut(
    real_data, split, cut, equal, answers
):
    """Questions and labels are equal; answers are cut at 40 tokens.

    Others differ in tokens, most by Treebank's quotation marks and endings.
    """
    folder, full = (
        open_dataset(name, real_data).questions(split)
        for name in ("wikiqa", "wikiqa-full")
    )
    pairs = []
    for of_folder, of_file in zip(folder, full, strict=True):
        assert of_folder.id == of_file.id
        candidates = (of_folder.candidates, of_file.candidates)
        pairs += zip(*candidates, strict=True)
    assert len(pairs) == answers
    assert all(a.label == b.label for a, b in pairs)
    tokens = [
        (tokenize(a.text, "whitespace"), tokenize(b.text, "word"))
        for a, b in pairs
    ]
    assert max(len(short) for short, _ in tokens) == 40
    assert sum(len(whole) > 40 for _, whole in tokens) == cut
    assert sum(short == whole[:40] for short, whole in tokens) == equal


@pytest.mark.parametrize("name", ["trecqa-raw", "trecqa-clean", "trecqa-all"])
def test_train_all_has_no_question_of_dev(real_data, name):
    dataset = open_dataset(name, real_data)
    train = dataset.questions("train" if name == "trecqa-all" else "train-all")
    dev = dataset.questions("dev")
    assert {q.text for q in train}.isdisjoint(q.text for q in dev)
    assert {q.id for q in train}.isdisjoint(q.id for q in dev)


@pytest.mark.parametrize("name", ["wikiqa", "wikiqa-full", "trecqa-raw"])
def test_folds(real_data, name):
    train, dev = open_dataset(name, real_data).held_out_fold()
    expected = {
        "wikiqa": ((747, 7481, 889), (126, 1191, 151)),
        "wikiqa-full": ((747, 7481, 889), (126, 1191, 151)),
        "trecqa-raw": ((73, 3974, 273), (20, 744, 75)),
    }
    assert (counts(train), counts(dev)) == expected[name]


def test_audit_shows_the_counts_of_the_paper(real_data):
    dataset = open_dataset("trecqa-raw", real_data, prefer_original=True)
    audit = audit_dataset(dataset)
    train, dev = audit.splits["train"], audit.splits["dev"]
    assert (train.questions, dev.questions) == (94, 82)
    assert (train.without_candidates, dev.without_candidates) == (1, 1)
    assert (train.negatives_only, train.positives_only) == (10, 5)
    shared = {(o.first, o.second): o.questions for o in audit.overlaps}
    # TRAIN-ALL, where it is there, contains TRAIN.
    shared.pop(("train", "train-all"), None)
    assert shared["train", "dev"] == 0 and set(shared.values()) == {0}


def test_pools_of_insuranceqa(real_data):
    dataset = open_dataset("insuranceqa-v1", real_data)
    assert len(dataset.answers()) == 7782
    sizes = {len(q.candidates) for q in dataset.questions("dev")}
    assert sizes == {500}
    assert audit_dataset(dataset).pools == {
        "train": PoolAudit(0, 0, 0, 0, 0, 0, 0),
        "dev": PoolAudit(260, 0, 0, 0, 0, 0, 0),
    }
    train, dev = dataset.held_out_fold()
    assert len(train) + len(dev) == 3437
    for question in dev:
        assert len({c.text for c in question.candidates}) == 500
    # Nothing is kept twice: 130,000 candidates of 7,782 answers.
    candidates = [c for q in dataset.questions("dev") for c in q.candidates]
    assert len({id(c) for c in candidates}) <= 7782 + 292
    assert len({id(c.text) for c in candidates}) <= 7782
