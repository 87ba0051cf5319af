"""Data sets by name: which files belong to them and which reader they need."""

import os
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from keras_qa.datasets.base import Dataset
from keras_qa.datasets.base import DatasetError
from keras_qa.datasets.base import Question
from keras_qa.datasets.candidate_files import read_candidates
from keras_qa.datasets.files import find_file
from keras_qa.datasets.insuranceqa import V1_POOL
from keras_qa.datasets.insuranceqa import V1_TRAIN
from keras_qa.datasets.insuranceqa import V2
from keras_qa.datasets.insuranceqa import InsuranceQA
from keras_qa.datasets.quasar import CONTEXTS
from keras_qa.datasets.quasar import RELEVANCE
from keras_qa.datasets.quasar import read_quasar
from keras_qa.datasets.semeval import read_semeval
from keras_qa.datasets.squad import FILES as SQUAD_FILES
from keras_qa.datasets.squad import paragraph_texts
from keras_qa.datasets.squad import read_squad
from keras_qa.datasets.toks import is_toks_folder
from keras_qa.datasets.toks import read_toks
from keras_qa.datasets.trecqa import both_labels_only
from keras_qa.datasets.trecqa import read_trecqa_xml
from keras_qa.datasets.wikiqa import read_wikiqa_toks
from keras_qa.datasets.wikiqa import read_wikiqa_tsv
from keras_qa.datasets.yahoo_answers import NAME as YAHOO_ANSWERS
from keras_qa.datasets.yahooqa import SPLITS
from keras_qa.datasets.yahooqa import YahooQA

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
FOLDS_FILE = "train-folds.tsv"

_Stream = Callable[[], Iterator[Question]]


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
      to be found among all paragraphs (`keras_qa.retrieval`). There is no test
      set.
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
    if name in _INSURANCEQA:
        return _insuranceqa(name, folder, pool_size)
    if name == "squad":
        return _squad(folder, paragraphs)
    if name.startswith("trecqa"):
        splits, looked_for = _trecqa(name, folder, prefer_original)
        tokenizer = "whitespace"
    elif name == "semeval":
        splits, looked_for = _semeval(folder)
        tokenizer = "word"
    elif name == "yahooqa":
        splits, looked_for = _yahooqa(folder)
        tokenizer = "word"
    elif name == "yahoo":
        splits, looked_for = _yahoo(folder)
        tokenizer = "word"
    elif name == "quasar-t":
        splits, looked_for = _quasar(folder, contexts, relevance, pool_size)
        tokenizer = "word"
    else:
        splits, looked_for, tokenizer = _wikiqa(folder, prefer_original)
    if not splits:
        raise _nothing_found(name, folder, looked_for)
    folds = folder / FOLDS_FILE
    # The published folds of TrecQA divide TRAIN, not TRAIN-ALL.
    has_folds = folds.is_file() and name != "trecqa-all"
    return Dataset(name, splits, tokenizer, folds if has_folds else None)


def _nothing_found(
    name: str, folder: Path, looked_for: list[str]
) -> DatasetError:
    return DatasetError(
        f"{folder}: expected files of the data set {name!r}, plain or "
        f".gz: {', '.join(looked_for)}. Try `keras-qa data fetch {name}`. "
        f"Received: {_listing(folder)}"
    )


def _listing(folder: Path) -> str:
    if not folder.is_dir():
        return "no such folder"
    names = sorted(path.name for path in folder.iterdir())
    shown = ", ".join(names[:8]) + ", ..." * (len(names) > 8)
    return shown or "an empty folder"


def _wikiqa(
    folder: Path, prefer_original: bool
) -> tuple[Mapping[str, _Stream], list[str], str]:
    # The tokenised and the original text need different tokenisers, so a
    # data set is made of one kind only.
    toks: dict[str, _Stream] = {
        split: partial(read_wikiqa_toks, folder / split)
        for split in SPLITS
        if is_toks_folder(folder / split)
    }
    tsv: dict[str, _Stream] = {
        split: partial(read_wikiqa_tsv, path)
        for split in SPLITS
        if (path := find_file(folder, f"WikiQA-{split}.tsv"))
    }
    looked_for = [f"WikiQA-{split}.tsv" for split in SPLITS]
    looked_for += [f"{split}/a.toks" for split in SPLITS]
    if tsv and (prefer_original or not toks):
        return tsv, looked_for, "word"
    if toks:
        _refuse("wikiqa", folder, _only_in_trecqa(folder))
    return toks, looked_for, "whitespace"


# Split to the name of the tokenised folder and of the original file.
_TRECQA_TRAIN = {"train": ("train", "TRAIN.xml")}
_TRECQA_TRAIN_ALL = {"train-all": ("train-all", "TRAIN-ALL.xml")}
_TRECQA_RAW = {
    "dev": ("raw-dev", "DEV.xml"),
    "test": ("raw-test", "TEST.xml"),
}


def _trecqa(
    name: str, folder: Path, prefer_original: bool
) -> tuple[Mapping[str, _Stream], list[str]]:
    if name == "trecqa-all":
        files = {"train": _TRECQA_TRAIN_ALL["train-all"], **_TRECQA_RAW}
    else:
        files = {**_TRECQA_TRAIN, **_TRECQA_RAW, **_TRECQA_TRAIN_ALL}
    splits: dict[str, _Stream] = {}
    for split, (toks_name, xml_name) in files.items():
        toks, xml = folder / toks_name, find_file(folder, xml_name)
        if is_toks_folder(toks) and not (xml and prefer_original):
            if toks_name == "train":
                _refuse(name, folder, _only_in_wikiqa(folder))
            splits[split] = partial(read_toks, toks)
        elif xml is not None:
            splits[split] = partial(read_trecqa_xml, xml)
    if name == "trecqa-clean":
        for split in _TRECQA_RAW:
            published = folder / f"clean-{split}"
            if is_toks_folder(published):
                splits[split] = partial(read_toks, published)
            elif split in splits:
                splits[split] = partial(_clean, splits[split])
    looked_for = [f"{toks}/a.toks" for toks, _ in files.values()]
    return splits, looked_for + [xml for _, xml in files.values()]


def _only_in_trecqa(folder: Path) -> list[str]:
    files = {**_TRECQA_TRAIN, **_TRECQA_TRAIN_ALL, **_TRECQA_RAW}.values()
    names = {toks for toks, _ in files} - {"train"}
    names |= {f"clean-{split}" for split in _TRECQA_RAW}
    found = [name for name in names if is_toks_folder(folder / name)]
    return found + [xml for _, xml in files if find_file(folder, xml)]


def _only_in_wikiqa(folder: Path) -> list[str]:
    names = ("dev", "test")
    found = [name for name in names if is_toks_folder(folder / name)]
    tsv = [f"WikiQA-{split}.tsv" for split in SPLITS]
    return found + [name for name in tsv if find_file(folder, name)]


def _refuse(name: str, folder: Path, others: list[str]) -> None:
    # WikiQA and TrecQA have a tokenised folder `train` each, in one format.
    if others:
        raise DatasetError(
            f"{folder}: expected {name!r} in a folder of its own, since the "
            "tokenised folder train/ does not show which data set it is of. "
            f"Received: a folder with {', '.join(sorted(others))}, too"
        )


def _clean(raw: _Stream) -> Iterator[Question]:
    return both_labels_only(raw())


def _semeval(folder: Path) -> tuple[Mapping[str, _Stream], list[str]]:
    parts = {
        "train": ["train-part1", "train-part2"],
        "dev": ["dev"],
        "test": ["test"],
    }
    looked_for = []
    splits: dict[str, _Stream] = {}
    for split, names in parts.items():
        names = [f"SemEval2016-Task3-CQA-QL-{name}.xml" for name in names]
        looked_for += names
        paths = [p for name in names if (p := find_file(folder, name))]
        if paths:
            splits[split] = partial(read_semeval, *paths)
    return splits, looked_for


def _yahooqa(folder: Path) -> tuple[Mapping[str, _Stream], list[str]]:
    # The repository with the splits keeps the file in a folder `data`.
    names = ["env.pkl", "data/env.pkl"]
    paths = [path for name in names if (path := find_file(folder, name))]
    if not paths:
        return {}, names
    collection = YahooQA(paths[0])
    return {s: partial(collection.questions, s) for s in SPLITS}, names


def _yahoo(folder: Path) -> tuple[Mapping[str, _Stream], list[str]]:
    made_of = f"which `keras-qa mine yahoo` makes of {YAHOO_ANSWERS}"
    paths = {split: folder / f"{split}.tsv.gz" for split in SPLITS}
    splits = {
        split: partial(read_candidates, path)
        for split, path in paths.items()
        if path.is_file()
    }
    return splits, [*(path.name for path in paths.values()), made_of]


def _squad(folder: Path, paragraphs: str) -> Dataset:
    if paragraphs not in ("all", "split"):
        raise ValueError(
            "`paragraphs` must be 'all' or 'split'. "
            f"Received: paragraphs={paragraphs!r}"
        )
    files = {
        split: path
        for split, file in SQUAD_FILES.items()
        if (path := find_file(folder, file))
    }
    if not files:
        raise _nothing_found("squad", folder, list(SQUAD_FILES.values()))
    answers = partial(paragraph_texts, *files.values())
    folds = folder / FOLDS_FILE
    return Dataset(
        "squad",
        {split: partial(read_squad, path) for split, path in files.items()},
        folds=folds if folds.is_file() else None,
        answers=answers,
        documents={
            split: answers
            if paragraphs == "all"
            else partial(paragraph_texts, path)
            for split, path in files.items()
        },
    )


def _quasar(
    folder: Path, contexts: str, relevance: str, pool_size: int
) -> tuple[Mapping[str, _Stream], list[str]]:
    if contexts not in CONTEXTS:
        raise ValueError(
            f"`contexts` must be one of {CONTEXTS}. "
            f"Received: contexts={contexts!r}"
        )
    if relevance not in RELEVANCE:
        raise ValueError(
            f"`relevance` must be one of {RELEVANCE}. "
            f"Received: relevance={relevance!r}"
        )
    looked_for: list[str] = []
    splits: dict[str, _Stream] = {}
    for split in SPLITS:
        names = (
            f"questions/{split}_questions.json",
            f"contexts/{contexts}/{split}_contexts.json",
        )
        looked_for += names
        paths = [path for name in names if (path := find_file(folder, name))]
        if len(paths) == len(names):
            splits[split] = partial(
                read_quasar, *paths, relevance=relevance, most=pool_size
            )
    return splits, looked_for


# The sub-folder in which a version is published, and its file of answers.
_INSURANCEQA = {
    "insuranceqa-v1": ("V1", "answers.label.token_idx"),
    "insuranceqa-v2": ("V2", "InsuranceQA.label2answer.token.encoded"),
}


def _insuranceqa(name: str, folder: Path, pool_size: int) -> Dataset:
    version, answers_name = _INSURANCEQA[name]
    files = _insuranceqa_files(version, pool_size)
    looked_for = ["vocabulary", answers_name]
    looked_for += [file for file, _ in files.values()]
    found = {
        file: path
        for file in looked_for
        for home in (folder, folder / version)
        if (path := find_file(home, file))
    }
    if not {"vocabulary", answers_name} < found.keys():
        raise _nothing_found(name, folder, looked_for)
    vocabulary, answers = found["vocabulary"], found[answers_name]
    others = [n for _, n in _INSURANCEQA.values() if n != answers_name]
    beside = [n for n in others if find_file(vocabulary.parent, n)]
    if beside or vocabulary.parent != answers.parent:
        raise DatasetError(
            f"{vocabulary}: expected a vocabulary beside {answers_name} and "
            "beside no other version's answers, since the words do not show "
            "which version they are of. Received: a folder with "
            f"{_listing(vocabulary.parent)}"
        )
    collection = InsuranceQA(vocabulary, answers)
    arguments = {
        split: (found[file], fields, split, fields is V2 and split == "train")
        for split, (file, fields) in files.items()
        if file in found
    }
    splits: dict[str, _Stream] = {
        split: partial(collection.questions, *values)
        for split, values in arguments.items()
    }
    folds = answers.parent / FOLDS_FILE
    tests = [splits[s] for s in ("test1", "test2") if s in splits]
    if tests:
        splits["test"] = partial(_joined, tests)
    return Dataset(
        name,
        splits,
        "whitespace",
        folds=folds if folds.is_file() else None,
        answers=collection.answer_texts,
        pools={
            split: partial(collection.pools, *values)
            for split, values in arguments.items()
        },
        pool_size=pool_size,
        unions=frozenset(["test"] if tests else []),
        # Only V1 trains without pools.
        add_pools=partial(collection.add_pools, size=pool_size)
        if version == "V1"
        else None,
    )


def _insuranceqa_files(
    version: str, pool_size: int
) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Split to the name of its file and the fields of its lines."""
    if version == "V1":
        pools = {
            split: (f"question.{split}.label.token_idx.pool", V1_POOL)
            for split in ("dev", "test1", "test2")
        }
        return {"train": ("question.train.token_idx.label", V1_TRAIN), **pools}
    start = f"InsuranceQA.question.anslabel.token.{pool_size}.pool.solr"
    return {
        split: (f"{start}.{part}.encoded", V2)
        for split, part in zip(SPLITS, ("train", "valid", "test"), strict=True)
    }


def _joined(streams: list[_Stream]) -> Iterator[Question]:
    for stream in streams:
        yield from stream()
