"""The questions of other data sets that a run trains on first."""

from argparse import Namespace
from dataclasses import dataclass
from dataclasses import replace
from pathlib import Path

import pytest

from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.registry import open_dataset
from keras_qa.errors import DatasetError
from reproductions.ctrn import experiment as ctrn
from reproductions.harness.command import parse_arguments
from reproductions.harness.errors import SettingsError
from reproductions.harness.settings import CommonSettings
from reproductions.harness.teaching.transfer import read_transfer
from reproductions.harness.teaching.transfer import transfer_settings
from reproductions.hyperqa.settings import HyperQASettings
from reproductions.qa_lstm import experiment as qa_lstm

DATA = Path(__file__).parents[3] / "data"


@dataclass(frozen=True)
class Settings(CommonSettings):
    """Settings with a batch size alone."""


def read(names, parts=None, tokenizer="word", smoke=False, **splits):
    own = Dataset("own", {n: lambda q=q: iter(q) for n, q in splits.items()})
    arguments = Namespace(transfer=names, data_dir=DATA, smoke=smoke)
    settings = Settings(smoke_questions=2, transfer_candidates=2)
    parts = parts or ([], [], [])
    return read_transfer(arguments, settings, own, parts, tokenizer)


def of(name, split="train"):
    return open_dataset(name, DATA).questions(split)


def test_all_sets_one_after_another():
    assert read([]) is None
    found = read(["selqa", "semeval"])
    assert found.questions == [*of("selqa"), *of("semeval")]
    nothing = {"question": 0, "near_question": 0, "answer": 0}
    assert found.details["selqa"] == {
        "questions": 4,
        "pairs": 6,
        "removed": nothing,
    }
    assert len(read(["selqa", "semeval"], smoke=True).questions) == 4


def test_what_the_run_measures_with_is_removed():
    first, second, third, fourth = of("selqa")
    # The first asks the same as the third.
    found = read(["selqa"], dev=[third], train=[fourth])
    assert found.questions == [second, fourth]
    assert found.details["selqa"]["removed"]["question"] == 2
    # A fold held out of train; what is trained on is not removed.
    assert read(["selqa"], ([second], [fourth], [])).questions == [
        *(first, second, third)
    ]
    both = ([second, fourth], [fourth], [])
    assert read(["selqa"], both).questions == of("selqa")


def test_wrong_answers_are_found_where_there_are_none():
    found = read(["medquad"])
    # The first and the third ask the same, so their answers are both right.
    assert [len(q.candidates) for q in found.questions] == [1, 2, 1]
    assert [len(q.positives) for q in found.questions] == [1, 1, 1]


def test_running_text_is_tokenized_for_tokenized_data_sets():
    found = read(["squad-sentences"], tokenizer="whitespace-num")
    assert found.questions[0].text == "how long do koalas sleep ?"
    assert found.questions[0].candidates[1].text == (
        "it sleeps up to 20 hours a day ."
    )
    # That of SelQA is tokenised already.
    assert read(["selqa"], tokenizer="whitespace").questions == of("selqa")


def test_a_set_of_what_the_run_measures_with():
    message = r"Received: wikiqa, whose 3 questions are all among these"
    with pytest.raises(DatasetError, match=message):
        read(["selqa", "wikiqa"], dev=of("wikiqa"))


def test_a_set_without_a_split_to_train_on(tmp_path):
    arguments = Namespace(transfer=["wikiqa"], data_dir=tmp_path, smoke=False)
    own = Dataset("own", {})
    (tmp_path / "WikiQA").mkdir()
    text = (DATA / "WikiQA/WikiQA-dev.tsv").read_text()
    (tmp_path / "WikiQA/WikiQA-dev.tsv").write_text(text)
    with pytest.raises(DatasetError, match=r"split 'train'.* has \['dev'\]"):
        read_transfer(arguments, Settings(), own, ([], [], []), "word")


def test_settings_of_the_stage():
    settings = HyperQASettings(
        epochs=9, average_last=2, transfer_epochs=3, learning_rate=0.5
    )
    first = transfer_settings(settings)
    assert first == HyperQASettings(epochs=3, learning_rate=0.5)
    settings = HyperQASettings(
        transfer_learning_rate=0.1, transfer_objective="listwise"
    )
    assert transfer_settings(settings) == HyperQASettings(
        epochs=1, learning_rate=0.1, objective="listwise"
    )
    settings = HyperQASettings(objective="kl", mined=5)
    assert transfer_settings(settings).mined == 5
    # Candidates for the first training are `transfer_candidates`.
    settings = replace(settings, transfer_objective="listwise")
    assert transfer_settings(settings).mined == 0
    with pytest.raises(SettingsError, match="`transfer_learning_rate` must be"):
        transfer_settings(Settings(transfer_learning_rate=0.1))


@pytest.mark.parametrize(
    ("script", "options", "message"),
    [
        (ctrn, ["--model=bm25"], r"must be left out for bm25"),
        (qa_lstm, ["--model=wsdm"], r"must be left out for wsdm"),
        (
            qa_lstm,
            [
                *("--set=objective=pairwise", "--set=sampler=mix"),
                "--set=transfer_objective=paper",
            ],
            r"`sampler` must be 'random' for objective=paper",
        ),
    ],
)
def test_what_cannot_be_done_is_refused(script, options, message):
    experiment = script.EXPERIMENT
    arguments = parse_arguments(experiment, [*options, "--transfer", "selqa"])
    with pytest.raises(SettingsError, match=message):
        experiment.settings_of(arguments)
