"""The names of a page's files and rankers; nothing here imports Keras."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from keras_qa.errors import RankerError
from keras_qa.export.forms import check_form
from keras_qa.export.target import ONNX
from keras_qa.export.target import check_nothing_else

BM25 = "bm25"
"""The name of a ranker that is made of the shown questions' answers."""

MOST = 4
SITE = "site.json"
"""The file that names all others of a site."""
PAGE = Path(__file__).parent / "page"
RANKERS = "rankers"
"""The folder of a site with a folder of each ranker."""


def is_site(path: Path) -> bool:
    """Whether a folder has the files by which a site begins."""
    return all((path / name).is_file() for name in ("index.html", SITE))


def check_only_site(path: Path) -> None:
    """Checks that nothing but a site is in its folder.

    Raises:
        FileExistsError: if something else is.
    """
    names = (*(file.name for file in PAGE.iterdir()), SITE, RANKERS)
    check_nothing_else(path, {".": names})


def check_runs(runs: Sequence[str]) -> None:
    """Checks, by the names of files, that rankers can be loaded.

    Args:
        runs: folders with a Keras model, or `BM25`.

    Raises:
        RankerError: if there are none or more than `MOST`, one is there twice,
            is missing, or an ONNX folder, which lacks the Keras model.
    """
    if not 1 <= len(runs) <= MOST:
        raise RankerError(
            f"Expected 1 to {MOST} rankers. Received: {len(runs)}"
        )
    named = Counter(run if run == BM25 else Path(run).resolve() for run in runs)
    for run, count in named.items():
        if count > 1:
            raise RankerError(
                f"Expected different rankers. Received: {run}, {count} times"
            )
    for folder in (Path(run) for run in runs if run != BM25):
        check_form(folder)
        if (folder / ONNX).is_file():
            raise RankerError(
                f"{folder}: expected a folder that contains the Keras model, "
                "of which the weights of words are computed. Received: an ONNX "
                "folder, which ranks only"
            )


def distinct_ids(runs: Sequence[str]) -> list[str]:
    """Names of letters, digits and hyphens, by which a page keeps rankers.

    Args:
        runs: see `check_runs`.

    Returns:
        The names of the folders, with as many parents as tell them apart.
    """
    paths = [
        (run,) if run == BM25 else Path(run).resolve().parts for run in runs
    ]
    for depth in range(1, 1 + max(map(len, paths))):
        ids = [_slug("-".join(parts[-depth:])) for parts in paths]
        if len(set(ids)) == len(ids):
            return ids
    return [f"{id}-{i}" for i, id in enumerate(ids, start=1)]


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "ranker"
