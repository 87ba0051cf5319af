r"""How are many millions of answers indexed and searched, from disk?

The answers are texts, and their vectors those of a trained HyperQA: the first
half of a sentence followed by the second half of another, of the sentences of
WikiQA, TrecQA, SelQA and SQuAD. HyperQA sums the words of a text, so that the
sum of two halves is that of the whole, and millions of vectors are made in
minutes. Each half occurs in many answers, so near answers are many, too. The
questions are those of WikiQA's dev.

A collection is written as `keras-qa index` writes it, and indexed:

- `exact`: the best ten of all questions by one pass over the vectors on disk,
  which is the truth for the others;
- `flat`: the exact index, mapped into memory, of at most 10 million answers,
  as it is made in memory;
- `ivf-pq`: compressed lists on disk, with candidates ordered exactly by their
  vectors on disk, with increasing numbers of lists.

Collections are built on all cores. Questions are searched one at a time, on one
core, after a first round that is not counted: what is read is in the machine's
cache, as far as it fits. A run makes one size, and the file of figures keeps
the sizes of earlier runs.

    python -m reproductions.hyperqa --dataset wikiqa --data-dir DIR \
        --embeddings vectors.bin --recipe best --set projection_dim=100 \
        --split dev --output-dir runs/hyperqa
    python -m benchmarks.large_collections --ranker runs/hyperqa \
        --data-dir DIR --work-dir DIR --answers 1000000   # three minutes

A million answers need 600 MB of the disk, and as much again for `flat`.
"""

import json
import resource
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.options import option_parser
from benchmarks.processes import alone
from benchmarks.processes import load_before
from benchmarks.results import write_results
from keras_qa.progress import ProgressBar
from keras_qa.search.ivf_pq import LISTS as LISTS_OF_ROOT
from keras_qa.search.ivf_pq import SAMPLES

COLLECTIONS = ("squad-sentences", "wikiqa-all", "trecqa-all", "selqa")
# The largest flat index, which is made in memory.
FLAT = 10_000_000
LISTS = (8, 16, 32, 64, 128, 256)
PLANNED = (100_000_000, 1_000_000_000)


@dataclass(frozen=True)
class Settings:
    """Sizes of the workload and of the measurement."""

    answers: int = 1_000_000
    questions: int = 100
    top: int = 10
    encoded: int = 20_000
    cores: int = 2


def read_texts(data_dir: Path) -> tuple[list[str], list[str]]:
    """The distinct sentences of train and dev, and the questions."""
    from keras_qa.datasets import open_dataset

    found = {
        candidate.text
        for name in COLLECTIONS
        for part, split in open_dataset(name, data_dir).splits.items()
        if part != "test"
        for question in split()
        for candidate in question.candidates
    }
    dev = open_dataset("wikiqa", data_dir).splits["dev"]()
    return sorted(found), [question.text for question in dev]


class Collection:
    """Answers of two halves each, and questions.

    Args:
        ranker: a ranker of a HyperQA.
        data_dir: the folder of the data sets.
        settings: the sizes.
    """

    def __init__(self, ranker: Any, data_dir: Path, settings: Settings):
        self.ranker = ranker
        self.settings = settings
        texts, questions = read_texts(data_dir)
        words = [text.split() for text in texts]
        words = [text for text in words if len(text) > 5]
        self.first = [" ".join(text[: len(text) // 2]) for text in words]
        self.second = [" ".join(text[len(text) // 2 :]) for text in words]
        self._sums = self._summed(self.first), self._summed(self.second)
        self.questions = ranker.encode(
            questions[: settings.questions], "question"
        )

    def _summed(self, texts: list[str]) -> np.ndarray:
        """The sums of the words' vectors, before they are clipped."""
        model = self.ranker.model
        words = np.arange(model.vocabulary_size, dtype=np.int32)[:, None]
        vectors = model.text_encoder.predict(words, verbose=0)
        read = self.ranker.reading.texts("answer", texts)
        return np.add.reduceat(vectors[read.ids], read.offsets[:-1])

    def blocks(self, size: int) -> Iterator[tuple[list[str], np.ndarray]]:
        """Yields texts and their vectors, float32 `(n, dim)`."""
        import keras

        count = len(self.first)
        for start in range(0, self.settings.answers, size):
            end = min(start + size, self.settings.answers)
            again, i = np.divmod(np.arange(start, end), count)
            # Each round has other pairs, as 7919 is prime.
            j = (i + 1 + 7919 * again) % count
            sums = self._sums[0][i] + self._sums[1][j]
            vectors = self.ranker.model.to_space(sums)
            texts = [
                f"{self.first[a]} {self.second[b]}"
                for a, b in zip(i, j, strict=True)
            ]
            yield texts, keras.ops.convert_to_numpy(vectors)


def exact_best(
    space: Any, shards: Any, questions: np.ndarray, top: int
) -> np.ndarray:
    """The best answers to questions, `(questions, top)`, in one pass."""
    lifted = np.stack([space.lift_question(q) for q in questions])
    rows = np.zeros((len(questions), 0), np.int64)
    keys = np.zeros((len(questions), 0))
    start = 0
    for block in shards.blocks():
        bounds = lifted @ space.lift_answers(block).T
        # The best of a block by their upper bounds, some more than are wanted.
        few = min(4 * top, len(block) - 1)
        near = np.argpartition(-bounds, few, axis=1)[:, : few + 1]
        new = [
            space.keys(question, block[chosen])
            for question, chosen in zip(questions, near, strict=True)
        ]
        rows = np.hstack([rows, start + near])
        keys = np.hstack([keys, new])
        best = np.argsort(-keys, axis=1, kind="stable")[:, :top]
        rows = np.take_along_axis(rows, best, axis=1)
        keys = np.take_along_axis(keys, best, axis=1)
        start += len(block)
    return rows


def measure(
    settings: Settings, run: Path, data_dir: Path, folder: Path
) -> dict[str, Any]:
    """The figures of a collection, which is removed again."""
    import faiss

    from keras_qa.ranker import Ranker
    from keras_qa.search.answers import Answer
    from keras_qa.search.build import finish_index
    from keras_qa.search.encoding import Encoded
    from keras_qa.search.encoding import open_shards
    from keras_qa.search.index import AnswerIndex
    from keras_qa.search.searchable import space_of

    faiss.omp_set_num_threads(settings.cores)
    ranker = Ranker.load(run)
    made = Collection(ranker, data_dir, settings)
    folder.mkdir(parents=True)
    shards = open_shards(ranker, folder, None, False)
    total = settings.answers
    found: dict[str, Any] = {
        "answers": total,
        "dim": made.questions.shape[1],
        "cores": settings.cores,
    }
    with ProgressBar(total=total, desc="Write", unit="answer") as bar:
        for number, (texts, vectors) in enumerate(made.blocks(shards.size)):
            start = number * shards.size
            answers = [Answer(str(start + k), t) for k, t in enumerate(texts)]
            if number == 0:
                some = texts[: settings.encoded]
                begin = time.perf_counter()
                ranker.encode(some)
                seconds = time.perf_counter() - begin
                found["encoded"] = len(some)
                found["encoded_per_second"] = len(some) / seconds
            shards.write(number, answers, vectors)
            bar.update(len(texts))
    found["bytes"] = {"shards": _bytes(shards.folder)}
    encoded = Encoded(total, 1, 0, np.zeros(0, np.int64))
    kinds = ["ivf-pq", *(["flat"] if total <= FLAT else [])]
    found["build_seconds"], found["peak_memory_gb"] = {}, {}
    for kind in kinds:
        begin = time.perf_counter()
        finish_index(folder, space_of(ranker.model), shards, encoded, kind)
        found["build_seconds"][kind] = time.perf_counter() - begin
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        found["peak_memory_gb"][kind] = peak / 1024**2
        found["bytes"][kind] = sum(map(_bytes, folder.glob(f"{kind}.*")))
    index = AnswerIndex(folder, "ivf-pq")
    faiss.omp_set_num_threads(1)
    begin = time.perf_counter()
    truth = exact_best(
        index._searcher.space, shards, made.questions, settings.top
    )
    found["exact_pass_seconds"] = time.perf_counter() - begin
    found["searches"] = [
        {"lists": lists, **_searched(index, made.questions, truth, lists)}
        for lists in LISTS
    ]
    if "flat" in kinds:
        flat = AnswerIndex(folder, "flat")
        found["flat"] = _searched(flat, made.questions, truth)
    return found


def _bytes(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def _searched(
    index: Any,
    questions: np.ndarray,
    truth: np.ndarray,
    effort: int | None = None,
) -> dict[str, float]:
    top, seconds, hits = truth.shape[1], [], 0
    for counted in (False, True):
        for question, best in zip(questions, truth, strict=True):
            begin = time.perf_counter()
            rows, _ = index.search(question, top, effort)
            if counted:
                seconds.append(time.perf_counter() - begin)
                hits += len({*rows.tolist()} & {*best.tolist()})
    middle, late = np.percentile(seconds, [50, 95]) * 1000
    return {
        "recall": hits / truth.size,
        "p50_ms": float(middle),
        "p95_ms": float(late),
    }


def table(result: dict[str, Any]) -> str:
    """The figures of a record, in Markdown."""
    lines = [
        "| answers | kind | lists | recall@10 | p50, ms | p95, ms | "
        "to build, s | on disk, GB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in result["collections"]:
        answers = f"{one['answers']:,}"
        seconds, size = one["build_seconds"], one["bytes"]
        shards = f"{size['shards'] / 1e9:.1f}"
        lines.append(f"| {answers} | vectors and texts | | | | | | {shards} |")
        rows = [("flat", "", one["flat"])] if "flat" in one else []
        rows += [("ivf-pq", row["lists"], row) for row in one["searches"]]
        lines += [
            f"| {answers} | {kind} | {lists} | {row['recall']:.3f} | "
            f"{row['p50_ms']:.1f} | {row['p95_ms']:.1f} | "
            f"{seconds[kind]:,.0f} | {size[kind] / 1e9:.2f} |"
            for kind, lists, row in rows
        ]
    return "\n".join(lines)


def plan(result: dict[str, Any]) -> str:
    """What larger collections need, by the rates of the largest measured.

    Texts, vectors, encoding and both steps of building grow with the number of
    answers n: the lists and the sample that they are trained on each grow with
    its root. So do the vectors that a search of as many lists compares.
    """
    one = result["collections"][-1]
    sizes, cores = one["bytes"], one["cores"]
    lines = [
        "| answers | to encode, core hours | vectors and texts, GB | "
        "ivf-pq, GB | to build, core hours | memory of the sample, GB | "
        "a search, ms | exact pass over all, minutes |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for answers in PLANNED:
        times = answers / one["answers"]
        sample = SAMPLES * LISTS_OF_ROOT * answers**0.5 * one["dim"] * 4
        cells = [
            f"{answers:,}",
            f"{cores * answers / one['encoded_per_second'] / 3600:.1f}",
            f"{sizes['shards'] * times / 1e9:,.0f}",
            f"{sizes['ivf-pq'] * times / 1e9:,.0f}",
            f"{cores * one['build_seconds']['ivf-pq'] * times / 3600:.1f}",
            f"{sample / 1e9:.1f}",
            f"{one['searches'][-1]['p50_ms'] * times**0.5:.0f}",
            f"{one['exact_pass_seconds'] * times / 60:.1f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    """Measures a size and writes the figures."""
    parser = option_parser(
        __file__,
        "Indexes and searches millions of answers.",
        Settings,
        ("answers", "questions", "cores"),
    )
    for name in ("ranker", "data-dir", "work-dir"):
        parser.add_argument(
            f"--{name}", type=Path, required=True, metavar="DIR"
        )
    arguments = parser.parse_args(argv)
    settings = Settings(
        answers=arguments.answers,
        questions=arguments.questions,
        cores=arguments.cores,
    )
    if arguments.smoke:
        settings = replace(settings, answers=12_000, questions=5, encoded=10)
    others = []
    if arguments.json.exists():
        others = json.loads(arguments.json.read_text()).get("collections", [])
    load = load_before(settings.cores)
    folder = arguments.work_dir / f"collection-{settings.answers}"
    if folder.exists():
        parser.error(
            f"expected no folder {folder}, which is removed at the end"
        )
    try:
        given = arguments.ranker, arguments.data_dir, folder
        found = alone(measure, settings, *given, cores=settings.cores)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    found["load_average_before"] = load
    kept = [one for one in others if one["answers"] != found["answers"]]
    collections = sorted([*kept, found], key=lambda one: one["answers"])
    write_results(
        arguments.json, settings, load, {}, {"collections": collections}
    )
    print(table({"collections": [found]}))
    return 0


if __name__ == "__main__":
    main()
