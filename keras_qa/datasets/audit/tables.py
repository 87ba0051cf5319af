"""The audit of a data set as plain text."""

from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any

from keras_qa.datasets.audit.results import PERCENTILES
from keras_qa.datasets.audit.results import Audit
from keras_qa.datasets.audit.results import SplitAudit

_COUNTS = {
    "questions": "questions",
    "candidates": "candidates",
    "positives": "positives",
    "candidates per question (min / median / max)": "pool_sizes",
    "questions without candidates": "without_candidates",
    "questions without a positive": "negatives_only",
    "questions with positives only": "positives_only",
    "duplicate candidates within a question": "duplicates",
    "... with the other label": "conflicts",
}
_POOL_COUNTS = {
    "pools": "pools",
    "pools of another size": "other_size",
    "pools without a correct answer": "without_gold",
    "correct answers outside of their pools": "golds_outside",
    "repeated ids within a pool": "repeated",
    "ids without an answer": "unknown",
    "... of correct answers": "golds_unknown",
}


def format_audit(audit: Audit) -> str:
    """The audit as plain text: tables, in lines that each have a line end."""
    return "".join(f"{line}\n" for line in _lines(audit))


def _lines(audit: Audit) -> Iterator[str]:
    splits = audit.splits
    yield f"Data set: {audit.name}"
    yield ""
    yield from _table(
        "split",
        list(splits),
        {
            name: [getattr(split, count) for split in splits.values()]
            for name, count in _COUNTS.items()
        },
    )
    grades = sorted({g for split in splits.values() for g in split.grades})
    if grades:
        yield ""
        yield from _table(
            "candidates by grade",
            grades,
            {
                name: [split.grades.get(grade, 0) for grade in grades]
                for name, split in splits.items()
            },
        )
    if audit.overlaps:
        yield ""
        yield from _table(
            "texts in both splits",
            ["questions", "answers", "pairs"],
            {
                f"{o.first}, {o.second}": [o.questions, o.answers, o.pairs]
                for o in audit.overlaps
            },
        )
    if audit.pools:
        yield ""
        yield from _pool_lines(audit)
    yield ""
    yield from _table(
        f"tokens ({audit.tokenizer}), percentile",
        list(PERCENTILES),
        {
            f"{split}, {kind}": lengths
            for split, s in splits.items()
            for kind, lengths in (
                ("questions", s.question_lengths),
                ("answers", s.answer_lengths),
            )
        },
    )
    if audit.published is not None:
        yield ""
        yield from _published_lines(audit.published, audit.splits)


_PUBLISHED = {
    "questions": "questions",
    "pairs": "candidates",
    "positives": "positives",
}


def _pool_lines(audit: Audit) -> Iterator[str]:
    pools = audit.pools
    yield from _table(
        f"pools of {audit.pool_size} by id",
        list(pools),
        {
            name: [getattr(pool, count) for pool in pools.values()]
            for name, count in _POOL_COUNTS.items()
        },
    )
    names = [name for name, count in _POOL_COUNTS.items() if count != "pools"]
    off = [
        name
        for name in names
        if any(getattr(p, _POOL_COUNTS[name]) for p in pools.values())
    ]
    if off:
        yield f"Attention: there are {', '.join(off)}."
    else:
        yield "Every pool has its size and holds its correct answers, once."


def _published_lines(
    published: Mapping[str, Any], counted: Mapping[str, SplitAudit]
) -> Iterator[str]:
    splits = [s for s, v in published.items() if isinstance(v, dict)]
    printed = [name for name in _PUBLISHED if name in published[splits[0]]]
    yield from _table(
        f"{published['source']}, column {published['column']}",
        [title for name in printed for title in (f"{name}: paper", "here")],
        {
            split: [
                cell
                for name in printed
                for cell in (
                    published[split][name],
                    getattr(counts, _PUBLISHED[name]) if counts else "-",
                )
            ]
            for split in splits
            for counts in [counted.get(split)]
        },
    )
    if "note" in published:
        yield f"Note: {published['note']}"


def _table(
    corner: str, header: list[Any], rows: Mapping[str, list[Any]]
) -> Iterator[str]:
    cells = [[corner, *header], *([n, *row] for n, row in rows.items())]
    texts = [[_cell(value) for value in row] for row in cells]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for first, *others in texts:
        padded = (c.rjust(w) for c, w in zip(others, widths[1:], strict=True))
        yield "  ".join([first.ljust(widths[0]), *padded])


def _cell(value: object) -> str:
    if isinstance(value, list):
        return " / ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)
