"""InsuranceQA and SQuAD, whose questions share their answers."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from keras_qa.datasets.collections.insuranceqa import V1_POOL
from keras_qa.datasets.collections.insuranceqa import V1_TRAIN
from keras_qa.datasets.collections.insuranceqa import V2
from keras_qa.datasets.collections.insuranceqa import InsuranceQA
from keras_qa.datasets.collections.layouts import FOLDS_FILE
from keras_qa.datasets.collections.layouts import Stream
from keras_qa.datasets.collections.layouts import listing
from keras_qa.datasets.collections.layouts import nothing_found
from keras_qa.datasets.collections.squad import FILES as SQUAD_FILES
from keras_qa.datasets.collections.squad import paragraph_texts
from keras_qa.datasets.collections.squad import read_squad
from keras_qa.datasets.collections.yahooqa import SPLITS
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.errors import DatasetError
from keras_qa.files.text_files import find_file


def open_squad(folder: Path, paragraphs: str) -> Dataset:
    """SQuAD 1.1; see `open_dataset` for the arguments and errors."""
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
        raise nothing_found("squad", folder, list(SQUAD_FILES.values()))
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


# The sub-folder in which a version is published, and its file of answers.
INSURANCEQA = {
    "insuranceqa-v1": ("V1", "answers.label.token_idx"),
    "insuranceqa-v2": ("V2", "InsuranceQA.label2answer.token.encoded"),
}


def open_insuranceqa(name: str, folder: Path, pool_size: int) -> Dataset:
    """A version of InsuranceQA; see `open_dataset`."""
    version, answers_name = INSURANCEQA[name]
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
        raise nothing_found(name, folder, looked_for)
    vocabulary, answers = found["vocabulary"], found[answers_name]
    others = [n for _, n in INSURANCEQA.values() if n != answers_name]
    beside = [n for n in others if find_file(vocabulary.parent, n)]
    if beside or vocabulary.parent != answers.parent:
        raise DatasetError(
            f"{vocabulary}: expected a vocabulary beside {answers_name} and "
            "beside no other version's answers, since the words do not show "
            "which version they are of. Received: a folder with "
            f"{listing(vocabulary.parent)}"
        )
    collection = InsuranceQA(vocabulary, answers)
    arguments = {
        split: (found[file], fields, split, fields is V2 and split == "train")
        for split, (file, fields) in files.items()
        if file in found
    }
    splits: dict[str, Stream] = {
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


def _joined(streams: list[Stream]) -> Iterator[Question]:
    for stream in streams:
        yield from stream()
