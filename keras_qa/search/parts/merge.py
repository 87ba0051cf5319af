"""Finishes an index whose parts are encoded."""

from pathlib import Path

import numpy as np

from keras_qa.files.locks import owned_folder
from keras_qa.files.whole import remove_scratch
from keras_qa.ranker import Ranker
from keras_qa.search.build import check_kind
from keras_qa.search.build import finish_index
from keras_qa.search.encoding import Encoded
from keras_qa.search.index import SETTINGS
from keras_qa.search.index import Settings
from keras_qa.search.index import read_index_file
from keras_qa.search.index import stored_shards
from keras_qa.search.parts.manifests import check_files
from keras_qa.search.parts.manifests import read_manifests
from keras_qa.search.searchable import space_of
from keras_qa.search.token_search import TokenSpace


def merge_parts(
    folder: str | Path, kind: str = "flat", show_progress: bool = True
) -> int:
    """Finishes an index whose parts are all encoded.

    The index is the one that `build_index` would have built.

    Args:
        folder: the folder with the files of all parts.
        kind: see `build_index`.
        show_progress: True draws progress bars.

    Returns:
        The number of answers.

    Raises:
        ImportError: if FAISS is not installed and needed.
        SearchError: if parts are missing, damaged, or of different answers,
            models or settings, with the commands that encode them.
        OwnedError: if another process writes to the folder.
        RankerError: if the folder's model cannot be loaded.
    """
    folder = Path(folder)
    with owned_folder(folder):
        settings = read_index_file(folder / SETTINGS, Settings)
        manifests = read_manifests(folder, settings)
        ranker = Ranker.load(folder / "model", settings.tokenizer)
        space = space_of(ranker.model)
        check_kind(kind, space)
        check_files(folder, manifests, show_progress)
        tokens = isinstance(space, TokenSpace)
        shards = stored_shards(folder, settings, tokens)
        for written in (folder, shards.folder):
            remove_scratch(written)
        total = manifests[0]["answers"]
        encoded = Encoded(
            answers=total,
            words=sum(m["words"] for m in manifests),
            unknown=sum(m["unknown"] for m in manifests),
            unread=np.sort(
                [row for m in manifests for row in m["unread"]]
            ).astype(np.int64),
        )
        finish_index(folder, space, shards, encoded, kind, show_progress)
    return total
