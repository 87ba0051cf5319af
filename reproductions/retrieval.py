"""Retrievers of paragraphs: MRNN's Table 4 on the articles that are at hand.

    python -m reproductions.retrieval --data-dir DIR \
        --record reproductions/records/retrieval.jsonl
    python -m reproductions.report

Each question of SQuAD's dev file looks for its paragraph among those of all
articles of the file, and again, as `squad-articles` does on dev, among those of
every fourth article. Nothing is trained; it takes ten seconds.
"""

import argparse
import sys
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from keras_qa.datasets.collections.squad import FILES
from keras_qa.datasets.collections.squad import Paragraph
from keras_qa.datasets.collections.squad import read_paragraphs
from keras_qa.datasets.collections.squad import split_articles
from keras_qa.datasets.registry import FOLDERS
from keras_qa.errors import DatasetError
from keras_qa.files.text_files import find_file
from keras_qa.progress import ProgressBar
from keras_qa.ranking.hashed_tfidf import HashedTfIdf
from keras_qa.ranking.mining import CandidateMiner
from keras_qa.text.normal_forms import normal_text
from reproductions.harness.command import with_messages
from reproductions.records.json_lines import append_line
from reproductions.records.retrieval import CUTOFFS
from reproductions.records.retrieval import Retrieval

Scores = Callable[[str], np.ndarray]
RETRIEVERS: dict[str, Callable[[list[str]], Scores]] = {
    "BM25 (Lucene), k1 1.5, b 0.75": lambda texts: (
        CandidateMiner(texts, k1=1.5, b=0.75, show_progress=False).scores
    ),
    "DrQA, words": lambda texts: HashedTfIdf(texts, ngrams=1).scores,
    "DrQA, words and bigrams": lambda texts: HashedTfIdf(texts).scores,
}


def ranks(scores: Iterable[np.ndarray], right: Sequence[int]) -> np.ndarray:
    """The rank of the right document of each question, from 1.

    Args:
        scores: the scores of all documents, for each question.
        right: the index of its right document.

    Returns:
        int64 array `(questions,)`.
    """
    rng = np.random.default_rng(0)
    found = []
    for values, document in zip(scores, right, strict=True):
        order = rng.permutation(len(values))
        before = values > values[document]
        equal = values == values[document]
        first = equal & (order < order[document])
        found.append(1 + int(before.sum()) + int(first.sum()))
    return np.array(found, dtype=np.int64)


def measure(name: str, paragraphs: Iterable[Paragraph]) -> dict[str, object]:
    """Recall of a retriever, as a record of `records.retrieval`.

    Args:
        name: one of `RETRIEVERS`.
        paragraphs: the paragraphs, with the questions asked about them.
    """
    asked: list[tuple[str, int]] = []
    numbers: dict[str, int] = {}
    texts: list[str] = []
    for paragraph in paragraphs:
        # Two paragraphs with one text are one document, as for BM25's miner.
        document = numbers.setdefault(normal_text(paragraph.text), len(texts))
        if document == len(texts):
            texts.append(paragraph.text)
        asked += [(text, document) for _, text in paragraph.questions]
    score = RETRIEVERS[name](texts)
    right = [document for _, document in asked]
    bar = ProgressBar([text for text, _ in asked], name, unit="question")
    found = ranks((score(text) for text in bar), right)
    return {
        "system": name,
        "pool": len(texts),
        "questions": len(asked),
        **{f"recall@{k}": float((found <= k).mean()) for k in CUTOFFS},
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Measures all retrievers."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.retrieval",
        description=(__doc__ or "").splitlines()[0],
    )
    parser.add_argument("--data-dir", type=Path, required=True, metavar="DIR")
    parser.add_argument("--record", type=Path, metavar="FILE")
    options = parser.parse_args(argv)

    def run() -> None:
        from reproductions.harness.parts.versions import versions

        folder = options.data_dir / FOLDERS["squad"]
        path = find_file(folder, FILES["dev"])
        if path is None:
            raise DatasetError(
                f"{folder}: expected {FILES['dev']}, plain or .gz. "
                "Received: a folder without it"
            )
        pools = {
            "all articles": lambda: read_paragraphs(path),
            "every fourth article": lambda: split_articles(path, "dev"),
        }
        for pool, paragraphs in pools.items():
            for name in RETRIEVERS:
                record = {"articles": pool, **measure(name, paragraphs())}
                print(*(f"{n} {v}" for n, v in record.items()), sep="  ")
                if options.record:
                    record["versions"] = versions()
                    append_line(options.record, record, Retrieval)

    return with_messages(run)


if __name__ == "__main__":
    sys.exit(main())
