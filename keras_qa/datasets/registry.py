"""Data sets by name: where they are, and how to open them."""

import os
from pathlib import Path

from keras_qa.datasets.collections import layouts
from keras_qa.datasets.collections.shared_answers import INSURANCEQA
from keras_qa.datasets.collections.shared_answers import open_insuranceqa
from keras_qa.datasets.collections.shared_answers import open_squad
from keras_qa.datasets.dataset import Dataset
from keras_qa.errors import DatasetError

# Name on the command line to the usual name of the folder.
FOLDERS = {
    "sample": "sample",
    "wikiqa": "WikiQA",
    "trecqa-raw": "TrecQA",
    "trecqa-clean": "TrecQA",
    "trecqa-all": "TrecQA",
    "semeval": "SemEval2016-Task3",
    "yahooqa": "YahooQA",
    "yahoo": "YahooL6",
    "insuranceqa-v1": "InsuranceQA",
    "insuranceqa-v2": "InsuranceQA",
    "squad": "SQuAD",
    "quasar-t": "quasar-t",
}


def default_data_dir() -> Path:
    """`$KERAS_QA_DATA` if it is set, else `.keras_qa` in the home folder."""
    folder = os.environ.get("KERAS_QA_DATA")
    return Path(folder) if folder else Path.home() / ".keras_qa"


def data_folder(name: str, data_dir: Path | str | None = None) -> Path:
    """The folder of a data set.

    Args:
        name: one of `FOLDERS`.
        data_dir: that folder itself, or its parent, in which it has its usual
            name; None takes `default_data_dir()`.

    Returns:
        The folder, whether or not it exists.

    Raises:
        DatasetError: if there is no data set of that name.
    """
    if name not in FOLDERS:
        raise DatasetError(
            f"`name` must be one of {sorted(FOLDERS)}. Received: name={name!r}"
        )
    if data_dir is None:
        return default_data_dir() / FOLDERS[name]
    inside = Path(data_dir) / FOLDERS[name]
    return inside if inside.is_dir() else Path(data_dir)


def open_dataset(
    name: str,
    data_dir: Path | str | None = None,
    *,
    prefer_original: bool = False,
    pool_size: int = 500,
    paragraphs: str = "all",
    contexts: str = "short",
    relevance: str = "words",
) -> Dataset:
    """Opens a data set by name; its splits are read when asked for.

    * `sample`: the bundled questions, in the format of WikiQA.
    * `wikiqa`: the filtered version, in which every question has an answer.
    * `trecqa-raw`: TRAIN, and DEV and TEST as they are.
    * `trecqa-clean`: TRAIN as it is; of DEV and TEST the questions that have
      both correct and wrong candidates.
    * `trecqa-all`: TRAIN-ALL, and DEV and TEST as they are.
    * `semeval`: SemEval-2016 Task 3 A without the repeated threads. The parts
      of train that are there make up its training split.
    * `yahooqa`: with answers of 5 characters to 50 words.
    * `yahoo`: the questions of Yahoo! Answers (Webscope L6) that
      `keras-qa mine yahoo` chose, with the candidates that it found.
    * `insuranceqa-v1`: the training questions have only their correct answers
      as candidates, until a fold of them is held out; `dev`, `test1` and
      `test2` have pools, and `test` joins the last two.
    * `insuranceqa-v2`: in `train`, correct answers that are not in the pool
      are candidates all the same; `dev` and `test` have the pools alone, and
      about a fifth of the pools of 500 lack the correct answer.
    * `squad`: SQuAD 1.1; each question has its paragraph as only candidate,
      to be found among all paragraphs (`keras_qa.ranking.first_stage`). There
      is no test set.
    * `quasar-t`: QUASAR-T, whose passages are right if they contain the
      answer.

    A split whose files are missing is left out. With TRAIN-ALL, TrecQA has a
    split `train-all`, too.

    Args:
        name: the data set's name.
        data_dir: its folder, or the parent of that; None takes
            `default_data_dir()`. Not used for `sample`.
        prefer_original: where there are both tokenised folders and the
            original files (WikiQA's TSV, TrecQA's XML), read the latter. The
            XML files have one question without candidates each that the
            folders cannot show.
        pool_size: for InsuranceQA only: the number of candidates per
            question. V1 has pools of 500, and held-out training questions get
            pools of this size; of V2, this chooses the files, for pools of
            100, 500, 1000 or 1500. Of QUASAR-T, the first so many passages of
            each question are read.
        paragraphs: for SQuAD only: where a question's paragraph is to be
            found, among `"all"` paragraphs (20,958 different ones in train and
            dev), or among those of its `"split"`.
        contexts: for QUASAR-T only: `"short"` passages, 100 sentences for each
            question, or 20 `"long"` ones.
        relevance: for QUASAR-T only: see `read_quasar`.

    Returns:
        The data set.

    Raises:
        DatasetError: if there is no such data set, or none of its files is
            there; the message lists what was looked for. If the folder of
            WikiQA has files of TrecQA, or the other way round: both call a
            tokenised folder `train`. If both versions of InsuranceQA share a
        folder, hence a vocabulary.
        ValueError: if `paragraphs`, `contexts` or `relevance` is unknown.
    """
    if name == "sample":
        folder = Path(__file__).parent / "sample"
    else:
        folder = data_folder(name, data_dir)
    if name in INSURANCEQA:
        return open_insuranceqa(name, folder, pool_size)
    if name == "squad":
        return open_squad(folder, paragraphs)
    if name.startswith("trecqa"):
        layout = layouts.trecqa(name, folder, prefer_original)
    elif name == "semeval":
        layout = layouts.semeval(folder)
    elif name == "yahooqa":
        layout = layouts.yahooqa(folder)
    elif name == "yahoo":
        layout = layouts.yahoo(folder)
    elif name == "quasar-t":
        layout = layouts.quasar(folder, contexts, relevance, pool_size)
    else:
        layout = layouts.wikiqa(folder, prefer_original)
    if not layout.splits:
        raise layouts.nothing_found(name, folder, layout.looked_for)
    folds = folder / layouts.FOLDS_FILE
    # The published folds of TrecQA divide TRAIN, not TRAIN-ALL.
    has_folds = folds.is_file() and name != "trecqa-all"
    return Dataset(
        name,
        layout.splits,
        layout.tokenizer,
        folds if has_folds else None,
    )
