"""Figure 5 of MRNN: all attention weights of a pair, as a picture.

    python -m reproductions.mrnn.figure5 --run RUN --data-dir DIR \
        --output-dir pictures

A RUN is the output folder of `reproductions.mrnn`. The pair is the first
question of the run's split whose right answer is ranked first, with this
answer; `--question-id` and `--candidate-id` name another pair of the split,
`--question` and `--answer` are any two texts. The picture has the three maps of
the figure; a Markdown page with it lists the largest weights of each map.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from keras_qa.files.whole import write_text
from reproductions.harness.command import add_data_dir
from reproductions.harness.command import add_run_option
from reproductions.harness.command import print_written
from reproductions.harness.command import with_messages
from reproductions.harness.errors import FigureError
from reproductions.harness.example_pairs import Pair
from reproductions.harness.example_pairs import pair_of_split
from reproductions.records.paper_figures import model_names
from reproductions.records.runs import read_metrics
from reproductions.report import markdown

if TYPE_CHECKING:
    from keras_qa.attention.maps import AttentionMaps

# Rows of each table.
STRONGEST = 5


def tables(maps: "AttentionMaps", count: int = STRONGEST) -> str:
    """The largest weights of each map, as Markdown tables.

    Each word is followed by its position in the text, from 1.

    Args:
        maps: the maps.
        count: number of weights of each map.
    """
    grams = [f"{words}-gram" for words in maps.grams]
    question, answer = (
        [f"{maps.shown(word)} ({i})" for i, word in enumerate(words, 1)]
        for words in (maps.question, maps.answer)
    )
    parts = []
    for title, heads, weights, rows, columns in (
        (
            "a) question, by block",
            ("Word", "Block"),
            maps.question_blocks,
            question,
            grams,
        ),
        (
            "b) answer, by block",
            ("Word", "Block"),
            maps.answer_blocks,
            answer,
            grams,
        ),
        (
            "c) what each word of the question looks up in the answer",
            ("Question", "Answer"),
            maps.positions,
            question,
            answer,
        ),
    ):
        parts.append(
            f"## {title}\n\n"
            f"{1 / len(columns):.3f} if all weighed the same.\n\n"
            + markdown.table(
                [*heads, "Weight"], _strongest(weights, rows, columns, count)
            )
        )
    return "\n".join(parts)


def _strongest(
    weights: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    count: int,
) -> Iterator[list[str]]:
    """The largest weights, with the labels of their row and column."""
    order = np.argsort(-weights, axis=None, kind="stable")[:count]
    for place in order:
        i, j = np.unravel_index(place, weights.shape)
        yield [rows[i], columns[j], f"{weights[i, j]:.3f}"]


def draw(
    folder: Path,
    data_dir: Path | None,
    output_dir: Path,
    ids: tuple[str, str] | None = None,
    texts: tuple[str, str] | None = None,
) -> list[Path]:
    """Draws the maps of a pair and writes their tables.

    Args:
        folder: folder of a run.
        data_dir: folder of its data set; not needed for `texts`.
        output_dir: where the files go.
        ids: of a question and a candidate of the run's split.
        texts: a question and an answer, in place of those of the split.

    Returns:
        The files that were written: the page, then the picture.

    Raises:
        AttentionError: if the run's model has no such maps.
        DatasetError: if the data set is missing.
        FigureError: if the model reads vectors that depend on whole texts,
            or if there is no such pair.
        RankerError: if the folder contains no finished run.
        RecordError: if the run's metrics are malformed.
    """
    from keras_qa.attention.maps import attention_maps
    from keras_qa.attention.maps import draw_attention_maps
    from keras_qa.export.keras_file import load_model
    from keras_qa.export.keras_folder import run_reading

    reading = run_reading(folder)
    metrics = read_metrics(folder, "settings")
    model = load_model(folder / "model.keras")
    if getattr(model, "vocabulary_size", 0) is None:
        raise FigureError(
            f"{folder}: expected a run of a model that reads word ids. "
            f"Received: {metrics['model']}, which reads vectors of words in "
            "their texts; keras_qa.attention.maps.attention_maps takes these "
            "as `inputs`"
        )
    if texts:
        pair = Pair("text", "any two texts", *texts)
    else:
        pair = pair_of_split(folder, metrics, data_dir, ids)
    maps = attention_maps(model, reading, pair.question, pair.answer)
    # An id may contain characters that a file name cannot.
    name = re.sub(r"[^\w.-]", "_", f"{metrics['dataset']}-{pair.name}")
    picture = output_dir / f"figure5-{name}.png"
    text = picture.with_suffix(".md")
    title = model_names().get(metrics["model"], metrics["model"])
    page = (
        f"# Attention of {title}, score {maps.score:.4f}\n\n"
        f"{pair.source}\n\n> {_line(pair.question)}\n>\n"
        f"> {_line(pair.answer)}\n\n![attention]({picture.name})\n\n"
        f"{tables(maps)}"
    )
    draw_attention_maps(
        maps,
        picture,
        f"{title}, {metrics['dataset']} {metrics['split']}, "
        f"seed {metrics['seed']}; one pair, {pair.name}, "
        f"score {maps.score:.4f}",
    )
    write_text(text, page)
    return [text, picture]


def _line(text: str) -> str:
    return " ".join(text.split())


def main(argv: Sequence[str] | None = None) -> int:
    """Draws the figure; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.mrnn.figure5",
        description=__doc__.splitlines()[0],
    )
    add_run_option(parser, several=False)
    add_data_dir(parser)
    parser.add_argument("--question-id", metavar="ID")
    parser.add_argument("--candidate-id", metavar="ID")
    parser.add_argument("--question", metavar="TEXT")
    parser.add_argument("--answer", metavar="TEXT")
    parser.add_argument("--output-dir", type=Path, required=True, metavar="DIR")
    arguments = parser.parse_args(argv)
    ids = arguments.question_id, arguments.candidate_id
    texts = arguments.question, arguments.answer
    if (None in ids and any(ids)) or (None in texts and any(texts)):
        parser.error(
            "give --question-id with --candidate-id, --question with --answer"
        )
    if None not in ids and None not in texts:
        parser.error("give the ids of a pair or its texts, not both")
    return with_messages(
        lambda: print_written(
            draw(
                arguments.run,
                arguments.data_dir,
                arguments.output_dir,
                None if None in ids else ids,
                None if None in texts else texts,
            )
        )
    )


if __name__ == "__main__":
    sys.exit(main())
