"""Encodes the parts of an index on the machines of a Ray cluster.

Ray Data hands the numbers of the parts to actors, each of which holds a ranker
and calls `encode_part`. The part of an actor that is killed is given to
another, which goes on from the shards that are on disk.
"""

from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import keras
import numpy as np

from keras_qa.files.locks import locked
from keras_qa.progress import ProgressBar
from keras_qa.ranker import Ranker
from keras_qa.search.encoding import PARTS
from keras_qa.search.encoding import Part
from keras_qa.search.encoding import open_shards
from keras_qa.search.parts.encode import encode_part
from keras_qa.search.parts.manifests import missing_parts
from keras_qa.telemetry import switch_off_telemetry

# An actor computes on one core.
ENVIRONMENT = {
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}


class _Encoder:
    """What an actor holds: a ranker, and what it encodes.

    Args:
        loaded: the arguments of `Ranker.load`.
        count: the number of parts.
        **given: further arguments of `encode_part`.
    """

    def __init__(self, loaded: Sequence[Any], count: int, **given: Any):
        self._ranker = Ranker.load(*loaded)
        self._count = count
        self._given = given

    def __call__(self, parts: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        for number in parts["part"]:
            part = Part(int(number), self._count)
            encode_part(
                self._ranker, part=part, show_progress=False, **self._given
            )
        return parts


def encode_parts(
    model: str | Path,
    answers: str | Path,
    folder: str | Path,
    count: int,
    workers: int,
    *,
    tokenizer: str | None = None,
    readable: str | None = None,
    half: bool = False,
    table: Mapping[str, Any] | None = None,
    show_progress: bool = True,
) -> None:
    """Encodes the parts of an index that are missing.

    A running cluster is used if `RAY_ADDRESS` names one, or `ray.init` was
    called; otherwise Ray starts processes on this machine.

    Args:
        model: folder of a ranker; like `answers` and `folder`, it has this path
            on all machines.
        answers: see `encode_part`.
        folder: see `encode_part`.
        count: the number of parts; a few for each worker, so that none waits
            long for the last.
        workers: the number of actors, each on one core.
        tokenizer: see `Ranker.load`.
        readable: see `Ranker.load`.
        half: see `encode_part`.
        table: see `encode_part`.
        show_progress: True draws a progress bar of parts.

    Raises:
        ImportError: if Ray is not installed.
        SearchError: as `encode_part`, or if the folder has parts of other
            answers.
        RankerError: if `model` cannot be loaded.
        ray.exceptions.RayError: if `encode_part` fails, with its error.
    """
    switch_off_telemetry()
    try:
        import ray
    except ImportError as error:
        raise ImportError(
            "Encoding by workers needs Ray: pip install 'keras-qa[ray]'"
        ) from error
    model, answers, folder = Path(model), Path(answers), Path(folder)
    loaded = model.absolute(), tokenizer, readable
    # If all parts are there, no actor looks whether they are of this model.
    with locked(folder / PARTS / "lock"):
        open_shards(Ranker.load(*loaded), folder, None, half)
    missing = missing_parts(folder, count, answers)
    if not missing:
        return
    given = {
        "answers": answers.absolute(),
        "folder": folder.absolute(),
        "half": half,
        "table": table,
    }
    environment = {**ENVIRONMENT, "KERAS_BACKEND": keras.backend.backend()}
    ray.data.DataContext.get_current().enable_progress_bars = False
    encoded = ray.data.from_items([{"part": n} for n in missing]).map_batches(
        _Encoder,
        fn_constructor_args=(loaded, count),
        fn_constructor_kwargs=given,
        batch_size=1,
        concurrency=min(workers, len(missing)),
        num_cpus=1,
        runtime_env={"env_vars": environment},
    )
    with ProgressBar(
        total=count, desc="Encode", unit="part", disable=not show_progress
    ) as bar:
        bar.update(count - len(missing))
        for _ in encoded.iter_rows():
            bar.update(1)
