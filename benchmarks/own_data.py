"""Is the default of `keras-qa train` ever below the best floor?

Questions of several collections are cut to some sizes, as if each cut were all
that somebody has, and trained on with the default. The figures are of other
questions of the collection, at most 500. Pairs without wrong answers, as those
of MedQuAD and InsuranceQA, get candidates by BM25, as `keras-qa train` does it.

    python -m benchmarks.own_data --data-dir DIR
    python -m benchmarks.own_data --data-dir DIR --sizes 300 --record new.jsonl

Each trial is a line of the record; those that are there are not repeated, and
a killed trial is resumed. All trials of the default take an hour or more.
"""

import argparse
import csv
import gzip
import json
import time
from collections import defaultdict
from collections.abc import Callable
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import keras_qa
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.splitting import sample
from keras_qa.datasets.splitting import split_questions
from keras_qa.files.json_stream import read_records

SIZES = (150, 300, 1000, 5000)
VECTORS = ("skipgram", "skipgram+minilm")
DEV = 500
RECORD = Path(__file__).with_suffix(".jsonl")


def read_medquad(folder: Path) -> list[Question]:
    with gzip.open(folder / "MedQuAD/medquad.tsv.gz", "rt", "utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [
            Question(str(i), r["question"], (Candidate("0", r["answer"], 1),))
            for i, r in enumerate(rows)
        ]


def read_selqa(folder: Path) -> list[Question]:
    found: dict[str, list[Candidate]] = defaultdict(list)
    for part in ("dev", "test"):
        path = folder / f"SelQA/selqa-ass-{part}.tsv.gz"
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                text, answer, label = line.rstrip("\n").split("\t")
                answers = found[text]
                answers.append(Candidate(str(len(answers)), answer, int(label)))
    return [
        Question(str(i), text, tuple(answers))
        for i, (text, answers) in enumerate(found.items())
    ]


def read_insuranceqa(folder: Path) -> list[Question]:
    dataset = keras_qa.open_dataset("insuranceqa-v1", folder)
    return [
        Question(q.id, q.text, q.positives) for q in dataset.questions("train")
    ]


def read_collection(name: str) -> Callable[[Path], list[Question]]:
    def read(folder: Path) -> list[Question]:
        dataset = keras_qa.open_dataset(name, folder)
        return [
            Question(f"{split}-{q.id}", q.text, q.candidates)
            for split in ("train", "dev")
            for q in dataset.questions(split)
        ]

    return read


COLLECTIONS: dict[str, Callable[[Path], list[Question]]] = {
    "medquad": read_medquad,
    "selqa": read_selqa,
    "semeval": read_collection("semeval"),
    "wikiqa": read_collection("wikiqa"),
    "insuranceqa": read_insuranceqa,
}


def cut(
    questions: Sequence[Question], size: int, seed: int
) -> tuple[list[Question], list[Question]] | None:
    """A cut and its dev, or None if the collection is not much larger.

    The sizes are of questions with a right answer.
    """
    right = [q for q in questions if q.positives]
    if len(right) < size + 100:
        return None
    chosen, others = split_questions(right, (size, len(right) - size), seed)
    return chosen, sample(others, min(DEV, len(others)), seed)


def measure(
    name: str,
    parts: tuple[list[Question], list[Question]],
    folder: Path,
    options: dict[str, Any],
) -> dict[str, Any]:
    """Trains on a cut; returns the line of the record."""
    start = time.perf_counter()
    vectors = options["vectors"].split("+")
    run = keras_qa.train(
        parts[0],
        folder,
        dev=parts[1],
        vectors=vectors,
        onnx=False,
        **{n: options[n] for n in ("seed", "model")},
    )
    return {
        "collection": name,
        **options,
        "parts": run.metrics["parts"],
        "comparison": run.metrics["comparison"],
        "fitted": run.metrics["fitted"],
        "seconds": round(time.perf_counter() - start, 1),
    }


def summary(line: dict[str, Any]) -> str:
    """The row of a trial in `table`."""
    rows = {row["name"]: row for row in line["comparison"]["rows"]}
    best = rows[line["comparison"]["best_floor"]]
    low, high = best["difference_interval"]
    return (
        f"| {line['collection']} | {line['size']:,} | {line['vectors']} "
        f"| {line['model']} | {rows[line['model']]['metrics']['MAP']:.3f} "
        f"| {best['metrics']['MAP']:.3f} ({best['name']}) "
        f"| {best['difference']:+.3f} [{low:+.3f}, {high:+.3f}] "
        f"| {line['comparison']['verdict']} |"
    )


HEADER = (
    "| Collection | Questions | Vectors | Model | MAP | Best floor "
    "| Difference | Verdict |\n" + "| --- " * 8 + "|"
)


def table(lines: Sequence[dict[str, Any]]) -> str:
    """The trials in Markdown, those of a collection together."""
    columns = ("collection", "size", "vectors", "model")
    ordered = sorted(lines, key=lambda line: [line[n] for n in columns])
    return "\n".join([HEADER, *map(summary, ordered)])


def read_record(path: Path) -> list[dict[str, Any]]:
    """The lines of a record; none if there is no file."""
    if not path.exists():
        return []
    return [record for _, record in read_records(path)]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.own_data",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument(
        "--collections", nargs="+", choices=COLLECTIONS, default=[*COLLECTIONS]
    )
    parser.add_argument("--vectors", nargs="+", default=VECTORS)
    parser.add_argument("--model", default="cosineqa+floors")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--record", type=Path, default=RECORD)
    parser.add_argument(
        "--runs", type=Path, default=Path("runs/own_data"), help="for folders"
    )
    arguments = parser.parse_args(argv)
    asked = ("collection", "size", "seed", "vectors", "model")
    done = {
        tuple(line[n] for n in asked) for line in read_record(arguments.record)
    }
    for size in arguments.sizes:
        for name in arguments.collections:
            questions = COLLECTIONS[name](arguments.data_dir)
            for seed in arguments.seeds:
                parts = cut(questions, size, seed)
                for vectors in arguments.vectors:
                    key = (name, size, seed, vectors, arguments.model)
                    if parts is None or key in done:
                        continue
                    options = dict(zip(asked[1:], key[1:], strict=True))
                    folder = arguments.runs / "-".join(map(str, key))
                    line = measure(name, parts, folder, options)
                    with arguments.record.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(line) + "\n")
                    print(summary(line), flush=True)
    print(table(read_record(arguments.record)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
