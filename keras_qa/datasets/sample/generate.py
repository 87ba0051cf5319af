"""Generates the bundled questions from facts and wordings.

    python -m keras_qa.datasets.sample.generate --output-dir DIR

The facts are in `facts/`, one table per domain, with the entity in the first
column. `wording.toml` has wordings of questions about each column and of
statements. The entities of each domain are divided between train, dev and test.
A question's candidates are one or two sentences that state the answer, and
distractors of two kinds: other facts about the same entity, and the same fact
about other entities.
"""

import argparse
import random
import re
import tomllib
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from keras_qa.datasets.collections.wikiqa import HEADER
from keras_qa.files.whole import write_whole

FOLDER = Path(__file__).parent
SPLITS = {"train": 0.7, "dev": 0.13, "test": 0.17}
QUESTIONS_PER_ENTITY = 2
CANDIDATES = (5, 10)
TWO_POSITIVES = 0.25
# The share of distractors about the same entity.
SAME_ENTITY = 0.5


@dataclass(frozen=True)
class Domain:
    """The facts and wordings of one domain.

    Attributes:
        name: the name of the domain and of its table.
        title: the title of its documents.
        columns: the columns about which questions are asked.
        rows: entities with their facts.
        questions: wordings of questions about each column.
        sentences: wordings of statements.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: list[dict[str, str]]
    questions: dict[str, list[str]]
    sentences: list[str]

    def stating(self, column: str) -> list[str]:
        """The wordings that state a column."""
        return [s for s in self.sentences if f"{{{column}}}" in s]

    def silent_about(self, column: str) -> list[str]:
        """The wordings that do not state a column."""
        return [s for s in self.sentences if f"{{{column}}}" not in s]


def read_domains() -> list[Domain]:
    """All domains, in the order of `wording.toml`."""
    wording = tomllib.loads((FOLDER / "wording.toml").read_text("utf-8"))
    return [_domain(name, fields) for name, fields in wording.items()]


def _domain(name: str, fields: dict[str, Any]) -> Domain:
    lines = (FOLDER / "facts" / f"{name}.tsv").read_text("utf-8").splitlines()
    _, *columns = lines[0].split("\t")
    rows = [
        dict(zip(("entity", *columns), line.split("\t"), strict=True))
        for line in lines[1:]
    ]
    return Domain(
        name,
        fields["title"],
        tuple(columns),
        rows,
        fields["questions"],
        fields["statements"],
    )


def fill(wording: str, row: dict[str, str]) -> str:
    """Makes an English sentence of a wording and the facts of a row."""
    text = wording.format(**row)
    text = re.sub(r"\b([Aa]) (?=[aeiouAEIO])", r"\1n ", text)
    return text[0].upper() + text[1:]


def mentions(text: str, phrase: str) -> bool:
    """Returns True if a text contains the words of a phrase."""
    pattern = rf"(?<!\w){re.escape(phrase)}(?!\w)"
    return re.search(pattern, text, re.IGNORECASE) is not None


def questions(
    domain: Domain, rows: Sequence[dict[str, str]], rng: random.Random
) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """Yields questions about entities, each with its labelled sentences."""
    for row in rows:
        columns = rng.sample(domain.columns, QUESTIONS_PER_ENTITY)
        for column in columns:
            question = fill(rng.choice(domain.questions[column]), row)
            candidates = candidates_of(domain, rows, row, column, rng)
            if candidates:
                yield question, candidates


def candidates_of(
    domain: Domain,
    rows: Sequence[dict[str, str]],
    row: dict[str, str],
    column: str,
    rng: random.Random,
) -> list[tuple[str, int]]:
    """The candidates in random order; none if there are too few."""
    stating = domain.stating(column)
    count = 2 if rng.random() < TWO_POSITIVES else 1
    positives = [fill(s, row) for s in rng.sample(stating, count)]
    same = [fill(s, row) for s in domain.silent_about(column)]
    other = [fill(s, r) for r in rows if r is not row for s in stating]
    wanted = rng.randint(*CANDIDATES) - count
    negatives: list[str] = []
    for pool, size in [(same, round(SAME_ENTITY * wanted)), (other, wanted)]:
        rng.shuffle(pool)
        # A distractor must not contain the answer, which entities can share.
        fitting = [s for s in pool if not mentions(s, row[column])]
        negatives += fitting[: min(size, wanted - len(negatives))]
    if len(negatives) + count < CANDIDATES[0]:
        return []
    labelled = [(s, 1) for s in positives] + [(s, 0) for s in negatives]
    rng.shuffle(labelled)
    return labelled


def divide(
    rows: Sequence[dict[str, str]], rng: random.Random
) -> dict[str, list[dict[str, str]]]:
    """Divides the entities of a domain at random, by split."""
    shuffled = rng.sample(rows, len(rows))
    parts, start = {}, 0
    total = 0.0
    for split, share in SPLITS.items():
        total += share
        end = round(total * len(rows))
        parts[split] = shuffled[start:end]
        start = end
    return parts


def generate(seed: int = 0) -> dict[str, list[list[str]]]:
    """The rows of the files, by split, in the columns of WikiQA."""
    rng = random.Random(seed)
    asked: dict[str, list[tuple[Domain, str, list[tuple[str, int]]]]] = {
        split: [] for split in SPLITS
    }
    for domain in read_domains():
        for split, rows in divide(domain.rows, rng).items():
            for question, candidates in questions(domain, rows, rng):
                asked[split].append((domain, question, candidates))
    table: dict[str, list[list[str]]] = {split: [] for split in SPLITS}
    number = 0
    for split, items in asked.items():
        rng.shuffle(items)
        for domain, question, candidates in items:
            number += 1
            for position, (sentence, label) in enumerate(candidates):
                table[split].append(
                    [
                        f"Q{number}",
                        question,
                        f"D{number}",
                        domain.title,
                        f"D{number}-{position}",
                        sentence,
                        str(label),
                    ]
                )
    return table


def _write(path: Path, rows: list[list[str]]) -> None:
    lines = ["\t".join(row) + "\n" for row in [HEADER, *rows]]
    path.write_text("".join(lines), "utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """Writes the three files."""
    parser = argparse.ArgumentParser(
        prog="python -m keras_qa.datasets.sample.generate",
        description=__doc__.splitlines()[0],
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--output-dir", type=Path, default=FOLDER, metavar="DIR"
    )
    arguments = parser.parse_args(argv)
    arguments.output_dir.mkdir(parents=True, exist_ok=True)
    for split, rows in generate(arguments.seed).items():
        path = arguments.output_dir / f"WikiQA-{split}.tsv"
        write_whole(path, partial(_write, rows=rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
