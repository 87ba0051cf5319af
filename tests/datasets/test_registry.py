import gzip
import inspect
import shutil
from pathlib import Path

import pytest

from keras_qa.cli import main as cli
from keras_qa.datasets.collection import COLLECTIONS
from keras_qa.datasets.collection import Collection
from keras_qa.datasets.collection import make_dataset
from keras_qa.datasets.collection import register
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.registry import FOLDERS
from keras_qa.datasets.registry import default_data_dir
from keras_qa.datasets.registry import open_dataset
from keras_qa.errors import DatasetError

DATA = Path(__file__).parents[1] / "data"


def sizes(dataset):
    return {split: len(dataset.questions(split)) for split in dataset.splits}


@pytest.mark.parametrize(
    ("name", "tokenizer", "expected"),
    [
        ("wikiqa", "whitespace", {"train": 3, "dev": 2, "test": 2}),
        ("wikiqa-full", "word", {"train": 3, "dev": 2, "test": 2}),
        (
            "trecqa-raw",
            "whitespace",
            {"train": 4, "dev": 2, "test": 2, "train-all": 5},
        ),
        (
            "trecqa-clean",
            "whitespace",
            {"train": 4, "dev": 1, "test": 2, "train-all": 5},
        ),
        ("trecqa-all", "whitespace", {"train": 5, "dev": 2, "test": 2}),
        ("semeval", "word", {"train": 2, "dev": 2}),
        ("yahooqa", "word", {"train": 4, "dev": 2, "test": 2}),
        (
            "insuranceqa-v1",
            "whitespace",
            {"train": 4, "dev": 2, "test1": 1, "test2": 1, "test": 2},
        ),
        ("insuranceqa-v2", "whitespace", {"train": 2, "dev": 2, "test": 1}),
        ("wikiqa-all", "word", {"train": 4, "dev": 2, "test": 2}),
        ("squad", "word", {"train": 4, "dev": 3}),
        ("squad-sentences", "word", {"train": 7}),
        ("selqa", "whitespace", {"train": 4}),
        ("medquad", "word", {"train": 3}),
        ("quasar-t", "word", {"train": 3, "dev": 1, "test": 2}),
    ],
)
def test_every_collection(monkeypatch, name, tokenizer, expected):
    dataset = open_dataset(name, DATA)
    assert dataset.name == name
    assert dataset.tokenizer == tokenizer
    assert sizes(dataset) == expected
    itself = open_dataset(name, str(DATA / FOLDERS[name]))
    assert sizes(itself) == expected
    monkeypatch.setenv("KERAS_QA_DATA", str(DATA))
    assert sizes(open_dataset(name)) == expected


def test_original_files_on_request():
    wikiqa = open_dataset("wikiqa", DATA, prefer_original=True)
    assert wikiqa.tokenizer == "word"
    assert wikiqa.questions("train")[0].id == "Q1"
    trecqa = open_dataset("trecqa-raw", DATA, prefer_original=True)
    assert sizes(trecqa) == {"train": 5, "dev": 3, "test": 2, "train-all": 5}


def test_xml_serves_where_the_folders_are_missing(tmp_path):
    for name in ("TRAIN.xml", "DEV.xml"):
        text = (DATA / "TrecQA" / name).read_bytes()
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text))
    assert sizes(open_dataset("trecqa-raw", tmp_path)) == {
        "train": 5,
        "dev": 3,
    }
    clean = open_dataset("trecqa-clean", tmp_path)
    published = open_dataset("trecqa-clean", DATA)
    assert clean.questions("dev") == published.questions("dev")


def test_clean_is_derived_from_a_raw_folder(tmp_path):
    shutil.copytree(DATA / "TrecQA/raw-dev", tmp_path / "TrecQA/raw-dev")
    derived = open_dataset("trecqa-clean", tmp_path)
    published = open_dataset("trecqa-clean", DATA)
    assert derived.questions("dev") == published.questions("dev")


def test_original_wikiqa_alone(tmp_path):
    shutil.copy(DATA / "WikiQA/WikiQA-dev.tsv", tmp_path)
    dataset = open_dataset("wikiqa", tmp_path)
    assert dataset.tokenizer == "word"
    assert sizes(dataset) == {"dev": 2}


def test_folds_are_those_of_the_folder():
    train, dev = open_dataset("trecqa-raw", DATA).held_out_fold()
    assert [q.id for q in train] == ["1", "1.2", "1.4"]
    assert [q.id for q in dev] == ["1.3"]
    # The XML file has a question without candidates and without a fold.
    original = open_dataset("trecqa-raw", DATA, prefer_original=True)
    train, dev = original.held_out_fold()
    assert [q.id for q in train] == ["1", "1.2", "1.4", "9"]
    assert [q.id for q in dev] == ["1.3"]
    # They do not fit TRAIN-ALL, of which a fold is drawn.
    raw, all_of_it = (
        open_dataset(n, DATA) for n in ("trecqa-raw", "trecqa-all")
    )
    assert raw.held_out_fold("train-all") == all_of_it.held_out_fold()
    assert open_dataset("trecqa-all", DATA).folds is None
    assert open_dataset("wikiqa", DATA).folds is None


def test_a_compressed_folds_file_is_read(tmp_path):
    folder = tmp_path / "TrecQA"
    shutil.copytree(DATA / "TrecQA", folder)
    plain = folder / "train-folds.tsv"
    (folder / "train-folds.tsv.gz").write_bytes(
        gzip.compress(plain.read_bytes())
    )
    plain.unlink()
    _, dev = open_dataset("trecqa-raw", folder).held_out_fold()
    assert [q.id for q in dev] == ["1.3"]


def test_equal_questions_are_in_the_same_part():
    texts = [f"Question {n // 2}{'?' * (n % 2)}" for n in range(40)]
    questions = [Question(str(n), t, ()) for n, t in enumerate(texts)]
    dataset = Dataset("made", {"train": lambda: iter(questions)}, "word")
    for seed in range(5):
        train, dev = dataset.held_out_fold(seed=seed)
        assert len(dev) > 6
        assert sorted(train + dev, key=lambda q: int(q.id)) == questions
        for part in train, dev:
            numbers = [q.text.rstrip("?") for q in part]
            assert numbers[::2] == numbers[1::2]


def test_parts_of_semeval_are_joined(tmp_path):
    folder = tmp_path / "SemEval2016-Task3"
    shutil.copytree(DATA / "SemEval2016-Task3", folder)
    name = "SemEval2016-Task3-CQA-QL-train-part{}.xml"
    text = (folder / name.format(2)).read_text("utf-8")
    part1 = text.replace('_ID="Q', '_ID="P')
    (folder / name.format(1)).write_text(part1, "utf-8")
    train = open_dataset("semeval", tmp_path).questions("train")
    assert [q.id for q in train] == ["P1_R1", "P2_R2", "Q1_R1", "Q2_R2"]


def test_yahooqa_in_the_folder_of_its_repository(tmp_path):
    (tmp_path / "data").mkdir()
    shutil.copy(DATA / "YahooQA/env.pkl", tmp_path / "data")
    assert sizes(open_dataset("yahooqa", tmp_path))["dev"] == 2


def test_insuranceqa_beside_its_sub_folder(tmp_path):
    for file in (DATA / "InsuranceQA/V1").iterdir():
        shutil.copy(file, tmp_path)
    expected = open_dataset("insuranceqa-v1", DATA)
    assert sizes(open_dataset("insuranceqa-v1", tmp_path)) == sizes(expected)
    # A file that came later, where `keras-qa data fetch` wants it.
    later = tmp_path / "V1/question.dev.label.token_idx.pool.gz"
    later.parent.mkdir()
    dev = tmp_path / "question.dev.label.token_idx.pool"
    later.write_bytes(gzip.compress(dev.read_bytes()))
    dev.unlink()
    (tmp_path / "question.test1.label.token_idx.pool").unlink()
    dataset = open_dataset("insuranceqa-v1", tmp_path)
    assert dataset.questions("dev") == expected.questions("dev")
    assert dataset.questions("test") == expected.questions("test2")


def test_insuranceqa_needs_the_vocabulary_of_its_version(tmp_path):
    shutil.copytree(DATA / "InsuranceQA/V2", tmp_path / "V2")
    for file in (DATA / "InsuranceQA/V1").iterdir():
        shutil.copy(file, tmp_path)
    assert len(open_dataset("insuranceqa-v1", tmp_path).answers()) == 8
    assert len(open_dataset("insuranceqa-v2", tmp_path).answers()) == 5
    (tmp_path / "V2/vocabulary").unlink()
    message = "a vocabulary next to InsuranceQA.label2answer"
    with pytest.raises(DatasetError, match=message):
        open_dataset("insuranceqa-v2", tmp_path)
    shutil.copytree(tmp_path / "V2", tmp_path, dirs_exist_ok=True)
    with pytest.raises(DatasetError, match="no other version's answers"):
        open_dataset("insuranceqa-v1", tmp_path)


def test_pool_size_chooses_files_of_insuranceqa_v2(tmp_path):
    shutil.copytree(DATA / "InsuranceQA/V2", tmp_path, dirs_exist_ok=True)
    for path in tmp_path.glob("*.500.*"):
        path.rename(path.with_name(path.name.replace("500", "100")))
    with pytest.raises(DatasetError, match=r"token\.500\.pool"):
        open_dataset("insuranceqa-v2", tmp_path)
    dataset = open_dataset("insuranceqa-v2", tmp_path, pool_size=100)
    assert dataset.pool_size == 100
    assert sizes(dataset)["dev"] == 2


@pytest.mark.parametrize("name", sorted(FOLDERS.keys() - {"sample"}))
def test_missing_files_are_listed(tmp_path, name):
    (tmp_path / "other.txt").touch()
    with pytest.raises(DatasetError) as error:
        open_dataset(name, tmp_path)
    error.match(f"expected files of the data set '{name}'")
    error.match(f"Try `keras-qa data fetch {name}`. Received: other.txt")
    wanted = {
        "wikiqa": "train/a.toks",
        "wikiqa-full": "WikiQA-train.tsv, WikiQA-dev.tsv",
        "yahooqa": "env.pkl",
        "insuranceqa-v1": "vocabulary, answers.label.token_idx, question.train",
        "insuranceqa-v2": r"token\.500\.pool\.solr\.valid\.encoded",
        "wikiqa-all": "WikiQA-train.tsv, WikiQA-dev.tsv",
        "squad": "train-v1.1.json, dev-v1.1.json",
        "squad-articles": "dev-v1.1.json",
        "squad-sentences": "train-v1.1.json, dev-v1.1.json",
        "selqa": "selqa-ass-train.tsv, selqa-ass-dev.tsv",
        "medquad": "medquad.tsv",
        "quasar-t": "contexts/short/dev_contexts.json",
    }
    error.match(wanted.get(name, r"\.xml"))
    with pytest.raises(DatasetError, match=r"Received: no such folder"):
        open_dataset(name, tmp_path / "none")


@pytest.mark.parametrize(
    "other", ["raw-dev", "clean-dev", "TRAIN.xml", "DEV.xml", "TRAIN-ALL.xml"]
)
def test_trecqa_is_not_read_as_wikiqa(tmp_path, other):
    shutil.copytree(DATA / "TrecQA/train", tmp_path / "train")
    assert sizes(open_dataset("wikiqa", tmp_path)) == {"train": 3}
    source = DATA / "TrecQA" / other
    copy = shutil.copytree if source.is_dir() else shutil.copy
    copy(source, tmp_path / other)
    message = f"expected 'wikiqa' in a folder of its own.* with {other}, too"
    with pytest.raises(DatasetError, match=message):
        open_dataset("wikiqa", tmp_path)
    with pytest.raises(DatasetError, match=r"clean-dev, raw-dev, too"):
        open_dataset("wikiqa", DATA / "TrecQA")


def test_wikiqa_is_not_read_as_trecqa(tmp_path):
    for name in ("trecqa-raw", "trecqa-clean"):
        message = f"expected '{name}'.* WikiQA-train.tsv, dev, test, too"
        with pytest.raises(DatasetError, match=message):
            open_dataset(name, DATA / "WikiQA")
    # What has a name of its own is read beside the other's files.
    shutil.copytree(DATA / "TrecQA", tmp_path, dirs_exist_ok=True)
    shutil.copy(DATA / "WikiQA/WikiQA-dev.tsv", tmp_path)
    original = open_dataset("wikiqa", tmp_path, prefer_original=True)
    assert sizes(original) == {"dev": 2}
    original = open_dataset("trecqa-raw", tmp_path, prefer_original=True)
    assert sizes(original)["train"] == 5


def test_unknown_name():
    with pytest.raises(DatasetError, match=r"`name` must be one of .*'imdb'"):
        open_dataset("imdb", DATA)


def test_default_data_dir(monkeypatch):
    monkeypatch.setenv("KERAS_QA_DATA", "somewhere")
    assert default_data_dir() == Path("somewhere")
    monkeypatch.setenv("KERAS_QA_DATA", "~/somewhere")
    assert default_data_dir() == Path.home() / "somewhere"
    monkeypatch.delenv("KERAS_QA_DATA")
    assert default_data_dir() == Path.home() / ".keras_qa"


def test_an_option_of_another_data_set_is_refused(capsys):
    message = r"'quasar-t' must be among \['contexts', 'relevance', 'pool_size'"
    with pytest.raises(DatasetError, match=message) as error:
        open_dataset("quasar-t", DATA, context="long")
    assert "Did you mean `contexts`? Received: context='long'" in str(error)
    with pytest.raises(DatasetError, match=r"among \['encoding'\]. Re.*: p"):
        open_dataset("yahooqa", DATA, pool_size=3)
    command = ["data", "audit", "wikiqa", "--data-dir", str(DATA)]
    assert cli.main([*command, "--pool-size", "3"]) == 2
    assert "'wikiqa' must be among ['prefer_o" in capsys.readouterr().err


@pytest.mark.parametrize("name", COLLECTIONS)
def test_options_are_those_that_the_collection_takes(name):
    collection = COLLECTIONS[name]
    parameters = inspect.signature(collection.open).parameters.values()
    taken = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    assert list(collection.options) == taken


def test_another_collection_needs_no_other_file(tmp_path):
    def open_it(name, folder, *, most=2):
        questions = open_dataset("wikiqa", DATA).questions("dev")[:most]
        return make_dataset(name, folder, {"dev": lambda: iter(questions)}, [])

    register(Collection("other", "Other", "two", open_it, {"most": "how many"}))
    try:
        dataset = open_dataset("other", tmp_path, most=1)
        assert sizes(dataset) == {"dev": 1}
        assert dataset.held_out_fold("dev", 1.0)[0] == []
    finally:
        del COLLECTIONS["other"]
