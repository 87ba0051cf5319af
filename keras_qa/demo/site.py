"""The writing of a page that ranks in the browser.

The page's files are in `page/`; it reads `site.json`, which names the rankers,
their views and the sample questions, and the folders of `export_onnx`.
"""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from keras_qa.demo.questions import Shown
from keras_qa.demo.rankers import ShownRanker
from keras_qa.demo.runs import PAGE
from keras_qa.demo.runs import RANKERS
from keras_qa.demo.runs import SITE
from keras_qa.errors import ExportError
from keras_qa.export.onnx import export_onnx
from keras_qa.files.checks import read_json
from keras_qa.files.whole import write_whole
from keras_qa.text.reading import READING
from keras_qa.version import __version__

VERSION = 1
TITLE = "Rank answers in the browser"


def write_site(
    path: str | Path,
    rankers: Sequence[ShownRanker],
    shown: Shown,
    *,
    title: str = TITLE,
    limit: int = 40,
) -> None:
    """Writes a folder that any web server can serve, atomically.

    It contains the page, `site.json`, and `rankers/ID` for each ranker, an
    ONNX folder with views (see `keras_qa.export.views.add_views`) that
    `Ranker.load` takes, too.

    Args:
        path: the folder; an existing one is replaced.
        rankers: what `load_rankers` returned.
        shown: the sample questions.
        title: the title of the page.
        limit: the most sample questions.

    Raises:
        ExportError: if a ranker cannot be written as ONNX.
        ImportError: if tf2onnx or tokenizers is not installed.
    """

    def save(site: Path) -> None:
        shutil.copytree(PAGE, site)
        entries = []
        for ranker in rankers:
            folder = f"{RANKERS}/{ranker.id}"
            views = _export(ranker, site / folder)
            entries.append({**ranker.to_json(folder), "views": views})
        content = {
            "version": VERSION,
            "title": title,
            "keras_qa": __version__,
            "rankers": entries,
            "questions": shown.to_json(limit),
        }
        text = json.dumps(
            content, ensure_ascii=False, allow_nan=False, indent=1
        )
        (site / SITE).write_text(f"{text}\n", "utf-8")

    write_whole(path, save)


def _export(ranker: ShownRanker, folder: Path) -> list[dict[str, Any]]:
    """Writes a ranker's folder; returns its views."""
    model, reading = ranker.ranker.model, ranker.ranker.reading
    try:
        export_onnx(model, reading, folder, views=True)
    except ImportError:
        raise
    # Converters raise many types of errors for a model that they cannot take.
    except Exception as error:
        raise ExportError(
            f"{ranker.label}: expected a model that can be written as ONNX. "
            f"Received: {type(error).__name__}: {error}"
        ) from error
    noted: dict[str, Any] = read_json(folder / READING, dict, ExportError)
    return noted["views"]
