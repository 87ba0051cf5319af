"""Parts of an index that the actors of Ray encode."""

import json
import os
import signal
import threading
import time

import pytest

from keras_qa.errors import SearchError
from keras_qa.search.parts.merge import merge_parts
from keras_qa.search.parts.ray_actors import encode_parts
from support.search_runs import build
from support.search_runs import make_texts

pytest.importorskip("faiss")
pytestmark = [pytest.mark.large, pytest.mark.once]


def kill_one(folder, killed):
    """Kills the process that encodes a part, once one does."""
    while not killed:
        for path in folder.glob("parts/*/running.json"):
            try:
                owner = json.loads(path.read_text())
            # Not written yet, or the part is done.
            except (OSError, ValueError):
                continue
            killed.append(owner["pid"])
            os.kill(killed[0], signal.SIGKILL)
            return
        time.sleep(0.001)


def test_a_killed_actor_loses_and_doubles_nothing(runs, tmp_path):
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False)
    try:
        file, folder = tmp_path / "answers.txt", tmp_path / "index"
        # Long enough to be caught.
        file.write_text("\n".join(make_texts(60_000)))
        killed = []
        killer = threading.Thread(target=kill_one, args=(folder, killed))
        killer.start()
        encode_parts(runs["hyperqa"], file, folder, 4, 2)
        killer.join()
        # What is encoded already is looked at again.
        encode_parts(runs["hyperqa"], file, folder, 4, 2)
        with pytest.raises(SearchError, match="another model"):
            encode_parts(runs["cosineqa"], file, folder, 4, 2)
        other = tmp_path / "other.txt"
        other.write_text("one answer\n")
        with pytest.raises(SearchError, match="one of other answers"):
            encode_parts(runs["hyperqa"], other, folder, 4, 2)
    finally:
        ray.shutdown()
    assert killed
    assert merge_parts(folder, show_progress=False) == 60_000
    build(runs["hyperqa"], file, tmp_path / "whole", size=8192)
    for name in ("flat.faiss", "answers.json", "unread.npy"):
        whole = (tmp_path / "whole" / name).read_bytes()
        assert (folder / name).read_bytes() == whole
