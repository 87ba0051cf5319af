"""Which files of a folder are which split of a collection."""

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from keras_qa.datasets.collections.quasar import CONTEXTS
from keras_qa.datasets.collections.quasar import RELEVANCE
from keras_qa.datasets.collections.quasar import read_quasar
from keras_qa.datasets.collections.semeval import read_semeval
from keras_qa.datasets.collections.toks import is_toks_folder
from keras_qa.datasets.collections.toks import read_toks
from keras_qa.datasets.collections.trecqa import both_labels_only
from keras_qa.datasets.collections.trecqa import read_trecqa_xml
from keras_qa.datasets.collections.wikiqa import read_wikiqa_toks
from keras_qa.datasets.collections.wikiqa import read_wikiqa_tsv
from keras_qa.datasets.collections.yahoo_answers import NAME as YAHOO_ANSWERS
from keras_qa.datasets.collections.yahooqa import SPLITS
from keras_qa.datasets.collections.yahooqa import YahooQA
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.mined import read_candidates
from keras_qa.errors import DatasetError
from keras_qa.files.text_files import find_file

FOLDS_FILE = "train-folds.tsv"

Stream = Callable[[], Iterator[Question]]


class Layout(NamedTuple):
    """What a folder holds of a collection.

    Attributes:
        splits: split to what streams its questions, if its files are there.
        looked_for: the names of the files that were looked for.
        tokenizer: the tokeniser that the texts need.
    """

    splits: Mapping[str, Stream]
    looked_for: list[str]
    tokenizer: str = "word"


def nothing_found(
    name: str, folder: Path, looked_for: list[str]
) -> DatasetError:
    """The error for a folder without any file of a data set."""
    return DatasetError(
        f"{folder}: expected files of the data set {name!r}, plain or "
        f".gz: {', '.join(looked_for)}. Try `keras-qa data fetch {name}`. "
        f"Received: {listing(folder)}"
    )


def listing(folder: Path) -> str:
    """The first names in a folder, for a message."""
    if not folder.is_dir():
        return "no such folder"
    names = sorted(path.name for path in folder.iterdir())
    shown = ", ".join(names[:8]) + ", ..." * (len(names) > 8)
    return shown or "an empty folder"


def wikiqa(folder: Path, prefer_original: bool) -> Layout:
    """WikiQA, as tokenised folders or as TSV files."""
    # The tokenised and the original text need different tokenisers, so a
    # data set is made of one kind only.
    toks: dict[str, Stream] = {
        split: partial(read_wikiqa_toks, folder / split)
        for split in SPLITS
        if is_toks_folder(folder / split)
    }
    tsv: dict[str, Stream] = {
        split: partial(read_wikiqa_tsv, path)
        for split in SPLITS
        if (path := find_file(folder, f"WikiQA-{split}.tsv"))
    }
    looked_for = [f"WikiQA-{split}.tsv" for split in SPLITS]
    looked_for += [f"{split}/a.toks" for split in SPLITS]
    if tsv and (prefer_original or not toks):
        return Layout(tsv, looked_for)
    if toks:
        _refuse("wikiqa", folder, _only_in_trecqa(folder))
    return Layout(toks, looked_for, "whitespace")


# Split to the name of the tokenised folder and of the original file.
_TRECQA_TRAIN = {"train": ("train", "TRAIN.xml")}
_TRECQA_TRAIN_ALL = {"train-all": ("train-all", "TRAIN-ALL.xml")}
_TRECQA_RAW = {
    "dev": ("raw-dev", "DEV.xml"),
    "test": ("raw-test", "TEST.xml"),
}


def trecqa(name: str, folder: Path, prefer_original: bool) -> Layout:
    """One of TrecQA's variants, as tokenised folders or as XML files."""
    if name == "trecqa-all":
        files = {"train": _TRECQA_TRAIN_ALL["train-all"], **_TRECQA_RAW}
    else:
        files = {**_TRECQA_TRAIN, **_TRECQA_RAW, **_TRECQA_TRAIN_ALL}
    splits: dict[str, Stream] = {}
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
    looked_for += [xml for _, xml in files.values()]
    return Layout(splits, looked_for, "whitespace")


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


def _clean(raw: Stream) -> Iterator[Question]:
    return both_labels_only(raw())


def semeval(folder: Path) -> Layout:
    """SemEval-2016 Task 3 A; the parts of train that are there are one."""
    parts = {
        "train": ["train-part1", "train-part2"],
        "dev": ["dev"],
        "test": ["test"],
    }
    looked_for = []
    splits: dict[str, Stream] = {}
    for split, names in parts.items():
        names = [f"SemEval2016-Task3-CQA-QL-{name}.xml" for name in names]
        looked_for += names
        paths = [p for name in names if (p := find_file(folder, name))]
        if paths:
            splits[split] = partial(read_semeval, *paths)
    return Layout(splits, looked_for)


def yahooqa(folder: Path) -> Layout:
    """YahooQA, whose splits are in one file."""
    # The repository with the splits keeps the file in a folder `data`.
    names = ["env.pkl", "data/env.pkl"]
    paths = [path for name in names if (path := find_file(folder, name))]
    if not paths:
        return Layout({}, names)
    collection = YahooQA(paths[0])
    streams = {s: partial(collection.questions, s) for s in SPLITS}
    return Layout(streams, names)


def yahoo(folder: Path) -> Layout:
    """The candidates that were mined for Yahoo! Answers."""
    made_of = f"which `keras-qa mine yahoo` makes of {YAHOO_ANSWERS}"
    paths = {split: folder / f"{split}.tsv.gz" for split in SPLITS}
    splits = {
        split: partial(read_candidates, path)
        for split, path in paths.items()
        if path.is_file()
    }
    return Layout(splits, [*(path.name for path in paths.values()), made_of])


def quasar(
    folder: Path, contexts: str, relevance: str, pool_size: int
) -> Layout:
    """QUASAR-T; a split needs its questions and its contexts."""
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
    splits: dict[str, Stream] = {}
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
    return Layout(splits, looked_for)
