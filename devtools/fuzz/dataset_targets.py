"""Targets: the readers of data sets."""

from collections.abc import Callable
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from devtools.fuzz import structures
from devtools.fuzz.structures import Case
from devtools.fuzz.target import Target
from keras_qa.datasets.collections.quasar import read_quasar
from keras_qa.datasets.collections.semeval import read_semeval
from keras_qa.datasets.collections.squad import read_squad
from keras_qa.datasets.collections.trecqa import read_trecqa_xml
from keras_qa.datasets.collections.wikiqa import read_wikiqa_tsv
from keras_qa.datasets.collections.yahoo_answers import read_yahoo_answers
from keras_qa.datasets.collections.yahooqa import YahooQA
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.mined import read_candidates
from keras_qa.datasets.registry import open_dataset
from keras_qa.datasets.tabular import read_tabular
from keras_qa.datasets.toks import FILES
from keras_qa.datasets.toks import read_toks
from keras_qa.errors import DatasetError
from keras_qa.files.text_files import find_file
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.vocabulary import Vocabulary

DATA = Path(__file__).parents[2] / "tests/data"

_V1 = (
    *("vocabulary", "answers.label.token_idx"),
    "question.train.token_idx.label",
    "question.dev.label.token_idx.pool",
)
_POOL = "InsuranceQA.question.anslabel.token.500.pool.solr.{}.encoded"
_V2 = (
    *("vocabulary", "InsuranceQA.label2answer.token.encoded"),
    *(_POOL.format("train"), _POOL.format("valid")),
)
_XML = (
    *(b'<!ENTITY a "&a;&a;">', b"&a;", b"&#x0;", b"<![CDATA[", b"<!--"),
    *(b'<!ATTLIST Thread x CDATA "y">', b'encoding="x"', b"<Thread>"),
    *(b"<?xml ?>", b"<document>", b"</document>", b"<br />", b"<!DOCTYPE"),
)


def targets() -> list[Target]:
    """The targets of this module."""
    return [
        _one("wikiqa", "WikiQA/WikiQA-train.tsv", read_wikiqa_tsv)(
            structured=structures.table("WikiQA-train.tsv", "\t")
        ),
        _one("trecqa", "TrecQA/TRAIN.xml", read_trecqa_xml)(
            words=(
                *(b"<QApairs id='1'>\n", b"</QApairs>\n", b"<question>\n"),
                *(b"</question>\n", b"<positive>\n", b"</negative>\n"),
            )
        ),
        _one(
            "semeval",
            "SemEval2016-Task3/SemEval2016-Task3-CQA-QL-train-part2.xml",
            read_semeval,
        )(words=_XML),
        _one("yahoo answers", "YahooL6/FullOct2007.xml", read_yahoo_answers)(
            words=_XML
        ),
        _one("squad", "SQuAD/train-v1.1.json", read_squad)(
            structured=structures.json_file("train-v1.1.json")
        ),
        _one("csv", "user/pairs.csv", read_tabular)(
            structured=structures.table("pairs.csv", ",")
        ),
        _one("tsv", "user/pairs.tsv", read_tabular)(
            structured=structures.table("pairs.tsv", "\t")
        ),
        _one("json lines", "user/pairs.jsonl", read_tabular)(
            structured=structures.json_lines("pairs.jsonl")
        ),
        _one("yahooqa", "YahooQA/env.pkl", _read_yahooqa)(
            words=(
                *(b"\x80\x04", b"R.", b"cos\nsystem\n", b"(", b"u.", b"e."),
                *(b"h\x00", b"q\x01", b"\x8b\xff\xff\xff\x7f", b"\x94"),
                *(b"\x8d\x00\x00\x00\x00\x00\x00\x00\x10", b"L99L\n", b"\x85"),
            ),
            structured=structures.pickled("env.pkl"),
        ),
        Target(
            "toks folder",
            _toks,
            lambda folder: check_questions(read_toks(folder)),
            (DatasetError,),
            gzipped=True,
        ),
        Target(
            "quasar-t",
            _quasar,
            lambda folder: check_questions(
                read_quasar(
                    _found(folder, "questions.json"),
                    _found(folder, "contexts.json"),
                )
            ),
            (DatasetError,),
            gzipped=True,
            structured=structures.json_lines("contexts.json"),
            guided="contexts.json",
        ),
        _insuranceqa("insuranceqa-v1", "V1", _V1),
        _insuranceqa("insuranceqa-v2", "V2", _V2),
        Target(
            "folds",
            lambda: {"folds.tsv": _FOLDS},
            _read_folds,
            (DatasetError,),
            structured=structures.table("folds.tsv", "\t"),
            guided="folds.tsv",
        ),
        Target(
            "candidates",
            lambda: {"candidates.tsv": _CANDIDATES},
            lambda folder: check_questions(
                read_candidates(_found(folder, "candidates.tsv"))
            ),
            (DatasetError,),
            gzipped=True,
            structured=structures.table("candidates.tsv", "\t"),
            guided="candidates.tsv",
        ),
        Target(
            "vocabulary",
            lambda: {"vocabulary.txt": "who\nwrote\nmoby-dick\né\n".encode()},
            lambda folder: Vocabulary.load(folder / "vocabulary.txt"),
            (DatasetError,),
            guided="vocabulary.txt",
        ),
        Target(
            "overlap counts",
            lambda: {"overlap.json": _OVERLAP},
            _read_overlap,
            (DatasetError,),
            structured=structures.json_file("overlap.json"),
            guided="overlap.json",
        ),
    ]


def check_questions(questions: Iterable[Question]) -> None:
    """Reads all questions and checks them.

    Raises:
        TypeError: if ids of a question's candidates repeat, or a label is not 0
            to 3.
    """
    for question in questions:
        ids = [c.id for c in question.candidates]
        labels = {c.label for c in question.candidates}
        if len(set(ids)) < len(ids) or not labels <= {0, 1, 2, 3}:
            raise TypeError(f"a question with the candidates {ids}, {labels}")
        for text in (question.text, *(c.text for c in question.candidates)):
            text.encode("utf-8")


_FOLDS = b"".join(
    f"{i}\t{'dev' if i % 3 == 0 else 'train'}\n".encode() for i in range(9)
)
_CANDIDATES = (
    b"question_id\tquestion\tanswer_id\tanswer\tlabel\n"
    b'1\twho wrote emma\ta\tjane "austen"\t1\n'
    b'1\twho wrote emma\tb\t"a\nb"\t0\n'
    b"2\twhy\tc\tbecause\t1\n"
)
_OVERLAP = (
    b'{"documents": 3, "stop_words": ["the", "a"], '
    b'"document_frequencies": {"emma": 2, "wrote": 1}}'
)


def _one(
    name: str, path: str, read: Callable[[Path], Iterable[Question]]
) -> Callable[..., Target]:
    """A target of one file in `tests/data`."""
    file = Path(path).name
    return partial(
        Target,
        name,
        lambda: {file: (DATA / path).read_bytes()},
        lambda folder: check_questions(read(_found(folder, file))),
        (DatasetError,),
        gzipped=True,
        guided=file,
    )


def _found(folder: Path, name: str) -> Path:
    return find_file(folder, name) or folder / name


def _toks() -> Case:
    folder = DATA / "TrecQA/train"
    return {name: (folder / name).read_bytes() for name in FILES}


def _quasar() -> Case:
    short = DATA / "quasar-t"
    return {
        "questions.json": (
            short / "questions/train_questions.json"
        ).read_bytes(),
        "contexts.json": (
            short / "contexts/short/train_contexts.json"
        ).read_bytes(),
    }


def _read_yahooqa(path: Path) -> Iterable[Question]:
    collection = YahooQA(path)
    for split in ("train", "dev", "test"):
        yield from collection.questions(split)


def _insuranceqa(name: str, version: str, files: tuple[str, ...]) -> Target:
    folder = DATA / "InsuranceQA" / version

    def read(folder: Path) -> None:
        dataset = open_dataset(name, folder)
        for stream in dataset.splits.values():
            check_questions(stream())
        for pools in dataset.pools.values():
            check_questions(pool.question for pool in pools())

    return Target(
        name,
        lambda: {file: (folder / file).read_bytes() for file in files},
        read,
        (DatasetError,),
        gzipped=True,
        words=(b"idx_1", b"idx_", b"\tidx_2 idx_3", b"1 2 3"),
    )


def _read_folds(folder: Path) -> None:
    questions = [Question(str(i), "who", ()) for i in range(9)]
    dataset = Dataset(
        "folds", {"train": lambda: iter(questions)}, folds=folder / "folds.tsv"
    )
    train, dev = dataset.held_out_fold()
    if len(train) + len(dev) != len(questions):
        raise TypeError(f"{len(train)} and {len(dev)} of 9 questions")


def _read_overlap(folder: Path) -> None:
    features = OverlapFeatures.load(folder / "overlap.json")
    found = features.pair(["who", "wrote", "emma"], ["austen", "wrote", "emma"])
    if not (abs(found) < 1e9).all():
        raise TypeError(f"features {found}")
